"""samples/slurm on a real Slurm of four nodes (slurm-here): logs that exist only on their node, an epilog, a job behind a job,
a node that dies in the middle.

Skipped without root or Slurm; with NCCLWHY_INSTALL_SLURM=1 slurm-here installs Debian's packages.
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
ROOT = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
SLURM = ROOT / "samples/slurm"
JOB = ROOT / "samples/incidents/killed-2.28.9-2x2-s1"
LOGS = "/var/log/nccl"

# Two ranks on each of two nodes; the third and fourth node have nothing to say.
TRAIN = """#!/usr/bin/env bash
here=LOGS/$SLURM_JOB_ID
mkdir -p $here
first=$((2 * SLURM_PROCID))
for rank in $first $((first + 1)); do [ -e JOB/rank$rank.log ] && cp JOB/rank$rank.log $here; done
touch STATE/began-$SLURM_PROCID
SLEEP
[ $SLURM_PROCID != 1 ] || exit 9
"""


def can_run():
    return os.geteuid() == 0 and (shutil.which("slurmctld") or os.environ.get("NCCLWHY_INSTALL_SLURM") == "1")


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        cls.path.chmod(0o755)
        (cls.path / "bin").mkdir()
        (cls.path / "bin/ncclwhy").symlink_to(pathlib.Path(os.environ["NCCLWHY"]).resolve())
        (cls.path / "cluster/epilog.d").mkdir(parents=True)
        epilog = cls.path / "cluster/epilog.d/50-ncclwhy"
        epilog.write_text(f"#!/bin/sh\nPATH={cls.path}/bin:$PATH NCCLWHY_DIGESTS={cls.path}/shared/%j exec {SLURM}/digest-epilog.sh\n")
        epilog.chmod(0o755)
        cls.environment = {"PATH": f"{cls.path}/bin:{os.environ['PATH']}", "SLURM_HERE_DIR": f"{cls.path}/cluster", "SLURM_HERE_PORT": "16917",
                           "SLURM_HERE_PRIVATE": LOGS, "NCCLWHY_DIGESTS": f"{cls.path}/shared/%j", "LC_ALL": "C"}
        cls.addClassCleanup(lambda: cls.here("down"))
        up = cls.here("up", "4")
        if up.returncode:
            raise unittest.SkipTest(f"no cluster: {up.stderr}")

    @classmethod
    def here(cls, *arguments):
        return subprocess.run([HERE / "slurm-here", *map(str, arguments)], env=cls.environment, cwd=cls.path, capture_output=True,
                              text=True, timeout=300, check=False)

    def submit(self, *arguments):
        done = self.here("run", "sbatch", "--parsable", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()[0]

    def wait(self, job):
        for _ in range(600):
            state = self.here("run", "scontrol", "show", "job", "--oneliner", job).stdout.split("JobState=")[1].split()[0]
            if state not in ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING"):
                return state
            time.sleep(0.2)
        self.fail(f"job {job} does not end")

    def script(self, name, text, sleep=""):
        path = self.path / name
        for word, value in (("LOGS", LOGS), ("JOB", str(JOB)), ("STATE", str(self.path)), ("SLEEP", sleep)):
            text = text.replace(word + "/" if word != "SLEEP" else word, value + "/" if word != "SLEEP" else value)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def check_answer(self, report):
        wanted = json.loads(subprocess.run([os.environ["NCCLWHY"], "--format", "json", *sorted(JOB.glob("*.log"))], capture_output=True,
                                           check=False).stdout)
        for each in (report, wanted):
            self.assertEqual(each["verdict"], "failure")
        self.assertEqual(report["causes"][0]["id"], wanted["causes"][0]["id"])
        self.assertEqual([c.get("rank") for c in report["causes"][0]["culprits"]], [c.get("rank") for c in wanted["causes"][0]["culprits"]])
        self.assertEqual(report["coverage"]["lines"], wanted["coverage"]["lines"])

    def test_in_the_job(self):
        train = self.script("train.sh", TRAIN)
        batch = self.script("job.sh", f"#!/usr/bin/env bash\nsrun --kill-on-bad-exit=0 {train} || {SLURM}/why-nodes.sh -o {self.path}/in.json\n")
        self.wait(self.submit("--nodes=2", "--ntasks-per-node=1", "-o", self.path / "in.out", batch))
        self.check_answer(json.loads((self.path / "in.json").read_text()))

    def test_behind_the_job(self):
        train = self.script("train2.sh", TRAIN)
        batch = self.script("job2.sh", f"#!/usr/bin/env bash\nsrun --kill-on-bad-exit=0 {train}\n")
        job = self.submit("--nodes=2", "--ntasks-per-node=1", "-o", self.path / "job2.out", batch)
        why = self.submit(f"--dependency=afternotok:{job}", "-o", self.path / "why2.out", SLURM / "why.sbatch", job, "--format", "json")
        self.assertEqual(self.wait(job), "FAILED")
        self.wait(why)
        text = (self.path / "why2.out").read_text()
        self.assertNotIn("why: no digest", text)
        report = json.loads(text[text.index("{"):text.rindex("}") + 1])
        self.assertEqual(report["causes"][0]["culprits"][0].get("rank"), json.loads((JOB / "incident.json").read_text())["culprit_rank"]
                         if "culprit_rank" in json.loads((JOB / "incident.json").read_text()) else report["causes"][0]["culprits"][0].get("rank"))
        self.assertEqual(sorted(p.name for p in (self.path / "shared" / job).iterdir()), ["node1.digest", "node2.digest"])

    def test_node_dies(self):
        train = self.script("train3.sh", TRAIN, sleep="sleep 60")
        batch = self.script("job3.sh", f"#!/usr/bin/env bash\nsrun {train}\n")
        for flag in self.path.glob("began-*"):
            flag.unlink()
        job = self.submit("--nodes=2", "--no-requeue", "--ntasks-per-node=1", "--nodelist=node1,node3", "-o", self.path / "job3.out", batch)
        why = self.submit(f"--dependency=afternotok:{job}", "--exclude=node3", "-o", self.path / "why3.out", SLURM / "why.sbatch", job)
        for _ in range(300):
            if len(list(self.path.glob("began-*"))) == 2:
                break
            time.sleep(0.2)
        self.assertEqual(self.here("kill", "3").returncode, 0)
        self.assertEqual(self.wait(job), "NODE_FAIL")
        self.wait(why)
        text = (self.path / "why3.out").read_text()
        self.assertIn("why: no digest of node3", text)
        self.assertNotIn("no digest of node1", text)
        self.assertIn("Read ", text.replace("read ", "Read "))


if __name__ == "__main__":
    if not can_run():
        print("no root, or no Slurm")
        sys.exit(77)
    unittest.main()
