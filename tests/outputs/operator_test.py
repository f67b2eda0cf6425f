"""samples/operator: the reason of a failure in Slurm's comment, Kubernetes' termination message, torchelastic's error file."""
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import HEALTHY, NCCLWHY, ProgramTest, SHM_FULL, SOURCE  # noqa: E402

SAMPLES = SOURCE / "samples/operator"
CAT = f"cat {shlex.quote(str(SHM_FULL))}"


class OperatorTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.bin = self.dir / "bin"
        self.bin.mkdir()
        os.symlink(pathlib.Path(NCCLWHY).resolve(), self.bin / "ncclwhy")
        self.environment = {"PATH": f"{self.bin}:/usr/bin:/bin", "STUBS": str(self.dir), "LANG": "C.UTF-8"}

    def command(self, name, script):
        (self.bin / name).write_text("#!/usr/bin/env bash\n" + script + "\n")
        (self.bin / name).chmod(0o755)

    def run_script(self, name, *arguments, **variables):
        return subprocess.run([SAMPLES / name, *arguments], env={**self.environment, **variables}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True, timeout=60, check=False)


class Slurm(OperatorTest):
    def epilog(self, log, state, code="1:0", **variables):
        self.output = self.dir / "slurm-17.out"
        shutil.copy(log, self.output)
        self.command("scontrol", f'if [ "$1" = show ]; then echo "JobId=17 JobName=x JobState={state} ExitCode={code} StdErr={self.output} '
                                 f'StdIn=/dev/null StdOut={self.output} Power="; else shift; printf "%s\\n" "$@" >> "$STUBS/updated"; fi')
        self.command("runuser", 'echo "$2" >> "$STUBS/users"; shift 3; exec "$@"')
        run = self.run_script("slurm-epilog.sh", SLURM_JOB_ID="17", SLURM_JOB_USER="ann", **variables)
        self.assertEqual(run.returncode, 0, run.stderr)
        return (self.dir / "updated").read_text().splitlines() if (self.dir / "updated").exists() else []

    def test_a_job_that_failed(self):
        for state, code in (("FAILED", "1:0"), ("TIMEOUT", "0:15"), ("CANCELLED", "0:15"), ("COMPLETING", "1:0")):
            with self.subTest(state):
                updated = self.epilog(SHM_FULL, state, code)
                self.assertEqual(updated[-2], "JobId=17")
                self.assertRegex(updated[-1], r"\AComment=ncclwhy: failed, failure: shm\.too-small .*h100-39")
                self.assertRegex(self.output.read_text().splitlines()[-1], r"\Ancclwhy: failed, failure: shm\.too-small")
        self.assertEqual(set((self.dir / "users").read_text().split()), {"ann"})

    def test_a_job_that_did_not(self):
        self.assertEqual(self.epilog(HEALTHY, "COMPLETED", "0:0"), [])
        self.assertEqual(self.output.read_bytes(), HEALTHY.read_bytes())

    def test_history(self):
        history = self.dir / "fleet.db"
        for _ in range(2):  # an epilog that runs twice adds once
            self.epilog(SHM_FULL, "FAILED", NCCLWHY_HISTORY=str(history))
        self.assertIn(b"h100-39", self.ncclwhy("history", "hosts", history).stdout)
        self.assertEqual(json.loads(self.ncclwhy("history", "hosts", "--json", history).stdout)["jobs"], 1)


class Exit(OperatorTest):
    def explain(self, script, **variables):
        place, errors = self.dir / "termination-log", self.dir / "error.json"
        place.write_text("")
        run = self.run_script("explain-exit.sh", "bash", "-c", script, NCCLWHY_TERMINATION_LOG=str(place),
                              TORCHELASTIC_ERROR_FILE=str(errors), **variables)
        return run, place.read_text(), errors

    def test_why_it_ended(self):
        run, told, errors = self.explain(f"{CAT}; exit 7")
        self.assertEqual(run.returncode, 7)
        self.assertEqual(run.stdout, SHM_FULL.read_text())
        self.assertIn("shm.too-small", told)
        self.assertLessEqual(len(told), 4096)
        error = json.loads(errors.read_text())["message"]
        self.assertIn("shm.too-small", error["message"])
        self.assertTrue(error["extraInfo"]["timestamp"].isdigit())

    def test_logs_beside_the_output(self):
        _, told, _ = self.explain("echo nothing to see; exit 1", NCCLWHY_LOGS=str(SHM_FULL))
        self.assertIn("shm.too-small", told)
        place = self.dir / "logs of a job"
        place.mkdir()
        shutil.copy(SHM_FULL, place / "rank 0.log")
        for names in (f"{HEALTHY}\n{place}/rank 0.log", str(place), f"{place}/*.log".replace(" ", "?")):
            self.assertIn("shm.too-small", self.explain("exit 1", NCCLWHY_LOGS=names)[1])

    def test_a_traceback_that_is_there_stays(self):
        _, _, errors = self.explain(f'{CAT}; echo \'{{"message": "own"}}\' > "$TORCHELASTIC_ERROR_FILE"; exit 1')
        self.assertEqual(json.loads(errors.read_text()), {"message": "own"})

    def test_a_long_reason_ends_with_a_whole_character(self):
        (self.bin / "ncclwhy").unlink()
        for ahead in range(996, 1002):
            self.command("ncclwhy", f"printf 'a%.0s' {{1..{ahead}}}; printf '\\xe8\\xaf\\x81%.0s' {{1..9}}")
            for locale in ("C", "C.UTF-8"):
                with self.subTest(ahead=ahead, locale=locale):
                    _, told, errors = self.explain("exit 1", LC_ALL=locale)
                    text = json.loads(errors.read_text())["message"]["message"]
                    self.assertEqual(told, text + "\n")
                    self.assertEqual(text.rstrip("\u8bc1"), "a" * min(ahead, 1000))
                    self.assertLessEqual(len(text.encode()), 1000)
                    errors.unlink()

    def test_nothing_failed(self):
        run, told, errors = self.explain(f"cat {shlex.quote(str(HEALTHY))}")
        self.assertEqual((run.returncode, told, errors.exists()), (0, "", False))

    def test_the_container_is_stopped(self):
        place = self.dir / "termination-log"
        place.write_text("")
        job = subprocess.Popen([SAMPLES / "explain-exit.sh", "bash", "-c", f"trap 'echo stopped; exit 143' TERM; {CAT}; "
                                "echo waiting; while :; do sleep 0.1; done"], stdout=subprocess.PIPE,
                               env={**self.environment, "NCCLWHY_TERMINATION_LOG": str(place)})
        while b"waiting" not in job.stdout.readline():
            pass
        job.send_signal(signal.SIGTERM)
        rest = job.stdout.read()
        job.stdout.close()
        self.assertEqual(job.wait(20), 143)
        self.assertIn(b"stopped", rest)
        self.assertIn("shm.too-small", place.read_text())

    def test_an_answer_that_does_not_come(self):
        (self.bin / "ncclwhy").unlink()
        self.command("ncclwhy", "sleep 60")
        started = time.monotonic()
        run, told, _ = self.explain("exit 3", NCCLWHY_SECONDS="1")
        self.assertEqual((run.returncode, told), (3, ""))
        self.assertLess(time.monotonic() - started, 15)


if __name__ == "__main__":
    unittest.main()
