#!/usr/bin/env python3
"""Whether a small change of wording makes a shape of line dear: instructions a byte, by callgrind.

    mutation_cost.py NCCLWHY [SHAPE...]

Each shape of shapes.py below is mutated: an extra word at some place, neighbouring words swapped, other widths of numbers, another
prefix, a value that is another one on every line. Places are drawn with SEEDS (of which NCCLWHY_HOSTILE=full takes more), each the
same for all lines of a log. The cost is what twice as many lines cost more, so that start and report do not count. Fails where a
mutation costs more than MOST times its shape, unless KNOWN says so, and then where it costs more than that: what is known can only
become less.
"""
import concurrent.futures
import itertools
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import shapes

LINES = 1500
LINES_OF = {"coll": 6000}  # until opCount has no digit but letters in few lines
MOST = 2.0
# Counts differ a little with what libraries a machine has.
SLACK = 1.1
# A bare COLL line costs a quarter less than when these were first written down, a known label hardly more; what nobody knows by
# its bytes costs what it did. A word that is new on each line makes it one that is known neither by its bytes nor by its shape, and asked everything.
KNOWN = {"coll prefix_numbered": 2.85, "coll order_last": 2.0, "coll order_1": 2.0, "coll order_2": 2.0,
         "coll value_uuid": 7.94, "coll value_request": 16.6, "coll value_chinese": 22.2, "coll value_tab": 16.9,
         "iterations value_uuid": 11.1, "iterations value_request": 16.2, "iterations value_chinese": 11.4, "python-logging value_uuid": 2.06}
SEEDS = (1, 2, 3, 4) if os.environ.get("NCCLWHY_HOSTILE") == "full" else (1, 2)


def parts(line):
    """NCCL's header, which is no wording, and the words behind it."""
    at = line.find("NCCL INFO ") + len("NCCL INFO ") if "NCCL INFO " in line else 0
    return line[:at], line[at:].split(" ")


def named(name, change):
    change.__name__ = name
    return change


def extra_word(seed):
    place = random.Random(f"word {seed}").random()

    def change(line, _):
        head, words = parts(line)
        at = round(place * len(words))
        return head + " ".join(words[:at] + ["again"] + words[at:])
    return named(f"extra_word_{seed}", change)


def order(seed):
    place = random.Random(f"order {seed}").random()

    def change(line, _):
        head, words = parts(line)
        at = int(place * (len(words) - 1))
        words[at:at + 2] = reversed(words[at:at + 2])
        return head + " ".join(words)
    return named(f"order_{seed}", change)


def prefix(name, text):
    return named(f"prefix_{name}", lambda line, rng: text(rng) + line)


def widths(name, longer):
    """Decimal numbers, one in three some digits longer; not those of names and headers."""
    def change(line, rng):
        more = lambda m: m[0] + "".join(str(rng.randrange(10)) for _ in range(longer)) if rng.random() < 0.33 else m[0]
        return re.sub(r"(?<=[ =/])\d+(?=[ /,]|$)", more, line)
    return named(f"widths_{name}", change)


def value(name, make):
    """A word that is another one on every line: an id of a request, a name in Chinese, a field of a table."""
    def change(line, rng):
        head, words = parts(line)
        at = len(words) // 2
        return head + " ".join(words[:at]) + make(rng) + " ".join(words[at:])
    return named(f"value_{name}", change)


MUTATIONS = (
    named("extra_word_last", lambda line, _: line + " again"),
    *map(extra_word, SEEDS),
    named("order_last", lambda line, _: " ".join([line.rsplit(" ", 2)[0], *reversed(line.rsplit(" ", 2)[1:])])),
    *map(order, SEEDS),
    widths("one", 1), widths("three", 3),
    value("uuid", lambda rng: f" {shapes.uuid(rng)} "), value("request", lambda rng: f" {shapes.request(rng)} "),
    value("chinese", lambda rng: f" {shapes.hanzi(rng)} "), value("tab", lambda rng: f"\t{rng.randrange(1 << 20)}\t"),
    prefix("numbered", lambda rng: f"<{rng.randrange(100, 200)}> w{rng.randrange(8)} | "),
    prefix("host", lambda rng: f"node{rng.randrange(8)}: "),
    prefix("label", lambda rng: f"[default{rng.randrange(8)}]:"),
    prefix("time", lambda rng: f"2026-10-04T07:{rng.randrange(60):02d}:{rng.randrange(60):02d}.{rng.randrange(1000):03d}Z "),
)
OF = ("coll", "info-unknown", "iterations", "python-logging")


def instructions(program, log):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "--jobs", "1", "--format",
                           "json", "-o", "/dev/null", log], capture_output=True, text=True, check=False)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def cost(program, folder, name, mutation):
    rng = random.Random(3)
    lines = LINES_OF.get(name, LINES)
    made = [mutation(line, rng) if mutation else line for line in itertools.islice(shapes.lines(name), 2 * lines)]
    counts = []
    for count in (lines, 2 * lines):
        log = pathlib.Path(folder) / f"{name}-{mutation.__name__ if mutation else 'as-it-is'}-{count}.log"
        log.write_text("\n".join(made[:count]) + "\n")
        counts.append((instructions(program, log), log.stat().st_size))
        log.unlink()
    return (counts[1][0] - counts[0][0]) / (counts[1][1] - counts[0][1])


def main():
    program, names = sys.argv[1], sys.argv[2:] or OF
    if not shutil.which("valgrind"):
        return 77
    bad = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name in names:
            plain, *costs = pool.map(lambda mutation: cost(program, folder, name, mutation), (None, *MUTATIONS))
            print(f"{name:15} {plain:6.1f} instructions a byte", flush=True)
            for mutation, mutated in zip(MUTATIONS, costs):
                dear = mutated / plain > max(MOST, KNOWN.get(f"{name} {mutation.__name__}", 0) * SLACK)
                bad += dear
                print(f"  {mutation.__name__:16} × {mutated / plain:5.2f}" + ("  TOO DEAR" if dear else ""), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
