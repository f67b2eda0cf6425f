"""Whatever sources are digested together, whatever digests are digested again, and whatever stays a log: the report is
that of reading all logs at once, byte for byte, in every format, redacted and not, and so is the timeline.

groupings_test.py BINARY [--every N] [--seed S] FOLDER...

A FOLDER holds folders of logs. Of these every N-th is taken. NCCLWHY_MORE_JOBS names further FOLDERs, separated by colons.
"""

import argparse
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

# The foot of the page tells what was typed, which names the digests.
TYPED = re.compile("\u00b7 ncclwhy [^\u00b7<]*".encode())
FORMATS = ["text", "full", "json", "markdown", "html", "sarif", "junit", "github", "summary", "trace"]
# Parts of a rotated log are one log (src/read/rotated_files.h).
ROTATED = re.compile(r"([.-]\d{4}-?\d\d-?\d\d(-\d+)?|\.\d+)?(\.(gz|xz|zst|bz2))?$")


def jobs_in(folders):
    for folder in folders:
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if os.path.isdir(path):
                yield path
            elif name.endswith((".log", ".txt", ".log.gz", ".gz")):
                yield path


def sources_of(job):
    """Groups of paths that one log is in, relative to the folder of the copy."""
    if os.path.isfile(job):
        return [[os.path.basename(job)]]
    groups = {}
    for root, _, names in os.walk(job):
        for name in sorted(names):
            if not name.startswith(".") and name != "incident.json":
                path = os.path.relpath(os.path.join(root, name), job)
                groups.setdefault(ROTATED.sub("", path), []).append(path)
    return [groups[name] for name in sorted(groups)]


class Tester:
    def __init__(self, binary):
        self.binary = os.path.abspath(binary)
        self.tries = 0
        self.wrong = []

    def run(self, folder, *arguments):
        env = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}
        return subprocess.run([self.binary, *arguments], cwd=folder, capture_output=True, timeout=600, env=env, check=False)

    def answers(self, folder, logs, formats):
        out = {}
        for form in formats:
            arguments = ["-v"] if form == "full" else ["--format", form]
            done = self.run(folder, *arguments, "--", *logs)
            out[form] = (done.returncode, TYPED.sub(b"", done.stdout), done.stderr)
        done = self.run(folder, "--redact", "--format", "json", "--", *logs)
        out["redacted"] = (done.returncode, done.stdout, done.stderr)
        return out

    def timeline(self, folder, logs):
        path = os.path.join(folder, ".timeline.db")
        self.run(folder, "--db", path, "--quiet", "--", *logs)
        connection = sqlite3.connect(path)
        dump = "\n".join(connection.iterdump())
        connection.close()
        os.unlink(path)
        return dump

    def grouped(self, folder, groups, dice):
        """Arguments that say the same: logs, digests, digests of digests, some sources in two of them."""
        parts = [list(group) for group in groups]
        for level in range(dice.randint(1, 3)):
            dice.shuffle(parts)
            merged = []
            while parts:
                taken, parts = parts[: (size := dice.randint(1, max(1, len(parts) // 2)))], parts[size:]
                paths = [path for part in taken for path in part]
                if level > 0 and dice.random() < 0.5:
                    merged += taken
                    continue
                name = f".{level}-{len(merged)}.digest"
                self.run(folder, "digest", "--quiet", *(["--jobs", "1"] if dice.random() < 0.5 else []), "-o", name, "--", *paths)
                if not os.path.isfile(os.path.join(folder, name)):
                    self.wrong.append(f"{folder}: no digest of {paths}")
                merged.append([name])
                if dice.random() < 0.1:
                    merged += taken  # what is in the digest is a log, too
            parts = merged
        dice.shuffle(parts)
        return [path for part in parts for path in part]

    def check(self, job, dice):
        groups = sources_of(job)
        if not groups:
            return
        with tempfile.TemporaryDirectory() as folder:
            for group in groups:
                for path in group:
                    target = os.path.join(folder, path)
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    shutil.copyfile(job if os.path.isfile(job) else os.path.join(job, path), target)
            logs = [path for group in groups for path in group]
            formats = dice.sample(FORMATS, 3) + ["json"]
            arguments = self.grouped(folder, groups, dice)
            wanted, got = self.answers(folder, logs, formats), self.answers(folder, arguments, formats)
            self.tries += 1
            for form, answer in wanted.items():
                if got[form] != answer:
                    self.wrong.append(f"{job}: {form} differs: {' '.join(arguments)}: {got[form][2].decode()[:300]}")
            if self.timeline(folder, logs) != self.timeline(folder, arguments):
                self.wrong.append(f"{job}: the timeline differs: {' '.join(arguments)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("NCCLWHY_SEED", 1)))
    options = parser.parse_args()
    more = [folder for folder in os.environ.get("NCCLWHY_MORE_JOBS", "").split(":") if folder]
    jobs = list(jobs_in(options.folders))[:: options.every] + list(jobs_in(more))
    tester = Tester(options.binary)
    for job in jobs:
        tester.check(job, random.Random(f"{options.seed} {os.path.basename(job)}"))
    for complaint in tester.wrong:
        print(complaint)
    print(f"{tester.tries} jobs in groups, {len(tester.wrong)} wrong")
    return bool(tester.wrong) or tester.tries == 0


if __name__ == "__main__":
    sys.exit(main())
