"""`--redact`: nothing of the names that stand in the logs is left in any format."""
import json
import pathlib
import re
import shutil
import tempfile
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import FORMATS, ProgramTest, SOURCE  # noqa: E402

# What must not get out, in a log in which all of it is near the failure.
SECRETS = {
    "gpu-a17.prod.example.com": "host", "gpu-a17": "host", "storage-3.internal": "host", "node-b9": "host",
    "10.20.30.41": "ip", "192.168.77.12": "ip", "fe80::aede:48ff:fe00:1122": "ip", "2001:db8::8:800:200c:417a": "ip",
    "0c42a1030065f8a4": "guid", "b8:ce:f6:03:00:65:f8:a4": "guid", "alice.w": "user", "bob77": "user",
    "/home/alice.w/project-x/train.py": "path", "/mnt/secret-model/ckpt": "path",
    "hf_AbCdEfGhIjKlMnOpQrStUv": "token", "sup3rs3cret": "token", "ghp_0123456789abcdefghij": "token",
    "https://alice.w@git.corp.example.com/x.git": "url",
}
LOG = b"""gpu-a17:4242:4250 [3] NCCL INFO NCCL version 2.28.9+cuda12.8
gpu-a17:4242:4250 [3] NCCL INFO NET/Socket : Using [0]eth0:10.20.30.41<0> [1]ib0:fe80::aede:48ff:fe00:1122%ib0<0>
node-b9:4242:4250 [3] NCCL INFO Bootstrap : Using eth0:192.168.77.12<0>
user=bob77 host=storage-3.internal HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrStUv password: sup3rs3cret
Cloning https://alice.w@git.corp.example.com/x.git with ghp_0123456789abcdefghij
gpu-a17:4242:4250 [3] NCCL INFO NCCL_SHM_DISABLE set by environment to 0 on gpu-a17.prod.example.com
gpu-a17:4242:4250 [3] misc/ibvwrap.cc:94 NCCL WARN Call to ibv_modify_qp failed with error No data available localGid \
fe80::aede:48ff:fe00:1122 remoteGid 2001:db8::8:800:200c:417a guid 0x0c42a1030065f8a4 b8:ce:f6:03:00:65:f8:a4
gpu-a17:4242:4250 [3] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 192.168.77.12<37191> failed : \
Connection refused
gpu-a17:4242:4250 [3] misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-AbCdEf to 9637892 bytes, \
error: No space left on device (28)
Traceback (most recent call last):
  File "/home/alice.w/project-x/train.py", line 12, in <module>
    dist.all_reduce(t)  # ckpt in /mnt/secret-model/ckpt
torch.distributed.DistBackendError: NCCL error in: /home/alice.w/project-x/train.py:12, unhandled system error \
(run with NCCL_DEBUG=INFO for details) on gpu-a17.prod.example.com, token=sup3rs3cret, peer 10.20.30.41
"""


class RedactTest(ProgramTest):
    def outputs(self, *logs, log=b""):
        for format in [*FORMATS, "full", "trace"]:
            for language in ("en", "zh"):
                run = self.ncclwhy("--redact", "--format", format, "--lang", language, "--top", "9", *(logs or ["-"]),
                                   stdin=log)
                self.assertIn(run.returncode, (0, 1, 3), run.stderr)
                yield format, run.stdout.decode()

    def assert_gone(self, originals, text, format):
        for original in originals:
            # Percent-encoded in URIs, escaped in Markdown and JSON: the letters and digits stay next to each other.
            shapes = {original, re.sub(r"([\\._-])", r"\\\1", original), original.replace(":", "%3A"),
                      original.replace("/", "\\/")}
            for shape in shapes:
                self.assertIsNone(re.search(r"(?<![A-Za-z0-9])" + re.escape(shape) + r"(?![A-Za-z0-9])", text),
                                  f"{format}: {shape}")

    def test_secrets(self):
        before = self.ncclwhy("--format", "json", "--top", "9", "-", stdin=LOG).stdout.decode()
        known = [secret for secret in SECRETS if secret in before]
        self.assertGreater(len(known), 6, "the test's log shows too little of what is to be hidden")
        for format, text in self.outputs(log=LOG):
            self.assert_gone(SECRETS, text, format)

    def test_samples(self):
        folders = sorted(path for path in (SOURCE / "samples/incidents").iterdir() if path.is_dir())
        for folder in folders:
            logs = sorted(folder.glob("*.log"))
            everything = b"".join(log.read_bytes() for log in logs).decode(errors="replace")
            hosts = set(re.findall(r"(?m)^([A-Za-z][\w.-]*):\d+:\d+ ", everything))
            addresses = set(re.findall(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])", everything))
            addresses -= {"127.0.0.1", "0.0.0.0"}
            with self.subTest(folder.name):
                for format, text in self.outputs(*logs):
                    self.assert_gone(hosts | addresses, text, format)

    def test_where_a_log_lies(self):
        """Folders that say nothing of a site (/tmp, home, logs) may stay, names do not."""
        with tempfile.TemporaryDirectory(prefix="ncclwhy-") as place:
            folder = pathlib.Path(place) / "home" / "zqvxkwy" / "projekt hrbftz" / "logs"
            folder.mkdir(parents=True)
            shutil.copy(sorted((SOURCE / "samples/incidents/shm-full-2.28.9-1x4-s1").glob("*.log"))[0], folder / "gkwpt-17.log")
            for format, text in self.outputs(folder / "gkwpt-17.log"):
                self.assert_gone(["zqvxkwy", "hrbftz", "gkwpt"], text, format)

    def test_same_thing_same_alias(self):
        hosts = {}
        logs = sorted((SOURCE / "samples/incidents/rdma-port-error-2.21.5-3x2-s23").glob("*.log"))
        plain, hidden = (json.loads(self.ncclwhy(*options, "--format", "json", *logs).stdout)
                         for options in ((), ("--redact",)))
        ranks = list(zip(plain["job"]["communicators"][0]["ranks"], hidden["job"]["communicators"][0]["ranks"]))
        self.assertEqual(len(ranks), 6)
        for before, after in ranks:
            self.assertRegex(after["host"], r"^host-\d+$")
            self.assertEqual(hosts.setdefault(before["host"], after["host"]), after["host"])
        self.assertEqual(len(set(hosts.values())), 3)
        for key in ("verdict", "schema"):
            self.assertEqual(plain[key], hidden[key])
        self.assertEqual([c["id"] for c in plain["causes"]], [c["id"] for c in hidden["causes"]])

    def test_timeline_is_refused(self):
        """It would hold every line as logged."""
        run = self.ncclwhy("--redact", "--db", "job.db", "-", stdin=LOG)
        self.assertEqual(run.returncode, 2)
        self.assertFalse((self.dir / "job.db").exists())
        self.assertNotIn(b"gpu-a17", run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
