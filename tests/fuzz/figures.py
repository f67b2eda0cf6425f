#!/usr/bin/env python3
"""Prints what the tests of trust amount to:

    python3 tests/fuzz/figures.py [--build build/release] [--coverage build/coverage] [--full]

executions of each fuzz target (runs.jsonl, written down behind long runs), line coverage of the parser and the rules by
the corpora, faults that were injected, hostile inputs that were tried. --build is a build with NCCLWHY_TEST_EXTRAS=ON,
--coverage one with NCCLWHY_COVERAGE=ON as well; what is needed of either is configured and built first. --full fails
every allocation and runs the hostile inputs at the promised size, which takes the better part of an hour.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CORPUS = {"line_reader": "logs", "prefix": "logs", "segments": "logs", "analysis": "logs", "rule": "rules", "kb": "kb",
          "c_api": "c_api", "archive": "archive", "http_body": "http", "pulse": "logs", "slice": "logs", "witness": "witness",
          "digest": "digest"}


def executions():
    total = collections.OrderedDict((target, [0, 0, 0, 0]) for target in CORPUS)
    for line in (HERE / "runs.jsonl").read_text().splitlines():
        run = json.loads(line)
        sums = total[run["target"]]
        sums[0] += run["executions"]
        sums[1] += run["seconds"]
        sums[2] = max(sums[2], run["edges"])
        sums[3] += run["findings"]
    print("fuzz target   executions  seconds   edges  findings")
    for target, (count, seconds, edges, findings) in total.items():
        print(f"{target:12} {count:11,} {seconds:8,} {edges:7,} {findings:9}")


def make(build, targets, *options):
    """Configures `build` unless it is, and builds `targets`."""
    if not (build / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DNCCLWHY_TEST_EXTRAS=ON", *options], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--target", *targets], check=True, stdout=subprocess.DEVNULL)


def replay(build, target, folders):
    subprocess.run([build / "tests/fuzz" / f"{target}_replay", *folders], check=True, stdout=subprocess.DEVNULL)


def coverage(build):
    for old in build.rglob("*.gcda"):
        old.unlink()
    for target, folder in CORPUS.items():
        folders = [HERE / "corpus" / folder]
        if (HERE / "regressions" / target).is_dir():
            folders.append(HERE / "regressions" / target)
        replay(build, target, folders)
    rooms = {"parser": [0, 0], "rules": [0, 0]}
    files = []
    for data in sorted(build.rglob("*.gcda")):
        text = subprocess.run(["gcov", "-n", "-s", ROOT, "-r", data], cwd=build, check=True, capture_output=True,
                              text=True).stdout
        for name, percent, lines in re.findall(r"File '([^']*)'\nLines executed:([\d.]+)% of (\d+)", text):
            room = name.split("/")[0]
            # A header's lines are counted in each file again: sources only.
            if room not in rooms or not name.endswith(".cc") or pathlib.Path(name).stem not in data.name:
                continue
            hit = round(float(percent) * int(lines) / 100)
            rooms[room][0] += hit
            rooms[room][1] += int(lines)
            files.append((float(percent), int(lines) - hit, name))
    print("\nline coverage by the corpora")
    for room, (hit, lines) in rooms.items():
        print(f"{room:12} {hit:6,} of {lines:6,} lines  {100 * hit / max(lines, 1):5.1f} %")
    for percent, missed, name in sorted(files, key=lambda f: -f[1])[:8]:
        print(f"  {name:44} {percent:5.1f} %  {missed:4} lines missed")
    return all(hit >= 0.9 * lines for hit, lines in rooms.values())


def run(program):
    done = subprocess.run([program], capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout + done.stderr)
        sys.exit(f"{program} failed")
    return done.stdout


def trials(build):
    faults = run(build / "tests/faults/faults_test")
    calls = sum(int(n) for n in re.findall(r"(\d+) calls failed", faults))
    print(f"\ncalls of the system that failed once each         {calls:9,}")
    allocation = build / "tests/faults/allocation_test"
    if allocation.exists():
        found = re.findall(r"^(.*?) +(\d+) allocations, +(\d+) runs", run(allocation), re.MULTILINE)
        for what, allocations, runs in found:
            print(f"allocations that failed, {what:20} {int(runs):14,}  (there are {int(allocations):,})")
    hostile = run(build / "tests/hostile/hostile_test")
    streams = re.findall(r"exit +(-?\d+) +([\d.]+) MB in +([\d.]+) MB peak", hostile)
    texts = re.search(r"(\d+) hostile texts, each in (\d+) formats and languages", hostile)
    print(f"hostile streams                                   {len(streams):9,}")
    print(f"  bytes in the largest, MB                        {max(float(s[1]) for s in streams):9,.0f}")
    print(f"  memory at most, MB                              {max(float(s[2]) for s in streams):9,.0f}")
    print(f"hostile texts in reports, each in {texts[2]} renderings     {int(texts[1]):9,}")
    print("failed checks in these runs                               0")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    arguments.add_argument("--coverage", type=pathlib.Path, default=ROOT / "build/coverage")
    arguments.add_argument("--full", action="store_true")
    options = arguments.parse_args()
    if options.full:
        os.environ["NCCLWHY_HOSTILE"] = "full"
    make(options.coverage, [f"{target}_replay" for target in CORPUS], "-DNCCLWHY_COVERAGE=ON", "-DNCCLWHY_WERROR=OFF")
    make(options.build, ["faults_test", "allocation_test", "hostile_test"])
    executions()
    enough = coverage(options.coverage)
    trials(options.build)
    sys.exit(0 if enough else "less than 90 % of the lines")


if __name__ == "__main__":
    main()
