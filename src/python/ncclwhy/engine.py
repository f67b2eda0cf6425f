"""What analyses: libncclwhy in this process, or else the ncclwhy program in a process of its own.

The package brings both. The library needs the C library that it was built with or a newer one; the program is static and needs
nothing. NCCLWHY_LIBRARY and NCCLWHY name others; an empty NCCLWHY_LIBRARY means: never the library.

Both engines give sessions with the same methods: set, add, begin, push, end, finish, explain, diff; finish returns a
function that renders the report in a format. Threads that share a session or a report wait for each other.
"""

import ctypes
import ctypes.util
import os
import platform
import shutil
import subprocess
import tempfile
import threading
from typing import Any, Callable, Dict, List, Optional

CODES = ("ok", "invalid argument", "not found", "input or output failed", "corrupt", "limit reached", "internal error")
INVALID_ARGUMENT, NOT_FOUND, IO_FAILED = 1, 2, 3
NUL = "a NUL byte in a name"

Render = Callable[[str], str]


class Error(Exception):
    """What the engine refused; `code` is the ncclwhy_code of ncclwhy/ncclwhy.h."""

    def __init__(self, code: int, message: str = "") -> None:
        super().__init__(message or (CODES[code] if code < len(CODES) else "error %d" % code))
        self.code = code


def _brought(*parts: str) -> Optional[str]:
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), *parts)
    return path if os.path.exists(path) else None


def find_program() -> Optional[str]:
    """The path of the program: NCCLWHY's, the package's own, or that in PATH."""
    named = os.environ.get("NCCLWHY")
    if named:
        return shutil.which(named)
    brought = _brought("bin", "ncclwhy")
    if brought and os.access(brought, os.X_OK):
        return brought
    for folder in os.get_exec_path():
        path = os.path.join(folder, "ncclwhy")
        # The script that pip puts into PATH leads back here.
        if os.path.isfile(path) and os.access(path, os.X_OK):
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    return path
    return None


class LibrarySession:
    """A handle of the C API."""

    _library: Any = None

    @classmethod
    def load(cls) -> Any:
        """The library. OSError where there is none or it does not load."""
        if cls._library is None:
            name = os.environ.get("NCCLWHY_LIBRARY")
            if name is None:
                name = _brought("lib", "libncclwhy.so") or ctypes.util.find_library("ncclwhy")
            if not name:
                raise OSError("there is no libncclwhy.so")
            cls._library = _declare(ctypes.CDLL(name))  # a CDLL lets other threads run during calls
        return cls._library

    def __init__(self) -> None:
        self._api = self.load()
        self._lock = threading.Lock()  # a text lives until the next call
        self._handle = self._api.ncclwhy_analyzer_new()
        if not self._handle:
            raise MemoryError

    def set(self, name: str, value: bytes) -> None:
        option = name.encode(errors="replace")
        self._call(self._api.ncclwhy_analyzer_set, option, len(option), value, len(value))

    def add(self, path: bytes) -> None:
        if b"\0" in path:
            raise Error(INVALID_ARGUMENT, NUL)
        self._call(self._api.ncclwhy_analyzer_add_file, path, len(path))

    def begin(self, name: bytes) -> None:
        self._call(self._api.ncclwhy_analyzer_begin, name, len(name))

    def push(self, chunk: bytes) -> None:
        self._call(self._api.ncclwhy_analyzer_push, chunk, len(chunk))

    def end(self) -> None:
        self._call(self._api.ncclwhy_analyzer_end)

    def finish(self) -> Render:
        handle = ctypes.c_void_p()
        self._call(self._api.ncclwhy_analyzer_finish, ctypes.byref(handle))
        return _LibraryReport(self._api, handle).render

    def explain(self, what: bytes) -> str:
        return self._text(self._api.ncclwhy_explain, what, len(what))

    def diff(self, good: bytes, bad: bytes, format: bytes) -> str:
        differ = ctypes.byref(ctypes.c_int())
        return self._text(self._api.ncclwhy_diff, good, len(good), bad, len(bad), format, len(format), differ)

    def _text(self, function: Any, *arguments: Any) -> str:
        text, length = ctypes.c_void_p(), ctypes.c_size_t()
        with self._lock:
            self._check(function(self._handle, *arguments, ctypes.byref(text), ctypes.byref(length)))
            return ctypes.string_at(text, length.value).decode()

    def _call(self, function: Any, *arguments: Any) -> None:
        with self._lock:
            self._check(function(self._handle, *arguments))

    def _check(self, code: int) -> None:
        if code != 0:
            raise Error(code, self._api.ncclwhy_analyzer_error(self._handle).decode(errors="replace"))

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._api.ncclwhy_analyzer_free(self._handle)


class _LibraryReport:
    def __init__(self, api: Any, handle: Any) -> None:
        self._api = api
        self._handle = handle
        self._lock = threading.Lock()  # a text lives until the next call

    def render(self, format: str) -> str:
        text, length, name = ctypes.c_void_p(), ctypes.c_size_t(), format.encode(errors="replace")
        with self._lock:
            code = self._api.ncclwhy_report_render(
                self._handle, name, len(name), ctypes.byref(text), ctypes.byref(length)
            )
            if code != 0:
                raise Error(code, "cannot render as %s" % format)
            return ctypes.string_at(text, length.value).decode()

    def __del__(self) -> None:
        self._api.ncclwhy_report_free(self._handle)


def _declare(library: Any) -> Any:
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
        ("report_render", code, handle, text, size, pointer(handle), pointer(size)),
    ):
        symbol = getattr(library, "ncclwhy_" + function)
        symbol.restype = result
        symbol.argtypes = arguments
    return library


