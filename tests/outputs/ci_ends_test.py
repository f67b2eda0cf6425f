"""samples/ci by models of the systems (ci_systems.py): the training command and what comes after it are those of the samples."""
import os
import re
import shlex
import shutil
import sys
import time
import unittest

from ci_samples_test import HOST, SAMPLES, CiTest
from ci_systems import Azure, Buildkite, GitLab, Jenkins, block, gone
from programs import HEALTHY, SHM_FULL

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is not installed")
    sys.exit(77)

# As torchrun: a worker, and last words once the worker has ended. PATIENCE: seconds until a worker that does not end is killed.
TORCHRUN = """
case $MODE in
  success) cat %(healthy)s; exit 0 ;;
  failure) cat %(shm)s; exit 1 ;;
esac
cat %(shm)s
if [ $MODE = stubborn ]; then (trap '' TERM INT; exec sleep 600) & else sleep 600 & fi
worker=$!
ended() {
  trap '' TERM INT
  echo "W1127 02:00:01.000000 77 torch/distributed/elastic/agent/server/api.py:739] Received $1 death signal, shutting down workers"
  kill -TERM $worker
  for _ in $(seq $((${PATIENCE:-1} * 20))); do kill -0 $worker 2> /dev/null || break; sleep 0.05; done
  kill -KILL $worker 2> /dev/null
  sleep 0.2
  echo "torch.distributed.elastic.multiprocessing.api.SignalException: Process $$ got signal: $1"
  exit 1
}
trap 'ended 15' TERM; trap 'ended 2' INT
until grep -q "No space left" logs/job.log; do sleep 0.02; done
echo $$ $worker > "$STUBS/waits"
while :; do wait $worker; done
"""
LAST_WORDS = "SignalException: Process"


class EndsTest(CiTest):
    def setUp(self):
        super().setUp()
        self.command("torchrun", TORCHRUN % {"healthy": shlex.quote(str(HEALTHY)), "shm": shlex.quote(str(SHM_FULL))})
        self.command("buildkite-agent", '[ "$1" != annotate ] || cat')
        shutil.rmtree(self.work / "logs")
        self.addCleanup(self.nothing_is_left)

    def waits(self):
        return (self.dir / "waits").exists() and (self.dir / "waits").read_text().endswith("\n")

    def nothing_is_left(self):
        if self.waits():
            for pid in map(int, (self.dir / "waits").read_text().split()):
                deadline = time.monotonic() + 5
                while not gone(pid) and time.monotonic() < deadline:
                    time.sleep(0.05)
                if not gone(pid):
                    os.kill(pid, 9)
                    self.fail(f"process {pid} of the job outlives it")

    def system(self, kind, mode, *first, **variables):
        for path in (self.work / "logs", self.work / "ncclwhy-report"):
            shutil.rmtree(path, ignore_errors=True)
        for path in [self.dir / "waits", *self.dir.glob("durable*")]:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        return kind(*first, self.work, {**self.environment, "MODE": mode, **variables}, self.waits)

    def explained(self, shown, ends, seconds):
        """What came after the job names the cause, in time, from a log that has the last words, too."""
        self.assertTrue(shown, "nothing ran after the job")
        self.assertIn("shm.too-small", "".join(step.text for step in shown))
        self.assertIn("shm.too-small", self.out("summary.txt"))
        self.assertNotIn(HOST, self.out("summary.txt"))
        self.assertLess(sum(step.seconds for step in shown), seconds)
        if ends:
            self.assertIn(LAST_WORDS, (self.work / "logs/job.log").read_text())

    def each(self, run, seconds):
        """success, failure and both other ends; run(mode, ends) → what was shown after the job."""
        self.assertEqual("".join(step.text for step in run("success", None)), "")
        self.assertFalse((self.work / "ncclwhy-report").exists())
        self.explained(run("failure", None), None, seconds)
        for mode, ends in (("hangs", "time-out"), ("hangs", "cancel"), ("stubborn", "time-out"), ("stubborn", "cancel")):
            with self.subTest(mode=mode, ends=ends):
                self.explained(run(mode, ends), ends, seconds)
                self.nothing_is_left()


class Jenkinsfile(EndsTest):
    TEXT = (SAMPLES / "Jenkinsfile").read_text()

    def test_ends(self):
        def run(mode, ends):
            self.jenkins = self.system(Jenkins, mode, self.TEXT)
            shown = self.jenkins.run(ends)
            self.assertEqual(self.jenkins.result, {"success": "success", "failure": "failure"}.get(mode, "aborted"))
            if mode != "success":
                self.assertEqual([step.status for step in shown], [0, 0])
                self.assertIn("/dev/shm", shown[1].text)  # the build's description
                for pattern in self.jenkins.files:
                    self.assertTrue(list(self.work.glob(pattern)), pattern)
            return shown
        minutes = [int(n) for n in re.findall(r"timeout\(time: (\d+), unit: 'MINUTES'\)", block(self.TEXT, "post"))]
        self.assertEqual(len(minutes), 1)
        self.assertRegex(block(self.TEXT, "stages"), r"timeout\(time: \d+, unit: 'MINUTES'\)")
        self.each(run, 60 * minutes[0])


