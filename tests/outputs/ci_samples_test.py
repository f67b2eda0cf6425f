"""samples/ci as the CI systems run it: a job that fails, passes, hangs, is cancelled, comes from a fork."""
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import NCCLWHY, ProgramTest, SHM_FULL, SOURCE  # noqa: E402

try:
    import yaml
except ImportError:
    yaml = None

SAMPLES = SOURCE / "samples/ci"
HOST = "h100-39"  # in the log of the job that fails
SYSTEMS = {"GITHUB_ACTIONS": "true", "GITLAB_CI": "true", "BUILDKITE": "true", "TF_BUILD": "True"}
TRACEBACK = """Traceback (most recent call last):
  File "%s/train.py", line 41, in <module>
    main()
  File "%s/model/net.py", line 7, in main
    dist.all_reduce(x)
  File "/usr/lib/python3/dist-packages/torch/distributed/distributed_c10d.py", line 2501, in all_reduce
    work.wait()
torch.distributed.DistBackendError: NCCL error
"""


class CiTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.work, self.bin = self.dir / "work", self.dir / "bin"
        (self.work / "logs").mkdir(parents=True)
        self.bin.mkdir()
        self.environment = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.dir), "STUBS": str(self.dir), "LANG": "C.UTF-8"}
        os.symlink(pathlib.Path(NCCLWHY).resolve(), self.bin / "ncclwhy")
        shutil.copy(SAMPLES / "ncclwhy-ci.sh", self.work)

    def command(self, name, script):
        path = self.bin / name
        if path.is_symlink():
            path.unlink()
        path.write_text("#!/usr/bin/env bash\n" + script + "\n")
        path.chmod(0o755)

    def shell(self, script, **variables):
        return subprocess.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script], cwd=self.work, timeout=120,
                              env={**self.environment, **variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, check=False)

    def job_fails(self, log=None):
        (self.work / "logs/job.log").write_bytes(log if log is not None else SHM_FULL.read_bytes())

    def tell(self, logs="logs", **variables):
        run = self.shell(f"./ncclwhy-ci.sh {logs}", **variables)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run

    def out(self, name):
        return (self.work / "ncclwhy-report" / name).read_text()

    def repository(self):
        (self.work / "model").mkdir()
        for name in ("train.py", "model/net.py"):
            (self.work / name).write_text("x = 1\n" * 50)
        self.shell("git init -q . && git add train.py model && git -c user.name=a -c user.email=a@b commit -qm x")


