"""Logs in, Report out: analyze() for one call, Analyzer for pieces."""

import json
import os
from typing import Any, Iterable, Mapping, Optional, Union

from ncclwhy import engine
from ncclwhy.report import Report

Bytes = Union[bytes, bytearray, memoryview]
Path = Union[str, "os.PathLike[str]", "os.PathLike[bytes]"]
CHUNK = 1 << 20


def _bytes(chunk: Union[str, Bytes]) -> bytes:
    """A number is no chunk: bytes(7) would be seven bytes."""
    if isinstance(chunk, bytes):
        return chunk
    if not isinstance(chunk, str):
        return memoryview(chunk).tobytes()
    try:
        return chunk.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character of UTF-16
        return chunk.encode("utf-8", "surrogatepass")


class Analyzer:
    """Options: language ("en", "zh"), top, seen, jobs (numbers), kb, rules (a directory or several), database
    (a path), timeline ("default", "full"), redact (True, False); of several jobs or attempts in one place job=N, attempt=N.

    `use` is "library", "program" or None for what there is; `timeout` is in seconds, for the program. Other threads
    run while it works; those that share it wait for each other. What is refused raises ncclwhy.Error.
    """

    def __init__(self, *, use: Optional[str] = None, timeout: Optional[float] = None, **options: Any) -> None:
        self._session = engine.new_session(use, timeout)
        for name, value in options.items():
            if value is None:
                continue
            for one in value if isinstance(value, (list, tuple)) else [value]:
                if isinstance(one, bool):
                    one = "true" if one else "false"
                self._session.set(name, os.fsencode(one if isinstance(one, os.PathLike) else str(one)))

    def add(self, path: Path) -> None:
        """A file, directory, archive, glob, or "-"; finish() reads it."""
        self._session.add(os.fsencode(path))

    def push(self, name: Path, *chunks: Union[str, Bytes]) -> None:
        """A source whose bytes the caller has. Chunks may end anywhere; str is encoded as UTF-8."""
        self._push(name, chunks)

    def _push(self, name: Path, chunks: Iterable[Union[str, Bytes]]) -> None:
        self._session.begin(os.fsencode(name))
        try:
            for chunk in chunks:
                self._session.push(_bytes(chunk))
        finally:
            self._session.end()

    def feed(self, logs: Any) -> None:
        """What analyze() takes."""
        if isinstance(logs, (str, os.PathLike)):
            self.add(logs)
        elif isinstance(logs, (bytes, bytearray, memoryview)):
            self.push("log", logs)
        elif hasattr(logs, "read"):
            name = getattr(logs, "name", "log")
            self._push(name if isinstance(name, str) else "log", iter(lambda: logs.read(CHUNK), type(logs.read(0))()))
        elif isinstance(logs, Mapping):
            for name, content in logs.items():
                single = isinstance(content, (str, bytes, bytearray, memoryview))
                self._push(name, [content] if single else content)
        else:
            self._feed_each(logs)

    def _feed_each(self, logs: Iterable[Any]) -> None:
        """Paths and the like; neighbouring bytes are one log."""
        open_ = False
        try:
            for one in logs:
                is_chunk = isinstance(one, (bytes, bytearray, memoryview))
                if open_ and not is_chunk:
                    self._session.end()
                    open_ = False
                if not is_chunk:
                    self.feed(one)
                    continue
                if not open_:
                    self._session.begin(b"log")
                    open_ = True
                self._session.push(_bytes(one))
        finally:
            if open_:
                self._session.end()

    def finish(self) -> Report:
        """Reads and analyses everything, once."""
        render = self._session.finish()
        return Report.from_json(json.loads(render("json")), render)


def analyze(logs: Any, **options: Any) -> Report:
    """The Report on logs:

    - a path (str, os.PathLike): a file, a directory, an archive, a glob, or "-" for standard input;
    - bytes: the log itself, or a file that is open;
    - a mapping of names to contents (str, bytes, or an iterable of them);
    - an iterable of paths, or of bytes in pieces, which are one log.

    Options: see Analyzer.
    """
    analyzer = Analyzer(**options)
    analyzer.feed(logs)
    return analyzer.finish()


def explain(what: str = "", **options: Any) -> str:
    """What is known about a cause, a variable, a code or a message; "" lists all causes."""
    return str(Analyzer(**options)._session.explain(os.fsencode(what)))


def diff(good: Path, bad: Path, format: str = "text", **options: Any) -> str:
    """Text or json: what differs between a run that worked and one that did not."""
    return str(Analyzer(**options)._session.diff(os.fsencode(good), os.fsencode(bad), format.encode()))


def version() -> str:
    """The version of the library or program that analyses, "0.1.0"."""
    return engine.version()
