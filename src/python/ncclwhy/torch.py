"""Why a training job failed, attached to the exception that it failed with. Nothing here imports torch.

    from ncclwhy.torch import on_failure

    @record                       # torchelastic's; the answer is then in its error file, too (Python 3.11 and later)
    @on_failure()
    def main(): ...

    with on_failure("logs/"):     # also around elastic_launch(…)(main), notebook_launcher(main) of Accelerate, …
        trainer.fit(model)

    Trainer(callbacks=[ncclwhy.torch.lightning_callback()])

The exception goes on as it came: it gets the report as `ncclwhy_report` and the answer as a note, which Python 3.11 shows
below the traceback; earlier versions print the answer to standard error. What goes wrong here is never raised.
"""

import functools
import glob
import os
import re
import sys
import traceback
from typing import Any, Callable, Iterable, List, Optional

from ncclwhy import engine
from ncclwhy.analyzer import Analyzer
from ncclwhy.report import Report

TIMEOUT = 60.0  # seconds: a job that has failed holds its GPUs as long as this takes


def find_logs(environ: Any = None) -> List[str]:
    """The files of this job that its environment names: NCCL's own log files, what torchelastic keeps of its workers,
    dumps of the flight recorder. NCCL's lines on standard output are in files of the launcher: name those."""
    environ = os.environ if environ is None else environ
    found: List[str] = []
    nccl = environ.get("NCCL_DEBUG_FILE", "")
    if nccl:
        found += glob.glob(re.sub("%.", "*", re.sub(r"[\[?]", "?", nccl)))  # %h host, %p pid
    error_file = environ.get("TORCHELASTIC_ERROR_FILE", "")
    if error_file:  # …/attempt_0/<local rank>/error.json, beside stdout.log and stderr.log
        attempt = os.path.dirname(os.path.dirname(os.path.abspath(error_file)))
        found += glob.glob(os.path.join(glob.escape(attempt), "*", "*.log"))
    for name in ("TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"):
        if environ.get(name):
            found += glob.glob(glob.escape(environ[name]) + "*")  # the rank's number follows
    return sorted({path for path in found if os.path.isfile(path)})


class on_failure:  # noqa: N801, it reads as a word
    """A context manager and a decorator: analyses when an Exception leaves.

    logs: what ncclwhy.analyze() takes, or a function that returns it; default: find_logs(). The traceback is read beside
    it. Further options: those of ncclwhy.Analyzer. The program is preferred to the library: what happens to it does not
    happen to this process, and it is given up after `timeout` seconds.
    """

    def __init__(self, logs: Any = None, *, timeout: float = TIMEOUT, **options: Any) -> None:
        self._logs = logs
        self._options = dict(options, timeout=timeout)

    def __enter__(self) -> "on_failure":
        return self

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> bool:
        if isinstance(error, Exception):
            attach(error, self._logs, **self._options)
        return False

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def guarded(*arguments: Any, **named: Any) -> Any:
            with self:
                return function(*arguments, **named)

        return guarded


def attach(error: BaseException, logs: Any = None, **options: Any) -> Optional[Report]:
    """Analyses and attaches, once for each exception. None, and nothing raised, when that did not work."""
    try:
        if getattr(error, "ncclwhy_report", None) is not None:
            return None
        report = _analyze(error, find_logs() if logs is None else logs() if callable(logs) else logs, options)
        _set(error, report)
        return report
    except BaseException as reason:  # also an interrupt: the job's own error is what must be seen
        try:
            print("ncclwhy: no answer: %s" % reason, file=sys.stderr)
        except Exception:
            pass
        return None


def _analyze(error: BaseException, logs: Any, options: Any) -> Report:
    if "use" not in options and engine.find_program() is not None:
        options = dict(options, use="program")
    analyzer = Analyzer(**options)
    analyzer.feed(logs)
    analyzer.push("traceback", *_traceback(error))
    return analyzer.finish()


def _traceback(error: BaseException) -> Iterable[str]:
    rank = os.environ.get("RANK", "")
    lines = "".join(traceback.format_exception(type(error), error, error.__traceback__)).splitlines(True)
    # As torchrun marks what its workers print, so that the traceback belongs to its rank.
    return ["[rank%s]: %s" % (rank, line) if rank.isdigit() else line for line in lines]


def _set(error: BaseException, report: Report) -> None:
    try:
        error.ncclwhy_report = report  # type: ignore[attr-defined]
    except Exception:
        pass  # an exception with slots
    if report.cause is None and report.verdict != "undetermined":
        return  # nothing to say
    answer = str(report).rstrip()
    if hasattr(error, "add_note"):
        error.add_note(answer)
    else:
        print(answer, file=sys.stderr)


def lightning_callback(logs: Any = None, **options: Any) -> Any:
    """A Callback of Lightning (lightning or pytorch_lightning, which is imported here) that does what on_failure does."""
    try:
        from lightning.pytorch import Callback  # type: ignore
    except ImportError:
        from pytorch_lightning import Callback  # type: ignore

    class NcclwhyCallback(Callback):  # type: ignore[misc]
        def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
            if isinstance(exception, Exception):
                attach(exception, logs, **dict({"timeout": TIMEOUT}, **options))

    return NcclwhyCallback()
