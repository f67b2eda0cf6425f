#!/usr/bin/env python3
"""One failing log in every wrapping: it is read, or it is a named problem and exit status 2; never "no NCCL output", exit 0."""
import base64
import binascii
import bz2
import codecs
import gzip
import io
import json
import lzma
import os
import pathlib
import pickle
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import zipfile
import zlib

NCCLWHY = os.environ["NCCLWHY"]
SOURCE = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
LOG = (SOURCE / "samples/incidents/shm-full-2.28.9-1x4-s1/job.log").read_bytes()


def tar(name, data):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        file.addfile(info, io.BytesIO(data))
    return out.getvalue()


def pack(program, data):
    """What a program of the system makes of it; None where it is not installed."""
    if not shutil.which(program[0]):
        return None
    return subprocess.run(program, input=data, stdout=subprocess.PIPE, check=True).stdout


def cpio(data):
    head = "070701" + "".join(f"{n:08X}" for n in (1, 0o100644, 0, 0, 1, 0, len(data), 0, 0, 0, 0, 8, 0))
    body = (head.encode() + b"job.log\0").ljust(120, b"\0") + data
    body += b"\0" * (-len(body) % 4)
    end = "070701" + "".join(f"{n:08X}" for n in (0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 11, 0))
    return body + (end.encode() + b"TRAILER!!!\0").ljust(124, b"\0")


