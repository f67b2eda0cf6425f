"""Why a training job failed, attached to the exception that it failed with. Nothing here imports torch.

    from ncclwhy.torch import on_failure

    @record                       # torchelastic's; the answer is then in its error file, too (Python 3.11 and later)
    @on_failure()
    def main(): ...

    with on_failure("logs/"):
        trainer.fit(model)

    Trainer(callbacks=[ncclwhy.torch.lightning_callback()])

    with on_failure("logs/"):     # Accelerate has no hook for exceptions: around its launcher, or as a decorator of main
        notebook_launcher(main, num_processes=8)     # also debug_launcher, elastic_launch(…)(main), mp.spawn(main)

The exception goes on as it came: it gets the report as `ncclwhy_report` and the answer as a note, which Python 3.11 shows
below the traceback; earlier versions print the answer to standard error. What goes wrong here is never raised.
What a launcher's exception tells of its workers is read as theirs: ChildFailedError of torchelastic with the logs beside its
error files, ProcessRaisedException of torch.multiprocessing.
"""

import functools
import glob
import os
import re
import sys
import traceback
from typing import Any, Callable, Iterable, List, NamedTuple, Optional

from ncclwhy import engine
from ncclwhy.analyzer import Analyzer
from ncclwhy.report import Report

TIMEOUT = 60.0  # seconds: a job that has failed holds its GPUs as long as this takes


def find_logs(environ: Any = None, error: Optional[BaseException] = None) -> List[str]:
    """The files of this job that its environment names: NCCL's own log files, what torchelastic keeps of its workers,
    dumps of the flight recorder; with an error of a launcher what it keeps of the workers that failed.
    NCCL's lines on standard output are in files of the launcher: name those."""
    environ = os.environ if environ is None else environ
    found: List[str] = []
    nccl = environ.get("NCCL_DEBUG_FILE", "")
    if nccl:
        found += glob.glob(re.sub("%.", "*", re.sub(r"[\[?]", "?", nccl)))  # %h host, %p pid
    for error_file in [environ.get("TORCHELASTIC_ERROR_FILE", "")] + [worker.error_file for worker in _workers(error)]:
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
        report = _analyze(error, find_logs(error=error) if logs is None else logs() if callable(logs) else logs, options)
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


class _Worker(NamedTuple):
    """A worker of a launcher, of which the launcher's exception tells."""

    rank: str  # of the job; empty if nobody knows
    told: str  # the worker's own traceback, as it stands in the launcher's message
    error_file: str


def _workers(error: Optional[BaseException]) -> List[_Worker]:
    found: List[_Worker] = []
    seen: List[Any] = []
    while error is not None and not any(error is other for other in seen):
        seen.append(error)
        failures = getattr(error, "failures", None)
        if isinstance(failures, dict):  # ChildFailedError: {rank: ProcessFailure}
            for rank, failure in failures.items():
                message: Any = getattr(failure, "message", "")
                if isinstance(message, dict):
                    message = (message.get("extraInfo") or {}).get("py_callstack", "")
                told = str(message).replace("\n", "\n  ")  # as the table has it
                path = str(getattr(failure, "error_file", ""))
                found.append(_Worker(str(rank), told if "Traceback (" in told else "", path if os.path.isabs(path) else ""))
        index = getattr(error, "error_index", None)
        if isinstance(index, int):  # ProcessRaisedException, ProcessExitedException: which of this node's processes
            first_node = os.environ.get("NODE_RANK", "0") == "0"
            told = re.split(r"-- Process \d+ terminated with the following error:\n", str(error), maxsplit=1)
            found.append(_Worker(str(index) if first_node else "", told[1] if len(told) > 1 else "", ""))
        error = error.__cause__ or error.__context__
    return found


_NOTE = "ncclwhy:"  # then each line of the answer behind a bar


def _own_rank() -> str:
    rank = os.environ.get("RANK", "")
    distributed = sys.modules.get("torch.distributed")  # debug_launcher tells the rank to nobody else
    try:
        if not rank.isdigit() and distributed is not None and distributed.is_initialized():
            rank = str(distributed.get_rank())
    except Exception:
        pass
    return rank


def _traceback(error: BaseException) -> Iterable[str]:
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    ranks = {worker.told: worker.rank for worker in _workers(error) if worker.told.strip()}
    parts = re.split("(%s)" % "|".join(map(re.escape, ranks)), text) if ranks else [text]
    own = _own_rank()
    for part in parts:
        rank = ranks.get(part, own)
        # The answer that a worker got is no line of the job.
        part = re.sub(r"(?m)^ *%s\n(?: *\|.*\n?)+" % _NOTE, "", part)
        for line in part.splitlines():
            # As torchrun marks what its workers print, so that the traceback belongs to its rank.
            yield "[rank%s]: %s\n" % (rank, line) if rank.isdigit() else line + "\n"


def _set(error: BaseException, report: Report) -> None:
    try:
        error.ncclwhy_report = report  # type: ignore[attr-defined]
    except Exception:
        pass  # an exception with slots
    if report.cause is None and report.verdict != "undetermined":
        return  # nothing to say
    answer = "\n".join([_NOTE] + ["| " + line for line in str(report).rstrip().splitlines()])
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
