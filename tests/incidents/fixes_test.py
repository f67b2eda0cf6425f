#!/usr/bin/env python3
"""The fixes of every labelled case fit its logs: fixes_test.py NCCLWHY FOLDER... [--print]

FOLDER holds cases (folders), or is rules/catalog, whose fires logs are cases too. Of every offered fix is asked: does it
name an interface, device or address that the logs do not show, set what is set to that already, unset what nobody set,
leave a placeholder that the logs fill, or stand in for an environment that they contradict?
"""
import json
import pathlib
import re
import sys

from cases import answer, arguments, cases_of, files_of, in_order

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
    port = re.search(r"\bPort (\d+)\b", report["causes"][0].get("summary", report["causes"][0].get("title", "")))
    if port:  # the answer's own sentence names it
        out["PORT"] = port[1]
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
    """Each case with its files; of the catalogue those in which a rule fires."""
    if folder.name == "catalog":
        return {case: [case] if case.is_file() else sorted(p for p in case.iterdir() if p.is_file())
                for case in sorted(folder.glob("*/*/fires*"))}
    return {case: files_of(case) for case in cases_of(folder)}


def main():
    binary, folders, only_print = arguments()
    all_failures = all_wrong = 0
    for folder in folders:
        files = cases(folder)
        failures = wrong = 0
        for case, out in in_order(lambda case: answer(binary, files[case], "--format", "json"), list(files)):
            report = json.loads(out)
            if not report["causes"] or report["verdict"] != "failure":
                continue
            failures += 1
            text = "\n".join(pathlib.Path(p).read_bytes().decode("utf-8", "replace") for p in files[case])
            for what in complaints(report, text):
                wrong += 1
                print(f"{case}: {report['causes'][0]['id']}: {what}")
        print(f"{folder}: {len(files)} cases, {failures} failures, {wrong} complaints")
        all_failures, all_wrong = all_failures + failures, all_wrong + wrong
    sys.exit(0 if only_print else 1 if all_wrong or all_failures == 0 else 0)


main()
