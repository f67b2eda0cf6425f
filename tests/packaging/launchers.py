"""Stand-ins: how torch.multiprocessing, torchelastic and Accelerate start functions, and how what those raise comes back. No torch.

As in PyTorch 2.x and Accelerate 1.x: the names and attributes of their exceptions, their messages word for word, the order in which
workers are ended, what a worker finds in its environment."""

import contextlib
import json
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import socket
import sys
import tempfile
import time
import traceback
import types

FORK = multiprocessing.get_context("fork")


class ProcessRaisedException(Exception):
    def __init__(self, message, error_index, error_pid):
        super().__init__(message)
        self.msg, self.error_index, self.pid = message, error_index, error_pid


class ProcessExitedException(ProcessRaisedException):
    """Of torch it is no subclass of the other; nobody here asks."""


def _wrap(function, index, arguments, error_file):
    try:
        function(index, *arguments)
    except KeyboardInterrupt:
        pass
    except Exception:
        with open(error_file, "wb") as out:
            pickle.dump(traceback.format_exc(), out)
        sys.exit(1)


def start_processes(function, args=(), nprocs=1):
    """torch.multiprocessing.start_processes(start_method="fork"): the first that ends badly ends the others and is what is raised."""
    with tempfile.TemporaryDirectory() as place:
        files = [os.path.join(place, str(index)) for index in range(nprocs)]
        processes = [FORK.Process(target=_wrap, args=(function, index, args, files[index])) for index in range(nprocs)]
        for process in processes:
            process.start()
        left = {process.sentinel: index for index, process in enumerate(processes)}
        while left:
            for sentinel in multiprocessing.connection.wait(left):
                index = left.pop(sentinel)
                processes[index].join()
                if processes[index].exitcode == 0:
                    continue
                for process in processes:
                    if process.is_alive():
                        process.terminate()
                for process in processes:
                    process.join()
                status, pid = processes[index].exitcode, processes[index].pid
                if os.path.exists(files[index]):
                    with open(files[index], "rb") as told:
                        text = "\n\n-- Process %d terminated with the following error:\n" % index + pickle.load(told)
                    raise ProcessRaisedException(text, index, pid)
                how = "signal " + signal.Signals(-status).name if status < 0 else "exit code %d" % status
                raise ProcessExitedException("process %d terminated with %s" % (index, how), index, pid)


class ProcessFailure:
    def __init__(self, local_rank, pid, exitcode, error_file):
        self.local_rank, self.pid, self.exitcode, self.error_file = local_rank, pid, exitcode, error_file
        self.timestamp = int(time.time())
        if os.path.isfile(error_file):
            with open(error_file) as told:
                self.message = json.load(told)["message"]
        else:
            self.error_file = "<N/A>"
            self.message = "Signal %d (%s) received by PID %d" % (-exitcode, signal.Signals(-exitcode).name, pid) if exitcode < 0 else \
                "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"


class ChildFailedError(Exception):
    def __init__(self, name, failures):
        self.name, self.failures = name, failures
        rows = []
        for number, (rank, failure) in enumerate(failures.items()):
            told = failure.message
            if isinstance(told, dict):
                told = told["extraInfo"]["py_callstack"].replace("\n", "\n  ")
            rows.append("[%d]:\n  time      : %s\n  host      : %s\n  rank      : %d (local_rank: %d)\n  exitcode  : %d (pid: %d)\n"
                        "  error_file: %s\n  traceback : %s" % (
                            number, time.strftime("%Y-%m-%d_%H:%M:%S", time.localtime(failure.timestamp)), socket.getfqdn(), rank,
                            failure.local_rank, failure.exitcode, failure.pid, failure.error_file, told))
        super().__init__("\n%s\n%s FAILED\n%s\nFailures:\n%s\n%s\nRoot Cause (first observed failure):\n%s\n%s" % (
            "=" * 60, name, "-" * 60, "\n".join(rows[1:]) or "  <NO_OTHER_FAILURES>", "-" * 60, rows[0], "=" * 60))


