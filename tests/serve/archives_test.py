"""Logs as they are sent: packed in every way that is told by content, from a file and through a pipe."""
import bz2
import gzip
import io
import json
import lzma
import shutil
import subprocess
import tarfile
import unittest
import zipfile

from programs import HEALTHY, KILLED, ProgramTest, SHM_FULL

LOG = SHM_FULL.read_bytes()


def tar(members, mode="w"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zipped(members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


class Archives(ProgramTest):
    def report(self, data, through_pipe, status=1):
        if through_pipe:
            run = self.ncclwhy("--format", "json", "-", stdin=data)
        else:
            (self.dir / "log").write_bytes(data)
            run = self.ncclwhy("--format", "json", "log")
        self.assertEqual(run.returncode, status, run.stderr.decode())
        return json.loads(run.stdout)

    def test_every_format(self):
        packed = {
            "gz": gzip.compress(LOG),
            "two gz": gzip.compress(LOG[:3000]) + gzip.compress(LOG[3000:]),
            "xz": lzma.compress(LOG),
            "bz2": bz2.compress(LOG),
            "zip": zipped({"job.log": LOG}),
            "zip, stored": zipped({"job.log": LOG}, zipfile.ZIP_STORED),
            "tar": tar({"job.log": LOG}),
            "tar.gz": tar({"job.log": LOG}, "w:gz"),
            "tar.xz": tar({"job.log": LOG}, "w:xz"),
            "tar.bz2": tar({"job.log": LOG}, "w:bz2"),
        }
        if shutil.which("zstd"):
            packed["zst"] = zstd(LOG)
            packed["tar.zst"] = zstd(tar({"job.log": LOG}))
        plain = self.report(LOG, False)
        for name, data in packed.items():
            for through_pipe in (False, True):
                with self.subTest(name, through_pipe=through_pipe):
                    report = self.report(data, through_pipe)
                    self.assertEqual(report["causes"][0]["id"], "shm.too-small")
                    self.assertEqual(report["coverage"]["lines"], plain["coverage"]["lines"])

    def test_all_ranks_in_one_archive(self):
        members = {f"logs/{path.name}": path.read_bytes() for path in sorted(KILLED.glob("*.log"))}
        report = self.report(tar(members, "w:gz"), False)
        self.assertEqual(report["coverage"]["sources"], len(members))
        self.assertEqual(report["causes"][0]["culprits"][0]["rank"], 3)
        self.assertIn("log/logs/rank", report["causes"][0]["evidence"][0]["file"])

    def test_nested(self):
        inner = {path.name + ".gz": gzip.compress(path.read_bytes()) for path in sorted(KILLED.glob("*.log"))}
        report = self.report(zipped({"bundle/logs.tar.xz": tar(inner, "w:xz")}), True)
        self.assertEqual(report["coverage"]["sources"], len(inner))
        self.assertEqual(report["causes"][0]["id"], "app.rank-crashed")

    def test_names_are_only_names(self):
        for name in ("../../x", "/x", "a/../../../x", "link", "con\x1b[31m"):
            for pack in (tar, zipped):
                with self.subTest(name, pack=pack.__name__):
                    before = sorted(self.dir.iterdir()) + sorted(self.dir.parent.glob("x"))
                    report = self.report(pack({name: LOG}), True)
                    self.assertEqual(report["causes"][0]["id"], "shm.too-small")
                    self.assertEqual(sorted(self.dir.iterdir()) + sorted(self.dir.parent.glob("x")), before)

    def test_links_are_not_followed(self):
        (self.dir / "secret").write_bytes(LOG)
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as archive:
            for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
                info = tarfile.TarInfo("a")
                info.type = kind
                info.linkname = "secret"
                archive.addfile(info)
        self.assertEqual(self.report(out.getvalue(), True, status=0)["verdict"], "no-nccl")

    def test_bomb(self):
        for level in (1, 2):
            with self.subTest(level=level):
                data = bytes(400 << 20)
                for _ in range(level):
                    data = gzip.compress(data)
                report = self.report(data, False, status=2)
                self.assertIn("limit", report["problems"][0])

    def test_damaged(self):
        for name, data in {"gz": gzip.compress(LOG), "zip": zipped({"a": LOG}), "xz": lzma.compress(LOG)}.items():
            with self.subTest(name):
                report = self.report(data[: len(data) * 2 // 3], True, status=2)
                self.assertIn("cannot be unpacked", report["problems"][0])

    def test_healthy_stays_healthy(self):
        self.assertEqual(self.report(gzip.compress(HEALTHY.read_bytes()), True, status=0)["verdict"], "healthy")


if __name__ == "__main__":
    unittest.main()
