#!/usr/bin/env python3
"""Ranks that write into one pipe or file: blocks of 4,096 or 65,536 bytes of one rank stand behind those of another, lines
are cut at the borders. The answer is the one to the same lines whole.

NCCLWHY_MORE_JOBS names a folder with more jobs.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

NCCLWHY = os.environ["NCCLWHY"]
SOURCE = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
MORE = os.environ.get("NCCLWHY_MORE_JOBS")
BLOCKS = (4096, 65536)


def logs_of(folder):
    """The logs of a job whose ranks have one each."""
    files = [path.read_bytes() for path in sorted(folder.rglob("*.log")) if path.is_file()]
    return [data if data.endswith(b"\n") else data + b"\n" for data in files if data]


def mixed(pieces, choose):
    """The pieces of all ranks in one stream; those of a rank stay in order."""
    pieces = [list(reversed(of_rank)) for of_rank in pieces]
    out = []
    while any(pieces):
        out.append(choose.choice([rank for rank in pieces if rank]).pop())
    return b"".join(out)


def answer(data):
    with tempfile.TemporaryDirectory(prefix="ncclwhy-blocks-") as folder:
        path = pathlib.Path(folder) / "job.log"
        path.write_bytes(data)
        run = subprocess.run([NCCLWHY, "--format", "json", path], stdout=subprocess.PIPE, check=False)
    report = json.loads(run.stdout)
    named = report["verdict"] == "failure" and report["causes"]
    return run.returncode, report["verdict"], report["causes"][0]["id"] if named else None


def main():
    choose = random.Random(int(os.environ.get("NCCLWHY_SEED", 18)))
    folders = [path for kind in ("healthy", "incidents", "jobs") for path in sorted((SOURCE / "samples" / kind).iterdir()) if path.is_dir()]
    if MORE:
        folders = sorted(path for path in pathlib.Path(MORE).iterdir() if path.is_dir())
    tried, wrong = 0, []
    for folder in folders:
        logs = logs_of(folder)
        if len(logs) < 2:
            continue
        for block in BLOCKS:
            # What the order of whole lines decides is not looked at: as many lines as stand in a block.
            whole = []
            for data in logs:
                lines, of_rank, size = data.splitlines(keepends=True), [b""], 0
                for line in lines:
                    if size >= block:
                        of_rank.append(b"")
                        size = 0
                    of_rank[-1] += line
                    size += len(line)
                whole.append(of_rank)
            cut = [[data[at:at + block] for at in range(0, len(data), block)] for data in logs]
            seed = choose.random()
            expected = answer(mixed(whole, random.Random(seed)))
            told = answer(mixed(cut, random.Random(seed)))
            tried += 1
            if told != expected:
                wrong.append(f"{folder.name}, blocks of {block}: {told} instead of {expected}")
    for problem in wrong:
        print(problem)
    print(f"hostile: interleaved tried {tried} failed {len(wrong)}")
    return tried < 20 or bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
