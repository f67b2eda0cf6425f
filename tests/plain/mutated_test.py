#!/usr/bin/env python3
"""mutated_test.py FAST PLAIN SOURCE_DIR [SEED]: the same report and the same timeline, whole or not, with parser/fast and without, on logs
that are made for what it learns: lines that come again and again, of NCCL and of other programs, bare or behind a prefix, of which
now and then one differs in a digit, a letter, a sign, its header or its end; and every shape of tests/bench/shapes.py, also with
each of the mutations of wording whose cost is measured there.
NCCLWHY_HOSTILE=full tries ten times as many.
"""
import contextlib
import itertools
import json
import os
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
import mutation_cost  # noqa: E402
import shapes  # noqa: E402

ROUNDS = 400 if os.environ.get("NCCLWHY_HOSTILE") == "full" else 40
LINES = 1500  # of a shape
WORDS = ("rank", "nranks", "comm", "0x", "via", "->", "NCCL", "INFO", "WARN", "opCount", "Channel", "[", "]", ":", "/", "<0>", "failed", "error")
PREFIXES = ("docker", "csv", "srun", "mpirun", "torchrun", "cri", "time", "syslog", "unknown", "host", "date", "date-srun", "syslog-mpirun", "fraction")
# What lends the lines behind it a label of their own.
OPENING = (b"Traceback (most recent call last):", b"==> log.r3 <==", b"==> log <==", b"---Begin rank 2 STDERR---", b"---End rank 2 STDERR---")


def lines_of(source):
    lines = []
    for folder in ("tests/fuzz/corpus/logs", "samples/incidents", "samples/healthy", "tests/fuzz/regressions"):
        for path in sorted((source / folder).rglob("*")):
            if path.is_file() and path.suffix not in (".json", ".md"):
                all_lines = path.read_bytes().split(b"\n")
                lines += [line for line in all_lines if b"NCCL" in line][:400]
                lines += [line for line in all_lines if b"NCCL" not in line and len(line) < 1000][:100]
    lines += [line.encode() for name in shapes.SHAPES for line in itertools.islice(shapes.lines(name), 20)]
    return sorted(set(lines))


