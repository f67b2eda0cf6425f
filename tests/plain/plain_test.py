#!/usr/bin/env python3
"""plain_test.py FAST PLAIN SOURCE_DIR [GEN]: the same report, byte for byte, with parser/fast and without.

Reads every folder of logs below samples/ and rules/catalog/, every file of the fuzz corpus, and, with GEN (ncclwhy_gen),
a log of each kind of line that is long enough for all that parser/fast learns.
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

GENERATED = {
    "coll": ["--subsys", "coll"],
    "trace": ["--subsys", "trace"],
    "all-mpirun": ["--subsys", "all", "--launcher", "mpirun"],
    "all-srun": ["--subsys", "all", "--launcher", "srun"],
    "warn": ["--mix", "warn", "--fault", "killed", "--version", "2.21.5"],
    "torn": ["--mix", "torn,foreign", "--subsys", "all"],
}


def folders(root):
    for folder, _, names in os.walk(root):
        logs = sorted(os.path.join(folder, name) for name in names if not name.endswith((".json", ".md", ".py", ".png")))
        if logs:
            yield logs


def jobs(source, gen, scratch):
    for part in ("samples", "rules/catalog"):
        yield from folders(os.path.join(source, part))
    corpus = os.path.join(source, "tests/fuzz/corpus/logs")
    yield from ([os.path.join(corpus, name)] for name in sorted(os.listdir(corpus)))
    for name, options in GENERATED.items() if gen else []:
        folder = os.path.join(scratch, name)
        subprocess.run([gen, "--out", folder, "--layout", "single", "--size", "1M", "--seed", "1", "--ranks", "16",
                        "--hosts", "2", *options], check=True, capture_output=True)
        yield [os.path.join(folder, "job.log")]


def report(binary, logs, timeline):
    done = subprocess.run([binary, "--format", "json", "--timeline", timeline, *logs], capture_output=True)
    return done.returncode, done.stdout, done.stderr


def compare(binaries, logs):
    return [(timeline, logs) for timeline in ("default", "full")
            if report(binaries[0], logs, timeline) != report(binaries[1], logs, timeline)]


def main(fast, plain, source, gen=None):
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        all_jobs = list(jobs(source, gen, scratch))
        differ = [d for found in pool.map(lambda logs: compare((fast, plain), logs), all_jobs) for d in found]
    for timeline, logs in differ:
        print(f"--timeline {timeline}: another report of", *logs)
    print(f"{len(all_jobs)} jobs were read with and without the fast path, {len(differ)} reports differ")
    return 1 if differ or len(all_jobs) < 100 else 0


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:])))
