"""ncclwhy from Python: a small layer of ctypes over the C API (ncclwhy/ncclwhy.h). Standard library only.

    import ncclwhy

    report = ncclwhy.analyze(["logs/"])
    if report.verdict == "failure":
        print(report.cause, report.confidence)      # shm.too-small 0.99
    print(report.render("markdown"))
    for cause in report.json()["causes"]:           # the schema is ncclwhy.report/1
        print(cause["title"], cause["culprits"])

    print(ncclwhy.explain("shm.too-small"))         # without any log
    print(ncclwhy.diff("monday/", "tuesday/"))      # what differs between two runs

Bytes that are no file, a pod's log for instance, are pushed, whole or in pieces:

    analyzer = ncclwhy.Analyzer(language="zh", redact=True)
    analyzer.push("rank0", first_half, second_half)
    report = analyzer.finish()

libncclwhy.so is looked for in NCCLWHY_LIBRARY (a path), then where the system keeps libraries. An Analyzer and a
Report are used by one thread at a time. Failures raise ncclwhy.Error.
"""

import ctypes
import ctypes.util
import json
import os

__all__ = ["Analyzer", "Error", "Report", "analyze", "diff", "explain", "version"]

VERDICTS = ("failure", "healthy", "undetermined", "no-nccl", "degraded")
OUTCOMES = ("succeeded", "failed", "hung", "stopped", "unknown")
ACTIONS = ("undecided", "rerun", "rerun-without", "fix-first")
CODES = ("ok", "invalid argument", "not found", "input or output failed", "corrupt", "limit reached", "internal error")


class Error(Exception):
    """What the library refused; `code` is the ncclwhy_code."""

    def __init__(self, code, message):
        super().__init__(message or (CODES[code] if code < len(CODES) else "error %d" % code))
        self.code = code


def _load():
    name = os.environ.get("NCCLWHY_LIBRARY") or ctypes.util.find_library("ncclwhy")
    if not name:
        raise ImportError("libncclwhy.so not found: install ncclwhy, or set NCCLWHY_LIBRARY to its path")
    library = ctypes.CDLL(name)
    handle, text, size, code = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int
    pointer = ctypes.POINTER
    for function, result, *arguments in (
        ("version", text),
        ("analyzer_new", handle),
        ("analyzer_free", None, handle),
        ("analyzer_set", code, handle, text, size, text, size),
        ("analyzer_add_file", code, handle, text, size),
        ("analyzer_begin", code, handle, text, size),
        ("analyzer_push", code, handle, text, size),
        ("analyzer_end", code, handle),
        ("analyzer_finish", code, handle, pointer(handle)),
        ("analyzer_error", text, handle),
        ("explain", code, handle, text, size, pointer(handle), pointer(size)),
        ("diff", code, handle, text, size, text, size, text, size, pointer(code), pointer(handle), pointer(size)),
        ("report_free", None, handle),
        ("report_verdict", code, handle),
        ("report_outcome", code, handle),
        ("report_progress", text, handle),
        ("report_action", code, handle),
        ("report_exit_status", code, handle),
        ("report_cause", text, handle),
        ("report_confidence", ctypes.c_double, handle),
        ("report_render", code, handle, text, size, pointer(handle), pointer(size)),
    ):
        symbol = getattr(library, "ncclwhy_" + function)
        symbol.restype = result
        symbol.argtypes = arguments
    return library


_library = _load()


def version():
    """The library's version, "0.1.0"."""
    return _library.ncclwhy_version().decode()


