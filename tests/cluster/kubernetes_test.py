"""samples/kubernetes, offline: kubectl knows every field, and the commands do what they should with folders for volumes."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import yaml
except ImportError:
    yaml = None

ROOT = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
FILES = sorted((ROOT / "samples/kubernetes").glob("*.yaml"))
JOB = ROOT / "samples/incidents/killed-2.28.9-2x2-s1"


def lost(wanted, got, at=""):
    """Fields of the file that did not come back from kubectl's types."""
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            if not isinstance(got, dict) or key not in got:
                yield f"{at}.{key}"
            else:
                yield from lost(value, got[key], f"{at}.{key}")
    elif isinstance(wanted, list):
        if not isinstance(got, list) or len(got) != len(wanted):
            yield at
        else:
            for n, value in enumerate(wanted):
                yield from lost(value, got[n], f"{at}[{n}]")
    elif str(wanted) != str(got):
        yield f"{at}: {wanted} became {got}"


def typed(text):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        return subprocess.run(["kubectl", "set", "serviceaccount", "--local", "-f", file.name, "default", "-o", "yaml"], capture_output=True,
                              text=True, timeout=60, check=False)


class Kubernetes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "bin").mkdir()
        (self.path / "bin/ncclwhy").symlink_to(pathlib.Path(os.environ["NCCLWHY"]).resolve())

    def command(self, name, kind):
        """The shell text of the container `ncclwhy`, with folders in the volumes' places."""
        pod = yaml.safe_load((ROOT / "samples/kubernetes" / name).read_text())["spec"]["template"]["spec"]
        text = next(c for c in pod[kind] if c["name"] == "ncclwhy")["command"][-1]
        return text.replace("/var/log/nccl", str(self.path / "logs")).replace("/digests", str(self.path / "digests"))

    def start(self, text, **variables):
        return subprocess.Popen(["sh", "-c", text], env={"PATH": f"{self.path}/bin:/usr/bin:/bin", **variables}, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    @unittest.skipUnless(shutil.which("kubectl"), "no kubectl")
    def test_fields(self):
        self.assertEqual(len(FILES), 2)
        for path in FILES:
            text = path.read_text()
            done = typed(text)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(list(lost(yaml.safe_load(text), yaml.safe_load(done.stdout))), [])
            bad = typed(text.replace("backoffLimit", "backofLimit"))
            self.assertTrue(bad.returncode != 0 or list(lost(yaml.safe_load(text), yaml.safe_load(bad.stdout))), "a misspelt field was not found")

    def test_commands(self):
        for pod in range(2):
            shutil.rmtree(self.path / "logs", ignore_errors=True)
            (self.path / "logs").mkdir()
            for rank in (2 * pod, 2 * pod + 1):
                shutil.copy(JOB / f"rank{rank}.log", self.path / "logs")
            child = self.start(self.command("train.yaml", "initContainers"), POD=f"train-{pod}-abcde")
            time.sleep(0.5)
            child.send_signal(signal.SIGTERM)
            self.assertEqual(child.wait(30), 0, child.stdout.read())
            child.stdout.close()
        child = self.start(self.command("why.yaml", "containers"), PODS="3")
        told = child.communicate(timeout=60)[0]
        self.assertEqual(child.returncode, 1, told)
        self.assertIn("why: no digest of train-2", told)
        self.assertNotIn("no digest of train-1", told)
        self.assertIn("rank", told)
        self.assertTrue((self.path / "digests/train/why.html").is_file())


if __name__ == "__main__":
    if yaml is None:
        print("no python3-yaml")
        sys.exit(77)
    unittest.main()
