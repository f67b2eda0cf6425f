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


# Logs and the --timeline to read them with.
def jobs(source, gen, scratch):
    yield from ((logs, "default") for logs in folders(os.path.join(source, "rules/catalog")))
    yield from ((logs, "full") for logs in folders(os.path.join(source, "samples")))
    corpus = os.path.join(source, "tests/fuzz/corpus/logs")
    yield from (([os.path.join(corpus, name)], "full") for name in sorted(os.listdir(corpus)))
    for name, options in GENERATED.items() if gen else []:
        folder = os.path.join(scratch, name)
        subprocess.run([gen, "--out", folder, "--layout", "single", "--size", "1M", "--seed", "1", "--ranks", "16",
                        "--hosts", "2", *options], check=True, capture_output=True)
        yield [os.path.join(folder, "job.log")], "default"
        yield [os.path.join(folder, "job.log")], "full"


def report(binary, logs, timeline):
    done = subprocess.run([binary, "--format", "json", "--timeline", timeline, *logs], capture_output=True)
    return done.returncode, done.stdout, done.stderr


def main(fast, plain, source, gen=None):
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        all_jobs = list(jobs(source, gen, scratch))
        same = pool.map(lambda job: report(fast, *job) == report(plain, *job), all_jobs)
        differ = [job for job, is_same in zip(all_jobs, same) if not is_same]
    for logs, timeline in differ:
        print(f"--timeline {timeline}: another report of", *logs)
    print(f"{len(all_jobs)} jobs were read with and without the fast path, {len(differ)} reports differ")
    return 1 if differ or len(all_jobs) < 100 else 0


if __name__ == "__main__":
    sys.exit(main(*(os.path.abspath(argument) for argument in sys.argv[1:] if argument)))  # no generator: none is given
