#!/usr/bin/env python3
"""The short answer is short: length_test.py NCCLWHY FOLDER...

FOLDER holds cases (folders). Of the answer to every case: at most 20 rows of 100 columns, 24 where candidates are listed,
and a row for each of several jobs; the median is at most 16.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import unicodedata

COLUMNS = 100
ROWS, UNDETERMINED_ROWS, MEDIAN = 20, 24, 16
JOBS = 8


def width(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def rows(text):
    return sum(max(1, -(-width(line) // COLUMNS)) for line in text.splitlines())


def main():
    binary, *folders = sys.argv[1:]
    lengths, long = [], 0
    for case in sorted(p for folder in folders for p in pathlib.Path(folder).iterdir() if p.is_dir()):
        files = sorted(str(p) for p in case.rglob("*") if p.is_file() and p.name != "incident.json")
        report = json.loads(subprocess.run([binary, "--json", *files], capture_output=True, check=False).stdout)
        most = UNDETERMINED_ROWS if report["verdict"] == "undetermined" else ROWS
        jobs = len(report.get("jobs", []))
        most += min(jobs, JOBS) + 2 if jobs else 0
        for language in ("en", "zh"):
            out = subprocess.run([binary, "--lang", language, *files], capture_output=True, check=False).stdout
            here = rows(out.decode("utf-8"))
            lengths.append(here)
            if here > most:
                long += 1
                print(f"{case} ({language}): {here} rows, at most {most}")
    median = statistics.median(lengths) if lengths else 0
    print(f"{len(lengths)} answers, median {median} rows, longest {max(lengths, default=0)}, {long} too long")
    sys.exit(1 if long or not lengths or median > MEDIAN else 0)


main()
