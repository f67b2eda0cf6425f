"""`ncclwhy run` around commands whose output goes into pipes and files."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import NCCLWHY, SHM_FULL, SOURCE  # noqa: E402
from watched import PATIENCE, WatchedTest, eventually  # noqa: E402

XID = SOURCE / "samples/incidents/ecc-2.28.9-2x2-s23-warn/job.log"


class RunTest(WatchedTest):
    # Success

    def test_success_shows_nothing(self):
        done = self.bash("echo out; echo err >&2")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"out\n", b"err\n"))
        self.assertFalse((self.logs / "report.txt").exists())

    def test_success_leaves_nothing_without_a_folder(self):
        done = subprocess.run([NCCLWHY, "run", "true"], env=self.environment, cwd=self.dir, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(os.listdir(self.dir), [])

    def test_bytes_are_unchanged(self):
        data = bytes(range(256)) * 4096
        (self.dir / "data").write_bytes(data)
        self.assertEqual(self.bash("cat data; cat data >&2").stdout, data)
        self.assertEqual((self.logs / "logs/stderr.log").read_bytes(), data)

    def test_words_are_handed_on(self):
        words = ["a b", "--hang", "3", "--", "-x", "", "*", "--help"]
        done = self.run_command(sys.executable, "-c", "import sys; print(sys.argv[1:])", *words)
        self.assertEqual(done.stdout.decode().strip(), str(words))

    def test_standard_input_is_the_commands(self):
        with open(SHM_FULL, "rb") as log:
            self.assertEqual(self.run_command("cat", stdin=log).stdout, SHM_FULL.read_bytes())

    def test_closed_streams(self):
        # The number of one that is closed must not become that of a file of ours.
        command = f"{NCCLWHY} run --log-dir {self.logs} -- sh -c 'echo hi; echo ho >&2; exit 5'"
        for command in (command, f"{NCCLWHY} run --log-dir {self.logs} -- sh -c 'exit 5'"):
            for closed in ("<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
                done = subprocess.run(["sh", "-c", f"{command} {closed}"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, env=self.environment, timeout=PATIENCE, check=False)
                self.assertEqual(done.returncode, 5, closed)
        # Nobody stays behind, who would hold the reader's end of a pipe open.
        self.assertTrue(eventually(lambda: self.processes_of(str(self.logs)) == []))

    # Folders and disks that are of no use

    def without_a_folder(self, script, directory, **environment):
        return subprocess.run([NCCLWHY, "run", "--", "bash", "-c", script], cwd=directory, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**self.environment, **environment}, timeout=PATIENCE * 2,
                              stdin=subprocess.DEVNULL, check=False)

    def test_a_temporary_folder_that_takes_nothing(self):
        for unusable in ("/proc", "/dev/null", str(self.dir / "missing")):
            done = self.without_a_folder("echo hi; exit 3", self.dir, TMPDIR=unusable)
            self.assertEqual((done.returncode, done.stdout), (3, b"hi\n"), done.stderr)
            folder = done.stderr.decode().rsplit("Logs and report: ", 1)[1].strip()
            self.assertTrue(os.path.exists(f"{folder}/report.txt"))
            shutil.rmtree(folder)

    def test_a_log_folder_that_cannot_be_made(self):
        (self.dir / "file").write_text("")
        for unusable in (self.dir / "file", self.dir / "file/x", "/proc/x"):
            self.logs = unusable
            done = self.bash("echo hi; exit 3")
            self.assertEqual((done.returncode, done.stdout), (3, b"hi\n"), done.stderr)
            first, rest = done.stderr.decode().split("\n", 1)
            self.assertIn("cannot make the folder", first)
            self.assertIn("the logs are in " + rest.rsplit("Logs and report: ", 1)[1].strip(), first)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root")
    def test_no_folder_at_all(self):
        script = ("set -e; for d in /tmp /var/tmp; do mount -t tmpfs -o ro,size=4k none $d; done; cd /proc; "
                  f"export TMPDIR=/proc; exec {NCCLWHY} run -- bash -c 'echo hi; env | grep -c NCCL_DEBUG; exit 3'")
        if subprocess.run(["unshare", "-m", "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no mounts here")
        binary = pathlib.Path(NCCLWHY).resolve()
        if str(binary).startswith(("/tmp/", "/var/tmp/")):
            self.skipTest("the program would be hidden")
        done = subprocess.run(["unshare", "-m", "bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={"PATH": os.environ["PATH"]}, timeout=PATIENCE, check=False)
        self.assertEqual((done.returncode, done.stdout), (3, b"hi\n0\n"), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn(b"the command runs unwatched", done.stderr)

    def test_a_disk_that_is_full(self):
        for room in (0, 8192, 100000):
            self.logs = self.dir / str(room)
            script = f"seq -f 'filler %.0f' 120000 >&2; cat {SHM_FULL} >&2; exit 3"  # more than is kept
            done = self.bash(script, preexec_fn=lambda r=room: resource.setrlimit(resource.RLIMIT_FSIZE, (r, r)))
            self.assertEqual(done.returncode, 3, done.stderr[-2000:])
            answer = done.stderr.decode().split("ncclwhy: ", 1)[1]
            self.assertIn("shm.too-small", answer)
            if (self.logs / "report.json").exists():
                self.assertIn(f"Logs and report: {self.logs}\n", answer)
            else:
                self.assertIn(f"Logs: {self.logs}; cannot write {self.logs}/report.", answer)

    def test_for_the_owner_only(self):
        for make in (False, True):
            self.logs = self.dir / f"made-{make}/deep/why"
            if make:
                self.logs.mkdir(parents=True)
            self.bash(f"cat {SHM_FULL}; exit 1", umask=0o022)
            files = [p for p in self.logs.rglob("*") if p.is_file()]
            self.assertIn("report.json", [p.name for p in files])
            self.assertEqual({oct(p.stat().st_mode & 0o777) for p in files}, {"0o600"}, files)
            for folder in (self.logs, *(p for p in self.logs.rglob("*") if p.is_dir())):
                wanted = 0o755 if make and folder == self.logs else 0o700
                self.assertEqual(folder.stat().st_mode & 0o777, wanted, folder)

    def test_names_are_shown_as_text(self):
        self.logs = self.dir / "d\033[31m\n::error::x"
        for script, options in (("exit 3", ()), ("echo a; sleep 4; exit 3", ("--hang", "2"))):
            done = self.bash(script, options=options)
            self.assertNotIn(b"\033", done.stderr)
            self.assertNotIn(b"\n::error", done.stderr)
            self.assertIn(b"Logs and report: ", done.stderr)
        done = self.run_command("no\033[31m")
        self.assertNotIn(b"\033", done.stderr)

    def test_one_file_for_both_keeps_the_order(self):
        with open(self.dir / "both", "wb") as both:
            subprocess.run([NCCLWHY, "run", "bash", "-c", "for i in `seq 50`; do echo o$i; echo e$i >&2; done"],
                           stdout=both, stderr=both, env=self.environment, check=True)
        expected = "".join(f"o{i}\ne{i}\n" for i in range(1, 51))
        self.assertEqual((self.dir / "both").read_text(), expected)

    def test_survived_faults_are_no_news(self):
        for log in (XID, SHM_FULL):
            done = self.bash(f"cat {log}; echo all tests passed", options=["--hang", "5"])
            self.assertEqual((done.returncode, done.stderr), (0, b""))

    # The environment

    def environment_of(self, **given):
        self.environment.update(given)
        done = self.run_command("env", "-0")
        return dict(v.split("=", 1) for v in done.stdout.decode().split("\0") if v)

    def test_traces_are_switched_on(self):
        for name in list(self.environment):
            if name.startswith(("NCCL_", "TORCH_", "PYTHON")):
                del self.environment[name]
        seen = self.environment_of()
        logs = str(self.logs / "logs")
        self.assertEqual(seen["NCCL_DEBUG"], "INFO")
        self.assertEqual(seen["NCCL_DEBUG_FILE"], f"{logs}/nccl.%h.%p.log")
        self.assertEqual(seen["TORCH_NCCL_DEBUG_INFO_TEMP_FILE"], f"{logs}/nccl_trace_rank_")
        self.assertEqual(seen["TORCH_FR_DUMP_TEMP_FILE"], f"{logs}/nccl_trace_rank_")
        for name, value in {"TORCH_NCCL_TRACE_BUFFER_SIZE": "2000", "TORCH_FR_BUFFER_SIZE": "2000",
                            "TORCH_NCCL_DUMP_ON_TIMEOUT": "1", "PYTHONFAULTHANDLER": "1", "PYTHONUNBUFFERED": "1",
                            "TORCH_SHOW_CPP_STACKTRACES": "1"}.items():
            self.assertEqual(seen[name], value)

    def test_what_is_set_stays(self):
        seen = self.environment_of(NCCL_DEBUG="WARN", TORCH_NCCL_TRACE_BUFFER_SIZE="7", PYTHONUNBUFFERED="")
        self.assertEqual(seen["NCCL_DEBUG"], "WARN")
        self.assertNotIn("NCCL_DEBUG_FILE", seen)
        self.assertEqual(seen["TORCH_NCCL_TRACE_BUFFER_SIZE"], "7")
        self.assertNotIn("TORCH_FR_BUFFER_SIZE", seen)
        self.assertEqual(seen["PYTHONUNBUFFERED"], "")

    def test_lines_come_as_they_are_printed(self):
        python = "import time; print('now'); time.sleep(60)"
        process = self.start(sys.executable, "-c", python)
        begun = time.monotonic()
        self.assertEqual(process.stdout.readline(), b"now\n")
        self.assertLess(time.monotonic() - begun, 20)
        process.terminate()
        self.assertEqual(process.wait(PATIENCE), 128 + signal.SIGTERM)

    # Failure

    def test_failure_is_answered(self):
        done = self.bash(f"cat {SHM_FULL}; exit 7")
        self.assertEqual((done.returncode, done.stdout), (7, SHM_FULL.read_bytes()))
        answer = done.stderr.decode()
        self.assertIn("ended with status 7", answer)
        self.assertIn("shm.too-small", answer)
        self.assertLessEqual(len(answer.splitlines()), 22)
        self.assertEqual(self.report()["causes"][0]["id"], "shm.too-small")
        self.assertIn("shm.too-small", (self.logs / "report.txt").read_text())

    def test_the_reason_is_left_where_the_operator_looks(self):
        message, error = self.dir / "termination-log", self.dir / "error.json"
        message.touch()
        self.environment.update(NCCLWHY_TERMINATION_LOG=str(message), TORCHELASTIC_ERROR_FILE=str(error))
        self.assertEqual(self.bash("true").returncode, 0)
        self.assertEqual((message.read_text(), error.exists()), ("", False))
        self.assertEqual(self.bash(f"cat {SHM_FULL}; exit 7").returncode, 7)
        (line,) = message.read_text().splitlines()
        self.assertIn("shm.too-small", line)
        self.assertLessEqual(len(line.encode()), 1000)
        left = json.loads(error.read_text())["message"]
        self.assertEqual(left["message"], line)
        self.assertTrue(left["extraInfo"]["timestamp"].isdigit())
        # What the program wrote there itself stays; a link is not followed, and nothing there is no trouble.
        message.write_text("out of data")
        error.write_text("{}")
        self.bash(f"cat {SHM_FULL}; exit 7")
        self.assertEqual((message.read_text(), error.read_text()), ("out of data", "{}"))
        message.write_text("")
        link = self.dir / "link"
        link.symlink_to(message)
        self.environment.update(NCCLWHY_TERMINATION_LOG=str(link), TORCHELASTIC_ERROR_FILE=str(self.dir / "no" / "folder"))
        self.assertEqual(self.bash(f"cat {SHM_FULL}; exit 7").returncode, 7)
        self.assertEqual(message.read_text(), "")

    def test_who_is_ended_from_outside_is_no_root_cause(self):
        error = self.dir / "error.json"
        self.environment.update(TORCHELASTIC_ERROR_FILE=str(error))
        process = self.start("bash", "-c", f"cat {SHM_FULL}; echo ready; exec sleep 100")
        while process.stdout.readline() != b"ready\n":
            pass
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 143)
        self.assertFalse(error.exists())

    def test_files_of_nccl_are_read(self):
        done = self.bash(f'cp {SHM_FULL} "${{NCCL_DEBUG_FILE/\\%h.%p/host.1}}"; exit 1')
        self.assertIn("shm.too-small", done.stderr.decode())

    def test_traceback_is_the_answer(self):
        done = self.run_command(sys.executable, "-c", "raise ValueError('bad batch')")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ValueError: bad batch", done.stderr.decode())
        self.assertEqual(self.report()["outcome"], "failed")

    def test_what_cannot_be_run(self):
        self.assertEqual(self.run_command("no-such-command").returncode, 127)
        self.assertEqual(self.run_command(str(self.dir)).returncode, 126)

    def test_a_second_run_does_not_read_the_first(self):
        self.bash(f"cat {SHM_FULL}; exit 1")
        done = self.bash("exit 3")
        self.assertNotIn("shm.too-small", done.stderr.decode())

    def test_log_is_bounded(self):
        script = "head -c 40000000 /dev/zero | tr '\\0' 'x' | fold -w 99; echo 'NCCL WARN in the middle'; " \
                 "head -c 60000000 /dev/zero | tr '\\0' 'y' | fold -w 99; echo the end; exit 1"
        with open(os.devnull, "wb") as nothing:
            done = subprocess.run([NCCLWHY, "run", "--log-dir", str(self.logs), "bash", "-c", script], stdout=nothing,
                                  stderr=subprocess.PIPE, env=self.environment, timeout=120, check=False)
        self.assertEqual(done.returncode, 1)
        logs = self.logs / "logs"
        self.assertLess(sum(f.stat().st_size for f in logs.iterdir()), 60 << 20)
        self.assertTrue((logs / "stdout.log").read_bytes().endswith(b"the end\n"))
        self.assertIn(b"NCCL WARN in the middle", (logs / "stdout.first-errors.log").read_bytes())
        self.assertIn("MiB of output are not in these logs", (logs / "run.log").read_text())

    # Launchers

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun here")
    def test_mpirun(self):
        done = self.run_command("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", "bash", "-c", "exit 3")
        self.assertEqual(done.returncode, 3)
        self.assertIn("ended with status 3", done.stderr.decode())

    @unittest.skipUnless(shutil.which("torchrun"), "no torchrun here")
    def test_torchrun(self):
        (self.dir / "t.py").write_text("import os\nif os.environ['RANK'] == '1': raise ValueError('bad batch')\n")
        done = self.run_command("torchrun", "--nproc-per-node", "2", "t.py")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ValueError", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
