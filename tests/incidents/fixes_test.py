#!/usr/bin/env python3
"""The fixes of every labelled case fit its logs: fixes_test.py NCCLWHY FOLDER...

Of rules/catalog every third case, with NCCLWHY_HOSTILE=full all of them.
FOLDER holds cases (folders), or is rules/catalog, whose fires logs are cases too. Of every offered fix is asked: does it
name an interface, device or address that the logs do not show, set what is set to that already, unset what nobody set,
leave a placeholder that the logs fill, or stand in for an environment that they contradict?
"""
import json
import os
import pathlib
import re
import subprocess
import sys

DEVICE = re.compile(r"\b(?:mlx[45]_\d+|bnxt_re\d+|eth\d+|en[sop]\d\w*|ib\d+|bond\d+)\b")
ADDRESS = re.compile(r"\b\d+\.\d+\.\d+\.\d+\b")
# What the environment that a fix is for excludes, unless it is shown itself.
AGAINST = {"docker": {"slurm", "kubernetes", "srun"}, "kubernetes": {"slurm", "srun"}, "slurm": {"kubernetes"},
           "vllm": set(), "bare-metal": {"kubernetes"}}
SHOWN_ONLY = {"vllm", "ray"}
MOST = 3


def known(report, text):
    """Placeholders that this report could fill."""
    out = {}
    culprit = next(iter(report["causes"][0].get("culprits", [])), {})
    facts = {f["name"]: f["value"] for f in report["job"].get("environment", [])}
    pods = {f["value"] for f in report["job"].get("environment", []) if f["name"] == "pod"}
    pods |= set(re.findall(r"^(\S+) +\d+/\d+ +\w", text, re.MULTILINE))  # rows of kubectl get pods
    plain = re.fullmatch(r"\w[\w.-]*", culprit.get("host", ""))
    if plain and culprit["host"] not in pods and not re.fullmatch("[0-9a-f]{12}", culprit["host"]):
        out["NODE"] = culprit["host"]
    if culprit.get("device"):
        out["DEVICE"] = culprit["device"]
    if "pod" in facts:
        out["POD"] = facts["pod"]
    ranks = next(iter(report["job"].get("communicators", [])), {}).get("ranks", [])
    first = next((r for r in ranks if r.get("rank") == 0 and r.get("host")), None)
    if first:
        out["HOST0"] = first["host"]
    return out


def complaints(report, text):
    cause = report["causes"][0]
    facts = {f["value"] for f in report["job"].get("environment", [])}
    if len(cause["fixes"]) > MOST:
        yield f"{len(cause['fixes'])} fixes"
    if not cause["fixes"]:
        yield "no fix"
    for fix in cause["fixes"]:
        command = fix.get("command", "")
        for name in DEVICE.findall(command):
            if name not in text:
                yield f"{name} is not in the log: {command}"
        for address in ADDRESS.findall(command):
            if address not in text:
                yield f"{address} is not in the log: {command}"
        for names in re.findall(r"\bunset ([A-Z0-9_ ]+)", command):
            for name in names.split():
                if name not in text:
                    yield f"{name} is not set: {command}"
        for name, value in re.findall(r"\b([A-Z]+_[A-Z0-9_]+)=([^\s;]+)", command):
            values = set(re.findall(rf"\b{name} set by environment to (\S+?)\.?\s", text))
            if values == {value}:
                yield f"{name} is {value} already: {command}"
        for placeholder, value in known(report, text).items():
            if re.search(rf"(?<![\w$/]){placeholder}(?!\w)", command):
                yield f"{placeholder} is {value}: {command}"
        environment = fix["for"]
        if environment not in facts and facts & AGAINST.get(environment, set()):
            yield f"for {environment}, the log shows {facts & AGAINST[environment]}"
        if environment in SHOWN_ONLY and environment not in facts:
            yield f"for {environment}, which the log does not show"


def cases(folder):
    if folder.name == "catalog":
        for case in sorted(folder.glob("*/*/fires*"))[::1 if os.environ.get("NCCLWHY_HOSTILE") == "full" else 3]:
            yield case, [case] if case.is_file() else sorted(p for p in case.iterdir() if p.is_file())
        return
    for case in sorted(p for p in folder.iterdir() if p.is_dir()):
        yield case, sorted(p for p in case.rglob("*") if p.is_file() and p.name != "incident.json")


def main():
    binary, *folders = sys.argv[1:]
    read = failures = wrong = 0
    for folder in folders:
        for case, files in cases(pathlib.Path(folder)):
            done = subprocess.run([binary, "--format", "json", *map(str, files)], capture_output=True, check=False)
            report = json.loads(done.stdout)
            read += 1
            if not report["causes"] or report["verdict"] != "failure":
                continue
            failures += 1
            text = "\n".join(p.read_bytes().decode("utf-8", "replace") for p in files)
            for what in complaints(report, text):
                wrong += 1
                print(f"{case}: {report['causes'][0]['id']}: {what}")
    print(f"{read} cases, {failures} failures, {wrong} complaints")
    sys.exit(1 if wrong or failures == 0 else 0)


main()