def analyze(paths, **options):
    """The Report on files, directories, archives and globs. Options: see Analyzer."""
    analyzer = Analyzer(**options)
    for path in [paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths:
        analyzer.add(path)
    return analyzer.finish()


def explain(what="", **options):
    """A str: what is known about a cause, a variable, a code or a message; "" lists all causes."""
    return Analyzer(**options)._text(_library.ncclwhy_explain, what)


def diff(good, bad, format="text", **options):
    """A str, text or json: what differs between a run that worked and one that did not."""
    return Analyzer(**options)._text(_library.ncclwhy_diff, good, bad, format, ctypes.byref(ctypes.c_int()))


class Analyzer:
    """Logs in, Report out.

    Options: language ("en", "zh"), top, jobs (numbers), kb, rules (a directory or several), database (a path),
    timeline ("default", "full"), redact (True, False); of several jobs or attempts in one place job=N, attempt=N.
    """

    def __init__(self, **options):
        self._handle = _library.ncclwhy_analyzer_new()
        if not self._handle:
            raise MemoryError
        for name, value in options.items():
            if value is None:
                continue
            for one in value if isinstance(value, (list, tuple)) else [value]:
                if isinstance(one, bool):
                    one = "true" if one else "false"
                key, text = name.encode(), os.fsencode(one if isinstance(one, os.PathLike) else str(one))
                self._check(_library.ncclwhy_analyzer_set(self._handle, key, len(key), text, len(text)))

    def add(self, path):
        """A file, directory, archive, glob, or "-"; finish() reads it."""
        path = os.fsencode(path)
        self._check(_library.ncclwhy_analyzer_add_file(self._handle, path, len(path)))

    def push(self, name, *chunks):
        """A source whose bytes the caller has. Chunks may end anywhere; str is encoded as UTF-8."""
        name = os.fsencode(name)
        self._check(_library.ncclwhy_analyzer_begin(self._handle, name, len(name)))
        for chunk in chunks:
            chunk = chunk.encode() if isinstance(chunk, str) else bytes(chunk)
            self._check(_library.ncclwhy_analyzer_push(self._handle, chunk, len(chunk)))
        self._check(_library.ncclwhy_analyzer_end(self._handle))

    def finish(self):
        """Reads and analyses everything, once."""
        report = ctypes.c_void_p()
        self._check(_library.ncclwhy_analyzer_finish(self._handle, ctypes.byref(report)))
        return Report(report)

    def _text(self, function, *arguments):
        """Calls a function that ends in a text: strings go in as pointer and length."""
        given = []
        for argument in arguments:
            if isinstance(argument, (str, bytes, os.PathLike)):
                argument = os.fsencode(argument)
                given += [argument, len(argument)]
            else:
                given.append(argument)
        text, length = ctypes.c_void_p(), ctypes.c_size_t()
        self._check(function(self._handle, *given, ctypes.byref(text), ctypes.byref(length)))
        return ctypes.string_at(text, length.value).decode()

    def _check(self, code):
        if code != 0:
            raise Error(code, _library.ncclwhy_analyzer_error(self._handle).decode(errors="replace"))

    def __del__(self):
        if getattr(self, "_handle", None):
            _library.ncclwhy_analyzer_free(self._handle)


class Report:
    """What is wrong. Made by Analyzer.finish()."""

    def __init__(self, handle):
        self._handle = handle

    @property
    def verdict(self):
        """"failure", "degraded", "healthy", "undetermined" or "no-nccl"."""
        number = _library.ncclwhy_report_verdict(self._handle)
        return VERDICTS[number] if 0 <= number < len(VERDICTS) else "undetermined"

    @property
    def outcome(self):
        """What became of the job: "succeeded", "failed", "hung", "stopped" (from outside) or "unknown"."""
        number = _library.ncclwhy_report_outcome(self._handle)
        return OUTCOMES[number] if 0 <= number < len(OUTCOMES) else "unknown"

    @property
    def progress(self):
        """How far the job came: "41,200 iterations in 3 h 12 min"; "" when the logs do not tell."""
        return _library.ncclwhy_report_progress(self._handle).decode()

    @property
    def action(self):
        """What to do now: "rerun", "rerun-without" (hosts: json()["decision"]), "fix-first" or "undecided"."""
        number = _library.ncclwhy_report_action(self._handle)
        return ACTIONS[number] if 0 <= number < len(ACTIONS) else "undecided"

    @property
    def exit_status(self):
        """What the command would exit with: 0, 1, 2 or 3."""
        return _library.ncclwhy_report_exit_status(self._handle)

    @property
    def cause(self):
        """The id of the cause that is named for a failure or a degraded job, "shm.too-small"; "" when none is."""
        return _library.ncclwhy_report_cause(self._handle).decode()

    @property
    def confidence(self):
        """The probability, 0 to 1, that this is the cause; 0 when none is named."""
        return _library.ncclwhy_report_confidence(self._handle)

    def render(self, format="text"):
        """A str: text, full, json, markdown, html or another format that `ncclwhy --help` lists."""
        text, length, name = ctypes.c_void_p(), ctypes.c_size_t(), format.encode()
        code = _library.ncclwhy_report_render(
            self._handle, name, len(name), ctypes.byref(text), ctypes.byref(length)
        )
        if code != 0:
            raise Error(code, "cannot render as %s" % format)
        return ctypes.string_at(text, length.value).decode()

    def json(self):
        """The whole report as dicts and lists."""
        return json.loads(self.render("json"))

    def __del__(self):
        if getattr(self, "_handle", None):
            _library.ncclwhy_report_free(self._handle)
