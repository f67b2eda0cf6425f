"""What a real sacct says, through slurmdbd and MariaDB, of jobs that ended in different ways, is read: in columns, with bars
between, and from scontrol.

Skipped without root, Slurm, slurmdbd or MariaDB; with NCCLWHY_INSTALL_SLURM=1 slurm-here installs Debian's packages.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
INSTALL = os.environ.get("NCCLWHY_INSTALL_SLURM") == "1"
# What a job runs; its state; outcome, first cause and exit status of what sacct says of it.
JOBS = {
    "good": ("exit 0", "COMPLETED", "unknown", None, 0),
    "failed": ("exit 9", "FAILED", "failed", None, 3),
    "killed": ("kill -9 $$", "FAILED", "failed", None, 3),
    "cancelled": ("sleep 300", "CANCELLED", "stopped", "stopped.cancelled", 1),
    "too-long": ("sleep 300", "TIMEOUT", "stopped", "stopped.time-limit", 1),
}


class Accounting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        cls.path.chmod(0o755)
        cls.environment = {"PATH": os.environ["PATH"], "SLURM_HERE_DIR": f"{cls.path}/cluster", "SLURM_HERE_PORT": "17217",
                           "SLURM_HERE_ACCOUNTING": "1", "LC_ALL": "C"}
        cls.addClassCleanup(lambda: cls.here("down"))
        up = cls.here("up", "1")
        if up.returncode:
            raise unittest.SkipTest(f"no cluster: {up.stderr}")

    @classmethod
    def here(cls, *arguments):
        return subprocess.run([HERE / "slurm-here", *map(str, arguments)], env=cls.environment, cwd=cls.path, capture_output=True,
                              text=True, timeout=300, check=False)

    def ask(self, *words):
        done = self.here("run", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def state(self, job):
        return self.ask("sacct", "-n", "-X", "-P", "-o", "State", "-j", job).strip().split()[:1]

    def test_states(self):
        jobs = {}
        for name, (command, *_) in JOBS.items():
            script = self.path / f"{name}.sh"
            script.write_text(f"#!/bin/bash\n{command}\n")
            script.chmod(0o755)
            limit = ["--time=1"] if name == "too-long" else []
            jobs[name] = self.ask("sbatch", "--parsable", "-o", f"{self.path}/{name}.out", *limit, script).strip()
        while not self.state(jobs["cancelled"]) == ["RUNNING"]:
            time.sleep(0.5)
        self.ask("scancel", jobs["cancelled"])
        for name, (_, state, outcome, cause, status) in JOBS.items():
            for _ in range(600):
                if self.state(jobs[name]) == [state]:
                    break
                time.sleep(0.2)
            # The accounting knows the end before the controller is done with the node.
            for _ in range(600):
                if "JobState=COMPLETING" not in self.ask("scontrol", "show", "job", jobs[name]):
                    break
                time.sleep(0.2)
            said = {"columns": self.ask("sacct", "-j", jobs[name]), "bars": self.ask("sacct", "-P", "-j", jobs[name]),
                    "scontrol": self.ask("scontrol", "show", "job", jobs[name])}
            for form, text in said.items():
                with self.subTest(name, form=form):
                    run = subprocess.run([os.environ["NCCLWHY"], "--json", "-"], input=text, stdout=subprocess.PIPE, text=True, check=False)
                    report = json.loads(run.stdout)
                    first = report["causes"][0]["id"] if report["verdict"] == "failure" else None
                    self.assertEqual((report["outcome"], first, run.returncode), (outcome, cause, status), text)


if __name__ == "__main__":
    there = all(shutil.which(tool) for tool in ("slurmctld", "slurmdbd", "mariadbd"))
    if os.geteuid() != 0 or not (there or INSTALL):
        print("no root, no Slurm, no slurmdbd or no MariaDB")
        sys.exit(77)
    unittest.main()