def behind(prefix, lines, dice):
    """The same, behind what a launcher or collector prints."""
    out = []
    for i, line in enumerate(lines):
        rank, second = dice.randrange(4), b"%02d" % (i // 7 % 60)
        if dice.randrange(50) == 0:
            out.append(dice.choice((line, *OPENING)))
        elif prefix == "docker":
            text = json.dumps(line.decode("latin-1") + "\n", ensure_ascii=bool(dice.randrange(2))).encode()
            out.append(b'{"log":%s,"stream":"stderr","time":"2026-10-04T07:00:%s.%09dZ"}' % (text, second, i))
        elif prefix == "csv":
            out.append(b'2026-10-04T07:00:%sZ,gpu%03d,stdout,"%s"' % (second, rank, line.replace(b'"', b'""')))
        else:
            head = {"srun": b"%d: " % rank, "mpirun": b"[1,%d]<stdout>: " % rank, "torchrun": b"[default%d]:" % rank,
                    "cri": b"2026-10-04T07:00:%s.%09dZ stdout F " % (second, i), "time": b"[2026-10-04 07:00:%s] " % second,
                    "syslog": b"Oct  4 07:00:%s gpu%03d train[%d]: " % (second, rank, 600 + rank),
                    "date": b"2026-10-04T07:00:%s+02:00 " % second, "date-srun": b"2026-10-04 07:00:%s,123 %d: " % (second, rank),
                    "syslog-mpirun": b"Oct 14 07:00:%s gpu%03d train[%d]: [1,%d]<stderr>:" % (second, rank, 600, rank),
                    "fraction": b"2026-10-04T07:00:%s.%dZ [rank%d]: " % (second, i, rank),
                    "unknown": b"<%d> w%d | " % (100 + i % 50, rank), "host": b"node%d: " % rank}[prefix]
            out.append(head + line)
    return out


def renumbered(line, dice):
    """The same with other numbers, of as many digits or not, decimal or not."""
    def other(match):
        text = match.group()
        kind = dice.randrange(12)
        if kind < 7:
            return text
        if kind < 10:
            return b"".join(b"%d" % dice.randrange(10) for _ in text)
        if kind == 10:
            return b"%d" % dice.choice((0, 7, 4711, 2 ** 31, 2 ** 32, 2 ** 63, 2 ** 64, 10 ** 25))
        return dice.choice((b"-1", b"0x%x" % dice.randrange(2 ** 48), b"00" + text, text + b"a", b"1.5", b""))
    return re.sub(rb"\d+", other, line)


def damaged(line, dice, all_lines):
    at = dice.randrange(len(line) + 1)
    kind = dice.randrange(9)
    if kind == 0:
        return line[:at]
    if kind == 1:
        return line[at:]
    if kind == 2:
        return line[:at] + bytes([dice.randrange(256)]) + line[at:]
    if kind == 3:
        return line[:at] + bytes([dice.randrange(256)]) + line[at + 1:]
    if kind == 4:
        return line + dice.choice((b" ", b"\r", b"\0", b"...", b" \xe2\x80\xa6", b"\t")) + dice.choice((b"", line[:at]))
    if kind == 5:
        return line[:at] + dice.choice(all_lines)[at:]
    if kind == 6:
        return dice.choice((b"[1,3]<stdout>:", b"0: ", b"node7: ", b"[rank3]: ", b"[2026-11-22 10:00:16] ", b"\x1b[31m")) + line
    if kind == 7:
        return line.replace(dice.choice(WORDS).encode(), dice.choice(WORDS).encode(), 1)
    return line[:at] + b"\n" + line[at:]


def log(dice, all_lines):
    out = []
    for base in dice.sample(all_lines, 1 + dice.randrange(6)):
        for _ in range(dice.choice((3, 20, 60, 150))):
            line = renumbered(base, dice)
            out.append(damaged(line, dice, all_lines) if dice.randrange(8) == 0 else line)
    if dice.randrange(2):
        for _ in range(len(out) // 2):  # ranks mixed
            a, b = dice.randrange(len(out)), dice.randrange(len(out))
            out[a], out[b] = out[b], out[a]
    if dice.randrange(2):
        out = behind(dice.choice(PREFIXES), out, dice)
    return b"\n".join(out) + (b"\n" if dice.randrange(4) else b"")


VIEWS = ("event", "process", "collective", "connection", "finding", "coverage")


def answer(binary, path, database, timeline):
    if os.path.exists(database):
        os.remove(database)
    run = [binary, "--format", "json", "--timeline", timeline, "--db", database, path]
    done = subprocess.run(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr.replace(database.encode(), b"DB")


def tables(database):
    """What stands in it, all that the views are made of."""
    with contextlib.closing(sqlite3.connect(database)) as store:
        stored = store.execute("SELECT name FROM sqlite_master WHERE type='table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")
        return [(name, store.execute('SELECT * FROM "%s"' % name).fetchall()) for name, in stored.fetchall()]


def shown(binary, database):
    return [subprocess.run([binary, "query", database, "SELECT * FROM %s LIMIT 60000" % view], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, check=False).stdout for view in VIEWS]


def same(programs, path, folder, timeline):
    databases = [os.path.join(folder, "job%d.db" % i) for i in range(2)]
    answers = [answer(program, path, database, timeline) for program, database in zip(programs, databases)]
    if answers[0] != answers[1]:
        return False
    if not all(map(os.path.exists, databases)):
        return not any(map(os.path.exists, databases))
    # A view costs a process: only where what it is made of differs.
    return tables(databases[0]) == tables(databases[1]) or shown(programs[0], databases[0]) == shown(programs[1], databases[1])


def main(fast, plain, source, seed=os.environ.get("NCCLWHY_SEED", "20261123")):
    all_lines = lines_of(pathlib.Path(source))
    assert len(all_lines) > 1000
    tried = failed = 0
    with tempfile.TemporaryDirectory(prefix="ncclwhy-mutated-") as folder:
        path = os.path.join(folder, "job.log")

        def compare(what, text, timelines=("default", "full")):  # whole, no line is taken before its end is known
            nonlocal tried, failed
            pathlib.Path(path).write_bytes(text)
            for timeline in timelines:
                tried += 1
                if not same((fast, plain), path, folder, timeline):
                    failed += 1
                    print("%s, timeline %s: differs" % (what, timeline))

        for number in range(ROUNDS):
            compare("round %d of seed %s" % (number, seed), log(random.Random("%s %d" % (seed, number)), all_lines))
        for name in shapes.SHAPES:
            lines = [line.encode() for line in itertools.islice(shapes.lines(name), LINES)]
            dice = random.Random("%s %s" % (seed, name))
            compare("shape %s" % name, b"\n".join(lines) + b"\n")
            for mutation in mutation_cost.MUTATIONS:
                rng = random.Random(3)
                mutated = [mutation(line, rng).encode() for line in itertools.islice(shapes.lines(name), LINES)]
                compare("shape %s, %s" % (name, mutation.__name__), b"\n".join(mutated) + b"\n", ("default",))
            lines = [damaged(line, dice, all_lines) if dice.randrange(20) == 0 else line for line in lines]
            compare("shape %s, damaged, of seed %s" % (name, seed), b"\n".join(lines) + b"\n")
    print("hostile: fast-path tried %d failed %d" % (tried, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
