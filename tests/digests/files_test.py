"""Files of digests that are cut, damaged, older, newer, made with other rules, inside of archives, on standard input."""

import gzip
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

BINARY = os.environ["NCCLWHY"]
SAMPLES = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"]) / "samples"
JOB = next(p for p in sorted((SAMPLES / "incidents").iterdir()) if len(list(p.iterdir())) > 3)


def run(*arguments, stdin=b"", cwd=None):
    return subprocess.run([BINARY, *map(str, arguments)], input=stdin, capture_output=True, timeout=300, cwd=cwd, check=False)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.logs = sorted(p for p in JOB.iterdir() if p.name != "incident.json")
        self.digest = self.path / "node.digest"
        done = run("digest", *self.logs, "-o", self.digest)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{len(self.logs)} sources".encode(), done.stderr)

    def plain(self):
        """What is in the file before it is packed."""
        return subprocess.run(["zstd", "-dc", self.digest], capture_output=True, check=True).stdout if self.zstd() else \
            gzip.decompress(self.digest.read_bytes())

    def zstd(self):
        return self.digest.read_bytes()[:4] == b"\x28\xb5\x2f\xfd"

    def need_plain(self):
        try:
            return self.plain()
        except FileNotFoundError:
            self.skipTest("no zstd")

    def refused(self, data, *words):
        bad = self.path / "bad.digest"
        bad.write_bytes(data)
        done = run("--format", "json", bad)
        self.assertEqual(done.returncode, 2, done)
        for word in ("bad.digest", *words):
            self.assertIn(word.encode(), done.stderr)
        self.assertNotIn(b'"verdict": "healthy"', done.stdout)

    def test_equal_bytes(self):
        again = self.path / "again"
        run("digest", *reversed(self.logs), "--jobs", "1", "-o", again)
        self.assertEqual(again.read_bytes(), self.digest.read_bytes())
        merged = self.path / "merged"
        run("digest", self.digest, self.logs[0], "-o", merged)
        self.assertEqual(merged.read_bytes(), self.digest.read_bytes())

    def test_elsewhere(self):
        wanted = run("--format", "json", *self.logs)
        with open(self.digest, "rb") as file:
            got = run("--format", "json", "-", stdin=file.read())
        self.assertEqual((got.returncode, got.stdout), (wanted.returncode, wanted.stdout))
        archive = self.path / "node.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(self.digest, "d/node.digest")
        got = run("--format", "json", archive)
        self.assertEqual((got.returncode, got.stdout), (wanted.returncode, wanted.stdout))
        out = run("digest", "-q", *self.logs, "-o", "-")
        self.assertEqual((out.stdout, out.stderr), (self.digest.read_bytes(), b""))

    def test_cut(self):
        data = self.digest.read_bytes()
        for end in range(1, len(data), max(1, len(data) // 40)):
            if end > 4:  # before that it is anything
                self.refused(data[:end])
        plain = self.need_plain()
        for end in range(20, len(plain), max(1, len(plain) // 40)):
            self.refused(plain[:end], "is a digest that ends too early")

    def test_empty(self):
        self.refused(b"", "is a digest by its name, and empty")
        archive = self.path / "all.tar"
        with tarfile.open(archive, "w") as tar:
            tar.add(self.path / "bad.digest", "d/bad.digest")
            tar.add(self.digest, "d/node.digest")
        self.assertEqual(run(archive).returncode, 2)
        (self.path / "empty.log").write_bytes(b"")
        self.assertNotIn(b"digest", run(self.path / "empty.log").stderr)

    def test_parts_apart(self):
        """Of a rotated log: nobody reads across the cut, which is said."""
        lines = self.logs[0].read_bytes().splitlines(keepends=True)
        half = len(lines) // 2
        (self.path / "a").mkdir()
        (self.path / "a" / "t.log.1").write_bytes(b"".join(lines[:half]))
        (self.path / "a" / "t.log").write_bytes(b"".join(lines[half:]))
        for part in ("t.log.1", "t.log"):
            run("digest", part, "-o", f"{part}.digest", cwd=self.path / "a")
        run("digest", "t.log", "t.log.1", "-o", "both.digest", cwd=self.path / "a")
        whole = run("both.digest", cwd=self.path / "a")
        self.assertNotIn(b"digested apart", whole.stdout + whole.stderr)
        for arguments in (("t.log.1.digest", "t.log.digest"), ("t.log.1.digest", "t.log")):
            done = run(*arguments, cwd=self.path / "a")
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(b"t.log: its parts (t.log.1) were digested apart", done.stdout + done.stderr)

    def test_damaged(self):
        plain = self.need_plain()
        for at in range(20, len(plain), max(1, len(plain) // 60)):
            self.refused(plain[:at] + bytes([plain[at] ^ 4]) + plain[at + 1:], "nothing of it was used")
        self.refused(plain + b"more", "is a damaged digest")

    def test_versions(self):
        plain = self.need_plain()
        self.refused(plain[:16] + (9).to_bytes(4, "little") + plain[20:], "a newer ncclwhy", "format 9")
        self.refused(plain[:16] + (0).to_bytes(4, "little") + plain[20:], "an older ncclwhy", "format 0")

    def test_rules(self):
        rule = self.path / "rules" / "mine"
        shutil.copytree(next(SAMPLES.parent.glob("rules/catalog/*/shm-extend-failed")), rule)
        text = (rule / "rule.json").read_text()
        (rule / "rule.json").write_text(text.replace('"id": "shm-extend-failed"', '"id": "mine"'))
        done = run("--rules", self.path / "rules", self.digest, "--format", "json")
        self.assertNotIn(b"rule.json", done.stderr)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"made with other rules", done.stderr + done.stdout)

    def test_timeline(self):
        done = run("--timeline", "full", "--db", self.path / "t.db", self.digest, "--format", "json")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--timeline full", done.stdout + done.stderr)
        full = self.path / "full.digest"
        run("digest", "--timeline", "full", *self.logs, "-o", full)
        self.assertEqual(run(full).returncode, 2)
        wanted = run("--timeline", "full", "--db", self.path / "a.db", *self.logs)
        got = run("--timeline", "full", "--db", self.path / "b.db", full)
        self.assertEqual((got.returncode, got.stdout), (wanted.returncode, wanted.stdout))

    def test_names(self):
        """Nodes whose logs have one name."""
        folders = []
        for n, log in enumerate(self.logs):
            folder = self.path / f"node{n}"
            folder.mkdir()
            (folder / "nccl.log").write_bytes(log.read_bytes())
            folders.append(folder)
            run("digest", "nccl.log", "--as", folder.name, "-o", self.path / f"{n}.digest", cwd=folder)
        wanted = run("--format", "json", *[f"{folder.name}/nccl.log" for folder in folders], cwd=self.path)
        got = run("--format", "json", *[f"{n}.digest" for n in range(len(folders))], cwd=self.path)
        self.assertEqual((got.returncode, got.stdout), (wanted.returncode, wanted.stdout))
        # Without: as many sources, in an order that arguments do not decide.
        for n, folder in enumerate(folders):
            run("digest", "nccl.log", "-o", self.path / f"{n}.digest", cwd=folder)
        names = [f"{n}.digest" for n in range(len(folders))]
        one, other = run("--format", "json", *names, cwd=self.path), run("--format", "json", *reversed(names), cwd=self.path)
        self.assertEqual(one.stdout, other.stdout)
        self.assertIn(f'"sources": {len(folders)}'.encode(), one.stdout.replace(b'":', b'": ').replace(b"  ", b" "))

    def test_problems(self):
        """What a node could not read is said wherever its digest is."""
        cut = self.path / "cut.log.gz"
        cut.write_bytes(gzip.compress(self.logs[0].read_bytes())[:-20])
        done = run("digest", cut, "-o", self.path / "cut.digest")
        self.assertEqual(done.returncode, 2)
        cut.unlink()
        done = run(self.path / "cut.digest")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cut.log.gz", done.stdout + done.stderr)

    def test_an_input_is_not_replaced(self):
        """By no name, of no command that has -o."""
        folder = self.path / "logs"
        folder.mkdir()
        log = folder / "rank0.log"
        log.write_bytes(self.logs[0].read_bytes())
        (self.path / "soft").symlink_to(log)
        os.link(log, self.path / "hard")
        for output, read in ((log, log), (log, folder), (self.path / "soft", log), (self.path / "hard", log),
                             (self.path / "hard", folder), (log, self.path / "soft"), (log, folder / "rank*.log")):
            for command in ("digest", "minimize", "analyze"):
                done = run(command, read, "-o", output)
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), (command, output, done))
                self.assertIn(b"is one of the files that are read", done.stderr)
                self.assertEqual(log.read_bytes(), self.logs[0].read_bytes())
        with open(log, "rb") as file:
            done = subprocess.run([BINARY, "digest", "-", "-o", log], stdin=file, capture_output=True, check=False)
        self.assertEqual((done.returncode, log.read_bytes()), (2, self.logs[0].read_bytes()))
        self.assertEqual(os.listdir(folder), ["rank0.log"])

    def test_a_report_is_replaced(self):
        """In a folder that is read, too."""
        folder = self.path / "logs"
        folder.mkdir()
        for log in self.logs:
            (folder / log.name).write_bytes(log.read_bytes())
        for lang in ("en", "zh"):
            for form in ("text", "full", "json", "markdown", "html", "sarif", "junit", "github", "summary", "trace"):
                report = folder / f"why-{form}"
                for _ in range(2):
                    done = run("-f", form, "--lang", lang, folder, "-o", report)
                    self.assertEqual(done.returncode, 1, (form, done))
                report.unlink()

    def test_usage(self):
        self.assertEqual(run("digest", *self.logs).returncode, 2)
        self.assertEqual(run("digest", self.path / "none", "-o", self.path / "x").returncode, 2)
        self.assertEqual(run("digest", self.logs[0], "-o", self.path / "no" / "x").returncode, 2)


if __name__ == "__main__":
    unittest.main()
