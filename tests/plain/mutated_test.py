#!/usr/bin/env python3
"""mutated_test.py FAST PLAIN SOURCE_DIR [SEED]: the same report and the same timeline with parser/fast and without, on logs
that are made for what it learns: lines that come again and again, of which now and then one differs in a digit, a letter, a
sign, its header or its end. NCCLWHY_HOSTILE=full tries ten times as many.
"""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROUNDS = 400 if os.environ.get("NCCLWHY_HOSTILE") == "full" else 40
WORDS = ("rank", "nranks", "comm", "0x", "via", "->", "NCCL", "INFO", "WARN", "opCount", "Channel", "[", "]", ":", "/", "<0>", "failed", "error")


def lines_of(source):
    lines = []
    for folder in ("tests/fuzz/corpus/logs", "samples/incidents", "samples/healthy", "tests/fuzz/regressions"):
        for path in sorted((source / folder).rglob("*")):
            if path.is_file() and path.suffix not in (".json", ".md"):
                lines += [line for line in path.read_bytes().split(b"\n") if b"NCCL" in line][:400]
    return sorted(set(lines))


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
    return b"\n".join(out) + (b"\n" if dice.randrange(4) else b"")


def answers(binary, path, database):
    if os.path.exists(database):
        os.remove(database)
    run = [binary, "--format", "json", "--timeline", "full", "--db", database, path]
    done = subprocess.run(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    views = [subprocess.run([binary, "query", database, "SELECT * FROM %s LIMIT 60000" % view], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, check=False).stdout
             for view in ("event", "process", "collective", "connection", "finding", "coverage")]
    return done.returncode, done.stdout, done.stderr, views


def main(fast, plain, source, seed="20261123"):
    all_lines = lines_of(pathlib.Path(source))
    assert len(all_lines) > 1000
    tried = failed = 0
    with tempfile.TemporaryDirectory(prefix="ncclwhy-mutated-") as folder:
        path, database = os.path.join(folder, "job.log"), os.path.join(folder, "job.db")
        for number in range(ROUNDS):
            pathlib.Path(path).write_bytes(log(random.Random("%s %d" % (seed, number)), all_lines))
            tried += 1
            if answers(fast, path, database) != answers(plain, path, database):
                failed += 1
                print("round %d of seed %s differs" % (number, seed))
    print("hostile: fast-path tried %d failed %d" % (tried, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
