#!/usr/bin/env python3
"""Makes corpus/digest again, which a change of the format or of the words in parser/*.def asks for:

    python3 tests/fuzz/digest_corpus.py build/release/ncclwhy

A seed is a source as it stands in a file of digests (src/read/README.md); "file" is a whole one, not packed.
"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent.parent / "samples"
MOST = 12000  # bytes of a seed: a mutation of a small one says more


def frames(data):
    at = 20
    while at < len(data):
        size = int.from_bytes(data[at + 1:at + 5], "little")
        yield data[at:at + 1], data[at + 13:at + 13 + size]
        at += 13 + size


def main():
    folder = HERE / "corpus/digest"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    jobs = [p for kind in ("incidents", "witnesses", "jobs") for p in sorted((SAMPLES / kind).iterdir()) if p.is_dir()]
    for job in jobs[::6]:
        logs = [p for p in sorted(job.rglob("*")) if p.is_file() and p.name != "incident.json"]
        packed = subprocess.run([sys.argv[1], "digest", "-q", *logs, "-o", "-"], capture_output=True, check=True).stdout
        data = subprocess.run(["zstd", "-dc"], input=packed, capture_output=True, check=True).stdout
        sources = [body for kind, body in frames(data) if kind == b"S" and len(body) < MOST]
        for body in sorted(sources, key=len)[-1:]:
            (folder / job.name).write_bytes(body)
        if len(data) < MOST and not (folder / "file").exists():
            (folder / "file").write_bytes(data)
    print(len(list(folder.iterdir())), "seeds")


if __name__ == "__main__":
    main()
