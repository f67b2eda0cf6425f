"""What the tests of whole programs share."""
import contextlib
import os
import pathlib
import subprocess
import tempfile
import unittest

NCCLWHY = os.environ["NCCLWHY"]
SOURCE = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
SHM_FULL = SOURCE / "samples/incidents/shm-full-2.28.9-1x4-s1/job.log"
KILLED = SOURCE / "samples/incidents/killed-2.28.9-2x2-s1"
HEALTHY = SOURCE / "samples/healthy/healthy-coll-2.28.9-2x4-s33/job.log"
FORMATS = ["json", "text", "markdown", "html", "sarif", "junit", "github", "summary"]


class ProgramTest(unittest.TestCase):
    """Each test has a directory of its own: self.dir."""

    def setUp(self):
        self._stack = contextlib.ExitStack()
        self.addCleanup(self._stack.close)
        self.dir = pathlib.Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="ncclwhy-test-")))

    def ncclwhy(self, *arguments, stdin=b"", timeout=60):
        return subprocess.run([NCCLWHY, *map(str, arguments)], input=stdin, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=timeout, cwd=self.dir, check=False)
