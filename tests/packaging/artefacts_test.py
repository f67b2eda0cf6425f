"""What release.sh made: sums, the list of parts, and the container image as a runtime would take it.

artefacts_test.py ARTEFACTS LOG CAUSE
"""

import concurrent.futures
import glob
import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

try:
    import yaml
except ImportError:
    yaml = None

CAUSE = sys.argv.pop()
LOG = sys.argv.pop()
ARTEFACTS = sys.argv.pop()


def images(machine):
    return glob.glob(os.path.join(ARTEFACTS, "ncclwhy-*-image-%s.tar" % machine))


IMAGES = images("amd64")


class ListTest(unittest.TestCase):
    def test_sums(self):
        named = {}
        with open(os.path.join(ARTEFACTS, "SHA256SUMS")) as file:
            for line in file:
                digest, name = line.split()
                named[name] = digest
        self.assertEqual(set(named) | {"SHA256SUMS"}, set(os.listdir(ARTEFACTS)))
        for name, digest in named.items():
            with open(os.path.join(ARTEFACTS, name), "rb") as file:
                self.assertEqual(hashlib.sha256(file.read()).hexdigest(), digest, name)

    def test_parts(self):
        program = glob.glob(os.path.join(ARTEFACTS, "ncclwhy-*-linux-x86_64"))[0]
        with open(program + ".spdx.json") as file:
            spdx = json.load(file)
        with open(program, "rb") as file:
            content = file.read()
        self.assertEqual(spdx["spdxVersion"], "SPDX-2.3")
        parts = {one["name"]: one for one in spdx["packages"]}
        self.assertEqual(parts["ncclwhy"]["checksums"][0]["checksumValue"], hashlib.sha256(content).hexdigest())
        # What tells of itself inside the program is listed, and XML and ICU are neither here nor there.
        for name, trace in (("sqlite3", b"SQLite format 3"), ("libarchive", b"libarchive "), ("re2", b"re2/"),
                            ("glibc", b"GLIBC_TUNABLES"), ("cpp-httplib", b"Content-Length"), ("zlib", b"incorrect header check")):
            self.assertTrue(trace in content, trace)
            self.assertIn(name, parts)
        for trace in (b"xmlParse", b"icudt", b"OpenSSL"):
            self.assertFalse(trace in content, trace)
        known = set(parts[name]["SPDXID"] for name in parts) | {"SPDXRef-DOCUMENT"}
        for one in spdx["relationships"]:
            self.assertLessEqual({one["spdxElementId"], one["relatedSpdxElement"]}, known)
        with open(os.path.join(os.path.dirname(__file__), "..", "..", "src", "cmake", "THIRD_PARTY.md")) as file:
            table = file.read()
        for part in parts.values():
            licence = part["licenseDeclared"]
            self.assertTrue(licence in table or part["name"] == "ncclwhy", (part["name"], licence))


ARM = glob.glob(os.path.join(ARTEFACTS, "ncclwhy-*-linux-aarch64"))


