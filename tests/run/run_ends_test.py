"""How commands under `ncclwhy run` end: signals, what outlives whom, silence."""
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import NCCLWHY, SHM_FULL  # noqa: E402
from watched import PATIENCE, WatchedTest, eventually  # noqa: E402


class EndsTest(WatchedTest):
    # Signals

    def test_death_by_signal(self):
        for name in ("KILL", "SEGV", "TERM"):
            done = self.bash(f"kill -{name} $$")
            self.assertEqual(done.returncode, 128 + signal.Signals[f"SIG{name}"])
            self.assertIn("was ended by signal", done.stderr.decode())

    def test_signals_go_through(self):
        script = ("import signal, time\n"
                  "def on(n, f): print(signal.Signals(n).name, flush=True)\n"
                  "for n in (1, 2, 3, 10, 12, 15, 34): signal.signal(n, on)\n"
                  "print('ready', flush=True)\n"
                  "while True: time.sleep(1)\n")
        process = self.start(sys.executable, "-c", script)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM,
                       signal.SIGRTMIN):
            process.send_signal(number)
            self.assertEqual(process.stdout.readline().decode().strip(), number.name)

    def test_stopped_by_a_person_is_one_line(self):
        process = self.start("bash", "-c", "for i in 1 2 3 4 5; do echo step $i; done; exec sleep 100")
        for _ in range(5):
            process.stdout.readline()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), 130)
        answer = process.stderr.read().decode()
        self.assertIn("stopped", answer)
        self.assertLessEqual(len(answer.splitlines()), 3)
        self.assertEqual(self.report()["outcome"], "stopped")

    def test_launchers_end_with_a_status_of_their_own(self):
        process = self.start("bash", "-c", "trap 'exit 1' TERM; echo step 1; while true; do sleep 0.1; done")
        process.stdout.readline()
        process.terminate()
        self.assertEqual(process.wait(PATIENCE), 1)
        self.assertIn("stopped", process.stderr.read().decode())
        self.assertEqual(self.report()["outcome"], "stopped")

    def test_stop_and_continue(self):
        process = self.start("bash", "-c", "echo $$; for i in `seq 400`; do echo $i; sleep 0.1; done")
        pid = int(process.stdout.readline())
        process.send_signal(signal.SIGTSTP)

        def state(number):
            return pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0]

        self.assertTrue(eventually(lambda: state(pid) == "T" and state(process.pid) == "T"))
        process.send_signal(signal.SIGCONT)
        self.assertTrue(eventually(lambda: state(pid) != "T" and state(process.pid) != "T"))

    def test_command_outlives_the_wrapper(self):
        done = self.dir / "done"
        script = f"for i in `seq 30`; do echo line $i; echo err $i >&2; sleep 0.1; done; echo $? > {done}"
        process = self.start("bash", "-c", script)
        self.assertEqual(process.stdout.readline(), b"line 1\n")
        process.kill()
        process.wait(PATIENCE)
        process.stdout.close()  # as a parent does that ends with it
        process.stderr.close()
        self.assertTrue(eventually(done.exists))
        self.assertTrue(eventually(lambda: "line 30" in (self.logs / "logs/stdout.log").read_text()))

    def test_a_reader_that_leaves_is_met_as_without_us(self):
        done = subprocess.run(f"{NCCLWHY} run -- yes | head -1; echo ${{PIPESTATUS[0]}}", shell=True,
                              executable="/bin/bash", env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
        self.assertEqual(done.stdout.split(), [b"y", b"141"])

    def test_children_that_stay_do_not_hold_it_up(self):
        begun = time.monotonic()
        with open(self.dir / "out", "wb") as out:
            done = subprocess.run([NCCLWHY, "run", "bash", "-c", "sleep 30 & exit 5"], stdout=out, stderr=out,
                                  env=self.environment, check=False)
        self.assertEqual(done.returncode, 5)
        self.assertLess(time.monotonic() - begun, 20)

    # Hangs

    def hang(self, script, seconds=2):
        process = self.start("bash", "-c", script, options=["--hang", str(seconds)])
        begun = time.monotonic()
        first = process.stderr.readline().decode()
        return process, first, time.monotonic() - begun

    def test_silence_is_answered_in_time(self):
        _, first, took = self.hang(f"cat {SHM_FULL}; exec sleep 100")
        self.assertIn("still runs and has shown no", first)
        self.assertLess(took, 2 + 30)
        print(f"\n  verdict {took - 2:.1f} s behind the {2} s of silence", file=sys.stderr)
        self.assertTrue(eventually((self.logs / "report.json").exists))
        self.assertEqual(self.report()["causes"][0]["id"], "shm.too-small")

    def test_standing_still_with_chatter(self):
        script = "for i in `seq 9`; do echo step $i loss 2.$i; done; while true; do echo heartbeat; sleep 0.2; done"
        _, first, took = self.hang(script)
        self.assertIn("no headway", first)
        self.assertLess(took, 2 + 30)
        self.assertTrue(eventually((self.logs / "report.json").exists))
        self.assertEqual(self.report()["outcome"], "hung")

    def test_who_works_on_is_left_alone(self):
        done = self.bash("for i in `seq 50`; do echo step $i loss 2.$i; sleep 0.1; done", options=["--hang", "2"])
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_a_pause_that_ends_well(self):
        done = self.bash("echo step 1; sleep 4; echo step 2", options=["--hang", "2"])
        self.assertEqual(done.returncode, 0)
        self.assertIn("still runs", done.stderr.decode())

    def test_a_folder_that_was_named_stays(self):
        done = subprocess.run([NCCLWHY, "run", "--hang", "2", "--", "bash", "-c", "echo a; sleep 5; echo b"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=self.environment, timeout=PATIENCE * 2, check=False)
        self.assertEqual(done.returncode, 0)
        folder = pathlib.Path(done.stderr.decode().rsplit("Logs and report: ", 1)[1].strip())
        self.assertTrue((folder / "report.txt").exists())

    def test_flight_recorders_are_asked_for(self):
        script = ("import os, time\n"
                  "stem = os.environ['TORCH_NCCL_DEBUG_INFO_PIPE_FILE'] + '0.pipe'\n"
                  "os.mkfifo(stem)\n"
                  "pipe = open(stem, 'rb')\n"
                  "pipe.read(1)\n"
                  "open(os.environ['TORCH_FR_DUMP_TEMP_FILE'] + '0', 'w').write('{}')\n"
                  "time.sleep(100)\n")
        process = self.start(sys.executable, "-c", "print(1, flush=True)\n" + script, options=["--hang", "2"])
        self.assertIn(b"still runs", process.stderr.readline())
        self.assertTrue((self.logs / "logs/nccl_trace_rank_0").exists())

    # Much output


if __name__ == "__main__":
    unittest.main()
