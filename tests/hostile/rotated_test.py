#!/usr/bin/env python3
"""A log that was rotated while the job ran is the log: cut at any byte into parts by number or date, packed or not, it
gives the same answer, and each place that is named has the line. Logs of ranks that are numbered stay apart.
"""
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile
import zipfile

NCCLWHY = os.environ["NCCLWHY"]
SOURCE = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
FOLDERS = ("samples/jobs", "samples/incidents", "samples/healthy")
# The names of the older parts, the oldest first; what ends in .gz is packed.
NAMES = (
    ("{}.2.gz", "{}.1"),
    ("{}.2", "{}.1"),
    ("{}-20261119.gz", "{}-20261120.gz"),
    ("{}.2026-11-19", "{}.2026-11-20"),
    ("{}.20261120-101502", "{}.20261120-113000.gz"),
)


def analyze(folder):
    run = subprocess.run([NCCLWHY, "--format", "json", "."], stdout=subprocess.PIPE, check=False, cwd=folder)
    return json.loads(run.stdout)


def answer(report):
    causes = report["causes"][:1]
    who = sorted((c.get("rank", -1), c.get("host", "")) for cause in causes for c in cause["culprits"] or [])
    return report["verdict"], report["outcome"], [c["id"] for c in causes], who


def rotate(data, path, names, dice):
    cuts = sorted(dice.randrange(1, len(data)) for _ in names)
    ends = [0, *cuts, len(data)]
    parts = [data[a:b] for a, b in zip(ends, ends[1:])]
    for name, part in zip([n.format(path) for n in names] + [str(path)], parts):
        pathlib.Path(name).write_bytes(gzip.compress(part) if name.endswith(".gz") else part)


def lines_of(path):
    data = path.read_bytes()
    if path.name.endswith(".gz"):
        data = gzip.decompress(data)
    return data.split(b"\n")


def wrong_places(report, folder):
    """Places whose line does not hold the text."""
    for cause in report["causes"]:
        for evidence in cause["evidence"]:
            # The first line of a part may begin in the one before; the frames of a stack are joined.
            if " < " in evidence.get("text", "") or not evidence.get("text") or not evidence.get("file") or evidence.get("line", 0) < 2:
                continue
            lines = lines_of(pathlib.Path(folder) / evidence["file"])
            begin = evidence["text"].split("\\x")[0].split("…")[0][:40].encode()
            # A line may be told from the one behind its header, or from where a broken line begins.
            if not any(begin in line for line in lines[max(evidence["line"] - 2, 0) : evidence["line"] + 1]):
                yield "%s:%d: %s" % (evidence["file"], evidence["line"], evidence["text"])


def try_case(folder, names, dice):
    with tempfile.TemporaryDirectory(prefix="ncclwhy-rotated-") as whole, tempfile.TemporaryDirectory(
        prefix="ncclwhy-rotated-"
    ) as cut:
        for path in sorted(folder.rglob("*")):
            if not path.is_file() or path.name in ("incident.json", "README.md"):
                continue
            data = path.read_bytes()
            for root in (whole, cut):
                (pathlib.Path(root) / path.relative_to(folder)).parent.mkdir(parents=True, exist_ok=True)
            (pathlib.Path(whole) / path.relative_to(folder)).write_bytes(data)
            target = pathlib.Path(cut) / path.relative_to(folder)
            if len(data) < 2000:
                target.write_bytes(data)
            else:
                rotate(data, target, names, dice)
        expected, report = analyze(whole), analyze(cut)
        if answer(report) != answer(expected):
            yield "%s as %s: %s, not %s" % (folder.name, names, answer(report), answer(expected))
        # A part that holds nothing but a progress bar has lines of its own where the bar returns.
        bars = any(b"\r" in path.read_bytes() for path in pathlib.Path(whole).rglob("*") if path.is_file())
        if not bars and report["coverage"]["lines"] != expected["coverage"]["lines"]:
            yield "%s as %s: %d lines of %d" % (
                folder.name, names, report["coverage"]["lines"], expected["coverage"]["lines"])
        for wrong in wrong_places(report, cut):
            yield "%s as %s: %s" % (folder.name, names, wrong)


