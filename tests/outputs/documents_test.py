"""What the documents show is what the program does: transcripts, the commands of README.md, the screenshots' pages.

NCCLWHY_BLESS=1 rewrites the transcripts.
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

for room in ("serve", "witnesses"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / room))
from programs import KILLED, NCCLWHY, ProgramTest, SHM_FULL, SOURCE  # noqa: E402
import ras_replay  # noqa: E402

TRANSCRIPTS = SOURCE / "samples/transcripts/README.md"
README = SOURCE / "README.md"
PROMPT = "    $ "
BLESS = os.environ.get("NCCLWHY_BLESS") == "1"


def commands_of(text, heading):
    """The indented lines of a section that use the command, without what explains them (behind two blanks or more)."""
    section = re.search(rf"(?ms)^## {heading}$(.*?)(?=^## |\Z)", text)[1]
    for line in section.splitlines():
        if line.startswith("    ") and "ncclwhy" in line and not line.startswith(PROMPT):
            yield re.split(r" {2,}", line.strip())[0]


class DocumentsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.dir / "bin").mkdir()
        os.symlink(pathlib.Path(NCCLWHY).resolve(), self.dir / "bin/ncclwhy")
        self.environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
        self.environment["PATH"] = f"{self.dir}/bin:{os.environ['PATH']}"

    def shell(self, command, folder, timeout=120):
        return subprocess.run(["bash", "-c", command], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, check=False)

    def transcript(self, text, folder):
        """The text with the output of each `$ command` below it."""
        out, lines = [], text.splitlines()
        while lines:
            line = lines.pop(0)
            out.append(line)
            if not line.startswith(PROMPT):
                continue
            while lines and (lines[0].startswith("    ") or (not lines[0] and any(
                    later.startswith("    ") for later in lines[1:2]))) and not lines[0].startswith(PROMPT):
                lines.pop(0)
            run = self.shell(line[len(PROMPT):], folder)
            said = [one for one in run.stderr.splitlines() if not one.startswith(b"ncclwhy: redacted: ")]
            self.assertEqual(said, [], line)
            out += ["    " + shown if shown else "" for shown in run.stdout.decode().splitlines()]
        return "\n".join(out) + "\n"

    def check(self, path):
        text = path.read_text()
        self.assertIn(PROMPT, text)
        now = self.transcript(text, path.parent)
        if BLESS:
            path.write_text(now)
        self.assertEqual(text if not BLESS else now, now)

    def test_transcripts(self):
        self.check(TRANSCRIPTS)
        text = TRANSCRIPTS.read_text()
        self.assertGreaterEqual(text.count(PROMPT), 5)
        for words in ("shm.too-small", "emptyDir", "--shm-size", "gpu.device-not-set", "coll_hcoll_enable 0",
                      "gpu.handle-import"):
            self.assertIn(words, text)
        for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text):
            data = (TRANSCRIPTS.parent / picture).read_bytes()
            self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
            self.assertLess(len(data), 400 << 10)

    def test_outputs_in_the_readme(self):
        text = README.read_text()
        now = self.transcript(text, SOURCE)
        self.assertEqual([line for line in text.splitlines() if line.strip()],
                         [line for line in now.splitlines() if line.strip()])

    def working_folder(self):
        """A folder in which the commands of README.md make sense."""
        work = self.dir / "work"
        shutil.rmtree(work, ignore_errors=True)
        (work / "logs").mkdir(parents=True)
        for log in KILLED.glob("*.log"):
            shutil.copy(log, work)
            shutil.copy(log, work / "logs")
        shutil.copy(SHM_FULL, work / "job.log")
        shutil.copytree(work / "logs", work / "bad")
        (work / "good").mkdir()
        for log in (SOURCE / "samples/healthy/healthy-2.21.5-2x2-s3").glob("*.log"):
            shutil.copy(log, work / "good")
        shutil.copytree(work / "good", work / "runs/monday")
        shutil.copytree(work / "bad", work / "runs/tuesday")
        subprocess.run(["tar", "czf", "logs.tar.gz", "logs"], cwd=work, check=True)
        kubectl = self.dir / "bin/kubectl"
        kubectl.write_text('#!/bin/sh\n[ "$1" = logs ] && cat job.log\n')
        kubectl.chmod(0o755)
        torchrun = self.dir / "bin/torchrun"
        torchrun.write_text("#!/bin/sh\n")
        torchrun.chmod(0o755)
        return work

    def test_every_use_in_the_readme(self):
        commands = list(commands_of(README.read_text(), "Use"))
        self.assertGreater(len(commands), 5)
        for command in commands:
            with self.subTest(command):
                work = self.working_folder()
                with socket.create_server(("127.0.0.1", 0)) as free:
                    port = free.getsockname()[1]
                words = command.replace(":8471", f":{port}").replace("list|lint|test", "list")
                if "ras://" in words:
                    words = words.replace("node1:28028", f"127.0.0.1:{ras_replay.Ras(ras_replay.HELLO).port}")
                if "--follow" in words or " serve" in words:
                    self.run_for_a_while(words, work, port)
                else:
                    run = self.shell(words, work)
                    self.assertIn(run.returncode, (0, 1, 3), run.stderr)
                    # Of what was replaced, and of what was written, a line each.
                    told = re.compile(rb"ncclwhy: (?:redacted: |node\.digest: \d+ sources)")
                    self.assertEqual([one for one in run.stderr.splitlines() if not told.match(one)], [])
                shutil.rmtree(work)

    def run_for_a_while(self, words, work, port):
        process = subprocess.Popen(["bash", "-c", "exec " + words.rstrip("& ")], cwd=work, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 30
        while " serve" in words and time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        time.sleep(1)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        self.assertIn(process.returncode, (0, 1))


if __name__ == "__main__":
    unittest.main()
