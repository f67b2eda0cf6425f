#!/usr/bin/env python3
"""Labelled logs as people paste them: the answer must not hang on an intact header or on a line's shape.

usage: degrade_test.py NCCLWHY_SCORE SAMPLES

Makes a copy of SAMPLES/incidents and SAMPLES/healthy for each way of damage and scores it. Only sources up to 64 KiB are
damaged: longer ones are logs that nobody pastes."""
import html, json, os, re, shutil, subprocess, sys, tempfile, textwrap

HEADER = re.compile(r"^.*?(?=(?:\S+:\d+ )?(?:\(\w+\) )?NCCL (?:INFO|WARN|VERSION) )")
MOST = 64 * 1024


def each(change):
    return lambda lines: [change(i, line) for i, line in enumerate(lines)]


def listed(lines):
    return [f"{i + 1:4d}  {line}" for i, line in enumerate(lines)]


def glued(lines):
    out, now = [], ""
    for line in lines:
        if len(now) + len(line) > 8000:
            out.append(now)
            now = ""
        now = f"{now} {line.strip()}".strip()
    return out + [now]


FULL_WIDTH = str.maketrans({c: chr(ord(c) + 0xFEE0) for c in ":,();!?"})


def smart(line):
    line = re.sub(r"'([^']*)'", "\u2018\\1\u2019", line)
    return re.sub(r'"([^"]*)"', "\u201c\\1\u201d", line).replace("--", "\u2014").replace("...", "\u2026")


# As a terminal does, in the middle of a word.
def wrapped(lines):
    return [line[at:at + 80] for line in lines for at in range(0, max(len(line), 1), 80)]


# As a logger does that has a column for the text.
def wrapped_at_blanks(lines):
    return [part for line in lines for part in textwrap.wrap(line, 100, subsequent_indent=" " * 11, break_long_words=False) or [""]]


# way -> (what it does to the lines, least share of causes that are right, whether healthy ones stay healthy)
WAYS = {
    "found by grep": (each(lambda i, line: f"out/node{i % 4}.log:{3 * i + 1}:{line}"), 90),
    "listed with numbers": (listed, 95),
    "row of a table": (each(lambda i, line: f"| {line} |"), 95),
    "quoted in a reply": (each(lambda i, line: f"> {line}"), 95),
    "through a logger": (each(lambda i, line: f"2026-03-01 10:{i // 60 % 60:02d}:{i % 60:02d},000 - driver - INFO - {line}"), 95),
    "cell of a CSV file": (each(lambda i, line: f'2026-03-01T10:{i // 60 % 60:02d}:{i % 60:02d}Z,job-7,"' + line.replace('"', '""') + '"'), 85),
    "escaped for HTML": (each(lambda i, line: html.escape(line)), 95),
    "everything twice": (lambda lines: [copy for line in lines for copy in (line, line)], 95),
    "without hosts": (each(lambda i, line: HEADER.sub("", line)), 80),
    "line breaks lost": (glued, 80),
    "blanks that do not break": (each(lambda i, line: line.replace(" ", "\u00a0")), 95),
    "full-width punctuation": (each(lambda i, line: line.translate(FULL_WIDTH)), 95),
    "quotes of a word processor": (each(lambda i, line: smart(line)), 95),
    "in a JSON document": (lambda lines: [json.dumps({"job": 17, "logs": "\n".join(lines) + "\n"})], 95),
    "a JSON list": (lambda lines: [json.dumps(lines)], 95),
    "wrapped at 80": (wrapped, 90),
    "wrapped at 100, indented": (wrapped_at_blanks, 80),
    "newest first": (lambda lines: lines[::-1], 85),
    "clipped at 120": (each(lambda i, line: line[:120]), 80),
}


def damage(source, target, change):
    for folder in sorted(os.listdir(source)):
        inside = os.path.join(source, folder)
        if not os.path.isdir(inside):
            continue
        os.makedirs(os.path.join(target, folder))
        for name in os.listdir(inside):
            path, copy = os.path.join(inside, name), os.path.join(target, folder, name)
            if name == "incident.json" or os.path.getsize(path) > MOST or not os.path.isfile(path):
                shutil.copy(path, copy)
                continue
            with open(path, encoding="utf-8", errors="surrogateescape") as log:
                lines = log.read().splitlines()
            with open(copy, "w", encoding="utf-8", errors="surrogateescape") as log:
                log.write("\n".join(change(lines)) + "\n")


def main():
    score, samples = sys.argv[1:]
    failed = []
    for way, (change, least) in WAYS.items():
        with tempfile.TemporaryDirectory() as out:
            damage(os.path.join(samples, "incidents"), os.path.join(out, "incidents"), change)
            damage(os.path.join(samples, "healthy"), os.path.join(out, "healthy"), change)
            for options in (["--min-top1", str(least), os.path.join(out, "incidents")],
                            ["--max-alarms", "0", os.path.join(out, "healthy")]):
                run = subprocess.run([score, "--mode", "whole", *options], capture_output=True, text=True)
                print(f"{way}: {run.stdout.strip()}")
                if run.returncode != 0:
                    failed.append(way)
                    print(run.stderr.strip())
    if failed:
        sys.exit("not read well enough: " + ", ".join(failed))


if __name__ == "__main__":
    main()
