"""samples/FIRST_TEN_MINUTES.md, command by command: `…` in an answer stands for anything, a line of it for any lines."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import NCCLWHY, ProgramTest, SOURCE  # noqa: E402

TEXT = (SOURCE / "samples/FIRST_TEN_MINUTES.md").read_text()


def commands():
    """(command, its lines, exit status) of every indented `$ …`."""
    current = None
    for line in TEXT.splitlines() + [""]:
        inside = line[4:] if line.startswith("    ") else None
        if current and (inside is None or inside.startswith("$ ")):
            yield current
            current = None
        if inside is None:
            continue
        if inside.startswith("$ "):
            current = [inside[2:], [], 0]
        elif current and (status := re.fullmatch(r"\[exit (\d)\]", inside)):
            current[2] = int(status[1])
        elif current:
            current[1].append(inside)


class FirstMinutes(ProgramTest):
    def test_every_command(self):
        (self.dir / "bin").mkdir()
        os.symlink(pathlib.Path(NCCLWHY).resolve(), self.dir / "bin/ncclwhy")
        os.symlink(SOURCE / "samples", self.dir / "samples")
        found = list(commands())
        self.assertGreater(len(found), 8)
        for command, lines, status in found:
            with self.subTest(command):
                run = subprocess.run(["bash", "-c", command], cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                                     timeout=60, env={"PATH": f"{self.dir}/bin:/usr/bin:/bin", "LANG": "C.UTF-8"})
                self.assertEqual(run.returncode, status, run.stdout.decode())
                pattern = "".join(r"(?:.*\n)*" if line == "…" else r"[^\n]*".join(map(re.escape, re.split(" *… *", line))) + r"[^\n]*\n"
                                  for line in lines)
                self.assertRegex(run.stdout.decode(), r"\A" + pattern + r"\Z")

    def test_names_of_files(self):
        for name in re.findall(r"`((?:\.\./)?(?:ci|operator|src)/[\w./]*)`", TEXT) + ["COMPARISON.md"]:
            self.assertTrue((SOURCE / "samples" / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
