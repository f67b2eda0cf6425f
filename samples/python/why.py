#!/usr/bin/env python3
"""One row for each job of a folder of folders: what became of it, the cause, who, and the first fix.

    why.py RUNS > runs.csv
"""
import csv
import os
import sys

import ncclwhy

table = csv.writer(sys.stdout)
table.writerow(["job", "outcome", "cause", "confidence", "culprit", "fix"])
for job in sorted(entry.path for entry in os.scandir(sys.argv[1]) if entry.is_dir()):
    report = ncclwhy.analyze(job)
    cause = report.cause
    table.writerow(
        [os.path.basename(job), report.outcome]
        + ([cause.id, "%.2f" % cause.confidence, next(map(str, cause.culprits), ""), cause.fixes[0].text] if cause else [""] * 4)
    )