def zipped(data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("job.log", data)
    return out.getvalue()


def cases():
    lines = LOG.decode(errors="replace").splitlines()
    for depth in range(1, 8):
        data = LOG
        for _ in range(depth):
            data = gzip.compress(data)
        yield f"gzip {depth} deep", data
    yield "xz", lzma.compress(LOG)
    yield "lzma", lzma.compress(LOG, format=lzma.FORMAT_ALONE)
    yield "tar.lzma", lzma.compress(tar("job.log", LOG), format=lzma.FORMAT_ALONE)
    yield "bz2", bz2.compress(LOG)
    yield "tar.bz2", bz2.compress(tar("job.log", LOG))
    yield "zip in tar", tar("a.zip", zipped(LOG))
    yield "tar in zip in tar in tar", tar("a", tar("b", zipped(tar("c", LOG))))
    yield "gzip in tar in zip in gzip", gzip.compress(zipped(tar("job.log.gz", gzip.compress(LOG))))
    yield "cpio", cpio(LOG)
    yield "cpio.gz", gzip.compress(cpio(LOG))
    for program in (["lz4", "-c"], ["zstd", "-c"], ["compress", "-c"], ["lzip", "-c"], ["lzop", "-c"]):
        for name, data in (("log", LOG), ("tar", tar("job.log", LOG))):
            packed = pack(program, data)
            if packed is not None:
                yield f"{name} by {program[0]}", packed
    yield "7-Zip", b"7z\xbc\xaf\x27\x1c\0\4" + bytes(100)
    yield "RAR", b"Rar!\x1a\x07\x01\0" + bytes(100)
    yield "RAR in tar", tar("a.rar", b"Rar!\x1a\x07\x01\0" + bytes(100))
    yield "Snappy", b"\xff\x06\0\0sNaPpY" + bytes(100)
    yield "PGP", b"-----BEGIN PGP MESSAGE-----\n\nabcd\n"
    yield "Git LFS", b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"4d7a" * 16 + b"\nsize 12345\n"
    yield "journald, bytes as numbers", b"".join(
        json.dumps({"_PID": "411", "MESSAGE": list(b"\x1b[31m" + line.encode() + b"\x1b[0m")}).encode() + b"\n" for line in lines)
    yield "CR only", LOG.replace(b"\n", b"\r")
    yield "JSON array on one line", json.dumps([{"log": line, "stream": "stdout"} for line in lines]).encode()
    yield "JSON array, compact", json.dumps([{"log": line + "\n"} for line in lines], separators=(",", ":")).encode()
    yield "JSON array in gzip", gzip.compress(json.dumps([{"log": line} for line in lines]).encode())
    yield from no_texts(lines)
    yield "UTF-16", LOG.decode(errors="replace").encode("utf-16")


def no_texts(lines):
    """What unpackers do not know, and what is no text of lines."""
    cipher = random.Random(18).randbytes
    yield "compress", b"\x1f\x9d\x90" + cipher(500)
    yield "compress, nothing behind it", b"\x1f\x9d\x90"
    yield "compress in tar", tar("job.log.Z", b"\x1f\x9d\x90" + cipher(500))
    yield "zlib", zlib.compress(LOG)
    yield "deflate", zlib.compress(LOG)[2:-4]
    yield "picture", b"\x89PNG\r\n\x1a\n" + cipher(9000)
    yield "cipher", b"age-encryption.org/v1\n-> X25519 abc\n" + cipher(9000)
    yield "cipher in zip", zipped(cipher(9000))
    yield "NULs", bytes(65536)
    yield "a line, then gzip", b"start of the job\n" + gzip.compress(LOG)
    yield "gzip, then lines", gzip.compress(LOG[:200]) + LOG[200:]
    yield "program, then zip", b"#!/bin/sh\nexit\n" + zipped(LOG)
    yield "zstd behind a frame to skip", b"\x50\x2a\x4d\x18\x08\0\0\0abcdefgh" + zlib.compress(LOG)
    yield "base64", base64.encodebytes(LOG)
    yield "base64 of gzip", base64.encodebytes(gzip.compress(LOG * 3))
    yield "base64 on one line", base64.b64encode(LOG)
    yield "base64 in gzip", gzip.compress(base64.encodebytes(LOG))
    yield "hexadecimal", LOG.hex().encode()
    yield "percent signs", urllib.parse.quote(LOG).encode()
    body = b"".join(binascii.b2a_uu(LOG[i:i + 45]) for i in range(0, len(LOG), 45))
    for mode in (b"644", b"600", b"755"):
        yield f"uuencode, mode {mode.decode()}", b"begin " + mode + b" job.log\n" + body + b"end\n"
    text = LOG.decode(errors="replace")
    yield "every letter set apart", "\n".join(" ".join(line) for line in lines).encode()
    yield "by tabs", "\n".join("\t".join(line) for line in lines).encode()
    yield "lines backwards", "\n".join(line[::-1] for line in lines).encode()
    yield "all of it backwards", LOG[::-1]
    yield "rot13", codecs.encode(text, "rot13").encode()
    yield "wide letters", "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text).encode()
    yield "small letters", text.lower().encode()
    yield "base32", base64.b32encode(LOG)
    yield "base85", base64.b85encode(LOG)
    yield "ascii85", base64.a85encode(LOG, wrapcol=76)
    yield "quoted-printable, all of it", "".join(f"={byte:02X}" + ("=\n" if n % 20 == 19 else "") for n, byte in enumerate(LOG)).encode()
    yield "entities, all of it", "".join(f"&#{ord(c)};" if c != "\n" else c for c in text).encode()
    yield "JSON's escapes, all of it", "".join(f"\\u{ord(c):04x}" if c != "\n" else c for c in text).encode()
    yield "C's escapes, all of it", "".join(f"\\x{byte:02x}" if byte != 10 else "\n" for byte in LOG).encode()
    for separator in (" ", ", "):
        yield f"numbers by {separator!r}", separator.join(str(byte) for byte in LOG).encode()
    yield "binary digits", " ".join(f"{byte:08b}" for byte in LOG).encode()
    for dump in (["xxd"], ["xxd", "-p"], ["hexdump"], ["hexdump", "-C"], ["od"], ["od", "-b"], ["od", "-c"], ["od", "-An", "-tx1"]):
        packed = pack(dump, LOG)
        if packed is not None:
            yield " ".join(dump), packed
    hits = {"hits": {"hits": [{"_source": {"message": line}} for line in lines * 3]}}
    dump = pickle.dumps({"version": "2.9", "pg_config": {}, "entries": ["nccl:all_reduce"] * 99}, 2)
    yield "recorder's dump that would run something", dump[:-1] + b"cos\nsystem\n(X\4\0\0\0truetR."
    yield "recorder's dump of 80 MiB", dump[:-1] + b"N0" * (40 << 20) + b"."
    yield "recorder's dump, cut", dump[:-20]
    yield "answer of a search on one line", json.dumps(hits).encode()
    yield "page on one line", ("<html><body>" + "".join(f"<div><b>{n}</b>{line}</div>" for n, line in enumerate(lines))).encode()


def main():
    tried = failed = 0
    with tempfile.TemporaryDirectory(prefix="ncclwhy test ") as folder:
        for name, data in cases():
            path = pathlib.Path(folder) / "job.bin"
            path.write_bytes(data)
            run = subprocess.run([NCCLWHY, "--format", "json", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            report = json.loads(run.stdout)
            read = run.returncode == 1 and report["causes"][0]["id"] == "shm.too-small"
            said = run.returncode == 2 and "job.bin" in run.stderr.decode()
            tried += 1
            if not read and not said:
                failed += 1
                print(f"unread: {name}: {run.returncode}, {report['verdict']}, {run.stderr.decode()!r}")
    print(f"hostile: unread tried {tried} failed {failed}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
