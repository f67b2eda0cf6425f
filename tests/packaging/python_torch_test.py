"""ncclwhy.torch: the answer comes to the exception, and nothing else happens to it. python_torch_test.py LOG CAUSE"""

import contextlib
import io
import os
import shutil
import sys
import tempfile
import traceback
import types
import unittest
from unittest import mock

import ncclwhy.torch
from ncclwhy.torch import find_logs, on_failure

CAUSE = sys.argv.pop()
LOG = sys.argv.pop()


class Slotted(Exception):
    __slots__ = ("x",)

    def __setattr__(self, name, value):
        raise AttributeError(name)


def said(error, printed):
    """What a person gets to read."""
    return "\n".join(getattr(error, "__notes__", [])) + printed.getvalue()


class OnFailureTest(unittest.TestCase):
    def setUp(self):
        stderr = contextlib.redirect_stderr(io.StringIO())
        self.printed = stderr.__enter__()
        self.addCleanup(stderr.__exit__, None, None, None)
        self.assertNotIn("torch", sys.modules)

    def fail_in(self, guard, error):
        with self.assertRaises(type(error)) as caught:
            with guard:
                raise error
        self.assertIs(caught.exception, error)
        return error

    def test_context_manager(self):
        error = self.fail_in(on_failure(LOG), RuntimeError("NCCL error: unhandled system error"))
        self.assertEqual(error.ncclwhy_report.cause.id, CAUSE)
        self.assertIn(CAUSE, said(error, self.printed))
        self.assertEqual(str(error), "NCCL error: unhandled system error")
        # torchelastic's @record writes what traceback formats into its error file; notes are part of that since 3.11.
        if hasattr(error, "add_note"):
            self.assertIn(CAUSE, "".join(traceback.format_exception(type(error), error, error.__traceback__)))

    def test_decorator(self):
        @on_failure(LOG, language="zh")
        def main(a, *, b):
            """Trains."""
            if b:
                raise ValueError(a)
            return a

        self.assertEqual((main(1, b=False), main.__name__, main.__doc__), (1, "main", "Trains."))
        with self.assertRaises(ValueError) as caught:
            main(1, b=True)
        self.assertEqual(caught.exception.ncclwhy_report.language, "zh")

    def test_traceback_alone(self):
        with mock.patch.dict(os.environ, {"RANK": "3"}):
            error = self.fail_in(on_failure([]), RuntimeError("CUDA error: an illegal memory access was encountered"))
        report = error.ncclwhy_report
        self.assertIn("an illegal memory access", report.cause.evidence[0].text)
        self.assertEqual((report.cause.evidence[0].file, report.cause.culprits[0].rank), ("traceback", 3))

    def test_once(self):
        inner, outer = on_failure(LOG), on_failure(LOG)
        with outer:
            pass
        with self.assertRaises(RuntimeError) as caught, outer, inner:
            raise RuntimeError("x")
        self.assertEqual(said(caught.exception, self.printed).count("(" + CAUSE), 1)

    def test_the_error_is_never_replaced(self):
        def broken():
            raise KeyboardInterrupt

        for guard in (on_failure("/no/such/file"), on_failure(broken), on_failure(7), on_failure(LOG, top="many"),
                      on_failure(LOG, timeout=0.0001), on_failure(LOG, colour="red"), on_failure(LOG, use="magic")):
            self.fail_in(guard, RuntimeError("x"))
        self.fail_in(on_failure(LOG), Slotted())
        with mock.patch.dict(os.environ, {"NCCLWHY": "/no/such", "NCCLWHY_LIBRARY": "/no/such"}):
            with mock.patch.object(ncclwhy.engine.LibrarySession, "_library", None):
                self.fail_in(on_failure(LOG), RuntimeError("x"))
        self.assertIn("no answer", self.printed.getvalue())

    def test_what_is_no_failure(self):
        for end in (SystemExit(0), KeyboardInterrupt(), GeneratorExit()):
            self.fail_in(on_failure(LOG), end)
            self.assertFalse(hasattr(end, "ncclwhy_report"))
        self.assertEqual(self.printed.getvalue(), "")

    def test_logs_of_the_job(self):
        with tempfile.TemporaryDirectory() as place:
            workers = os.path.join(place, "run", "attempt_0")
            for rank in "01":
                os.makedirs(os.path.join(workers, rank))
                shutil.copy(LOG, os.path.join(workers, rank, "stderr.log"))
            for name in ("nccl.node1.77", "nccl.node[2].78", "trace_0", "other"):
                shutil.copy(LOG, os.path.join(place, name))
            found = find_logs({
                "NCCL_DEBUG_FILE": place + "/nccl.%h.%p",
                "TORCHELASTIC_ERROR_FILE": os.path.join(workers, "0", "error.json"),
                "TORCH_FR_DUMP_TEMP_FILE": place + "/trace_",
            })
            self.assertEqual([os.path.relpath(path, place) for path in found], [
                "nccl.node1.77", "nccl.node[2].78", "run/attempt_0/0/stderr.log", "run/attempt_0/1/stderr.log", "trace_0"])
        self.assertEqual(find_logs({}), [])

    def test_lightning(self):
        class Callback:
            """As in lightning.pytorch: hooks that do nothing."""

        pytorch = types.ModuleType("lightning.pytorch")
        pytorch.Callback = Callback
        lightning = types.ModuleType("lightning")
        lightning.pytorch = pytorch
        error = RuntimeError("x")
        old = types.ModuleType("pytorch_lightning")
        old.Callback = Callback
        for modules in ({"lightning": lightning, "lightning.pytorch": pytorch},
                        {"lightning": None, "pytorch_lightning": old}):
            with mock.patch.dict(sys.modules, modules):
                callback = ncclwhy.torch.lightning_callback(LOG)
            self.assertIsInstance(callback, Callback)
            callback.on_exception(None, None, error)
            self.assertEqual(error.ncclwhy_report.cause.id, CAUSE)


if __name__ == "__main__":
    unittest.main()
