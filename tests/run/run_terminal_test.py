"""`ncclwhy run` in a terminal: keys, sizes, a shell with job control."""
import fcntl
import os
import pathlib
import pty
import select
import signal
import struct
import sys
import termios
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import NCCLWHY, ProgramTest, SHM_FULL  # noqa: E402

PATIENCE = 40


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, arguments, directory, rows=33, columns=101):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.chdir(directory)
            os.environ.update(TMPDIR=str(directory), PS1="$ ", TERM="dumb")
            os.execvp(arguments[0], arguments)
        self.seen = ""

    def until(self, text, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while text not in self.seen:
            ready = select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]
            try:
                data = os.read(self.fd, 65536) if ready else b""
            except OSError:
                data = b""
            if not data:
                raise AssertionError(f"{text!r} did not come: {self.seen!r}")
            self.seen += data.decode(errors="replace")
        before, self.seen = self.seen.split(text, 1)
        return before

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def end(self):
        """The exit status, and what was still to be read."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.fd, 65536).decode(errors="replace")
                except OSError:
                    pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
        raise AssertionError(f"it does not end: {self.seen!r}")

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


class RunTerminalTest(ProgramTest):
    def terminal(self, *arguments, **options):
        terminal = Terminal([str(a) for a in arguments], self.dir, **options)
        self.addCleanup(terminal.close)
        return terminal

    def run_in(self, *command, **options):
        return self.terminal(NCCLWHY, "run", "--log-dir", self.dir / "why", "--", *command, **options)

    def test_command_has_a_terminal(self):
        terminal = self.run_in("bash", "-c", "test -t 0 -a -t 1 -a -t 2 && stty size && tty")
        self.assertIn("33 101", terminal.until("/dev/pts/"))
        self.assertEqual(terminal.end(), 0)

    def test_keys_and_echo(self):
        terminal = self.run_in("bash", "-c", "read -p 'name? ' x; echo hello $x")
        terminal.until("name? ")
        terminal.type("nccl\r")
        terminal.until("hello nccl")
        self.assertEqual(terminal.end(), 0)

    def test_ctrl_c(self):
        # No loop of a shell: where its sleep ends by itself as the signal comes, bash takes it for handled.
        catches = ("import signal, sys, time\n"
                   "def end(*_):\n"
                   "    print('got it', flush=True)\n"
                   "    sys.exit(9)\n"
                   "signal.signal(signal.SIGINT, end)\n"
                   "print('ready', flush=True)\n"
                   "while True: time.sleep(0.1)\n")
        terminal = self.run_in(sys.executable, "-c", catches)
        terminal.until("ready")
        terminal.type("\x03")
        terminal.until("got it")
        self.assertEqual(terminal.end(), 9)

    def test_ctrl_c_kills(self):
        terminal = self.run_in("bash", "-c", "echo ready; exec sleep 100")
        terminal.until("ready")
        terminal.type("\x03")
        self.assertEqual(terminal.end(), 130)
        self.assertIn("ncclwhy: ", terminal.seen)

    def test_ctrl_d(self):
        terminal = self.run_in("bash", "-c", "echo ready; cat; echo over")
        terminal.until("ready")
        terminal.type("\x04")
        terminal.until("over")
        self.assertEqual(terminal.end(), 0)

    def test_window_size_follows(self):
        terminal = self.run_in("bash", "-c", "trap 'stty size' WINCH; echo ready; for i in `seq 300`; do sleep 0.1; done")
        terminal.until("ready")
        fcntl.ioctl(terminal.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 47, 0, 0))
        terminal.until("12 47")

    def test_failure_is_answered(self):
        terminal = self.run_in("bash", "-c", f"cat {SHM_FULL} >&2; exit 7")
        self.assertEqual(terminal.end(), 7)
        self.assertIn("shm.too-small", terminal.seen)

    def test_error_that_goes_elsewhere(self):
        terminal = self.terminal("bash", "-c", f"{NCCLWHY} run bash -c 'test -t 1; echo $? ; test -t 2; echo $? >&2' 2>err")
        terminal.until("0")
        self.assertEqual(terminal.end(), 0)
        self.assertEqual((self.dir / "err").read_text(), "1\n")

    def test_stop_and_go_on_in_a_shell(self):
        terminal = self.terminal("bash", "--norc", "-i")
        terminal.until("$ ")
        terminal.type(f"{NCCLWHY} run -- bash -c 'echo rea''dy; for i in `seq 100`; do sleep 0.1; done; echo o''ver'\r")
        terminal.until("\nready")
        time.sleep(0.3)
        terminal.type("\x1a")
        terminal.until("Stopped")
        terminal.until("$ ")
        terminal.type("stty -a | grep -o .icanon; echo shell li''ves\r")  # the shell has its terminal as it was
        self.assertNotIn("-icanon", terminal.until("shell lives"))
        terminal.type("fg; echo status $?\r")
        terminal.until("\nover")
        terminal.until("status 0")
        terminal.type("exit\r")

    def test_pipeline_in_a_shell(self):
        terminal = self.terminal("bash", "--norc", "-i")
        terminal.until("$ ")
        terminal.type(f"{NCCLWHY} run -- bash -c 'read x; echo got $x; exec sleep 100' | cat\r")
        time.sleep(0.5)
        terminal.type("input\r")
        terminal.until("got input")
        terminal.type("\x03")
        terminal.until("$ ")
        terminal.type("echo ${PIPESTATUS[0]}.\r")
        terminal.until("\n130.")
        terminal.type("exit\r")


if __name__ == "__main__":
    unittest.main()
