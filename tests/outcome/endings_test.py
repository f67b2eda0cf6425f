#!/usr/bin/env python3
"""HEALTHY is never said of a log that holds a bad ending: endings.txt, each behind healthy logs.

endings_test.py NCCLWHY [FOLDER...]
"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent.parent / "samples/healthy"


def main():
    binary, *folders = sys.argv[1:]
    logs = [pathlib.Path(f) for f in folders] or sorted(p for p in SAMPLES.iterdir() if p.is_dir())[:2]
    endings = [e for e in (HERE / "endings.txt").read_text().split("\n") if e and not e.startswith("#")]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="ncclwhy-endings-") as folder:
        path = pathlib.Path(folder) / "job.log"
        for log in logs:
            healthy = b"".join(p.read_bytes() for p in sorted(log.glob("*.log")))
            for ending in endings:
                path.write_bytes(healthy + ending.replace("|", "\n").encode() + b"\n")
                run = subprocess.run([binary, "--format", "summary", path], capture_output=True, check=False, text=True)
                if run.returncode not in (1, 3):
                    failed += 1
                    print("%s: %s: status %d, %s" % (log.name, ending, run.returncode, run.stdout.strip()))
    print("%d endings behind %d logs, %d failed" % (len(endings), len(logs), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