@unittest.skipUnless(ARM and shutil.which("qemu-aarch64-static"), "no program for 64-bit ARM was made, or there is no qemu")
class ArmTest(unittest.TestCase):
    def test_run(self):
        done = subprocess.run(["qemu-aarch64-static", ARM[0], "--summary", LOG], stdout=subprocess.PIPE)
        self.assertEqual((done.returncode, CAUSE.encode() in done.stdout), (1, True))
        self.assertTrue(images("arm64"))

    def test_wheel_and_image_hold_it(self):
        """What is tried here is what they bring: neither is installed on a machine of that kind."""
        with open(ARM[0], "rb") as file:
            program = file.read()
        wheels = glob.glob(os.path.join(ARTEFACTS, "ncclwhy-*_aarch64.whl"))
        if wheels:  # not made without python3-build; release.sh says so
            with zipfile.ZipFile(wheels[0]) as wheel:
                self.assertTrue(wheel.read("ncclwhy/bin/ncclwhy") == program)
                self.assertEqual([name for name in wheel.namelist() if name.startswith("ncclwhy/lib/")], [])
        with tarfile.open(images("arm64")[0]) as archive:
            files = {one.name: archive.extractfile(one).read() for one in archive if one.isfile()}
        manifest = json.loads(self.named(files, json.loads(files["index.json"])["manifests"][0]))
        self.assertEqual(json.loads(self.named(files, manifest["config"]))["architecture"], "arm64")
        with tarfile.open(fileobj=io.BytesIO(self.named(files, manifest["layers"][0])), mode="r:gz") as layer:
            self.assertTrue(layer.extractfile("ncclwhy").read() == program)

    @staticmethod
    def named(files, descriptor):
        return files["blobs/" + descriptor["digest"].replace(":", "/")]

    def test_says_what_the_other_says(self):
        other = glob.glob(os.path.join(ARTEFACTS, "ncclwhy-*-linux-x86_64"))[0]
        for form in ("json", "text", "html"):
            said = [subprocess.run(run + ["--format", form, LOG], stdout=subprocess.PIPE).stdout
                    for run in (["qemu-aarch64-static", ARM[0]], [other])]
            self.assertTrue(said[0] == said[1] and len(said[0]) > 100, form)

    def test_says_it_of_each_sample(self):
        """A char has no sign there, sums may be fused: whole jobs show what that changes."""
        other = glob.glob(os.path.join(ARTEFACTS, "ncclwhy-*-linux-x86_64"))[0]
        samples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples")
        jobs = sorted(glob.glob(os.path.join(samples, "incidents", "*", "")) + glob.glob(os.path.join(samples, "witnesses", "*", "")))
        self.assertGreater(len(jobs), 50)

        def differs(job):
            said = [subprocess.run(run + ["--format", "json", job], stdout=subprocess.PIPE).stdout
                    for run in (["qemu-aarch64-static", ARM[0]], [other])]
            return said[0] != said[1] or len(said[0]) < 100

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.assertEqual([job for job, different in zip(jobs, pool.map(differs, jobs)) if different], [])
        print("%d jobs, the same answers" % len(jobs))


class WorkflowTest(unittest.TestCase):
    @unittest.skipIf(yaml is None, "needs python3-yaml")
    def test_steps(self):
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        with open(os.path.join(root, "samples", "ci", "release.yml")) as file:
            steps = yaml.safe_load(file)["jobs"]["release"]["steps"]
        scripts = [step["run"] for step in steps if "run" in step]
        self.assertGreater(len(scripts), 3)
        for script in scripts:
            self.assertEqual(subprocess.run(["bash", "-n", "-c", script]).returncode, 0, script)
        made = next(script for script in scripts if "release.sh" in script)
        self.assertIn("NCCLWHY_RELEASE=all src/packaging/release.sh out", made)
        # The tag must be the version of the sources: that line is run as it stands.
        check = next(line for line in made.splitlines() if line.startswith("test "))
        with open(os.path.join(root, "CMakeLists.txt")) as file:
            version = file.read().split("VERSION ")[2].split()[0]
        for tag, status in (("v" + version, 0), ("v9.9.9", 1)):
            run = subprocess.run(["bash", "-c", check], cwd=root, env=dict(os.environ, GITHUB_REF_NAME=tag))
            self.assertEqual(run.returncode, status)


