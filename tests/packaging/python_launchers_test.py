"""ncclwhy.torch around and inside the launchers of Accelerate (launchers.py). python_launchers_test.py LOG CAUSE"""

import contextlib
import glob
import io
import json
import os
import pickle
import shutil
import signal
import sys
import tempfile
import time
import unittest

from launchers import ChildFailedError, ProcessExitedException, ProcessRaisedException, debug_launcher, notebook_launcher, \
    older_notebook_launcher
from ncclwhy.torch import find_logs, on_failure

CAUSE = sys.argv.pop()
LOG = sys.argv.pop()
NOTES = sys.version_info >= (3, 11)


def rank():
    distributed = sys.modules.get("torch.distributed")
    return int(os.environ["RANK"]) if "RANK" in os.environ else distributed.get_rank()


def main(what="CUDA error: an illegal memory access was encountered", who=1):
    """The process `who` fails, the others wait for it."""
    if rank() == who:
        raise RuntimeError(what)
    time.sleep(60)


@on_failure(LOG)
def guarded():
    main("NCCL error: unhandled system error")


@on_failure([])
def guarded_without_logs():
    main()


def killed():
    if rank() == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


class LaunchersTest(unittest.TestCase):
    def setUp(self):
        stderr = contextlib.redirect_stderr(io.StringIO())
        self.printed = stderr.__enter__()
        self.addCleanup(stderr.__exit__, None, None, None)
        self.place = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.place)

    def fails(self, kind, launch, guard, *arguments, **named):
        started = time.monotonic()
        with self.assertRaises(kind) as caught, guard:
            launch(*arguments, **named)
        self.assertLess(time.monotonic() - started, 30)
        self.assertIs(type(caught.exception), kind)
        return caught.exception

    def blamed(self, error):
        return {culprit.rank for culprit in error.ncclwhy_report.cause.culprits}

    def test_around(self):
        """The worker's own traceback is the worker's, whoever tells it."""
        for kind, launch, named in ((ProcessRaisedException, debug_launcher, {}), (RuntimeError, older_notebook_launcher, {}),
                                    (ChildFailedError, notebook_launcher, {"log_dir": self.place})):
            with self.subTest(launch.__name__):
                error = self.fails(kind, launch, on_failure([]), main, num_processes=2, **named)
                self.assertEqual((error.ncclwhy_report.cause.id, self.blamed(error)), ("gpu.illegal-access", {1}))
                self.assertIn("an illegal memory access", error.ncclwhy_report.cause.evidence[0].text)
                error = self.fails(kind, launch, on_failure(LOG), main, ("NCCL error: unhandled system error",), num_processes=2, **named)
                self.assertEqual(error.ncclwhy_report.cause.id, CAUSE)

    def test_another_node(self):
        error = self.fails(ChildFailedError, notebook_launcher, on_failure([]), main, ("CUDA error: an illegal memory access was encountered", 5),
                           num_processes=4, node_rank=1, num_nodes=2, log_dir=self.place)
        self.assertEqual(self.blamed(error), {5})

    def test_inside(self):
        """A decorated function: its worker attaches, which the launcher's exception tells. Both is one answer of the same cause."""
        for kind, launch, named in ((ProcessRaisedException, debug_launcher, {}), (ChildFailedError, notebook_launcher, {"log_dir": self.place})):
            with self.subTest(launch.__name__):
                with self.assertRaises(kind) as caught:
                    launch(guarded, num_processes=2, **named)
                self.assertEqual("(" + CAUSE in str(caught.exception), NOTES)
                with self.assertRaises(kind) as caught:  # the worker's rank is known without a log
                    launch(guarded_without_logs, num_processes=2, **named)
                if NOTES:
                    self.assertRegex(str(caught.exception), r"\| .*rank 1")
                error = self.fails(kind, launch, on_failure([]), guarded, num_processes=2, **named)
                self.assertNotIn("shm.permission", str(error.ncclwhy_report))  # as a line of the answer reads
                for evidence in error.ncclwhy_report.cause.evidence:
                    self.assertNotIn("h100-39", evidence.text)
        error_file = [os.path.join(at, name) for at, _, names in os.walk(self.place) for name in names if name == "error.json"][0]
        with open(error_file) as told:
            self.assertEqual("\nncclwhy:\n| FAILURE" in json.load(told)["message"]["extraInfo"]["py_callstack"], NOTES)

    def test_logs_beside_the_error_files(self):
        def fail():
            worker = os.path.dirname(os.environ["TORCHELASTIC_ERROR_FILE"])
            shutil.copy(LOG, os.path.join(worker, "stderr.log"))
            while len(glob.glob(os.path.join(os.path.dirname(worker), "*", "stderr.log"))) < 2:
                time.sleep(0.01)
            main("NCCL error: unhandled system error")

        error = self.fails(ChildFailedError, notebook_launcher, on_failure(), fail, num_processes=2, log_dir=self.place)
        self.assertEqual(error.ncclwhy_report.cause.id, CAUSE)
        self.assertEqual([os.path.basename(path) for path in find_logs({}, error)], ["stderr.log"] * 2)
        try:
            raise ValueError("around it") from error
        except ValueError as outer:
            self.assertEqual(len(find_logs({}, outer)), 2)

    def test_killed(self):
        for kind, launch, named in ((ProcessExitedException, debug_launcher, {}), (ChildFailedError, notebook_launcher, {"log_dir": self.place})):
            with self.subTest(launch.__name__):
                error = self.fails(kind, launch, on_failure([]), killed, num_processes=2, **named)
                self.assertEqual(error.ncclwhy_report.verdict, "failure")
                self.assertIn("SIGKILL", str(error.ncclwhy_report))

    def test_one_process(self):
        def fail():
            raise RuntimeError("CUDA error: an illegal memory access was encountered")

        error = self.fails(RuntimeError, notebook_launcher, on_failure([]), fail, num_processes=1)
        self.assertEqual(error.ncclwhy_report.cause.id, "gpu.illegal-access")

    def test_spawn(self):
        """What is started by spawn is found by its name: a decorated function is."""
        self.assertIs(pickle.loads(pickle.dumps(guarded)), guarded)

    def test_errors_of_another_shape(self):
        class Odd(Exception):
            failures = {0: object(), "x": None}
            error_index = True

        class Loop(Exception):
            error_index = 3

        for error in (Odd("x"), Loop("-- Process 3 terminated with the following error:\n"), ChildFailedError.__new__(ChildFailedError)):
            error.__cause__ = error
            with self.assertRaises(type(error)):
                with on_failure([]):
                    raise error
        self.assertNotIn("no answer", self.printed.getvalue())


if __name__ == "__main__":
    unittest.main()
