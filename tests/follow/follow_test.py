"""`ncclwhy --follow` with writers that append, truncate, rotate and come late."""
import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import HEALTHY, KILLED, NCCLWHY, ProgramTest, SHM_FULL, SOURCE  # noqa: E402

LOG = SHM_FULL.read_bytes()
XID = (SOURCE / "samples/incidents/ecc-2.28.9-2x2-s23-warn/job.log").read_bytes()
PATIENCE = 40  # seconds; machines that test are slow


class Follower:
    def __init__(self, directory, *arguments, stdin=subprocess.DEVNULL):
        self.process = subprocess.Popen([NCCLWHY, "--follow", *map(str, arguments)], stdin=stdin, cwd=directory,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines = {"out": queue.Queue(), "err": queue.Queue()}
        self.readers = []
        for name, pipe in (("out", self.process.stdout), ("err", self.process.stderr)):
            reader = threading.Thread(target=self.read, args=(pipe, self.lines[name]), daemon=True)
            reader.start()
            self.readers.append(reader)

    @staticmethod
    def read(pipe, lines):
        with pipe:
            for line in pipe:
                lines.put(line.decode())

    def line(self, name="out", timeout=PATIENCE):
        return self.lines[name].get(timeout=timeout)

    def end(self, number=signal.SIGINT):
        """Exit status and what is left of standard output."""
        if number:
            self.process.send_signal(number)
        status = self.process.wait(timeout=PATIENCE)
        for reader in self.readers:
            reader.join()
        rest = ""
        while not self.lines["out"].empty():
            rest += self.lines["out"].get()
        return status, rest


class FollowTest(ProgramTest):
    def follow(self, *arguments, **options):
        follower = Follower(self.dir, *arguments, **options)

        def kill():
            if follower.process.poll() is None:
                follower.process.kill()
                follower.process.wait()

        self.addCleanup(kill)
        return follower

    def append(self, name, data):
        with open(self.dir / name, "ab") as log:
            log.write(data)

    def test_cause_is_told_while_the_log_grows(self):
        follower = self.follow("--summary", "job.log")
        lines = LOG.splitlines(keepends=True)
        for i in range(0, len(lines), 20):
            self.append("job.log", b"".join(lines[i : i + 20]))
            time.sleep(0.05)
        told = follower.line()
        self.assertIn("failure: shm.too-small", told)
        self.assertIsNone(follower.process.poll())
        status, rest = follower.end()
        self.assertEqual(status, 1)
        self.assertEqual(rest, told)  # once, and then the report

    def test_report_is_that_of_the_whole_log(self):
        for path in sorted(KILLED.glob("*.log")):
            (self.dir / path.name).write_bytes(b"")
        follower = self.follow("--format", "json", *[path.name for path in sorted(KILLED.glob("*.log"))])
        for part in range(4):
            for path in sorted(KILLED.glob("*.log")):
                data = path.read_bytes()
                self.append(path.name, data[len(data) * part // 4 : len(data) * (part + 1) // 4])
            time.sleep(0.3)
        # What is told meanwhile is not in a report that a program reads.
        self.assertIn("app.rank-crashed", follower.line("err"))
        status, report = follower.end(signal.SIGTERM)
        self.assertEqual(status, 1)
        whole = self.ncclwhy("--format", "json", *[path.name for path in sorted(KILLED.glob("*.log"))])
        self.assertEqual(json.loads(report), json.loads(whole.stdout))

    def test_changed_cause(self):
        self.append("job.log", XID)
        follower = self.follow("--summary", "--top", "1", "job.log", "late.log")
        self.assertIn("failure: gpu.xid", follower.line())
        os.truncate(self.dir / "job.log", 0)
        self.assertIn("truncated", follower.line("err"))
        self.append("late.log", LOG)  # a file that was named before it was there
        status, rest = follower.end()
        self.assertEqual(status, 1)
        self.assertRegex(rest, r"^(\w+, )?failure: ")

    def test_truncation_keeps_what_was_read(self):
        self.append("job.log", LOG[: len(LOG) // 2])
        follower = self.follow("--summary", "job.log")
        time.sleep(1)
        os.truncate(self.dir / "job.log", 0)
        self.assertIn("job.log was truncated", follower.line("err"))
        self.append("job.log", LOG[len(LOG) // 2 :])
        self.assertIn("failure: shm.too-small", follower.line())
        self.assertEqual(follower.end()[0], 1)

    def test_rotation(self):
        # Programs rotate between lines; a line that was cut would be ended for them.
        first, second = (LOG.index(b"\n", at) + 1 for at in (2000, 4000))
        self.append("job.log", LOG[:first])
        follower = self.follow("--format", "json", "job.log")
        time.sleep(1)
        os.rename(self.dir / "job.log", self.dir / "job.log.1")
        self.append("job.log.1", LOG[first:second])  # the writer has not noticed yet
        time.sleep(0.5)
        self.append("job.log", LOG[second:])
        self.assertIn("rotated", follower.line("err"))
        _, report = follower.end()
        self.assertEqual(json.loads(report)["coverage"]["bytes"], len(LOG))
        self.assertEqual(json.loads(report)["causes"][0]["id"], "shm.too-small")

    def test_rotation_in_a_directory(self):
        """Nothing is read twice when x.log becomes x.log.1, x.log.1 becomes x.log.2."""
        (self.dir / "logs").mkdir()
        follower = None
        for turn in range(4):
            for number in (3, 2, 1):
                if (self.dir / f"logs/job.log.{number}").exists():
                    os.rename(self.dir / f"logs/job.log.{number}", self.dir / f"logs/job.log.{number + 1}")
            if turn:
                os.rename(self.dir / "logs/job.log", self.dir / "logs/job.log.1")
            self.append("logs/job.log", b"".join(b"node1:7:7 [0] NCCL INFO Channel %05d/0 : 0[0] -> 1[0] via P2P/IPC\n" % (turn * 1000 + n)
                                                 for n in range(1000)))
            follower = follower or self.follow("--format", "json", "logs")
            time.sleep(1.5)
        _, report = follower.end()
        self.assertEqual(json.loads(report)["coverage"]["lines"], 4000)

    def test_files_that_come_into_a_directory(self):
        (self.dir / "logs").mkdir()
        follower = self.follow("--summary", "logs")
        time.sleep(0.5)
        self.append("logs/rank0.log", LOG)
        self.assertIn("failure: shm.too-small", follower.line())
        self.assertEqual(follower.end()[0], 1)

    def test_standard_input_ends_it(self):
        follower = self.follow("-", stdin=subprocess.PIPE)
        follower.process.stdin.write(LOG)
        follower.process.stdin.flush()
        self.assertIn("failure: shm.too-small", follower.line())
        follower.process.stdin.close()
        status, rest = follower.end(None)
        self.assertEqual(status, 1)
        self.assertIn("--shm-size", rest)

    def test_healthy_job_is_left_alone(self):
        follower = self.follow("--summary", "job.log")
        lines = HEALTHY.read_bytes().splitlines(keepends=True)
        for i in range(0, len(lines), 40):
            self.append("job.log", b"".join(lines[i : i + 40]))
            time.sleep(0.2)
        time.sleep(2)
        status, rest = follower.end()
        self.assertEqual(status, 0)
        self.assertRegex(rest, r"^(\w+, )?healthy: ")

    def test_missing_file_is_a_problem_at_the_end(self):
        follower = self.follow("--summary", "never.log")
        time.sleep(0.5)
        self.assertEqual(follower.end()[0], 2)
        self.assertIn("never.log", follower.line("err"))

    def test_report_into_a_file(self):
        self.append("job.log", LOG)
        follower = self.follow("--format", "html", "-o", "why.html", "--lang", "zh", "--redact", "job.log")
        told = follower.line("err")
        self.assertIn("shm.too-small", told)
        self.assertNotIn("h100-39", told)
        self.assertEqual(follower.end(), (1, ""))
        page = (self.dir / "why.html").read_text()
        self.assertIn("shm.too-small", page)
        self.assertNotIn("h100-39", page)

    def test_answers_are_paced(self):
        """A log that grows all the time costs little more than reading it."""
        follower = self.follow("--summary", "job.log")
        started = time.monotonic()
        while time.monotonic() - started < 6:
            self.append("job.log", HEALTHY.read_bytes())
            time.sleep(0.02)
        with open(f"/proc/{follower.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(") ", 1)[1].split()
        seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # its own and its children's
        self.assertLess(seconds, 4)
        follower.end()

    def test_wrong_usage(self):
        self.append("job.log", LOG)
        self.assertEqual(self.ncclwhy("--follow", "--db", "x.db", "job.log").returncode, 2)
        self.assertEqual(self.ncclwhy("--summary", "--format", "json", "job.log").returncode, 2)
        self.assertEqual(self.ncclwhy("--follow").returncode, 2)
        # Without --follow, the alias alone.
        run = self.ncclwhy("--summary", "job.log")
        self.assertEqual(run.stdout, self.ncclwhy("--format", "summary", "job.log").stdout)


if __name__ == "__main__":
    unittest.main()
