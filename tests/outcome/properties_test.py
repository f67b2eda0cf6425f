"""What must hold for every labelled job, whatever it is, with the real binary.

properties_test.py BINARY [--every N] [--only NAME] [--allow PERCENT] FOLDER...

A FOLDER holds one folder for each job: its logs and incident.json; or manifest.jsonl and packed logs. Of the jobs in order every N-th is taken for each
property (1: all of them). A property may fail in PERCENT of its checks (0): for collections whose labels are not ours.
"""

import argparse
import concurrent.futures
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

# No pulse, no launch line, no clock, no word of an ending.
HARMLESS = ["", "the weather is fine", "See the manual for the options of this program.", "note: nothing more to say"]
# What NCCL prints on every healthy start.
BENIGN = [
    "node1:4711:4711 [0] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. ",
    "node1:4711:4711 [0] NCCL INFO TUNER/Plugin: Could not find: libnccl-tuner.so. Using internal tuner plugin.",
    "node1:4711:4711 [0] NCCL INFO NET/IB : No device found.",
    "node1:4711:4711 [0] NCCL INFO MNNVL busId 0x1b000 fabric UUID 0.0 cliqueId 0x0 state 3 healthMask 0x0",
]
BAD = {"failed", "hung", "stopped"}
SHARES = (0.25, 0.5, 0.75, 0.95)


def job_of(folder):
    files = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            if name != "incident.json":
                with open(path, "rb") as f:
                    files[os.path.relpath(path, folder)] = f.read()
    with open(os.path.join(folder, "incident.json"), encoding="utf-8") as f:
        label = json.load(f)
    outcome = label.get("outcome", [])
    label["outcome"] = {outcome} if isinstance(outcome, str) else set(outcome)
    return os.path.basename(folder), files, label


def packed_jobs(folder):
    with open(os.path.join(folder, "manifest.jsonl"), encoding="utf-8") as f:
        labels = [json.loads(line) for line in f if line.strip()]
    for label in labels:
        with gzip.open(os.path.join(folder, "logs", label["file"])) as f:
            data = f.read()
        good = not set(label["outcome"]) & BAD
        named = {"root_cause": "none" if good else "?", "also_acceptable": label["causes"], "outcome": set(label["outcome"])}
        yield label["file"], {label["file"].removesuffix(".gz"): data}, named


def jobs_in(folders):
    for folder in folders:
        if os.path.isfile(os.path.join(folder, "manifest.jsonl")):
            yield from packed_jobs(folder)
            continue
        for name in sorted(os.listdir(folder)):
            if os.path.isfile(os.path.join(folder, name, "incident.json")):
                yield job_of(os.path.join(folder, name))


def lines_of(data):
    return data.splitlines(keepends=True)


