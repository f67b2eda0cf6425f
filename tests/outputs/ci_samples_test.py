"""The pipelines of samples/ci: their scripts run as the CI system would run them, with a job that fails."""
import os
import pathlib
import re
import subprocess
import sys
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


class CiTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.work, self.bin = self.dir / "work", self.dir / "bin"
        self.work.mkdir()
        self.bin.mkdir()
        self.log = SHM_FULL
        # The job writes NCCL's file and its own output, then fails. What is installed is a copy of the command.
        self.command("torchrun", 'cat "$LOG" > "$NCCL_DEBUG_FILE.log"; echo "a line of the job"; exit 1')
        self.command("gh", 'echo "$@" > "$STUBS/gh.args"; while [ $# -gt 0 ]; do [ "$1" = --body-file ] && '
                           'cp "$2" "$STUBS/comment.md"; shift; done')
        self.command("sudo", '"$@"')
        self.command("apt-get", 'set -e; [ "$1 $2" = "install -y" ]; [ "$(cat "$3")" = package ]; '
                                'ln -s "$NCCLWHY" "$STUBS/bin/ncclwhy"')
        self.environment = {
            "PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(self.dir), "STUBS": str(self.dir), "LOG": str(self.log),
            "NCCLWHY": str(pathlib.Path(NCCLWHY).resolve()), "LANG": "C.UTF-8",
        }

    def command(self, name, script):
        path = self.bin / name
        path.write_text("#!/usr/bin/env bash\n" + script + "\n")
        path.chmod(0o755)

    def installed(self):
        os.symlink(self.environment["NCCLWHY"], self.bin / "ncclwhy")

    def shell(self, script, options=("-e",), **variables):
        script_file = self.dir / "step.sh"
        script_file.write_text(script)
        return subprocess.run(["bash", "--noprofile", "--norc", *options, script_file], cwd=self.work,
                              env={**self.environment, **variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, timeout=120, check=False)

    def check_html(self, redacted):
        page = (self.work / "why.html").read_text()
        self.assertIn("shm.too-small", page)
        self.assertEqual(HOST in page, not redacted)


@unittest.skipUnless(yaml, "python3-yaml is not installed")
class GitHub(CiTest):
    def run_job(self):
        """The steps of the job as the runner chooses them, until all are done."""
        text = (SAMPLES / "github-actions.yml").read_text()
        job = yaml.safe_load(text)["jobs"]["train"]
        summary = self.dir / "summary.md"
        values = {"github.workspace": str(self.work), "github.event.pull_request.number": "17", "github.token": "t0ken",
                  "vars.NCCLWHY_URL": "file://" + str(self.dir / "package")}

        def filled(value):
            return re.sub(r"\$\{\{\s*([\w.]+)\s*\}\}", lambda found: values[found[1]], value)

        failed, outputs = False, {}
        for step in job["steps"]:
            self.assertEqual(len({"run", "uses"} & set(step)), 1)
            condition = step.get("if", "success()")
            self.assertIn(condition.split(" &&")[0], ("success()", "failure()"))
            if ("failure()" in condition) != failed or "run" not in step:
                continue
            variables = {k: filled(v) for k, v in {**job["env"], **step.get("env", {})}.items()}
            run = self.shell(filled(step["run"]), GITHUB_STEP_SUMMARY=str(summary), **variables)
            outputs[step.get("name", step["run"])] = run
            failed = failed or run.returncode != 0
        return outputs, summary

    def test_a_failed_job_explains_itself(self):
        self.installed()
        outputs, summary = self.run_job()
        self.assertEqual(outputs["Train"].returncode, 1)
        why = outputs["Why did it fail?"]
        self.assertEqual(why.returncode, 0, why.stderr)
        lines = [line for line in why.stdout.splitlines() if line.startswith("::")]
        self.assertTrue(1 <= len(lines) <= 10)
        self.assertTrue(lines[0].startswith("::error file=logs/"), lines[0])
        for words in ("shm.too-small", HOST, "--shm-size=1g"):
            self.assertIn(words, lines[0])
        self.assertIn("--shm-size=1g", summary.read_text())
        self.assertEqual(outputs["Comment on the pull request"].returncode, 0)
        self.assertEqual((self.dir / "gh.args").read_text().split()[:3], ["pr", "comment", "17"])
        comment = (self.dir / "comment.md").read_text()
        self.assertIn("shm.too-small", comment)
        self.assertNotIn(HOST, comment)
        self.check_html(redacted=True)

    def test_ncclwhy_is_fetched_when_it_is_not_there(self):
        (self.dir / "package").write_text("package")
        outputs, _ = self.run_job()
        self.assertEqual(outputs["Why did it fail?"].returncode, 0, outputs["Why did it fail?"].stderr)
        self.assertIn("::error ", outputs["Why did it fail?"].stdout)

    def test_a_job_that_passes_says_nothing(self):
        self.installed()
        self.command("torchrun", "exit 0")
        outputs, _ = self.run_job()
        self.assertNotIn("Why did it fail?", outputs)


@unittest.skipUnless(yaml, "python3-yaml is not installed")
class GitLab(CiTest):
    def run_job(self, status):
        job = yaml.safe_load((SAMPLES / "gitlab-ci.yml").read_text())["train"]
        variables = {"CI_PROJECT_DIR": str(self.work), "NCCLWHY_URL": "file://" + str(self.dir / "package")}
        variables.update({k: v.replace("$CI_PROJECT_DIR", str(self.work)) for k, v in job["variables"].items()})
        script = self.shell("\n".join(job["script"]), ("-eo", "pipefail"), **variables)
        after = self.shell("\n".join(job["after_script"]), ("-eo", "pipefail"), CI_JOB_STATUS=status, **variables)
        return job, script, after

    def test_a_failed_job_explains_itself(self):
        (self.dir / "package").write_text("package")
        job, script, after = self.run_job("failed")
        self.assertEqual((script.returncode, after.returncode), (1, 0), after.stderr)
        self.assertIn("FAILURE", after.stdout)
        self.assertIn("--shm-size=1g", after.stdout)
        report = xml.etree.ElementTree.parse(self.work / job["artifacts"]["reports"]["junit"])
        self.assertEqual(report.find(".//failure").get("type"), "shm.too-small")
        for path in job["artifacts"]["paths"]:
            self.assertTrue((self.work / path).exists(), path)
        self.check_html(redacted=True)

    def test_a_job_that_passes_says_nothing(self):
        self.command("torchrun", "exit 0")
        _, script, after = self.run_job("success")
        self.assertEqual((script.returncode, after.returncode, after.stdout), (0, 0, ""))


class Jenkins(CiTest):
    def test_a_failed_job_explains_itself(self):
        self.installed()
        text = (SAMPLES / "Jenkinsfile").read_text()
        for pair in ("{}", "()", "[]"):
            self.assertEqual(text.count(pair[0]), text.count(pair[1]))
        train, post = text.split("post {")
        variables = {name: value.replace("${WORKSPACE}", str(self.work)) for name, value in
                     re.findall(r"(\w+) = [\"']([^\"']+)[\"']", train)}
        steps = re.findall(r"\bsh '([^']*)'", train)
        self.assertEqual([self.shell(step, **variables).returncode for step in steps], [0, 1])
        shown = [self.shell(step, **variables) for step in re.findall(r"\bsh '([^']*)'", post)]
        self.assertTrue(all(step.returncode == 0 for step in shown))
        self.assertIn("--shm-size=1g", shown[0].stdout)
        description = self.shell(re.search(r"sh\(script: '([^']*)', returnStdout", post)[1], **variables)
        self.assertIn("failure: shm.too-small (99%)", description.stdout)
        results = re.search(r"testResults: '([^']*)'", post)[1]
        self.assertEqual(xml.etree.ElementTree.parse(self.work / results).find(".//failure").get("type"), "shm.too-small")
        self.check_html(redacted=True)


if __name__ == "__main__":
    unittest.main()
