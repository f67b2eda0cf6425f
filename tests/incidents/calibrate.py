#!/usr/bin/env python3
"""Is a confidence of 80 % right in 80 % of the cases?

usage: calibrate.py NCCLWHY FOLDER... [--write FILE]

Runs the binary over labelled incidents (see samples/README.md) and prints
  - a reliability table: confidence of the first cause against how often it was right;
  - the Brier score as it stands;
  - the Brier score cross-validated by family: the slope of the confidence is fitted on all families of causes but one and
    judged on that one, so that no incident judges itself.
Standard library only.
"""
import argparse, glob, json, math, os, subprocess
from concurrent.futures import ThreadPoolExecutor


def cases(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*", "incident.json"))):
        label = json.load(open(path))
        if label["root_cause"] in ("none", "benign") or label.get("determinable_from_log", True) is not True:
            continue
        logs = sorted(f for f in glob.glob(os.path.join(os.path.dirname(path), "*")) if not f.endswith("incident.json"))
        yield logs, {label["root_cause"], *label.get("also_acceptable", [])}, label["root_cause"].split(".")[0]


def first_cause(tool, logs):
    out = subprocess.run([tool, "--format", "json", *logs], capture_output=True).stdout
    causes = json.loads(out)["causes"]
    return (causes[0]["id"], causes[0]["confidence"]) if causes else None


def logit(p):
    p = min(max(p, 1e-4), 1 - 1e-4)
    return math.log(p / (1 - p))


def scaled(p, slope):
    return 1 / (1 + math.exp(-slope * logit(p)))


def brier(rows, slope=1.0):
    return sum((scaled(p, slope) - hit) ** 2 for p, hit, _ in rows) / len(rows) if rows else 0.0


def best_slope(rows):
    return min((s / 20 for s in range(4, 61)), key=lambda s: brier(rows, s))


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("tool")
    args.add_argument("folders", nargs="+")
    args.add_argument("--write", metavar="FILE")
    a = args.parse_args()
    labelled = [c for folder in a.folders for c in cases(folder)]
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda c: first_cause(a.tool, c[0]), labelled))
    rows = [(ans[1], ans[0] in ok, family) for (_, ok, family), ans in zip(labelled, answers) if ans]
    lines = [
        "# Reliability of the confidence",
        "",
        f"{len(labelled)} labelled incidents, {len(rows)} with a named cause, "
        f"{sum(h for _, h, _ in rows)} of those right.",
        "",
        "| confidence | cases | mean confidence | right |",
        "|---|---|---|---|",
    ]
    for low, high in ((0.3, 0.5), (0.5, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.01)):
        inside = [(p, h) for p, h, _ in rows if low <= p < high]
        if inside:
            mean = sum(p for p, _ in inside) / len(inside)
            right = sum(h for _, h in inside) / len(inside)
            lines.append(f"| {low:.0%} – {min(high, 1):.0%} | {len(inside)} | {mean:.0%} | {right:.0%} |")
    held_out = []
    for family in sorted({f for _, _, f in rows}):
        slope = best_slope([r for r in rows if r[2] != family])
        held_out += [(scaled(p, slope), h, f) for p, h, f in rows if f == family]
    lines += [
        "",
        f"Brier score as it stands: {brier(rows):.3f}. "
        f"Cross-validated by family (slope fitted on the other families): {brier(held_out):.3f}.",
        f"Slope that would fit these labels best: {best_slope(rows):.2f} (1.00 = as it stands; below the best fit on purpose: "
        "incidents that nobody has labelled yet are harder than these).",
    ]
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if a.write:
        open(a.write, "w").write(text)


if __name__ == "__main__":
    main()
