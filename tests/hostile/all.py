#!/usr/bin/env python3
"""Runs every generator of attacks and prints what was tried and what failed, by class:

    python3 tests/hostile/all.py [build/release]

The build has NCCLWHY_TEST_EXTRAS=ON. Exit status 1 when anything failed.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent.parent / "build/release").resolve()
    environment = dict(os.environ, NCCLWHY=str(build / "ncclwhy"), NCCLWHY_SOURCE_DIR=str(HERE.parent.parent))
    programs = [[build / "tests/hostile/hostile_test"], [build / "tests/faults/faults_test"]]
    programs += [[sys.executable, "-B", script] for script in sorted(HERE.glob("*_test.py"))]
    sums, broken = collections.OrderedDict(), []
    for program in programs:
        run = subprocess.run(list(map(str, program)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, check=False)
        text = run.stdout.decode(errors="replace")
        for name, tried, failed in re.findall(r"(?m)^hostile: (\S+) tried (\d+) failed (\d+)$", text):
            before = sums.get(name, (0, 0))
            sums[name] = (before[0] + int(tried), before[1] + int(failed))
        for cases, assertions in re.findall(r"(\d+) assertions in (\d+) test cases", text):
            before = sums.get("assertions", (0, 0))
            sums["assertions"] = (before[0] + int(cases), before[1])
        if run.returncode != 0:
            broken.append(pathlib.Path(program[-1]).name)
            sys.stdout.write(text[-4000:])
    print(f"{'class':<16} {'tried':>8} {'failed':>8}")
    for name, (tried, failed) in sums.items():
        print(f"{name:<16} {tried:>8} {failed:>8}")
    for name in broken:
        print(f"{name}: failed")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