class Script(CiTest):
    def test_one_analysis_many_outputs(self):
        self.command("ncclwhy", f'echo "$@" >> "$STUBS/calls"; exec {shlex.quote(NCCLWHY)} "$@"')
        self.job_fails()
        run = self.tell()
        self.assertEqual(len((self.dir / "calls").read_text().splitlines()), 1)
        self.assertIn("shm.too-small", run.stdout)
        for name in ("why.html", "why.md", "why.json", "why.xml", "why.sarif", "summary.txt"):
            self.assertIn("shm.too-small", self.out(name))
            self.assertNotIn(HOST, self.out(name), name)
        self.assertNotIn(HOST, run.stdout)
        xml.etree.ElementTree.fromstring(self.out("why.xml"))
        self.tell(NCCLWHY_REDACT="0")
        self.assertIn(HOST, self.out("why.html"))

    def test_a_job_that_passes_says_nothing(self):
        self.job_fails()
        run = self.tell(NCCLWHY_STATUS="success", **SYSTEMS)
        self.assertEqual((run.stdout, run.stderr), ("", ""))
        self.assertFalse((self.work / "ncclwhy-report").exists())

    def test_no_logs(self):
        self.assertIn("no log", self.tell("nothing/*.log", **SYSTEMS).stderr)
        self.job_fails(b"")
        self.tell(**SYSTEMS)

    def test_a_log_named_like_an_option(self):
        self.job_fails()
        for name in ("-delete", "-o", "--rules=x", "--version"):
            shutil.copy(SHM_FULL, self.work / name)
        run = self.tell("-delete -o --rules=x --version", **SYSTEMS)
        self.assertIn("shm.too-small", run.stdout)
        self.assertTrue((self.work / "logs/job.log").exists())
        self.assertTrue((self.work / "-delete").exists())

    def test_an_analysis_that_hangs(self):
        self.command("ncclwhy", "sleep 60")
        self.job_fails()
        started = time.monotonic()
        self.assertIn("no answer within 1 seconds", self.tell(NCCLWHY_SECONDS="1", **SYSTEMS).stderr)
        self.assertLess(time.monotonic() - started, 20)

    def test_fetched_and_verified(self):
        package = self.dir / "package"
        package.write_text(f'#!/bin/sh\nexec {shlex.quote(NCCLWHY)} "$@"\n')
        (self.bin / "ncclwhy").unlink()
        self.job_fails()
        good = {"NCCLWHY_URL": package.as_uri(), "NCCLWHY_SHA256": hashlib.sha256(package.read_bytes()).hexdigest()}
        self.assertIn("shm.too-small", self.tell(**good).stdout)
        package.write_text('#!/bin/sh\ntouch "$STUBS/stolen"\n')
        self.assertIn("is not what", self.tell(**good).stderr)
        self.assertIn("NCCLWHY_SHA256 is not set", self.tell(NCCLWHY_URL=package.as_uri()).stderr)
        self.assertIn("cannot be fetched", self.tell(**{**good, "NCCLWHY_URL": "file:///nowhere"}).stderr)
        self.assertIn("is not installed", self.tell().stderr)
        self.assertFalse((self.dir / "stolen").exists())

    def interrupted(self, how):
        """A job that writes and then hangs, ended as CI systems end it; then the next step runs."""
        self.job_fails(b"")
        job = subprocess.Popen(["bash", "-c", f'cat "{SHM_FULL}" > logs/job.log; echo waiting >> logs/job.log; exec sleep 600'],
                               cwd=self.work, start_new_session=True)
        while b"waiting" not in (self.work / "logs/job.log").read_bytes():
            time.sleep(0.02)
        for number in how:
            os.killpg(job.pid, number)
        job.wait(20)
        return self.tell(NCCLWHY_STATUS="cancelled", **SYSTEMS)

    def test_cancelled_and_out_of_time(self):
        for how in ([signal.SIGINT, signal.SIGTERM], [signal.SIGTERM], [signal.SIGKILL]):
            with self.subTest(how):
                self.assertIn("shm.too-small", self.interrupted(how).stdout)

    def test_the_log_of_a_killed_job(self):
        whole = SHM_FULL.read_bytes()
        self.job_fails(whole[:whole.rindex(b"\n", 0, -200) + 40])  # the last line is torn
        self.assertIn("shm.too-small", self.tell(NCCLWHY_STATUS="timed-out").stdout)

    def test_annotations_only_where_the_traceback_points(self):
        self.repository()
        for place, expected in ((str(self.work), "file=model/net.py,line=7,"), (".", "file=model/net.py,line=7,"), ("/elsewhere", "")):
            with self.subTest(place):
                self.job_fails(SHM_FULL.read_bytes() + (TRACEBACK % (place, place)).encode())
                run = self.tell(**SYSTEMS)
                self.assertIn(f"::error {expected}title=", run.stdout)
                quality = json.loads(self.out("gl-code-quality.json"))
                self.assertEqual([(q["location"]["path"], q["location"]["lines"]["begin"]) for q in quality],
                                 [("model/net.py", 7)] if expected else [])
                self.assertIn("sourcepath=model/net.py;linenumber=7;" if expected else "type=error;]", run.stdout)

    def test_hostile_logs(self):
        """No command of a CI system comes out of a log, and no file outside of the repository is pointed at."""
        self.repository()
        evil = b'::error::stolen\n##vso[task.setvariable variable=x]y\n::set-output name=a::b\n%0A::warning::x\n'
        frames = TRACEBACK % ("$(touch stolen)/..", "../../etc")
        self.job_fails(evil + SHM_FULL.read_bytes().replace(b"h100-39", b"h%0A::error::x") + frames.encode() + evil)
        run = self.tell(NCCLWHY_REDACT="0", **SYSTEMS)
        commands = [line for line in run.stdout.splitlines() if re.match(r"\s*(::|##)", line)]
        self.assertEqual([re.match(r"::error title=|##vso\[task\.(logissue|uploadsummary)", line) is not None for line in commands], [True] * 3)
        self.assertNotIn("%0A::", run.stdout.replace("%250A", ""))
        self.assertFalse((self.work / "stolen").exists())


