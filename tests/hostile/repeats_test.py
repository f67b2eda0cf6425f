#!/usr/bin/env python3
"""Often is not better than once: a WARN that comes hundreds of times is judged at least as badly as one of it, whether a
rule knows it or not, and what many ranks complain about at a time is not healthy.

Lines are those of the `fires-*.log` of root and symptom rules, in their own log and behind a healthy job.
NCCLWHY_HOSTILE=full tries more numbers of repeats and 3,000 ranks.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NCCLWHY = os.environ["NCCLWHY"]
SOURCE = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
FULL = os.environ.get("NCCLWHY_HOSTILE") == "full"
REPEATS = (200, 300, 5000) if FULL else (300,)
RANKS = (16, 64, 1000, 3000) if FULL else (16, 64)
BAD = ("failure", "undetermined")
HEALTHY = SOURCE / "samples/healthy/healthy-2.21.5-2x2-s3"


def analyze(files):
    """(exit status, verdict, first cause)"""
    with tempfile.TemporaryDirectory(prefix="ncclwhy-repeats-") as tmp:
        for name, data in files.items():
            (pathlib.Path(tmp) / name).write_bytes(data)
        run = subprocess.run([NCCLWHY, "--format", "json", tmp], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    report = json.loads(run.stdout)
    named = report["verdict"] == "failure" and report["causes"]
    return run.returncode, report["verdict"], report["causes"][0]["id"] if named else None


def warnings():
    """(name, lines, number of the line that warns), one for each format of a message"""
    seen = set()
    for path in sorted((SOURCE / "rules/catalog").rglob("rule.json")):
        if json.loads(path.read_text()).get("role") not in ("root", "symptom"):
            continue
        for log in sorted(path.parent.glob("fires-*.log")):
            lines = log.read_bytes().splitlines()
            at = [number for number, line in enumerate(lines) if b"NCCL WARN" in line]
            text = re.sub(rb"\d+", b"#", lines[at[-1]]) if at else None
            if text is not None and text not in seen:
                seen.add(text)
                yield f"{path.parent.name}/{log.name}", lines, at[-1]
    unknown = b"h1:7:7 [0] NCCL WARN Frobnicating of the quux engine failed with code 17"
    yield "no rule", [b"h1:7:7 [0] NCCL INFO NCCL version 2.21.5+cuda12.4", unknown], 1


def repeated(tried, wrong):
    job = {path.name: path.read_bytes() for path in HEALTHY.glob("*.log")}
    prefix = re.match(rb"\S+:\d+:\d+ \[\d\] ", job["rank0.log"]).group()

    def own(lines, at, count):
        return {"rank0.log": b"\n".join(lines[:at] + lines[at:at + 1] * count + lines[at + 1:]) + b"\n"}

    def behind(lines, at, count):
        line = prefix + lines[at][lines[at].index(b"NCCL WARN"):] + b"\n"
        return dict(job, **{"rank0.log": job["rank0.log"] + line * count})

    for name, lines, at in warnings():
        for where in (own, behind):
            once = analyze(where(lines, at, 1))
            for count in REPEATS:
                tried[where.__name__] += 1
                often = analyze(where(lines, at, count))
                if (once[1] in BAD and (often[1] not in BAD or often[0] == 0)) or once[2] not in (None, often[2]):
                    wrong.append(f"{where.__name__}: {name}: once {once}, {count} times {often}")


def closed(ranks, gone):
    """All came up; then all but `gone` log that a connection was closed."""
    lines = ["h0:100:100 [0] NCCL INFO NCCL version 2.21.5+cuda12.4"]
    who = [f"h{rank // 8}:{100 + rank % 8}:{100 + rank % 8} [{rank % 8}] " for rank in range(ranks)]
    for rank, prefix in enumerate(who):
        begin = (f"{prefix}NCCL INFO ncclCommInitRank comm 0x{rank + 4096:x} rank {rank} nranks {ranks} cudaDev {rank % 8} "
                 f"nvmlDev {rank % 8} busId {rank % 8 + 1}000 commId 0x4e0a3e2df3c6f64e - Init ")
        lines += [begin + "START", begin + "COMPLETE"]
    for rank, prefix in enumerate(who):
        if rank != gone:
            lines.append(f"{prefix}misc/socket.c:540 NCCL WARN Connection closed by remote peer h{gone // 8}<40005>")
    return {"all.log": "\n".join(lines).encode() + b"\n"}


def main():
    tried, wrong = collections.Counter(), []
    repeated(tried, wrong)
    for ranks in RANKS:
        tried["closed"] += 1
        status, verdict, _ = analyze(closed(ranks, 5))
        if verdict not in BAD or status == 0:
            wrong.append(f"closed: one of {ranks} ranks is gone, all others say so: {verdict}, exit status {status}")
    assert tried["own"] > 100 and tried["behind"] == tried["own"]
    for problem in wrong:
        print(problem)
    print("tried:", dict(tried))
    print(f"hostile: repeats tried {sum(tried.values())} failed {len(wrong)}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
