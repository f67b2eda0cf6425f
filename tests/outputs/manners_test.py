"""What somebody meets who uses the command for the first time: what it says while it waits, what its exit status means, the
saved queries. The real binary."""
import os
import pathlib
import select
import subprocess
import tempfile
import time
import unittest

BINARY = os.environ["NCCLWHY"]
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"
WARN = b"n1:1:1 [0] bootstrap.cc:115 NCCL WARN Bootstrap : no socket interface found\n"


def run(*arguments, **more):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, check=False, **more)


class Manners(unittest.TestCase):
    def test_fail_on(self):
        degraded = SAMPLES / "jobs/degraded-p2p-off-2.27.7-ns-pylog-s1"
        undetermined = SAMPLES.parent / "tests/golden/unknown-warning/job.log"
        failure = SAMPLES / "incidents/shm-full-2.28.9-1x4-s1"
        healthy = sorted(path for path in (SAMPLES / "healthy").iterdir() if path.is_dir())[0]
        both = ("--fail-on", "degraded", "--fail-on", "undetermined")
        for options, expected in (((), (0, 3, 1, 0)), (("--fail-on", "degraded"), (1, 3, 1, 0)),
                                  (("--fail-on", "undetermined"), (0, 1, 1, 0)), (both, (1, 1, 1, 0))):
            with self.subTest(options):
                self.assertEqual(tuple(run("-q", *options, job).returncode
                                       for job in (degraded, undetermined, failure, healthy)), expected)
        self.assertEqual(run("--fail-on", "healthy", failure).returncode, 2)

    def test_a_pipe_that_brings_nothing(self):
        for language, words in (("en", "waiting for a log on standard input"), ("zh", "正在等待标准输入中的日志")):
            with self.subTest(language):
                begin = time.monotonic()
                waits = subprocess.Popen([BINARY, "-q", "--lang", language], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE)
                self.assertTrue(select.select([waits.stderr], [], [], 60)[0])
                self.assertIn(words, waits.stderr.readline().decode())
                self.assertGreater(time.monotonic() - begin, 4.5)
                out, err = waits.communicate(WARN, timeout=60)
                self.assertIn(b"net.interface-missing", out)
                self.assertEqual(err, b"")  # told once

    def test_a_pipe_that_brings_something_soon(self):
        soon = subprocess.Popen([BINARY, "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        _, err = soon.communicate(WARN, timeout=60)
        self.assertEqual(err, b"")

    def test_a_terminal_is_asked_for_a_paste(self):
        for language, words in (("en", "paste the log, then press Ctrl-D"), ("zh", "请粘贴日志，然后按 Ctrl-D")):
            with self.subTest(language):
                master, slave = os.openpty()
                asks = subprocess.Popen([BINARY, "--lang", language], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                os.close(slave)
                self.assertTrue(select.select([asks.stderr], [], [], 60)[0])
                self.assertIn(words, asks.stderr.readline().decode())  # before anything was typed
                os.write(master, WARN + b"\x04")
                out, err = asks.communicate(timeout=60)
                os.close(master)
                self.assertIn(b"net.interface-missing", out)
                self.assertEqual(err, b"")

    def test_saved_queries(self):
        def rows(job, query):
            with tempfile.TemporaryDirectory() as folder:
                base = pathlib.Path(folder, "job.db")
                run("-q", "--db", base, *job)
                done = run("query", "--format", "tsv", base, query)
                self.assertEqual(done.returncode, 0, done.stderr)
                head, *lines = done.stdout.decode().splitlines()
                return [dict(zip(head.split("\t"), line.split("\t"))) for line in lines]

        swapped = [SAMPLES / "incidents/swapped-calls-2.21.5-2x2-s3"]
        self.assertEqual([(row["rank"], row["operation"]) for row in rows(swapped, "@last-calls")],
                         [("0", "AllGather"), ("1", "AllGather"), ("2", "AllGather"), ("3", "AllReduce")])
        story = rows(swapped, "@timeline")
        self.assertEqual([story[0]["kind"], story[1]["kind"], story[-1]["kind"]], ["start", "root", "ending"])
        self.assertEqual(story[1]["rank"], "3")
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "job.log")
            log.write_text("".join(
                f"n{rank}:40{rank}:40{rank} [0] NCCL INFO {text}\n" for rank in range(3) for text in (
                    "NCCL version 2.28.9+cuda13.0", f"NCCL_IB_HCA set by environment to mlx5_{rank // 2}",
                    "NCCL_DEBUG set by environment to INFO",
                    f"ncclCommInitRank comm 0x7f{rank}0 rank {rank} nranks 3 cudaDev 0 nvmlDev 0 busId 10000 commId 0x1 - Init START")))
            self.assertEqual([(row["variable"], row["value"], row["ranks"], row["first_host"]) for row in rows([log], "@env-diff")],
                             [("NCCL_IB_HCA", "mlx5_0", "2", "n0"), ("NCCL_IB_HCA", "mlx5_1", "1", "n2")])


unittest.main()