class GitHubComments(CiTest):
    def setUp(self):
        super().setUp()
        self.job_fails()
        self.command("gh", 'echo "$@" >> "$STUBS/gh"; case "$*" in *--paginate*) cat "$STUBS/comments" 2>/dev/null; exit 0;; esac; '
                           '[ -e "$STUBS/forbidden" ] && { echo "HTTP 403" >&2; exit 1; }; cp ncclwhy-report/comment.md "$STUBS/comment"')
        self.github = {"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "o/r", "NCCLWHY_PR": "17",
                       "GITHUB_STEP_SUMMARY": str(self.dir / "summary.md"), "GITHUB_OUTPUT": str(self.dir / "output")}

    def calls(self):
        return (self.dir / "gh").read_text()

    def test_one_comment_that_is_updated(self):
        self.tell(**self.github)
        self.assertIn("--method POST repos/o/r/issues/17/comments", self.calls())
        self.assertTrue((self.dir / "comment").read_text().startswith("<!-- ncclwhy -->\n"))
        (self.dir / "comments").write_text("4711\n")
        self.tell(**self.github)
        self.assertIn("--method PATCH repos/o/r/issues/comments/4711", self.calls())
        self.assertEqual(self.calls().count("POST"), 1)

    def test_a_fork(self):
        (self.dir / "forbidden").touch()
        run = self.tell(**self.github)
        self.assertIn("this token may not", run.stderr)
        self.assertIn("::error title=", run.stdout)
        self.assertIn("shm.too-small", (self.dir / "summary.md").read_text())
        self.assertNotIn(HOST, (self.dir / "summary.md").read_text())

    def test_outputs(self):
        self.tell(**self.github)
        output = dict(line.split("=", 1) for line in (self.dir / "output").read_text().splitlines())
        self.assertEqual((output["cause"], output["report"]), ("shm.too-small", "ncclwhy-report"))
        self.assertIn("/dev/shm", output["summary"])

    def test_without_gh(self):
        (self.bin / "gh").unlink()
        self.assertIn("no gh", self.tell(**self.github).stderr)


