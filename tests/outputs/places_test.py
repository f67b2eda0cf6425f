"""The same wherever the checkout lies: in a path with blanks below the folder of temporary files, and for who is not root."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

NCCLWHY = os.environ["NCCLWHY"]
SOURCE = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
TESTS = ("outputs/ci_samples", "outputs/documents", "outputs/operator", "outputs/terminal", "hostile/incomplete")
NOBODY = 65534


class PlacesTest(unittest.TestCase):
    def test_a_path_with_blanks(self):
        with tempfile.TemporaryDirectory(prefix="ncclwhy a path with blanks ") as folder:
            place = pathlib.Path(folder)
            source = place / "ncclwhy"
            source.mkdir()
            for entry in SOURCE.iterdir():
                if entry.name in ("build", ".git", ".cache"):  # nor what was compiled
                    continue
                if entry.is_dir():
                    shutil.copytree(entry, source / entry.name, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(entry, source)
            (place / "bin of it").mkdir()
            (place / "tmp of it").mkdir()
            program = shutil.copy(NCCLWHY, place / "bin of it")
            environment = {**os.environ, "NCCLWHY": str(program), "NCCLWHY_SOURCE_DIR": str(source), "HOME": str(place),
                           "TMPDIR": str(place / "tmp of it")}
            become = []
            if os.geteuid() == 0 and shutil.which("setpriv"):
                become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
                for path in [place, *place.rglob("*")]:
                    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
            for name in TESTS:
                with self.subTest(name):
                    run = subprocess.run([*become, python(), "-B", source / f"tests/{name}_test.py"], env=environment, cwd=place,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=280, check=False)
                    self.assertIn(run.returncode, (0, 77), run.stdout[-4000:])


def python():
    """One that another user may run, too."""
    return sys.executable if os.geteuid() != 0 or not sys.executable.startswith("/root/") else "/usr/bin/python3"


if __name__ == "__main__":
    unittest.main()
