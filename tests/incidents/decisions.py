#!/usr/bin/env python3
"""How right is `decision`? decisions.py NCCLWHY FOLDER... [--misses] [--check | --print]

A labelled case (incident.json) is labelled by its cause and its culprit: below stands which actions are right for which
cause. Those about a host are right only with the culprit's host, where the label names one. Left undecided is right
where that is said of the cause, where the table does not know the cause, and where the label says that the log does not tell it; elsewhere it is
counted apart, as it is useless and not wrong. --check: over all folders at least 93 % are right, 97 % right or left open.
"""
import collections
import json
import re
import sys

from cases import answer, arguments, files_of, in_order

FIX, RERUN, WITHOUT, OPEN = "fix-first", "rerun", "rerun-without", "undecided"
# By cause or family; the longest that fits. What may be transient must not be called "fix first".
RIGHT = {
    "app": {FIX},
    "app.rank-crashed": {RERUN, OPEN},
    "app.rank-stalled": {RERUN, OPEN},
    "app.concurrent-comms": {FIX, RERUN, OPEN},
    "app.numerics": {FIX, RERUN, OPEN},
    "boot": {FIX},
    "boot.rank-missing": {RERUN, OPEN},
    "boot.stale-store": {RERUN, FIX},
    "env": {FIX},
    "gpu": {FIX},
    "gpu.xid": {WITHOUT},
    "gpu.nvlink-error": {WITHOUT},
    "gpu.fabric-manager": {WITHOUT},
    "gpu.imex": {WITHOUT, FIX},
    "gpu.nvls": {WITHOUT, FIX, OPEN},
    "gpu.exclusive-mode": {WITHOUT, OPEN},
    "gpu.illegal-access": {FIX, RERUN, OPEN},
    "gpu.pcie-atomics": {WITHOUT, FIX},
    "host": {FIX},
    "host.oom": {RERUN, FIX, OPEN},
    "host.disk-full": {WITHOUT, FIX, OPEN},
    "ib": {FIX},
    "ib.link-down": {WITHOUT},
    "ib.device-fatal": {WITHOUT},
    "ib.retry-exceeded": {WITHOUT, OPEN},
    "ib.rnr-retry": {WITHOUT, RERUN, OPEN},
    "ib.local-error": {WITHOUT, FIX, OPEN},
    "net": {FIX},
    "net.connection-refused": {RERUN, OPEN},
    "net.port-in-use": {RERUN, FIX, OPEN},
    "net.foreign-connection": {RERUN},
    "net.link-flap": {RERUN, WITHOUT},
    "shm": {FIX},
    "stopped": {RERUN},
    "stopped.time-limit": {RERUN, FIX, OPEN},
    "stopped.node-failure": {WITHOUT, RERUN},
    "topo": {FIX},
    "version": {FIX},
    "version.known-bug": {FIX, RERUN, OPEN},
    "perf": {FIX, OPEN},
}


def right_for(cause):
    while cause not in RIGHT and "." in cause:
        cause = cause.rpartition(".")[0]
    return RIGHT.get(cause, {OPEN})


def right_of(label):
    causes = [label["root_cause"], *label.get("also_acceptable", [])]
    right = set.union(*(right_for(c) for c in causes))
    if label.get("determinable_from_log") is False:
        right = right | {OPEN}
    # Started with fewer processes than the world has: the next start would wait, too.
    return right | {FIX} if "process less than the world" in label.get("note", "") else right


def host_of(label):
    culprit = label.get("culprit")
    if isinstance(culprit, dict):
        return culprit.get("host")
    found = re.search(r"\bon ([\w.-]+)", culprit or "")
    return found.group(1) if found else culprit if culprit and re.fullmatch(r"[\w.-]+", culprit) else None


def count_of(binary, folder):
    """Counts, and what was decided wrong."""
    count = collections.Counter()
    misses = []
    labels = sorted(folder.glob("*/incident.json"))
    for path, out in in_order(lambda path: answer(binary, files_of(path.parent), "--format", "json"), labels):
        label, report = json.loads(path.read_text()), json.loads(out)
        decision = report.get("decision")
        if label["root_cause"] in ("none", "perf") or label["root_cause"].startswith("perf."):
            # Nothing to decide.
            count["healthy"] += 1
            count["healthy, decided"] += decision is not None and decision["do"] != OPEN
            continue
        # A log that does not tell that anything failed needs no decision.
        if decision is None and label.get("determinable_from_log") is False:
            count["not told"] += 1
            continue
        do = decision["do"] if decision else "none"
        count["cases"] += 1
        count[do] += 1
        right = right_of(label)
        host = host_of(label)
        good = do in right
        if do == WITHOUT and good and host:
            good = host in decision["hosts"]
        count["right"] += good
        count["left open"] += do == OPEN and not good
        count["decided"] += do not in (OPEN, "none")
        count["false fix-first"] += do == FIX and FIX not in right
        if not good:
            misses.append(f"{path.parent.name}: {label['root_cause']} ({label.get('culprit')}): {do} "
                          f"{decision and decision.get('hosts')}, right: {' '.join(sorted(right))}; named: "
                          f"{report['causes'][0]['id'] if report['causes'] else report['verdict']}")
    return count, misses


def told(name, count):
    n = max(1, count["cases"])

    def share(what):
        return f"{100 * sum(count[w] for w in what) / n:.1f} %"

    print(f"{name}: {count['cases']} cases, right {share(['right'])}, right or left open {share(['right', 'left open'])}, decided "
          f"{share(['decided'])}, false fix-first {share(['false fix-first'])}; not told {count['not told']}; healthy "
          f"{count['healthy']}, of them decided {count['healthy, decided']}; "
          + ", ".join(f"{a} {count[a]}" for a in (FIX, WITHOUT, RERUN, OPEN, "none")))


def main():
    binary, folders, _ = arguments()
    everything = collections.Counter()
    for folder in folders:
        count, misses = count_of(binary, folder)
        told(folder, count)
        everything.update(count)
        if "--misses" in sys.argv and misses:
            print("\n".join("  " + m for m in misses))
    if len(folders) > 1:
        told("all", everything)
    n = everything["cases"]
    worse = (everything["right"] < 0.93 * n or everything["right"] + everything["left open"] < 0.97 * n
             or everything["false fix-first"] > 0.005 * n or everything["healthy, decided"] > 0 or n == 0)
    sys.exit(1 if worse and "--check" in sys.argv else 0)


main()
