"""Commands under `ncclwhy run`, for the tests of it."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import NCCLWHY, ProgramTest  # noqa: E402

PATIENCE = 40  # seconds; machines that test are slow


def eventually(condition, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def descendants(pid):
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []
    return [d for child in children for d in [int(child), *descendants(child)]]


class WatchedTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.logs = self.dir / "why"
        self.environment = {**os.environ, "TMPDIR": str(self.dir)}

    def run_command(self, *command, options=(), **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run([NCCLWHY, "run", "--log-dir", str(self.logs), *options, "--", *command],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir, env=self.environment,
                              timeout=PATIENCE * 2, check=False, **more)

    def start(self, *command, options=(), **more):
        more.setdefault("stdout", subprocess.PIPE)
        process = subprocess.Popen([NCCLWHY, "run", "--log-dir", str(self.logs), *options, "--", *command],
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.dir,
                                   env=self.environment, **more)

        def end():
            # The command first: it would outlive the wrapper.
            for pid in reversed(descendants(process.pid)):
                with contextlib.suppress(ProcessLookupError):  # it may end meanwhile
                    os.kill(pid, signal.SIGKILL)
            process.kill()
            process.communicate()

        self.addCleanup(end)
        return process

    def bash(self, script, **more):
        return self.run_command("bash", "-c", script, **more)

    def report(self):
        return json.loads((self.logs / "report.json").read_text())

    @staticmethod
    def processes_of(word):
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if word.encode() in (folder / "cmdline").read_bytes():
                    found.append(folder.name)
            except OSError:  # it has ended
                pass
        return found
