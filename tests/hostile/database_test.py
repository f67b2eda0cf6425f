#!/usr/bin/env python3
"""--db in bad nights: what is not a timeline is kept as it was, a file that may not grow or that others write never takes
the answer away and is said, kill -9 at random moments leaves a whole timeline or none.
"""
import os
import pathlib
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

NCCLWHY = os.environ["NCCLWHY"]
LOG = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"]) / "tests/golden/shm-full/job.log"
CAUSE = b"shm.too-small"
ALL = "SELECT (SELECT count(*) FROM event), (SELECT count(*) FROM cause), (SELECT count(*) FROM outcome)"


class Tally:
    tried = failed = 0

    def check(self, name, good, said=b""):
        self.tried += 1
        if not good:
            self.failed += 1
            print(f"database: {name}: {said!r:.300}")


def analyse(*options, limit=None):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return subprocess.run([NCCLWHY, "--json", *options, LOG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60,
                          preexec_fn=limited if limit is not None else None)


def ask(database):
    return subprocess.run([NCCLWHY, "query", database, ALL], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def foreign(tally):
    """Files of others, also behind links: the answer, a sentence, and not a byte of theirs changed."""
    pathlib.Path("text").write_text("my thesis")
    other = sqlite3.connect("other")
    other.execute("CREATE TABLE a(b)")
    other.commit()
    other.close()
    subprocess.run([NCCLWHY, "history", "add", "-q", "fleet", LOG], check=False)
    for name in ("text", "other", "fleet"):
        os.symlink(name, name + " link")
        os.link(name, name + " again")
        before = pathlib.Path(name).read_bytes()
        for path in (name, name + " link", name + " again"):
            run = analyse("--db", path)
            tally.check(path, run.returncode == 2 and CAUSE in run.stdout and path.encode() in run.stderr and
                        pathlib.Path(name).read_bytes() == before, run.stderr)
    os.mkdir("folder")
    os.mkfifo("pipe")
    for path in ("folder", "pipe", "/dev/full", "/dev/null", "missing/x"):
        run = analyse("--db", path)
        tally.check(path, run.returncode == 2 and CAUSE in run.stdout and path.encode() in run.stderr, run.stderr)
    shutil.copy(LOG, "own.log")
    run = subprocess.run([NCCLWHY, "--db", "own.log", "own.log"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    tally.check("its own input", run.returncode == 2 and pathlib.Path("own.log").read_bytes() == LOG.read_bytes(), run.stderr)


def limits(tally):
    for limit in (0, 1, 512, 4096, 20000, 65536, 100000):
        for before in (False, True):
            if os.path.exists("small"):
                os.unlink("small")
            if before:
                shutil.copy("whole", "small")
            run = analyse("--db", "small", limit=limit)
            kept = not os.path.exists("small") or ask("small").stdout == ask("whole").stdout
            tally.check(f"ulimit -f, {limit} bytes", run.returncode == 2 and CAUSE in run.stdout and b"small" in run.stderr and kept,
                        run.stderr)


def writers(tally):
    for _ in range(3):
        runs = [subprocess.Popen([NCCLWHY, "--json", "--db", "shared", LOG], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)]
        for run in runs:
            out, said = run.communicate(timeout=60)
            tally.check("several writers", CAUSE in out and run.returncode == (2 if said else 1), said)
        tally.check("behind several writers", ask("shared").stdout == ask("whole").stdout)


def kills(tally):
    moments = random.Random(int(os.environ.get("NCCLWHY_SEED", 18)))
    for number in range(40):
        if number % 2 and os.path.exists("killed"):
            os.unlink("killed")
        run = subprocess.Popen([NCCLWHY, "--db", "killed", LOG], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moments.random() * 0.12)
        run.kill()
        run.wait()
        tally.check("kill -9", not os.path.exists("killed") or ask("killed").stdout == ask("whole").stdout)


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="ncclwhy database ") as folder:
        os.chdir(folder)
        tally.check("a timeline", analyse("--db", "whole").returncode == 1 and ask("whole").returncode == 0)
        for attack in (foreign, limits, writers, kills):
            attack(tally)
        os.chdir("/")
    print(f"hostile: database tried {tally.tried} failed {tally.failed}")
    return tally.failed > 0


if __name__ == "__main__":
    sys.exit(main())