class BuildkiteSamples(EndsTest):
    STEP = yaml.safe_load((SAMPLES / "buildkite.yml").read_text())["steps"][0]
    HOOK = ".buildkite/hooks/pre-exit"

    def setUp(self):
        super().setUp()
        (self.work / self.HOOK).parent.mkdir(parents=True)
        shutil.copy(SAMPLES / "buildkite-pre-exit", self.work / self.HOOK)

    def test_ends(self):
        """Within the grace that an agent has by default: ten seconds for the command's end and the hook together."""
        self.each(lambda mode, ends: self.system(Buildkite, mode).run(self.STEP["command"], self.HOOK, ends, grace=10), 10)

    def test_the_limit_of_the_command(self):
        """It ends the command itself, so there is no grace to keep; the worker is one that takes longer to kill than an agent waits."""
        limit = re.search(r"\b(\d+)m\b", self.STEP["command"])
        self.assertLess(int(limit.group(1)), self.STEP["timeout_in_minutes"])
        command = self.STEP["command"].replace(limit.group(), "1s")
        self.explained(self.system(Buildkite, "stubborn", PATIENCE="4").run(command, self.HOOK), "time-out", 60)
        self.nothing_is_left()

    def test_no_time_left(self):
        """Cancelled, and the worker takes all of the grace: nobody says anything; with the longer grace that the hook asks for somebody does."""
        system = self.system(Buildkite, "stubborn", PATIENCE="3")
        self.assertEqual(system.run(self.STEP["command"], self.HOOK, "cancel", grace=1), [])
        self.nothing_is_left()
        self.explained(self.system(Buildkite, "stubborn", PATIENCE="3").run(self.STEP["command"], self.HOOK, "cancel", grace=20), "cancel", 20)


class AzureSample(EndsTest):
    def test_ends(self):
        job = yaml.safe_load((SAMPLES / "azure-pipelines.yml").read_text())["jobs"][0]
        self.assertLess(job["steps"][1]["timeoutInMinutes"], job["cancelTimeoutInMinutes"])

        def run(mode, ends):
            system = self.system(Azure, mode)
            shown = system.run(job["steps"], job["variables"], ends)
            self.assertEqual(system.left, [])
            if mode != "success":
                tests = next(step for step in job["steps"] if step.get("task", "").startswith("PublishTestResults"))
                self.assertTrue((self.work / tests["inputs"]["testResultsFiles"]).exists())
                self.assertIn("##vso[task.logissue type=error;", shown[0].text)
            return shown
        self.each(run, 60 * job["steps"][1]["timeoutInMinutes"])


class GitHubSample(EndsTest):
    def test_ends(self):
        job = yaml.safe_load((SAMPLES / "github-actions.yml").read_text())["jobs"]["train"]
        action = yaml.safe_load((SAMPLES / "action.yml").read_text())["runs"]["steps"][0]["run"]
        shutil.copytree(SAMPLES, self.dir / "action")
        shell = ["-e", "-o", "pipefail"]
        steps = [{"bash": step["run"], "options": shell} for step in job["steps"] if "run" in step]
        why = job["steps"][-1]
        steps.append({"bash": action, "options": shell, "condition": why["if"]})

        def run(mode, ends):
            system = self.system(Azure, mode, GITHUB_ACTIONS="true", NCCLWHY_ACTION=str(self.dir / "action"), NCCLWHY_LOGS=why["with"]["logs"])
            shown = system.run(steps, {}, ends)
            self.assertEqual(system.left, [])
            # The model's variables are Azure's: what is for it is not looked at.
            return shown if mode != "success" else shown[1:]
        self.each(run, 60 * why["timeout-minutes"])


class GitLabComponent(EndsTest):
    def test_ends(self):
        text = (SAMPLES / "gitlab-component.yml").read_text()
        spec, jobs = yaml.safe_load_all(text)
        job, inputs = jobs[".why"], spec["spec"]["inputs"]
        minutes = int(inputs["minutes"]["default"])
        after = int(job["variables"]["RUNNER_AFTER_SCRIPT_TIMEOUT"][:-1])
        self.assertLess(minutes + after, 60)  # timeout: 1h
        job["variables"]["NCCLWHY_LOGS"] = inputs["logs"]["default"]
        # The script is the user's: as the comment on top has it.
        script = [line[1:].strip()[2:] for line in text.splitlines() if re.match(r"# +- (mkdir|exec)", line)]
        self.assertEqual(len(script), 2)

        def run(mode, ends):
            shown = self.system(GitLab, mode).run(script, job, ends)
            if mode != "success":
                for path in job["artifacts"]["reports"].values():
                    self.assertTrue((self.work / path).exists(), path)
            return shown
        self.each(run, 60 * after)


if __name__ == "__main__":
    unittest.main()
