"""The text report as people see it: on terminals of several widths, with and without colour, in pipes, in Chinese."""
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import KILLED, NCCLWHY, ProgramTest, SHM_FULL, SOURCE  # noqa: E402

INCIDENTS = sorted(path for path in (SOURCE / "samples/incidents").iterdir() if path.is_dir())
COLOR = re.compile(r"\x1b\[[0-9;]*m")
LINKS = ("WT_SESSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "VTE_VERSION", "TERM_PROGRAM")
CLOSING = "，。、；：？！）》」』】”’…％"


def width(text):
    """Columns, as a terminal counts them."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def on_terminal(columns, *arguments, directory=None, **environment):
    """What a terminal of so many columns gets."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    variables = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", *LINKS)}
    variables.update({"TERM": "xterm", **environment})
    process = subprocess.Popen([NCCLWHY, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=theirs,
                               stderr=subprocess.DEVNULL, env=variables, cwd=directory)
    os.close(theirs)
    data = b""
    try:
        while chunk := os.read(ours, 65536):
            data += chunk
    except OSError:  # the other side was closed
        pass
    os.close(ours)
    process.wait(timeout=60)
    return data.decode().replace("\r\n", "\n")


def is_command(line):
    """Commands are copied, so they are never wrapped."""
    return re.match(r" +[\w.,-]*\$ ", line) or re.match(r" {5,}", line)


def rows(text):
    """Rows of 100 columns."""
    return sum(max(1, -(-width(line) // 100)) for line in text.splitlines())


class TerminalTest(ProgramTest):
    def test_a_page_goes_to_a_file(self):
        """Nobody reads HTML on a terminal; only a page of ours is overwritten."""
        with tempfile.TemporaryDirectory(prefix="ncclwhy-page-") as directory:
            page = pathlib.Path(directory) / "ncclwhy-report.html"
            for _ in range(2):
                self.assertEqual(on_terminal(80, "--format", "html", SHM_FULL, directory=directory), "")
                self.assertTrue(page.read_text().startswith("<!DOCTYPE html>"))
            page.write_text("<p>mine")
            self.assertEqual(on_terminal(80, "--format", "html", SHM_FULL, directory=directory), "")
            self.assertEqual(page.read_text(), "<p>mine")

    def test_the_answer_is_short(self):
        """Every sample and every rule's logs: 20 rows, 24 where candidates are listed; half of them 16 or less."""
        folders = [*INCIDENTS, *sorted(path for path in (SOURCE / "samples/healthy").iterdir() if path.is_dir())]
        logs = [sorted(folder.glob("*.log")) for folder in folders]
        logs += [[path] for path in sorted((SOURCE / "rules/catalog").glob("*/*/*.log"))[::9]]
        measured = []
        for sources in logs:
            for language in ("en", "zh"):
                run = self.ncclwhy("--lang", language, *sources)
                measured.append(rows(run.stdout.decode()))
                self.assertLessEqual(measured[-1], 24 if run.returncode == 3 else 20, sources)
        self.assertGreater(len(measured), 100)
        self.assertLessEqual(sorted(measured)[len(measured) // 2], 16)

    def test_links_to_the_lines(self):
        """OSC 8, where the terminal says that it follows links; not when names are hidden, not in a pipe."""
        link = "\x1b]8;;" + SHM_FULL.resolve().as_uri()
        self.assertIn(link, on_terminal(100, SHM_FULL, KITTY_WINDOW_ID="1"))
        self.assertNotIn("\x1b]8", on_terminal(100, "--redact", SHM_FULL, KITTY_WINDOW_ID="1"))
        self.assertNotIn("\x1b]8", on_terminal(100, SHM_FULL))
        self.assertNotIn(b"\x1b]8", self.ncclwhy(SHM_FULL).stdout)

    def test_verbose_tells_everything(self):
        full = self.ncclwhy("-v", SHM_FULL).stdout
        self.assertEqual(full, self.ncclwhy("--format", "full", SHM_FULL).stdout)
        for title in (b"What it means", b"Confirm", b"% sure"):
            self.assertIn(title, full)
            self.assertNotIn(title, self.ncclwhy(SHM_FULL).stdout)

    def test_nothing_is_wider_than_the_terminal(self):
        for folder in INCIDENTS:
            logs = sorted(folder.glob("*.log"))
            for columns in (80, 200):
                for language in ("en", "zh"):
                    with self.subTest(folder.name, columns=columns, language=language):
                        text = COLOR.sub("", on_terminal(columns, "--lang", language, *logs))
                        self.assertGreaterEqual(text.count("\n"), 3)
                        for line in text.splitlines():
                            # A path is never broken, so that it can be copied.
                            self.assertTrue(width(line) <= columns or is_command(line) or "/" in line, line)
                            self.assertNotIn(line.lstrip()[:1] or " ", CLOSING, line)

    def test_wider_shows_more(self):
        narrow, wide = (on_terminal(columns, SHM_FULL) for columns in (80, 200))
        self.assertLess(wide.count("\n"), narrow.count("\n"))
        self.assertGreater(max(map(width, wide.splitlines())), 100)
        self.assertEqual(on_terminal(200, SHM_FULL, COLUMNS="80"), narrow)

    def test_chinese_fills_its_lines(self):
        """A Chinese character takes two columns: lines are full, but not too full."""
        lines = COLOR.sub("", on_terminal(80, "--lang", "zh", SHM_FULL)).splitlines()
        longest = max(width(line) for line in lines if not is_command(line) and "/" not in line and re.search("[\u4e00-\u9fff]", line))
        self.assertTrue(70 <= longest <= 80, longest)

    def test_colour(self):
        coloured = on_terminal(80, SHM_FULL)
        self.assertIn("\x1b[1;31mFAILURE\x1b[0m", coloured)
        plain = COLOR.sub("", coloured)
        for settings in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertEqual(on_terminal(80, SHM_FULL, **settings), plain)
        self.assertEqual(on_terminal(80, "--color", "never", SHM_FULL), plain)
        self.assertEqual(on_terminal(80, "--color", "always", SHM_FULL, NO_COLOR="1"), coloured)
        self.assertEqual(on_terminal(80, SHM_FULL, NO_COLOR=""), coloured)  # https://no-color.org: empty is not set

    def test_pipe(self):
        run = self.ncclwhy(SHM_FULL)
        self.assertNotIn(b"\x1b", run.stdout)
        self.assertEqual(run.stderr, b"")
        self.assertIn(b"\x1b[1;31mFAILURE", self.ncclwhy("--color", "always", SHM_FULL).stdout)
        long = b"h1:7:7 [0] NCCL WARN Cuda failure 'out of memory " + b"x" * 300 + b"'\n"
        self.assertIn(b"x" * 300, self.ncclwhy("-v", "-", stdin=long * 3).stdout)  # grep finds whole lines

    def test_other_formats_have_no_colour(self):
        for format in ("json", "markdown", "sarif", "junit", "github", "summary", "trace"):
            self.assertNotIn("\x1b", on_terminal(80, "--format", format, SHM_FULL))

    def test_the_first_screen_says_what_and_how_to_fix(self):
        for columns in (80, 200):
            text = COLOR.sub("", on_terminal(columns, *sorted(KILLED.glob("*.log"))))
            head = "\n".join(text.splitlines()[:20])
            self.assertIn("rank 3 on worker-20", head)
            self.assertIn("\nFix: ", head)


if __name__ == "__main__":
    unittest.main()