# Options of the C API as the program spells them.
FLAGS = {"language": "--lang", "database": "--db"}
NAMES = ("language", "top", "seen", "jobs", "job", "attempt", "kb", "rules", "database", "timeline", "redact")


class ProgramSession:
    """Arguments for the program, and files for bytes that were pushed."""

    def __init__(self, timeout: Optional[float] = None) -> None:
        program = find_program()
        if program is None:
            raise OSError("there is no ncclwhy program")
        self._program = program
        self._timeout = timeout
        self._options: Dict[str, List[bytes]] = {}
        self._paths: List[bytes] = []
        self._folder: Optional["tempfile.TemporaryDirectory[str]"] = None
        self._file: Any = None

    def set(self, name: str, value: bytes) -> None:
        if name not in NAMES:
            raise Error(INVALID_ARGUMENT, "there is no option %s" % name)
        if name == "redact" and value not in (b"true", b"false"):
            raise Error(INVALID_ARGUMENT, "option redact is false or true")
        if name == "redact" and value == b"false":
            return
        flag = os.fsencode(FLAGS.get(name, "--" + name))
        words = [flag] if name == "redact" else [flag, value]
        self._options[name] = self._options.get(name, []) + words if name in ("kb", "rules") else words

    def add(self, path: bytes) -> None:
        if b"\0" in path:
            raise Error(INVALID_ARGUMENT, NUL)
        self._paths.append(path)

    def begin(self, name: bytes) -> None:
        if self._file is not None:
            raise Error(INVALID_ARGUMENT, "the source before this one was not ended")
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="ncclwhy-")
        # The name is a label that reports quote, and tells ranks: it is kept, below the folder.
        parts = [part for part in os.fsdecode(name).replace("\0", "_").split("/") if part not in ("", ".", "..", "-")]
        # Longer ones no file system takes; to tell ranks they are long enough.
        parts = [os.fsdecode(os.fsencode(part)[-200:]) for part in parts[-8:]]
        path = os.path.join(self._folder.name, *(parts or ["log"]))
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            self._file = open(path, "ab")
        except OSError as error:  # a full disk; one label that is a folder of another
            raise Error(IO_FAILED, str(error))
        label = os.fsencode(os.path.relpath(path, self._folder.name))
        if label not in self._paths:
            self._paths.append(label)

    def push(self, chunk: bytes) -> None:
        self._open().write(chunk)

    def end(self) -> None:
        self._open().close()
        self._file = None

    def _open(self) -> Any:
        if self._file is None:
            raise Error(INVALID_ARGUMENT, "no source was begun")
        return self._file

    def finish(self) -> Render:
        options, paths, folder = self._words(*NAMES), list(self._paths), self._folder
        if folder is not None:  # the program runs there, so that reports quote the labels
            here = os.fsencode(os.getcwd())
            pushed = {os.fsencode(os.path.relpath(os.path.join(at, name), folder.name))
                      for at, _, names in os.walk(folder.name) for name in names}
            paths = [path if path in pushed or path == b"-" else os.path.join(here, path) for path in paths]
        if not paths:  # nothing is read, also not standard input
            paths = [b"/dev/null"]

        def render(format: str) -> str:
            return self._run(["--format", format, *options, "--", *paths], cwd=folder and folder.name)

        first = render("json")
        return lambda format: first if format == "json" else render(format)

    def explain(self, what: bytes) -> str:
        return self._run(["explain", *self._words("language", "kb", "rules"), *(["--", what] if what else [])], failure=NOT_FOUND)

    def diff(self, good: bytes, bad: bytes, format: bytes) -> str:
        return self._run(["diff", "--format", format, *self._words("language", "jobs", "kb", "rules"), "--", good, bad])

    def _words(self, *names: str) -> List[bytes]:
        return [word for name in names for word in self._options.get(name, [])]

    def _run(self, arguments: List[Any], cwd: Optional[str] = None, failure: int = INVALID_ARGUMENT) -> str:
        """Standard output. 2 with nothing on it: refused."""
        if any(b"\0" in os.fsencode(argument) for argument in arguments):
            raise Error(INVALID_ARGUMENT, NUL)
        try:
            done = subprocess.run(
                [self._program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                timeout=self._timeout, check=False,
            )
        except OSError as error:  # arguments that are too long, a program that cannot be run
            raise Error(IO_FAILED, str(error))
        if done.returncode not in (0, 1, 2, 3) or (done.returncode == 2 and not done.stdout):
            reason = done.stderr.decode(errors="replace").strip()
            raise Error(failure if done.returncode == 2 else IO_FAILED, reason or "ended with %d" % done.returncode)
        return done.stdout.decode()


def new_session(engine: Optional[str] = None, timeout: Optional[float] = None) -> Any:
    """A session of the engine "library" or "program"; None: the library where it loads, else the program."""
    if engine not in (None, "library", "program"):
        raise ValueError('engine is "library", "program" or None')
    reasons = []
    if engine != "program":
        try:
            return LibrarySession()
        except (OSError, AttributeError) as error:
            reasons.append(str(error))
    if engine != "library":
        try:
            return ProgramSession(timeout)
        except OSError as error:
            reasons.append(str(error))
    raise ImportError("ncclwhy for %s %s: %s" % (platform.system(), platform.machine(), "; ".join(reasons)))


def version() -> str:
    """The engine's version, "0.1.0"."""
    try:
        return str(LibrarySession.load().ncclwhy_version().decode())
    except (OSError, AttributeError):
        program = find_program()
        if program is None:
            raise ImportError("there is neither libncclwhy.so nor ncclwhy")
        return subprocess.check_output([program, "--version"]).decode().split()[1]
