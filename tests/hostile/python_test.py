#!/usr/bin/env python3
"""The Python package in wrong hands: shared by threads, entered again from a generator of its own, in the wrong order,
with names and values that are none. What is refused is an Error or an ordinary exception of Python; nothing else happens.
"""
import os
import pathlib
import sys
import threading

SOURCE = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "src/python"))
import ncclwhy  # noqa: E402
from ncclwhy import engine  # noqa: E402

LOG = (SOURCE / "tests/golden/shm-full/job.log").read_bytes()
CAUSE = "shm.too-small"
# What a caller may meet. Anything else, above all AttributeError and a process that ends, is a defect.
ALLOWED = (ncclwhy.Error, TypeError, ValueError, RecursionError)


def engines():
    for use in ("library", "program"):
        try:
            engine.new_session(use)
        except ImportError as error:
            print("left out:", error)
        else:
            yield use


def refused(call):
    try:
        call()
    except ALLOWED:
        return True
    return False


def fine_or_refused(call):
    try:
        call()
    except ALLOWED:
        pass
    return True


def shared_report(use):
    """Many threads render one report: each gets the whole text of its own format."""
    report = ncclwhy.analyze(LOG, use=use)
    formats = ("json", "html", "markdown", "text", "sarif", "junit", "github", "summary", "full",
               "trace")
    expected = {name: report.render(name) for name in formats}
    wrong = []

    def work(offset):
        for i in range(60 if use == "library" else 4):
            name = formats[(i + offset) % len(formats)]
            if report.render(name) != expected[name]:
                wrong.append(name)

    run(work)
    return not wrong


def shared_analyzer(use):
    """Many threads push into one analyzer: whole sources, or a refusal; one of them gets the report."""
    analyzer = ncclwhy.Analyzer(use=use)
    reports = []

    def work(offset):
        for i in range(10):
            fine_or_refused(lambda: analyzer.push("log%d-%d" % (offset, i), LOG))
        fine_or_refused(lambda: reports.append(analyzer.finish()))

    run(work)
    return 1 <= len(reports) <= 8 and all(report.verdict for report in reports)


def run(work):
    problems = []

    def guarded(offset):
        try:
            work(offset)
        except BaseException as error:  # noqa: B902 - the test tells it
            problems.append(error)

    threads = [threading.Thread(target=guarded, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]


def entered_again(use):
    """A generator of chunks that uses the analyzer which reads it: the inner source is refused, the outer one is whole."""
    analyzer = ncclwhy.Analyzer(use=use)
    inner = []

    def chunks():
        yield LOG[:100]
        inner.append(refused(lambda: analyzer.push("inner", b"something else\n")))
        yield LOG[100:]

    outcome = []
    try:
        analyzer._push("outer", chunks())
        outcome.append(analyzer.finish().cause.id == CAUSE)
    except ALLOWED:
        outcome.append(True)
    return inner == [True] and outcome == [True]


def failing_generator(use):
    """What a generator raises comes out, and the analyzer can go on."""
    analyzer = ncclwhy.Analyzer(use=use)

    def chunks():
        yield LOG[:100]
        raise KeyError("mine")

    try:
        analyzer._push("a", chunks())
    except KeyError:
        analyzer.push("b", LOG)
        return analyzer.finish().cause.id == CAUSE
    return False


def wrong_order(use):
    def session():
        return engine.new_session(use)

    yield "push first", refused(lambda: session().push(b"x"))
    yield "end first", refused(lambda: session().end())
    one = session()
    one.begin(b"a")
    yield "begin twice", refused(lambda: one.begin(b"b"))
    one.push(LOG)
    one.end()
    yield "end twice", refused(one.end)
    yield "then finish", CAUSE in one.finish()("json")
    yield "finish twice", fine_or_refused(one.finish)
    yield "push behind finish", fine_or_refused(lambda: one.push(b"x")) if use == "library" else True
    two = session()
    two.begin(b"a")
    yield "option behind a source", fine_or_refused(lambda: two.set("top", b"2"))


def values(use):
    def analyze(*logs, **options):
        return lambda: ncclwhy.analyze(*logs, use=use, **options)

    for name in ("a\0b", "\0", "/etc/passwd\0.log"):
        yield "NUL in a path", refused(lambda: ncclwhy.Analyzer(use=use).add(name) or ncclwhy.Analyzer(use=use).add(name))
        for option in ("kb", "rules", "database"):
            yield "NUL in " + option, refused(analyze(LOG, **{option: name}))
        yield "NUL in a question", fine_or_refused(lambda: ncclwhy.explain(name, use=use))
        yield "NUL in diff", refused(lambda: ncclwhy.diff(name, name, use=use)) or "a NUL byte" in ncclwhy.diff(name, name, use=use)
        yield "NUL in a label", fine_or_refused(analyze({name: LOG}))
    for logs in (7, 1.5, None, object(), [7], {"a": 7}, {"a": [7]}, {"a": [None]}, [[[[7]]]]):
        yield "no log: %r" % (logs,), refused(analyze(logs))
    itself = []
    itself.append(itself)
    yield "a list in itself", refused(analyze(itself))
    for text in ("\ud800", "\udcff", "a\ud83d", "\U0010ffff"):
        yield "half a character", fine_or_refused(analyze({"a": text}))
        yield "half a character in an option", refused(analyze(LOG, language=text))
        yield "half a character in a format", refused(lambda: ncclwhy.analyze(LOG, use=use).render(text))
    for option, value in (("top", -1), ("top", 0), ("top", 2 ** 31), ("top", 10 ** 100), ("jobs", -1), ("jobs", 10 ** 30),
                          ("top", "x" * (1 << 20)), ("language", b"en"), ("redact", "perhaps"), ("", 1), ("a" * 100000, 1)):
        yield "option %.20s" % option, refused(analyze(LOG, **{option: value}))
    yield "too many threads", refused(analyze(LOG, jobs=2 ** 31 - 1))
    yield "many threads", ncclwhy.analyze(LOG, use=use, jobs=1024).cause.id == CAUSE
    yield "a label in a label", fine_or_refused(analyze({"a": LOG, "a/b": LOG}))
    yield "a label of many parts", fine_or_refused(analyze({"a/" * 5000: LOG}))
    yield "a long label", fine_or_refused(analyze({"x" * (1 << 20): LOG}))
    yield "views", ncclwhy.analyze({"a": memoryview(LOG + LOG)[::1]}, use=use).cause.id == CAUSE
    yield "array of numbers", fine_or_refused(analyze({"a": [memoryview(b"abcdefgh").cast("I")]}))


def main():
    tried = failed = 0

    def count(what, good):
        nonlocal tried, failed
        tried += 1
        if not good:
            failed += 1
            print("python:", what)

    for use in engines():
        for test in (shared_report, shared_analyzer, entered_again, failing_generator):
            count("%s, %s" % (use, test.__name__), test(use))
        for test in (wrong_order, values):
            for what, good in test(use):
                count("%s, %s" % (use, what), good)
    print(f"hostile: python tried {tried} failed {failed}")
    return failed > 0 or tried == 0


if __name__ == "__main__":
    sys.exit(main())
