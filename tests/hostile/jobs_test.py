#!/usr/bin/env python3
"""Several jobs in one place: a healthy run before, behind or beside a failing one hides nothing and is not blamed, and of
three failing jobs in one folder each is told with its own cause.

Jobs are folders of logs. NCCLWHY_MORE_JOBS names a folder with more of them; then all pairs of a sample are tried.
"""
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

NCCLWHY = os.environ["NCCLWHY"]
SOURCE = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
MORE = os.environ.get("NCCLWHY_MORE_JOBS")
# Of every hundred pairs of foreign jobs at most so many may fail.
ALLOWED = 20 if MORE else 0
BAD = ("failure", "undetermined")


class Case:
    def __init__(self, folder):
        self.name = folder.name
        self.files = {}
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.name not in ("incident.json", "README.md"):
                data = path.read_bytes()
                self.files[str(path.relative_to(folder))] = data if data.endswith(b"\n") or not data else data + b"\n"
        with tempfile.TemporaryDirectory(prefix="ncclwhy-jobs-") as tmp:
            for name, data in self.files.items():
                write(pathlib.Path(tmp) / self.name / name, data)
            self.status, self.report = analyze(tmp)
        self.answer = answer(self.report)
        self.hosts = {rank["host"] for comm in self.report["job"]["communicators"] for rank in comm["ranks"] if rank.get("host")}


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab") as out:
        out.write(data)


def analyze(folder):
    run = subprocess.run([NCCLWHY, "--format", "json", folder], stdout=subprocess.PIPE, check=False)
    return run.returncode, json.loads(run.stdout)


def answer(report):
    """(verdict, cause)"""
    named = report["verdict"] == "failure" and report["causes"]
    return report["verdict"], report["causes"][0]["id"] if named else None


def culprits(report):
    return {who["host"] for cause in report["causes"][:1] for who in cause["culprits"] or [] if who.get("host")}


def place(how, tmp, cases):
    tmp = pathlib.Path(tmp)
    for case, tag in zip(cases, ("alpha", "beta", "gamma")):
        for name, data in case.files.items():
            if how == "folders":
                write(tmp / case.name / name, data)
            elif how == "one-folder":
                write(tmp / f"{tag}-{name.replace('/', '-')}", data)
            elif how == "one-file":
                write(tmp / "all.log", data)
            else:
                write(tmp / name, data)


def pair(how, first, second, healthy, failing):
    """What is wrong with the answer, or nothing."""
    with tempfile.TemporaryDirectory(prefix="ncclwhy-jobs-") as tmp:
        place(how, tmp, (first, second))
        status, report = analyze(tmp)
    if status != failing.status:
        return f"exit status {status} instead of {failing.status}"
    if answer(report) != failing.answer:
        return f"{answer(report)} instead of {failing.answer}"
    blamed = culprits(report) & (healthy.hosts - failing.hosts) - culprits(failing.report)
    return f"blames {sorted(blamed)} of the healthy job" if blamed else ""


def fits(how, cases):
    if how == "one-file":
        return all(len(case.files) == 1 for case in cases)
    if how == "same-files":
        return set(cases[0].files) & set(cases[1].files)
    return True


def main():
    folders = [path for kind in ("healthy", "incidents") for path in sorted((SOURCE / "samples" / kind).iterdir()) if path.is_dir()]
    if MORE:
        folders = sorted(path for path in pathlib.Path(MORE).iterdir() if path.is_dir())
    cases = [Case(folder) for folder in folders]
    healthy = [case for case in cases if case.status == 0]
    failing = [case for case in cases if case.report["verdict"] in BAD]
    assert len(healthy) > 5 and len(failing) > 15
    choose = random.Random(int(os.environ.get("NCCLWHY_SEED", 18)))
    tried, wrong = collections.Counter(), []
    for number, bad in enumerate(failing):
        good = healthy[number % len(healthy)] if not (MORE or "NCCLWHY_SEED" in os.environ) else choose.choice(healthy)
        for how in ("folders", "one-folder", "one-file", "same-files"):
            if not fits(how, (good, bad)):
                continue
            for first, second in ((good, bad), (bad, good)):
                tried[how] += 1
                problem = pair(how, first, second, good, bad)
                if problem:
                    wrong.append(f"{how}: {first.name} then {second.name}: {problem}")
    named = [case for case in failing if case.answer[1]]
    for number in range(0, len(named) - 2, 3):
        three = named[number:number + 3]
        tried["three"] += 1
        with tempfile.TemporaryDirectory(prefix="ncclwhy-jobs-") as tmp:
            place("folders", tmp, three)
            status, report = analyze(tmp)
        told = sorted((job["name"], job.get("cause")) for job in report["jobs"])
        if status != 1 or told != sorted((case.name, case.answer[1]) for case in three):
            wrong.append(f"three: {told} of {[(case.name, case.answer[1]) for case in three]}")
    for problem in wrong:
        print(problem)
    print("tried:", dict(tried))
    print(f"hostile: jobs tried {sum(tried.values())} failed {len(wrong)}")
    return len(wrong) * 100 > ALLOWED * sum(tried.values())


if __name__ == "__main__":
    sys.exit(main())