def record(function):
    """torchelastic's @record: what is raised goes into the error file of the worker."""
    def wrapper(*arguments):
        try:
            return function(*arguments)
        except Exception as error:
            with open(os.environ["TORCHELASTIC_ERROR_FILE"], "w") as out:
                json.dump({"message": {"message": "%s: %s" % (type(error).__name__, error), "extraInfo": {
                    "py_callstack": traceback.format_exc(), "timestamp": str(int(time.time()))}}}, out)
            raise
    return wrapper


def elastic_launch(function, nprocs, run_id="none", node_rank=0, log_dir=None):
    """elastic_launch(LaunchConfig(…), function)(*args) on one node without restarts; it leaves its folder of error files."""
    attempt = os.path.join(tempfile.mkdtemp(prefix="torchelastic_", dir=log_dir), run_id + "_x", "attempt_0")
    for local_rank in range(nprocs):
        os.makedirs(os.path.join(attempt, str(local_rank)))

    def error_file(local_rank):
        return os.path.join(attempt, str(local_rank), "error.json")

    def worker(local_rank, *arguments):
        os.environ.update(LOCAL_RANK=str(local_rank), RANK=str(node_rank * nprocs + local_rank), LOCAL_WORLD_SIZE=str(nprocs),
                          TORCHELASTIC_RUN_ID=run_id, TORCHELASTIC_ERROR_FILE=error_file(local_rank))
        record(function)(*arguments)

    def launch(*arguments):
        failure = None
        try:
            start_processes(worker, arguments, nprocs)
        except ProcessRaisedException as error:
            status = 1 if not isinstance(error, ProcessExitedException) else \
                -signal.Signals[str(error).rsplit(" ", 1)[1]] if "signal" in str(error) else int(str(error).rsplit(" ", 1)[1])
            failure = ProcessFailure(error.error_index, error.pid, status, error_file(error.error_index))
        if failure:  # of a function only the first is told
            raise ChildFailedError(function.__name__, {node_rank * nprocs + failure.local_rank: failure})

    return launch


@contextlib.contextmanager
def patch_environment(**variables):
    old = dict(os.environ)
    os.environ.update({name.upper(): str(value) for name, value in variables.items()})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(old)


def notebook_launcher(function, args=(), num_processes=None, node_rank=0, num_nodes=1, log_dir=None):
    """accelerate.notebook_launcher where there is more than one device; one process is a plain call. log_dir is for the test."""
    if num_processes == 1:
        function(*args)
        return
    with patch_environment(nproc=num_processes, node_rank=node_rank, world_size=num_nodes * num_processes):
        try:
            elastic_launch(function, num_processes, node_rank=node_rank, log_dir=log_dir)(*args)
        except ProcessRaisedException as error:
            raise RuntimeError("An issue was found when launching the training: %s" % error) from error


def older_notebook_launcher(function, args=(), num_processes=None):
    """Before Accelerate 0.27: start_processes in place of elastic_launch."""
    with patch_environment(world_size=num_processes):
        def prepared(index, *arguments):
            os.environ.update(LOCAL_RANK=str(index), RANK=str(index), FORK_LAUNCHED="1")
            function(*arguments)

        try:
            start_processes(prepared, args, num_processes)
        except ProcessRaisedException as error:
            raise RuntimeError("An issue was found when launching the training: %s" % error) from error


def debug_launcher(function, args=(), num_processes=2):
    """accelerate.debug_launcher: the rank is known to the process group alone."""
    def prepared(index, *arguments):
        group = types.ModuleType("torch.distributed")
        group.is_initialized, group.get_rank = lambda: True, lambda: index
        sys.modules["torch.distributed"] = group
        os.environ["FORK_LAUNCHED"] = "1"
        function(*arguments)

    with patch_environment(world_size=num_processes, accelerate_use_cpu="yes"):
        start_processes(prepared, args, num_processes)
