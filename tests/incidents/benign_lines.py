#!/usr/bin/env python3
"""Puts every benign line that is known into the middle of a healthy job, one at a time: none may raise an alarm.

    benign_lines.py NCCLWHY SOURCE_TREE

Benign are the messages of kb/messages that say so for every version, rendered as NCCL prints them, and the logs that fire rules of role
benign. The job is the first of samples/healthy.
"""
import json
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

NCCLWHY, TREE = sys.argv[1], pathlib.Path(sys.argv[2])
VALUES = {"s": "eth0", "c": "a", "p": "0x7f00", "x": "1f", "f": "1.5", "g": "1.5"}


def rendered(text):
    text = re.sub(r"\{[A-Z_]+\}", "2", text).split("\n")[0]
    return re.sub(r"%[-0-9.*]*(?:hh|h|ll|l|z|t|j)?([a-zA-Z])", lambda m: VALUES.get(m.group(1), "3"), text)


def lines(head):
    for file in sorted((TREE / "kb" / "messages").glob("*.jsonl")):
        for text in filter(None, file.read_text().split("\n")):
            message = json.loads(text)
            if message["meaning"] == "benign" and "by_version" not in message and message["level"] in ("INFO", "WARN"):
                level = "NCCL INFO " if message["level"] == "INFO" else "misc/utils.cc:12 NCCL WARN "
                yield head + level + rendered(message["format"])
    for file in sorted((TREE / "rules" / "catalog").glob("*/*/rule.json")):
        if json.loads(file.read_text())["role"] == "benign":
            for log in sorted(file.parent.glob("fires*.log")):
                yield log.read_text(errors="replace").strip("\n")


def main():
    log = sorted(next(p for p in sorted((TREE / "samples" / "healthy").iterdir()) if p.is_dir()).glob("*.log"))[0]
    job = log.read_text(errors="replace").split("\n")
    head = next(m.group(1) for m in (re.match(r"(\S+:\d+:\d+ \[\d+\] )NCCL INFO", line) for line in job) if m)
    half = len(job) // 2

    def verdict(line):
        text = "\n".join(job[:half] + [line] + job[half:])
        done = subprocess.run([NCCLWHY, "--json", "-"], input=text, capture_output=True, text=True, check=False)
        return json.loads(done.stdout)["verdict"]

    tried = list(lines(head))
    with ThreadPoolExecutor(2) as pool:
        alarms = [(line, v) for line, v in zip(tried, pool.map(verdict, tried)) if v in ("failure", "undetermined")]
    for line, v in alarms:
        print(f"{v}: {line[:200]!r}")
    print(f"{len(tried)} benign lines, {len(alarms)} alarms")
    return 1 if alarms or len(tried) < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
