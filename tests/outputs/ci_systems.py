"""Small models of CI systems: who gets which signal when a job is cancelled or out of time, what runs then, for how long.

Only what decides whether a failed job can still be explained. From the systems' sources: Jenkins' durable-task plugin and ProcessTree,
Buildkite's agent, Azure's agent (GitHub's runner is its relative), GitLab's runner. `ends` is None, "time-out" or "cancel"; it comes
when the job says that it waits, not by a clock."""
import os
import re
import signal
import subprocess
import time

STEP_SECONDS = 60  # of a test, not of a system


class Shown:
    """What a step or hook was: its status, what it printed, how long it took."""

    def __init__(self, status, text, seconds):
        self.status, self.text, self.seconds = status, text, seconds


class System:
    def __init__(self, work, environment, waits):
        self.work, self.environment, self.waits = work, environment, waits  # waits(): the job hangs now
        self.shown = []

    def start(self, arguments, stdin=None, **variables):
        self.output = self.work.parent / f"output{len(self.shown)}"
        with self.output.open("wb") as out:
            process = subprocess.Popen(arguments, cwd=self.work, start_new_session=True, env={**self.environment, **variables}, stdout=out,
                                       stderr=subprocess.STDOUT, stdin=subprocess.PIPE if stdin else subprocess.DEVNULL)
        if stdin:
            process.stdin.write(stdin.encode())
            process.stdin.close()
        process.began = time.monotonic()
        return process

    def until(self, process, condition, seconds=STEP_SECONDS):
        """Whether the condition came before the process ended and in time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if process.poll() is not None:
                return False
            if condition():
                return True
            time.sleep(0.02)
        return False

    def ended(self, process):
        status = process.wait(STEP_SECONDS)
        self.shown.append(Shown(status, self.output.read_text(errors="replace"), time.monotonic() - process.began))
        return self.shown[-1]


def signal_group(process, number):
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass


def with_variable(name, value):
    """Pids of the processes that have it in their environment, as Jenkins and Azure find what a job has left."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environment:
                if f"{name}={value}".encode() in environment.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            pass
    return found


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def parent(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return int(stat.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


class Jenkins(System):
    """A declarative pipeline with one stage. Each `sh` is a file that a wrapper runs, which alone knows its status; to stop it
    all processes with its cookie get SIGTERM, children first, and five seconds; nothing harder follows. Then `post` runs."""

    def __init__(self, text, *rest):
        super().__init__(*rest)
        self.text, self.result = text, "success"
        self.environment["WORKSPACE"] = str(self.work)
        for name, value in re.findall(r"(\w+) = ['\"]([^'\"]*)['\"]", block(text, "environment")):
            self.environment[name] = value.replace("${WORKSPACE}", str(self.work))

    def shell(self, script, stdout=False, stop=False):
        control = self.work.parent / f"durable{len(self.shown)}"
        control.mkdir()
        (control / "script.sh").write_text(script)
        (control / "script.sh").chmod(0o755)
        log, told, result = control / "log", control / ("output" if stdout else "log"), control / "result"
        interpreter = "" if script.startswith("#!") else "sh -xe "
        cookie = f"durable-{os.getpid()}-{id(self)}-{len(self.shown)}"
        process = self.start(["nohup", "sh", "-c", f"(value={cookie}; JENKINS_SERVER_COOKIE=$value {interpreter}{control}/script.sh "
                              f">{told} 2>{'&1' if told == log else log}; echo $? >{result}.new; mv {result}.new {result}) >&- 2>&- &"],
                             JENKINS_SERVER_COOKIE="please-do-not-kill-me")
        process.wait()
        deadline = time.monotonic() + STEP_SECONDS
        while not result.exists() and time.monotonic() < deadline:
            if stop and self.waits():
                self.stop(cookie)
                stop = False
            time.sleep(0.02)
        status = int(result.read_text()) if result.exists() else None
        self.shown.append(Shown(status, told.read_text(errors="replace"), time.monotonic() - process.began))
        return self.shown[-1]

    @staticmethod
    def stop(cookie):
        pids = with_variable("JENKINS_SERVER_COOKIE", cookie)

        def kill(pid, deadline):
            for child in [other for other in pids if parent(other) == pid]:
                kill(child, deadline)
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                return
            while not gone(pid) and time.monotonic() < deadline:
                time.sleep(0.01)
        for pid in sorted(pids):
            if not gone(pid):
                kill(pid, time.monotonic() + 5)

    def steps(self, text, stop=False):
        """Runs them in their order, up to one that fails; `files` are the patterns that the others look for."""
        files = []
        for script, multi, told, found in re.findall(
                r"\bsh '((?!'')(?:[^'\\]|\\.)*)'|\bsh '''((?:.|\n)*?)'''|\bsh\(script: '((?:[^'\\]|\\.)*)', returnStdout: true\)"
                r"|\b(?:testResults|artifacts): '([^']*)'", text):
            if found:
                files.append(found)
                continue
            shown = self.shell(re.sub(r"\\(.)", r"\1", script or told) or multi, stdout=bool(told), stop=stop)
            if shown.status != 0:
                return files, shown.status
        return files, 0

    def run(self, ends=None):
        _, status = self.steps(block(block(self.text, "stages"), "steps"), stop=ends is not None)
        self.result = "success" if status == 0 else "aborted" if ends else "failure"
        during = len(self.shown)
        post = block(self.text, "post")
        for condition in ("always", self.result, "unsuccessful" if self.result != "success" else ""):
            if condition and re.search(rf"\b{condition} \{{", post):
                self.files, _ = self.steps(block(post, condition))
        return self.shown[during:]


def block(text, name):
    """What stands between the braces behind the first `name`."""
    at = re.search(rf"\b{name}\b[^\n{{}}]*\{{", text).end()
    depth, quote, i = 1, "", at
    while depth:
        if quote:
            if text.startswith(quote, i):
                i += len(quote) - 1
                quote = ""
        elif text[i] in "'\"":
            quote = text[i] * (3 if text.startswith(text[i] * 3, i) else 1)
            i += len(quote) - 1
        elif text.startswith("//", i):
            i = text.index("\n", i)
        else:
            depth += {"{": 1, "}": -1}.get(text[i], 0)
        i += 1
    return text[at:i - 1]


class Buildkite(System):
    """The command's process group gets SIGTERM and, when the grace is over, SIGKILL, and so does the hook: it has what is left."""

    def run(self, command, hook, ends=None, grace=10):
        process = self.start(["/bin/bash", "-e", "-c", command], BUILDKITE="true")
        deadline = None
        if ends and self.until(process, self.waits):
            deadline = time.monotonic() + grace
            signal_group(process, signal.SIGTERM)
            if self.until(process, lambda: time.monotonic() >= deadline):
                signal_group(process, signal.SIGKILL)
        shown = self.ended(process)
        status = -1 if shown.status < 0 else shown.status
        if deadline and time.monotonic() >= deadline:
            return []
        process = self.start(["/bin/bash", "-c", f". {hook}"], BUILDKITE="true", BUILDKITE_COMMAND_EXIT_STATUS=str(status),
                             **({"BUILDKITE_JOB_CANCELLED": "true"} if ends else {}))
        if deadline and self.until(process, lambda: time.monotonic() >= deadline):
            signal_group(process, signal.SIGKILL)
        return [self.ended(process)]


class Azure(System):
    """Steps with conditions. A step that is cancelled or out of time: SIGINT to its first process alone, 7.5 s later SIGTERM, 2.5 s
    later SIGKILL. Of a cancelled job the steps go on whose condition holds; what is left is killed at the end."""

    def run(self, steps, variables, ends=None):
        lookup, status, during = f"{os.getpid()}-{id(self)}", "Succeeded", 0
        variables = {**{name.upper().replace(".", "_"): str(value) for name, value in variables.items()}, "TF_BUILD": "True"}
        for step in steps:
            if not self.holds(step.get("condition", "succeeded()"), status) or "bash" not in step:
                continue
            script = self.work.parent / "step.sh"
            script.write_text(step["bash"])
            process = self.start(["bash", "--noprofile", "--norc", *step.get("options", []), str(script)], **variables, AGENT_JOBSTATUS=status,
                                 VSTS_PROCESS_LOOKUP_ID=lookup)
            if ends and status == "Succeeded" and self.until(process, self.waits):
                if ends == "cancel":
                    status = "Canceled"
                if ends == "time-out" or not self.holds(step.get("condition", "succeeded()"), status):
                    self.end(process)
                during = len(self.shown) + 1
            shown = self.ended(process)
            during = during or len(self.shown)
            if shown.status and status == "Succeeded":
                status = "Failed"
        self.left = with_variable("VSTS_PROCESS_LOOKUP_ID", lookup)
        for pid in self.left:
            os.kill(pid, signal.SIGKILL)
        return self.shown[during:]

    def end(self, process):
        for number, seconds in ((signal.SIGINT, 7.5), (signal.SIGTERM, 2.5)):
            process.send_signal(number)
            if not self.until(process, lambda: False, seconds) and process.poll() is not None:
                return
        process.kill()

    @staticmethod
    def holds(condition, status):
        """Azure's and GitHub's functions."""
        truth = {"succeeded": status == "Succeeded", "success": status == "Succeeded", "failed": status == "Failed", "failure": status == "Failed",
                 "canceled": status == "Canceled", "cancelled": status == "Canceled", "always": True}
        if condition.startswith("not(") and condition.endswith(")"):
            return not Azure.holds(condition[4:-1], status)
        return any(truth[name] for name in re.fullmatch(r"\w+\(\)(?: \|\| \w+\(\))*", condition).group().replace("()", "").split(" || "))


class GitLab(System):
    """script is read by a shell whose process group gets SIGTERM and, ten seconds later, SIGKILL; after_script by a new one, which knows
    how it went: success, failed, canceled, timedout. It runs when RUNNER_SCRIPT_TIMEOUT is over, not when the job's own time is."""

    def run(self, script, job, ends=None):
        variables = {"GITLAB_CI": "true", "CI_PROJECT_DIR": str(self.work)}
        for name, value in job["variables"].items():
            variables[name] = str(value).replace("$CI_PROJECT_DIR", str(self.work))
        process = self.start(["bash"], stdin="set -eo pipefail\n" + "\n".join(script) + "\n", **variables)
        if ends and self.until(process, self.waits):
            signal_group(process, signal.SIGTERM)
            if self.until(process, lambda: False, 10) or process.poll() is None:
                signal_group(process, signal.SIGKILL)
        shown = self.ended(process)
        status = {"cancel": "canceled", "time-out": "timedout"}.get(ends, "success" if shown.status == 0 else "failed")
        after = self.start(["bash"], stdin="set -eo pipefail\n" + "\n".join(job["after_script"]) + "\n", **variables, CI_JOB_STATUS=status)
        return [self.ended(after)]
