"""The same job behind the labels of every launcher, and as every collector hands it out: the answer stays.

labels_test.py BINARY [--allow N] FOLDER...

A FOLDER holds one folder for each job: a file of all ranks whose lines have a launcher's labels, or a file for each rank. What each rank wrote is put into
one file behind each form of label; exit status, outcome, first cause and, where the form tells ranks, culprits have to be those of the job as it was. Then
every file of every job is what a collector makes of it: exit status, outcome and first cause stay.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

LABELLED = re.compile(r"^(?:\[(?:[\w.-]+@)?\d+,(\d+)\]<std(?:out|err)>:| *(\d+): ?)(.*)$", re.S)
RANK_FILE = re.compile(r"rank[_-]?(\d+)\D*$")
# form -> (how a line of a rank looks, whether it tells the rank)
FORMS = {
    "srun": (lambda n, text: f"{n}: {text}", True),
    "srun, padded": (lambda n, text: f"{n:>3}: {text}", True),
    "mpirun": (lambda n, text: f"[1,{n}]<stdout>:{text}", True),
    "prterun": (lambda n, text: f"[prterun-head-4711@1,{n}]<stderr>: {text}", True),
    "hydra": (lambda n, text: f"[{n}] {text}", True),
    "torch": (lambda n, text: f"[rank{n}]: {text}", True),
    "torchrun": (lambda n, text: f"[default{n}]:{text}", False),
    "pdsh": (lambda n, text: f"worker-{n}: {text}", False),
    "compose": (lambda n, text: f"worker-{n}  | {text}", False),
    "kubectl": (lambda n, text: f"[pod/train-{n}/main] {text}", False),
    "json": (lambda n, text: json.dumps({"log": text + "\n", "stream": "stdout", "kubernetes": {"pod_name": f"train-{n}"}}), False),
}

ZONED = "2026-11-22T{h:02}:{m:02}:{s:02}.{ms:03}4567Z"
# collector -> (its time, a line with that time, of file number N)
COLLECTORS = {
    "GitHub": (ZONED, lambda time, text, n: f"{time} {text}"),
    "GitLab": (ZONED, lambda time, text, n: f"{time} 01O {text}"),
    "Jenkins": (ZONED, lambda time, text, n: f"[{time}] {text}"),
    "kubectl, containerd": (ZONED, lambda time, text, n: f"{time} stdout F {text}"),
    "tab": ("2026-11-22 {h:02}:{m:02}:{s:02}", lambda time, text, n: f"{time}\t{text}"),
    "ts": ("Nov 22 {h:02}:{m:02}:{s:02}", lambda time, text, n: f"{time} {text}"),
    "journal": ("Nov 22 {h:02}:{m:02}:{s:02}", lambda time, text, n: f"{time} gpu-a17 train[{4711 + n}]: {text}"),
    "Docker": (ZONED, lambda time, text, n: json.dumps({"log": text + "\n", "stream": "stderr", "time": time})),
    "Loki": (ZONED, lambda time, text, n: json.dumps({"labels": {"pod": f"train-{n}"}, "line": text, "timestamp": time})),
    "Elastic": (ZONED, lambda time, text, n: json.dumps({"@timestamp": time, "message": text, "kubernetes": {"pod": {"name": f"train-{n}"}}})),
    "Google Cloud": (ZONED, lambda time, text, n: json.dumps({"textPayload": text, "timestamp": time, "severity": "ERROR"})),
    "VictoriaLogs": (ZONED, lambda time, text, n: json.dumps({"_msg": text, "_stream": '{pod="train"}', "_time": time})),
    "OpenTelemetry": (ZONED, lambda time, text, n: json.dumps({"timestamp": time, "body": text, "resource": {"pod": f"train-{n}"}})),
    "CRLF": ("", lambda time, text, n: text + "\r"),
}


def lines_of(path):
    with open(path, errors="surrogateescape", newline="\n") as log:
        return log.read().split("\n")


def ranks_of(files):
    """(rank or None, text) in order; None: no rank's. Empty when it is no such job."""
    if len(files) == 1:
        found = [(LABELLED.match(line), line) for line in lines_of(files[0])]
        told = [(int(m[1] or m[2]), m[3]) if m else (None, line) for m, line in found]
        return told if sum(n is not None for n, _ in told) >= 5 else []
    named = [RANK_FILE.search(os.path.basename(f)) for f in files]
    if not all(named):
        return []
    # Each file takes its share of the whole, as ranks that work at one pace do. Of ranks that say little nobody knows when they said it.
    texts = [lines_of(path) for path in files]
    texts = [lines[:-1] if lines and not lines[-1] else lines for lines in texts]
    if min(map(len, texts)) * 3 < max(map(len, texts)):
        return []
    placed = []
    for match, lines in zip(named, texts):
        placed += [((i + 1) / len(lines), int(match[1]), line) for i, line in enumerate(lines)]
    return [(n, text) for _, n, text in sorted(placed, key=lambda p: (p[0], p[1]))]


def collected(files, scratch, collector):
    time, line = COLLECTORS[collector]
    made = []
    for n, path in enumerate(files):
        made.append(os.path.join(scratch, os.path.basename(path)))
        texts = lines_of(path)
        last = texts.pop()
        out = []
        for i, text in enumerate(texts + ([last] if last else [])):
            at = 36000 + i // 20
            out.append(line(time.format(h=at // 3600, m=at // 60 % 60, s=at % 60, ms=i * 37 % 1000), text, n))
        with open(made[-1], "w", errors="surrogateescape", newline="\n") as log:
            log.write("\n".join(out) + ("" if last else "\n"))
    return made


def answer(binary, files):
    run = subprocess.run([binary, "--format", "json", *files], capture_output=True, check=False, timeout=120)
    report = json.loads(run.stdout)
    first = report["causes"][:1]
    culprits = sorted({c.get("rank", -1) for c in first[0].get("culprits", [])}) if first else []
    return [run.returncode, report["outcome"], first[0]["id"] if first else None, culprits]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--allow", type=int, default=0)
    given = parser.parse_args()
    tried = wrong = 0
    for folder in given.folders:
        for job in sorted(os.listdir(folder)):
            inside = os.path.join(folder, job)
            if not os.path.isdir(inside):
                continue
            files = [os.path.join(inside, f) for f in sorted(os.listdir(inside)) if f != "incident.json"]
            files = [f for f in files if os.path.isfile(f)]
            was = answer(given.binary, files)

            def check(kind, made, fields):
                nonlocal tried, wrong
                tried += 1
                now = answer(given.binary, made)
                if now[:fields] != was[:fields]:
                    wrong += 1
                    print(f"{job} {kind}: {now} instead of {was}")

            told = ranks_of(files)
            for form, (label, tells_rank) in FORMS.items() if told else ():
                with tempfile.TemporaryDirectory() as scratch:
                    path = os.path.join(scratch, "job.log")
                    with open(path, "w", errors="surrogateescape", newline="\n") as log:
                        log.write("\n".join(text if n is None else label(n, text) for n, text in told) + "\n")
                    check(f"behind labels of {form}", [path], 4 if tells_rank else 3)
            for collector in COLLECTORS:
                with tempfile.TemporaryDirectory() as scratch:
                    check(f"from {collector}", collected(files, scratch, collector), 3)
    print(f"labels: {tried} tried, {wrong} wrong, {given.allow} allowed")
    return 1 if wrong > given.allow or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
