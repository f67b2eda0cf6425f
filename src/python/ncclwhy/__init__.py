"""What broke an NCCL job first, where, why and what fixes it: the ncclwhy library or program from Python.

    import ncclwhy

    report = ncclwhy.analyze("logs/")                # a path, several, bytes, or chunks of bytes
    if report.cause:
        print(report.cause.title, report.cause.culprits, report.cause.fixes[0].text)
    print(report)                                    # what the command prints
    print(report.render("markdown"))

    print(ncclwhy.explain("shm.too-small"))          # without any log
    print(ncclwhy.diff("monday/", "tuesday/"))       # what differs between two runs

Standard library only. In a notebook a report shows itself. For training programs: ncclwhy.torch.
"""

__version__ = "0.1.0"

from ncclwhy.analyzer import Analyzer, analyze, diff, explain, version
from ncclwhy.engine import Error
from ncclwhy.report import Report

__all__ = ["Analyzer", "Error", "Report", "analyze", "diff", "explain", "version"]