@unittest.skipUnless(yaml, "python3-yaml is not installed")
class Pipelines(CiTest):
    @staticmethod
    def load(name):
        return list(yaml.safe_load_all((SAMPLES / name).read_text()))

    def test_the_action(self):
        action = self.load("action.yml")[0]
        step, upload = action["runs"]["steps"]
        for name, item in {**action["inputs"], **action["outputs"]}.items():
            self.assertTrue(item["description"], name)
        used = set(re.findall(r"inputs\.(\w+)", json.dumps(action["runs"])))
        self.assertEqual(used, set(action["inputs"]))
        self.assertNotIn("${{", step["run"])
        self.assertIn("always()", step["if"])
        self.assertRegex(upload["uses"], r"@[0-9a-f]{40}$")
        # As the runner does it: the environment is filled in, then the script runs in bash.
        self.job_fails()
        shutil.copytree(SAMPLES, self.dir / "action")
        values = {"NCCLWHY_LOGS": "logs/*.log nothing/**", "NCCLWHY_OUT": "ncclwhy-report", "NCCLWHY_REDACT": "1", "NCCLWHY_SECONDS": "60",
                  "NCCLWHY_ACTION": str(self.dir / "action"), "GITHUB_ACTIONS": "true"}
        self.assertLessEqual(set(values) - {"GITHUB_ACTIONS"}, set(step["env"]))
        run = self.shell(step["run"], **values)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("::error title=", run.stdout)

    def test_github_and_azure_leave_time(self):
        for name, job, limit in (("github-actions.yml", self.load("github-actions.yml")[0]["jobs"]["train"], "timeout-minutes"),
                                 ("azure-pipelines.yml", self.load("azure-pipelines.yml")[0]["jobs"][0], "timeoutInMinutes")):
            with self.subTest(name):
                limits = [step[limit] for step in job["steps"] if limit in step]
                self.assertEqual(len(limits), 2)
                self.assertLess(sum(limits), job[limit])
        why = self.load("github-actions.yml")[0]["jobs"]["train"]["steps"][-1]
        self.assertEqual(why["if"], "failure() || cancelled()")
        self.assertLessEqual(set(why["with"]), set(self.load("action.yml")[0]["inputs"]))

    def test_gitlab(self):
        spec, jobs = self.load("gitlab-component.yml")
        job = jobs[".why"]
        self.assertEqual(set(re.findall(r"\$\[\[ inputs\.(\w+) \]\]", json.dumps(job))), set(spec["spec"]["inputs"]))
        self.job_fails()
        for status in ("failed", "canceled"):
            run = self.shell(job["after_script"][0], CI_JOB_STATUS=status, NCCLWHY_LOGS="logs", GITLAB_CI="true")
            self.assertIn("shm.too-small", run.stdout, run.stderr)
        for path in job["artifacts"]["reports"].values():
            self.assertTrue((self.work / path).exists(), path)
        self.assertEqual(self.shell(job["after_script"][0], CI_JOB_STATUS="success", NCCLWHY_LOGS="logs").stdout, "")

    def test_azure(self):
        steps = self.load("azure-pipelines.yml")[0]["jobs"][0]["steps"]
        self.job_fails()
        run = self.shell(steps[1]["bash"], TF_BUILD="True")
        self.assertIn("##vso[task.uploadsummary]", run.stdout)
        self.assertTrue(all(step["condition"] == "not(succeeded())" for step in steps[1:]))


class JenkinsAndBuildkite(CiTest):
    def test_jenkins(self):
        text = (SAMPLES / "Jenkinsfile").read_text()
        post = text[text.index("unsuccessful {"):]
        self.job_fails()
        scripts = re.findall(r"sh '([^']+)'", post) + re.findall(r"script: '([^']+)'", post)
        self.assertEqual(len(scripts), 2)
        runs = [self.shell(script) for script in scripts]
        self.assertIn("shm.too-small", runs[1].stdout)
        for path in re.findall(r"testResults: '([^']+)'", post):
            self.assertTrue((self.work / path).exists())

    def test_buildkite(self):
        shutil.copy(SAMPLES / "buildkite-pre-exit", self.work)
        self.command("buildkite-agent", 'echo "$@" >> "$STUBS/agent"; [ "$1" != annotate ] || cat > "$STUBS/annotation"')
        self.job_fails()
        self.assertEqual(self.shell("./buildkite-pre-exit", BUILDKITE="true", BUILDKITE_COMMAND_EXIT_STATUS="0").stdout, "")
        run = self.shell("./buildkite-pre-exit", BUILDKITE="true", BUILDKITE_COMMAND_EXIT_STATUS="-1")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("shm.too-small", (self.dir / "annotation").read_text())
        self.assertIn("artifact upload", (self.dir / "agent").read_text())


if __name__ == "__main__":
    unittest.main()