class Checker:
    def __init__(self, binary):
        self.binary = binary
        self.complaints = []
        self.excused = []  # why an answer that differs is none of a mistake
        self.partners = []
        self.all_partners = False

    def report(self, files):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, data in sorted(files.items()):
                path = os.path.join(folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as f:
                    f.write(data)
                paths.append(path)
            run = subprocess.run([self.binary, "--format", "json", *paths], capture_output=True, check=False)
        return run.returncode, json.loads(run.stdout)

    def complain(self, property_name, job, what):
        self.complaints.append(f"{property_name}: {job}: {what}")

    def is_healthy(self, property_name, job, files, outcomes=("succeeded", "unknown")):
        status, report = self.report(files)
        causes = [c["id"] for c in report["causes"]]
        if status != 0 or report["outcome"] not in outcomes:
            self.complain(property_name, job, f"status {status}, outcome {report['outcome']}, causes {causes[:2]}")


def healthy(label):
    """Nothing failed, not even an attempt that another one followed."""
    failed = label["outcome"] & BAD or "app.rank-crashed" in label.get("also_acceptable", [])
    return label["root_cause"] in ("none", "benign") and not failed


def harmless_text_behind(check, name, files, label):
    _, before = check.report(files)
    last = sorted(files)[-1]
    more = dict(files)
    data = files[last]
    more[last] = data + (b"" if data.endswith(b"\n") or not data else b"\n") + "\n".join(HARMLESS).encode() + b"\n"
    _, after = check.report(more)
    for field in ("outcome", "verdict"):
        if before[field] != after[field] and before["verdict"] != "no-nccl":
            check.complain("harmless text behind", name, f"{field} {before[field]} becomes {after[field]}")


def benign_lines_before_the_last_pulse(check, name, files, label):
    if not healthy(label):
        return
    status, report = check.report(files)
    if status != 0 or not any("progress" in e.get("note", "") for e in report["outcome_evidence"]):
        return
    last = next(e for e in report["outcome_evidence"] if "progress" in e.get("note", ""))
    for path, data in files.items():
        if not last["file"].endswith(path):
            continue
        lines = lines_of(data)
        lines[last["line"] - 1:last["line"] - 1] = [(line + "\n").encode() for line in BENIGN]
        check.is_healthy("benign lines before the last pulse", name, {**files, path: b"".join(lines)})
        return


def all_files_cut_alike(check, name, files, label):
    # What a job only survived later, as a port that comes back, may be named where the log ends before that.
    if not healthy(label) or set(label.get("also_acceptable", [])) - {"benign", "none"}:
        return
    for share in SHARES:
        cut = {path: data[: int(len(data) * share)] for path, data in files.items()}
        check.is_healthy(f"all files cut at {share:.0%}", name, cut)


def rank_of(report, path):
    """The rank whose only file this is, or None."""
    for comm in report["job"]["communicators"]:
        ranks = [r["rank"] for r in comm["ranks"] if r.get("file", "").endswith(path)]
        if len(ranks) == 1 and len({r.get("file") for r in comm["ranks"]}) == comm["nranks"] > 1:
            return ranks[0]
    return None


def one_file_cut(check, name, files, label):
    """Unknown, or hung with that rank named, never failed."""
    if not healthy(label) or len(files) < 2:
        return
    path = sorted(files)[len(name) % len(files)]
    data = files[path]
    _, whole = check.report(files)
    rank = rank_of(whole, path)
    for share in (0.3, 0.6):
        _, report = check.report({**files, path: data[: int(len(data) * share)]})
        causes = [c["id"] for c in report["causes"] if report["verdict"] == "failure"]
        what = f"{path} cut at {share:.0%}: outcome {report['outcome']}, causes {causes[:2]}"
        if report["outcome"] in ("failed", "stopped"):
            check.complain("one file cut", name, what)
        elif rank is not None and (causes or report["outcome"] == "hung"):
            named = [c.get("rank") for c in (report["causes"][0]["culprits"] or [])] if causes else []
            if rank not in named:
                check.complain("one file cut", name, f"{what}, names {named}, not rank {rank}")


def told(report):
    cause = report["causes"][0] if report["causes"] and report["verdict"] == "failure" else None
    return report["verdict"], cause and cause["id"]


def hosts_of(report):
    return {r["host"] for comm in report["job"]["communicators"] for r in comm["ranks"] if r.get("host")}


def blamed_hosts(report):
    return {who["host"] for cause in report["causes"][:1] for who in cause["culprits"] or [] if who.get("host")}


# A launcher's or scheduler's words at the end of a run, or an abort of NCCL.
END_TOLD = re.compile(
    rb"srun: (error|Force|launch)|slurmstepd: error|mpirun noticed|prterun noticed|ChildFailedError|sigkill_handler|FAILED"
    rb"|BAD TERMINATION|[Ee]xit(ed)? (with )?(code|status)|exitcode *: "
    rb"|Abort COMPLETE|CANCELLED"
)


def excuse(where, failing, alone, together, label):
    """Why another answer than that of the failing run alone is none of a mistake, or nothing."""
    accepted = {label["root_cause"], *label.get("also_acceptable", [])}
    if told(alone) == ("undetermined", None) and told(together)[1] in accepted:
        return "alone nothing is named, together what the label names"
    if where == "behind" and not END_TOLD.search(failing[-4000:]):
        # `run || run again`: so looks a script that tries until it goes well.
        return "nobody says that the failing run is over before the healthy one begins"
    return ""


def beside_a_healthy_run(check, name, files, label):
    """A healthy run before, behind or beside a failing one hides nothing and is not blamed."""
    if not label["outcome"] & BAD or not check.partners:
        return
    status, alone = check.report(files)
    if alone["verdict"] not in ("failure", "undetermined"):
        return
    for good_name, good, _ in check.partners if check.all_partners else [check.partners[len(name) % len(check.partners)]]:
        run_beside(check, name, files, label, status, alone, good_name, good)


def run_beside(check, name, files, label, status, alone, good_name, good):
    _, good_alone = check.report(good)
    places = {
        "in a folder beside": {**{f"a/{p}": d for p, d in good.items()}, **{f"b/{p}": d for p, d in files.items()}},
    }
    if len(files) == 1 and len(good) == 1:
        (bad_path, bad_data), good_data = next(iter(files.items())), next(iter(good.values()))
        places["before"] = {bad_path: good_data.rstrip(b"\n") + b"\n" + bad_data}
        places["behind"] = {bad_path: bad_data.rstrip(b"\n") + b"\n" + good_data}
    for where, both in places.items():
        now, report = check.report(both)
        wrong = blamed_hosts(report) & (hosts_of(good_alone) - hosts_of(alone)) - blamed_hosts(alone)
        if now != status or told(report) != told(alone) or wrong:
            why = "" if wrong and report["verdict"] == "failure" else excuse(where, b"".join(files.values()), alone, report, label)
            if why:
                check.excused.append(why)
                continue
            what = f"{good_name} {where}: {told(alone)} becomes {told(report)}, status {now}, blames {sorted(wrong)}"
            check.complain("beside a healthy run", name, what)


def label_holds(check, name, files, label):
    if not label["outcome"]:
        return
    _, report = check.report(files)
    if report["outcome"] not in label["outcome"]:
        check.complain("label", name, f"outcome {report['outcome']}, is {sorted(label['outcome'])}")
    if label.get("scenario", "").startswith("degraded") and report["verdict"] != "degraded":
        check.complain("label", name, f"verdict {report['verdict']}, is degraded")


PROPERTIES = [
    label_holds,
    harmless_text_behind,
    benign_lines_before_the_last_pulse,
    all_files_cut_alike,
    one_file_cut,
    beside_a_healthy_run,
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--allow", type=float, default=0)
    parser.add_argument("--partners", action="store_true", help="beside: every job with every healthy one, not with one")
    args = parser.parse_args()
    jobs = list(jobs_in(args.folders))
    check = Checker(args.binary)
    check.all_partners = args.partners
    check.partners = [job for job in jobs if healthy(job[2]) and "succeeded" in job[2]["outcome"]][:12]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        work = []
        for number, prop in enumerate(PROPERTIES):
            if args.only not in prop.__name__:
                continue
            taken = [job for i, job in enumerate(jobs) if (i + number) % args.every == 0]
            work += [pool.submit(prop, check, *job) for job in taken]
        for each in work:
            each.result()
    for complaint in sorted(check.complaints):
        print(complaint)
    for why in sorted(set(check.excused)):
        print(f"allowed, {check.excused.count(why)} times: {why}")
    print(f"{len(work)} checks over {len(jobs)} jobs, {len(check.complaints)} complaints")
    return 1 if len(check.complaints) * 100 > args.allow * len(work) or not work else 0


if __name__ == "__main__":
    sys.exit(main())
