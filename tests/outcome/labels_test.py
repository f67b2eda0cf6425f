"""The same job behind the labels of every launcher and collector: the answer stays.

labels_test.py BINARY [--allow N] FOLDER...

A FOLDER holds one folder for each job: a file of all ranks whose lines have a launcher's labels, or a file for each rank. What each rank wrote is put into
one file behind each form of label; exit status, outcome, first cause and, where the form tells ranks, culprits have to be those of the job as it was.
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
            told = ranks_of(files)
            if not told:
                continue
            was = answer(given.binary, files)
            for form, (label, tells_rank) in FORMS.items():
                with tempfile.TemporaryDirectory() as scratch:
                    path = os.path.join(scratch, "job.log")
                    with open(path, "w", errors="surrogateescape", newline="\n") as log:
                        log.write("\n".join(text if n is None else label(n, text) for n, text in told) + "\n")
                    now = answer(given.binary, [path])
                tried += 1
                if now[: 4 if tells_rank else 3] != was[: 4 if tells_rank else 3]:
                    wrong += 1
                    print(f"{job} behind labels of {form}: {now} instead of {was}")
    print(f"labels: {tried} tried, {wrong} wrong, {given.allow} allowed")
    return 1 if wrong > given.allow or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
