#!/usr/bin/env python3
"""What could hold a failure bars "healthy" and exit status 0: a healthy job with something that cannot be read, a rule that
is stopped, processes beyond the limits, a kind of warning behind thousands of another one."""
import bz2
import gzip
import io
import json
import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

NCCLWHY = os.environ["NCCLWHY"]
SOURCE = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
HEALTHY = SOURCE / "samples/healthy/healthy-2.21.5-2x2-s3"
FAILURE = (SOURCE / "samples/incidents/shm-full-2.28.9-1x4-s1/job.log").read_bytes()
ENDLESS = {"schema": "ncclwhy.rule/1", "id": "endless", "role": "root", "title": {"en": "t", "zh": "t"},
           "query": "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) AS rank FROM c",
           "causes": {"shm.too-small": 1.0}, "note": {"en": "n", "zh": "n"}}


def analyze(folder, *more):
    run = subprocess.run([NCCLWHY, "--format", "json", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, cwd=folder)
    report = json.loads(run.stdout)
    return run.returncode, report["verdict"], len(report["problems"])


def copy(folder):
    for path in HEALTHY.glob("*.log"):
        (folder / path.name).write_bytes(path.read_bytes())


def beside(folder):
    """Arguments with what cannot be read beside the healthy job."""
    log = next(HEALTHY.glob("*.log")).read_bytes()
    yield "a file that is not there", [".", "missing.log"]
    yield "a pattern without files", [".", "*.nothing"]
    yield "a name with a link that leads out", None, lambda: os.symlink("/etc/hostname", folder / "out.log")
    yield "7-Zip", None, lambda: (folder / "a.7z").write_bytes(b"7z\xbc\xaf\x27\x1c\0\4" + bytes(100))
    yield "RAR", None, lambda: (folder / "a.rar").write_bytes(b"Rar!\x1a\x07\x01\0" + bytes(100))
    yield "half of a gzip file", None, lambda: (folder / "a.log.gz").write_bytes(gzip.compress(log * 50)[:700])
    yield "xz with a damaged end", None, lambda: (folder / "b.log.xz").write_bytes(lzma.compress(log)[:-12] + bytes(12))
    for end, where in (("check sum", -6), ("length", -2)):
        yield f"gzip with a wrong {end}", None, lambda where=where: (folder / "e.log.gz").write_bytes(changed(gzip.compress(log), where))
    first = changed(gzip.compress(log), -6) + gzip.compress(log)
    yield "gzip whose first part has a wrong check sum", None, lambda: (folder / "f.log.gz").write_bytes(first)
    for packer, where in (("gz", -6), ("gz", -2), ("bz2", -6), ("xz", -20)):
        damaged = changed(tar(packer, log), where)
        yield f"tar.{packer} with a wrong end", None, lambda packer=packer, damaged=damaged: (folder / f"h.tar.{packer}").write_bytes(damaged)
    for program in ("zstd", "lz4", "lzip"):
        if shutil.which(program):
            for kind, data in (("log", log), ("tar", plain_tar(log))):
                packed = subprocess.run([program, "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
                for what, damaged in (("a wrong end", changed(packed, -1)), ("a changed byte", changed(packed, len(packed) // 2)),
                                      ("an end that is missing", packed[:-3]), ("half of it", packed[:len(packed) // 2])):
                    yield f"{kind} by {program} with {what}", None, lambda kind=kind, program=program, damaged=damaged: (
                        folder / f"j.{kind}.{program}").write_bytes(damaged)
    yield from behind_the_end(folder, log)
    twice = gzip.compress(changed(tar("gz", log), -6))
    yield "tar.gz with a wrong check sum, packed again", None, lambda: (folder / "i.tar.gz.gz").write_bytes(twice)
    yield "ZIP with a wrong check sum", None, lambda: (folder / "g.zip").write_bytes(wrong_zip(log))
    deep = gzip.compress(gzip.compress(gzip.compress(gzip.compress(gzip.compress(log)))))
    yield "packed five times", None, lambda: (folder / "c.log.gz").write_bytes(deep)
    if os.geteuid() != 0:
        def secret():
            (folder / "d.log").write_bytes(log)
            os.chmod(folder / "d.log", 0)
        yield "a file that may not be read", None, secret


def behind_the_end(folder, log):
    """Lines, or another packed stream, behind one: read, or said."""
    packers = {"bz2": bz2.compress, "xz": lzma.compress, "lzma": lambda data: lzma.compress(data, format=lzma.FORMAT_ALONE)}
    for program in ("zstd", "lz4", "lzip"):
        if shutil.which(program):
            packers[program] = lambda data, program=program: subprocess.run([program, "-c"], input=data, stdout=subprocess.PIPE,
                                                                            check=True).stdout
    for name, pack in packers.items():
        head = pack(log[:300])
        for what, data in (("lines", head + FAILURE), ("gzip", head + gzip.compress(FAILURE)),
                           ("zeros and lines", head + bytes(512) + FAILURE)):
            yield f"{name}, then {what}", None, lambda name=name, data=data: (folder / f"k.log.{name}").write_bytes(data)


def plain_tar(log):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        member = tarfile.TarInfo("h/rank0.log")
        member.size = len(log)
        archive.addfile(member, io.BytesIO(log))
    return file.getvalue()


def changed(data, where):
    data = bytearray(data)
    data[where] ^= 0x55
    return bytes(data)


def tar(packer, log):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=f"w:{packer}") as archive:
        member = tarfile.TarInfo("h/rank0.log")
        member.size = len(log)
        archive.addfile(member, io.BytesIO(log))
    return file.getvalue()


def wrong_zip(log):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("g.log", log)
    data = file.getvalue()
    return changed(changed(data, data.find(b"PK\3\4") + 14), data.find(b"PK\1\2") + 16)


def many_processes(count):
    line = "h{0}:{1}:{1} [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n"
    return "".join(line.format(number // 30000, number % 30000 + 1) for number in range(count)).encode()


def many_warnings():
    """Thousands of processes that complain of something known, and one of something else."""
    known = ("h{0}:{1}:{1} [0] transport/net_ib.cc:1 NCCL WARN NET/IB : Unable to open device mlx5_{0}\n"
             "h{0}:{1}:{1} [0] misc/cudawrap.cc:1 NCCL WARN Failed to find CUDA library libcuda.so (NCCL_CUDA_PATH='')\n")
    lines = ["h0:1:1 [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n"]
    lines += [known.format(number // 30000, number % 30000 + 1) * 4 for number in range(5000)]
    lines.append("h9:9:9 [0] misc/x.cc:1 NCCL WARN Frobnicating of the quux engine failed with code 17\n")
    return "".join(lines).encode()


def main():
    tried, wrong = 0, []

    def check(what, answer, exits=(2,)):
        nonlocal tried
        tried += 1
        if answer[1] == "healthy" or answer[0] not in exits:
            wrong.append(f"{what}: {answer}")

    with tempfile.TemporaryDirectory(prefix="ncclwhy incomplete ") as place:
        for number in range(200):
            folder = pathlib.Path(place) / str(number)
            folder.mkdir()
            copy(folder)
            cases = list(beside(folder))
            if number == 0:
                assert analyze(folder, ".")[:2] == (0, "healthy")
            if number >= len(cases):
                break
            what, arguments, *make = cases[number]
            for call in make:
                call()
            check(what, analyze(folder, *(arguments or ["."])))
        folder = pathlib.Path(place) / "rules"
        (folder / "rules/family/endless").mkdir(parents=True)
        (folder / "rules/family/endless/rule.json").write_text(json.dumps(ENDLESS))
        (folder / "logs").mkdir()
        copy(folder / "logs")
        check("a rule that never ends", analyze(folder, "--rules", "rules", "logs"))
        folder = pathlib.Path(place) / "many"
        folder.mkdir()
        (folder / "all.log").write_bytes(many_processes(66000))
        check("processes beyond the limit", analyze(folder, "."), (1, 2, 3))
        (folder / "all.log").write_bytes(many_warnings())
        check("a warning behind thousands of others", analyze(folder, "."), (1, 2, 3))
    for problem in wrong:
        print(problem)
    print(f"hostile: incomplete tried {tried} failed {len(wrong)}")
    return bool(wrong) or tried < 10


if __name__ == "__main__":
    sys.exit(main())
