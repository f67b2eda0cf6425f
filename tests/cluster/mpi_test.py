"""samples/mpi/why-tree.sh under a real mpirun: the answer of the tree is that of all logs at once, whatever its form; what a
node does not leave is named, and what lies behind it is read.

Skipped where there is no mpirun.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
NCCLWHY = pathlib.Path(os.environ["NCCLWHY"]).resolve()
JOB = ROOT / "samples/incidents/rdma-port-error-2.21.5-3x2-s23"
# A node of its own for each process: mpirun starts all of them here.
NODE = 'NCCLWHY_NODE=node$OMPI_COMM_WORLD_RANK exec "$@"'


class Mpi(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ncclwhy mpi "))
                                   if hasattr(self, "enterContext") else tempfile.mkdtemp(prefix="ncclwhy mpi "))
        self.addCleanup(shutil.rmtree, self.folder, True)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/ncclwhy").symlink_to(NCCLWHY)
        logs = sorted(JOB.glob("*.log"))
        for rank, log in enumerate(logs):
            place = self.folder / f"logs/node{rank}"
            place.mkdir(parents=True)
            shutil.copy(log, place)
        self.nodes = len(logs)

    def tree(self, processes, fan, *options, **variables):
        """(exit status, standard output, standard error)"""
        command = ["mpirun", "--quiet", "--oversubscribe", "-n", str(processes)]
        if os.geteuid() == 0:
            command.append("--allow-run-as-root")
        environment = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "NCCLWHY_FAN": str(fan),
                       "NCCLWHY_LOGS": f"{self.folder}/logs/%n", "NCCLWHY_DIGESTS": tempfile.mkdtemp(dir=self.folder), **variables}
        done = subprocess.run([*command, "bash", "-c", NODE, "-", ROOT / "samples/mpi/why-tree.sh", *options], env=environment,
                              cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200, check=False)
        return done.returncode, done.stdout, done.stderr

    def at_once(self, nodes):
        """The report on all logs, by the names that the tree gives them."""
        digests = []
        for node in nodes:
            digests.append(self.folder / f"{node}.digest")
            subprocess.run([NCCLWHY, "digest", "-q", self.folder / f"logs/{node}", "--as", node, "-o", digests[-1]], check=True)
        return json.loads(subprocess.run([NCCLWHY, "--json", *digests], stdout=subprocess.PIPE, check=False).stdout)

    def test_every_tree_gives_the_answer_of_all_logs(self):
        wanted = self.at_once([f"node{i}" for i in range(self.nodes)])
        self.assertEqual(wanted["causes"][0]["id"], "ib.link-down")
        for fan in (1, 2, 16):
            status, out, err = self.tree(self.nodes, fan, "--json")
            self.assertEqual((status, json.loads(out)), (1, wanted), err)

    def test_a_node_that_leaves_nothing_is_named(self):
        stub = self.folder / "stub"
        stub.mkdir()
        (stub / "ncclwhy").write_text(f'#!/bin/sh\n[ "$NCCLWHY_NODE" != node1 ] || exit 9\nexec "{NCCLWHY}" "$@"\n')
        (stub / "ncclwhy").chmod(0o755)
        status, out, err = self.tree(self.nodes, 1, "--json", PATH=f"{stub}:{os.environ['PATH']}", NCCLWHY_SECONDS="5")
        self.assertIn("no digest of node1", err, (status, out[:500], err))
        self.assertIn("no digest of process 1", err)
        wanted = self.at_once([f"node{i}" for i in range(self.nodes) if i != 1])
        self.assertEqual((status, json.loads(out)), (1, wanted), err)


if __name__ == "__main__":
    if shutil.which("mpirun") is None:
        print("skipped: no mpirun")
        sys.exit(77)
    unittest.main()