def try_archive(folder, names, kind, dice):
    """The same in an archive, whose members stand in any order."""
    with tempfile.TemporaryDirectory(prefix="ncclwhy-rotated-") as whole, tempfile.TemporaryDirectory(
        prefix="ncclwhy-rotated-"
    ) as packed:
        cut = pathlib.Path(whole) / "cut"
        for path in sorted(folder.rglob("*")):
            if not path.is_file() or path.name in ("incident.json", "README.md"):
                continue
            target = cut / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            data = path.read_bytes()
            if len(data) < 2000:
                target.write_bytes(data)
            else:
                rotate(data, target, names, dice)
        members = [path for path in sorted(cut.rglob("*")) if path.is_file()]
        dice.shuffle(members)
        archive = pathlib.Path(packed) / ("logs." + kind)
        if kind == "zip":
            with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
                for path in members:
                    out.write(path, path.relative_to(cut))
        else:
            with tarfile.open(archive, "w:gz" if kind.endswith("gz") else "w") as out:
                for path in members:
                    out.add(path, path.relative_to(cut))
        expected, report = analyze(cut), analyze(packed)
        if answer(report) != answer(expected):
            yield "%s as %s in %s: %s, not %s" % (folder.name, names, kind, answer(report), answer(expected))
        if report["coverage"]["sources"] != expected["coverage"]["sources"] or (
            report["coverage"]["lines"] != expected["coverage"]["lines"]):
            yield "%s as %s in %s: %s, not %s" % (folder.name, names, kind, report["coverage"], expected["coverage"])


def ranks_stay_apart():
    line = "node1:4{0}:4{0} [{0}] NCCL INFO ncclCommInitRank comm 0x1 rank {0} nranks 3 cudaDev {0} busId 1000 commId 0x1f - Init START\n"
    with tempfile.TemporaryDirectory(prefix="ncclwhy-rotated-") as folder:
        for rank, name in enumerate(("out.log", "out.log.1", "out.log.2")):
            (pathlib.Path(folder) / name).write_text(line.format(rank) * 3)
        sources = analyze(folder)["coverage"]["sources"]
        if sources != 3:
            yield "logs of three ranks were read as %d" % sources
    with tempfile.TemporaryDirectory(prefix="ncclwhy-rotated-") as folder:
        # And one of all of them beside.
        for rank, name in ((1, "out.log.1"), (2, "out.log.2")):
            (pathlib.Path(folder) / name).write_text(line.format(rank) * 3)
        (pathlib.Path(folder) / "out.log").write_text("".join(line.format(rank) for rank in range(3)))
        sources = analyze(folder)["coverage"]["sources"]
        if sources != 3:
            yield "logs of two ranks and one of all were read as %d" % sources


def main():
    dice = random.Random(int(os.environ.get("NCCLWHY_SEED", 20261122)))
    folders = [f for name in FOLDERS for f in sorted((SOURCE / name).iterdir()) if f.is_dir()]
    rest = [f for f in folders if f.parent.name != "jobs"]
    folders = [f for f in folders if f.parent.name == "jobs"] + dice.sample(
        rest, min(40, len(rest)))
    if more := os.environ.get("NCCLWHY_MORE_JOBS"):
        folders += [f for f in sorted(pathlib.Path(more).iterdir()) if f.is_dir()]
    failed = list(ranks_stay_apart())
    for number, folder in enumerate(folders):
        failed += try_case(folder, NAMES[number % len(NAMES)], dice)
        failed += try_archive(folder, NAMES[number % len(NAMES)], ("tar", "tar.gz", "zip")[number % 3], dice)
    print("\n".join(failed))
    print("hostile: rotated tried %d failed %d" % (2 * len(folders) + 2, len(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