class ImageTest(unittest.TestCase):
    machine = "amd64"

    @classmethod
    def setUpClass(cls):
        if not images(cls.machine):
            raise unittest.SkipTest("no image for %s was made" % cls.machine)
        cls.path = images(cls.machine)[0]
        with tarfile.open(cls.path) as archive:
            cls.files = {one.name: archive.extractfile(one).read() for one in archive if one.isfile()}

    def blob(self, descriptor):
        content = self.files["blobs/" + descriptor["digest"].replace(":", "/")]
        self.assertEqual((len(content), "sha256:" + hashlib.sha256(content).hexdigest()),
                         (descriptor["size"], descriptor["digest"]))
        return content

    def image(self):
        self.assertEqual(json.loads(self.files["oci-layout"]), {"imageLayoutVersion": "1.0.0"})
        index = json.loads(self.files["index.json"])
        manifest = json.loads(self.blob(index["manifests"][0]))
        layers = [self.blob(layer) for layer in manifest["layers"]]
        return json.loads(self.blob(manifest["config"])), layers

    def test_configuration(self):
        config, layers = self.image()
        self.assertEqual((config["os"], config["architecture"]), ("linux", self.machine))
        run = config["config"]
        user, group = run["User"].split(":")
        self.assertTrue(int(user) > 0 and int(group) > 0)
        self.assertEqual((run["Entrypoint"], run["Cmd"], run["WorkingDir"]), (["/ncclwhy"], ["/logs"], "/logs"))
        labels = run["Labels"]
        for name in ("title", "description", "licenses", "version"):
            self.assertTrue(labels["org.opencontainers.image." + name])
        self.assertEqual(len(layers), 1)
        with tarfile.open(fileobj=io.BytesIO(layers[0]), mode="r:gz") as layer:
            members = layer.getmembers()
            self.assertEqual({one.name for one in members}, {"ncclwhy", "logs", "tmp"})
            self.assertEqual({(one.uid, one.mtime) for one in members}, {(0, 0)})
            content = layer.extractfile("ncclwhy").read()
        self.assertEqual(config["rootfs"]["diff_ids"], ["sha256:" + hashlib.sha256(gzip.decompress(layers[0])).hexdigest()])
        print("%d bytes, of which the program %d" % (os.path.getsize(self.path), len(content)))

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_run(self):
        config, layers = self.image()
        run = config["config"]
        with tempfile.TemporaryDirectory() as root:
            os.chmod(root, 0o755)
            with tarfile.open(fileobj=io.BytesIO(layers[0]), mode="r:gz") as layer:
                layer.extractall(root)
            shutil.copy(LOG, os.path.join(root, "logs", "job.log"))  # -v $PWD:/logs
            done = subprocess.run(
                ["chroot", "--userspec=" + run["User"], root] + run["Entrypoint"] + run["Cmd"],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={"PATH": os.environ["PATH"] + ":/usr/sbin"},
            )
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(CAUSE.encode(), done.stdout)

    @unittest.skipUnless(shutil.which("buildah") and os.geteuid() == 0, "needs buildah and root")
    def test_buildah_takes_it(self):
        with tempfile.TemporaryDirectory() as place:
            store = ["buildah", "--root", place + "/root", "--runroot", place + "/run", "--storage-driver", "vfs"]
            env = dict(os.environ, BUILDAH_ISOLATION="chroot", HOME=place)
            pulled = subprocess.run(store + ["pull", "-q", "--arch", self.machine, "oci-archive:" + self.path], env=env, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, universal_newlines=True)
            self.assertEqual(pulled.returncode, 0, pulled.stderr)
            shown = subprocess.run(store + ["inspect", "--type", "image", pulled.stdout.strip()], env=env,
                                   stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
            self.assertEqual(json.loads(shown)["OCIv1"]["config"]["Entrypoint"], ["/ncclwhy"])


def runs_arm():
    """Whether programs for 64-bit ARM just run here: on such a machine, or by arm64/here.sh."""
    try:
        return bool(ARM) and subprocess.run([ARM[0], "--version"], stdout=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


class ArmImageTest(ImageTest):
    machine = "arm64"

    @unittest.skipUnless(os.geteuid() == 0 and runs_arm(), "needs root, and see arm64/here.sh")
    def test_run(self):
        super().test_run()


if __name__ == "__main__":
    if not IMAGES:
        print("skipped: no image was made")
        sys.exit(77)
    unittest.main()
