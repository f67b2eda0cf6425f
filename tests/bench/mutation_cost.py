#!/usr/bin/env python3
"""Whether a small change of wording makes a shape of line dear: instructions a byte, by callgrind.

    mutation_cost.py NCCLWHY [SHAPE...]

Each shape of shapes.py below is mutated: an extra word, another prefix, other widths of numbers, another order of fields. The cost is
what twice as many lines cost more, so that start and report do not count. Fails where a mutation costs more than MOST
times its shape, unless KNOWN says so, and then where it costs more than that: what is known can only become less.
"""
import concurrent.futures
import itertools
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import shapes

LINES = 1500
MOST = 2.0
# Counts differ a little with what libraries a machine has.
SLACK = 1.15
KNOWN = {"coll extra_word": 9.1, "coll prefix": 2.9, "coll order": 8.9}


def extra_word(line, _):
    return line + " again"


def prefix(line, rng):
    return f"<{rng.randrange(100, 200)}> w{rng.randrange(8)} | {line}"


def widths(line, rng):
    """Decimal numbers, one in three a digit longer; not those of names and headers."""
    return re.sub(r"(?<=[ =/])\d+(?=[ /,]|$)", lambda m: m[0] + str(rng.randrange(10)) if rng.random() < 0.33 else m[0], line)


def order(line, _):
    """The last two words change places."""
    parts = line.rsplit(" ", 2)
    return " ".join([parts[0], *reversed(parts[1:])])


MUTATIONS = (extra_word, prefix, widths, order)
OF = ("coll", "info-unknown", "iterations", "python-logging")


def instructions(program, log):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "--jobs", "1", "--format",
                           "json", "-o", "/dev/null", log], capture_output=True, text=True, check=False)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def cost(program, folder, name, mutation):
    rng = random.Random(3)
    made = [mutation(line, rng) if mutation else line for line in itertools.islice(shapes.lines(name), 2 * LINES)]
    counts = []
    for count in (LINES, 2 * LINES):
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
                known = KNOWN.get(f"{name} {mutation.__name__}", 0)
                dear = mutated / plain > max(MOST, known * SLACK)
                bad += dear
                print(f"  {mutation.__name__:12} × {mutated / plain:5.2f}" + (f"  known: {known}" if known else "") +
                      ("  TOO DEAR" if dear else ""), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
