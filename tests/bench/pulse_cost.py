#!/usr/bin/env python3
"""What learning the pulse of the work costs, in instructions: the same lines with and without it.

    cmake --preset release -B build/no-pulse -DNCCLWHY_PULSE=OFF && cmake --build build/no-pulse --target ncclwhy_cli
    python3 tests/bench/pulse_cost.py build/release/ncclwhy build/no-pulse/ncclwhy

Ends with 1 where it is more than a tenth.
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

LINES = 40000
MOST = 0.10


def coll(rng):
    for i in range(LINES):
        yield (f"node1:4711:4790 [0] NCCL INFO AllReduce: opCount {i:x} sendbuff 0x7f12{rng.randrange(1 << 24):08x} recvbuff "
               f"0x7f12{rng.randrange(1 << 24):08x} count {rng.randrange(1 << 20)} datatype 7 op 0 root 0 comm 0x55d0c8a4e2b0 "
               f"[nranks=8] stream 0x55d0c8a4f3c0")


def tqdm(rng):
    for i in range(LINES):
        percent, left = i * 100 // LINES, (LINES - i) // 4
        bar = ("█" * (percent // 10) + "▎" * (percent % 10 > 4)).ljust(10)
        yield (f"Epoch 3: {percent:3d}%|{bar}| {i}/{LINES} [{i // 240:02d}:{i // 4 % 60:02d}<{left // 60:02d}:{left % 60:02d}, "
               f"{3.5 + rng.random():.2f}it/s, loss={rng.random() * 3:.3f}]")


def words(rng):
    known = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 11))) for _ in range(5000)]
    for _ in range(LINES):
        yield " ".join(rng.choices(known, k=rng.randint(6, 20)))


def instructions(program, log):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "--jobs", "1", "--format",
                           "json", "-o", "/dev/null", log], capture_output=True, text=True, check=False)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def main():
    program, without = sys.argv[1:3]
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for shape in (coll, tqdm, words):
            log = pathlib.Path(folder) / f"{shape.__name__}.log"
            log.write_text("\n".join(shape(random.Random(7))) + "\n")
            none, all_ = instructions(without, log), instructions(program, log)
            worst = max(worst, all_ / none - 1)
            print(f"{shape.__name__:6} {LINES} lines: {none:12,} without, {all_:12,} with the pulse: {all_ / none - 1:+.1%}")
    return worst > MOST


if __name__ == "__main__":
    sys.exit(main())
