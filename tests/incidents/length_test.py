#!/usr/bin/env python3
"""The short answer is short: length_test.py NCCLWHY FOLDER... [--print]

FOLDER holds cases (folders). Of the answer to every case: at most 20 rows of 100 columns, 24 where candidates are listed,
and a row for each of several jobs; the median over all folders is at most 16.
"""
import json
import statistics
import sys
import unicodedata

from cases import answer, arguments, cases_of, files_of, in_order

COLUMNS = 100
ROWS, UNDETERMINED_ROWS, MEDIAN = 20, 24, 16
JOBS = 8


def width(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def rows(text):
    return sum(max(1, -(-width(line) // COLUMNS)) for line in text.splitlines())


def main():
    binary, folders, only_print = arguments()

    def measured(case):
        files = files_of(case)
        report = json.loads(answer(binary, files, "--json"))
        most = UNDETERMINED_ROWS if report["verdict"] == "undetermined" else ROWS
        jobs = len(report.get("jobs", []))
        most += min(jobs, JOBS) + 2 if jobs else 0
        return most, [(language, rows(answer(binary, files, "--lang", language).decode())) for language in ("en", "zh")]

    everything, long = [], 0
    for folder in folders:
        lengths = []
        for case, (most, answers) in in_order(measured, cases_of(folder)):
            for language, here in answers:
                lengths.append(here)
                if here > most:
                    long += 1
                    print(f"{case} ({language}): {here} rows, at most {most}")
        everything += lengths
        print(f"{folder}: {len(lengths)} answers, median {statistics.median(lengths or [0])} rows, longest {max(lengths, default=0)}")
    median = statistics.median(everything or [0])
    print(f"{len(everything)} answers, median {median} rows, longest {max(everything, default=0)}, {long} too long")
    sys.exit(0 if only_print else 1 if long or not everything or median > MEDIAN else 0)


main()
