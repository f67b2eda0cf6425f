"""`ncclwhy history` as an epilog and an operator use it."""
import json
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import NCCLWHY, SOURCE, KILLED, ProgramTest  # noqa: E402


def report(number, hosts, culprit=None, cause="gpu.ecc", decision="rerun-without", day="2026-10-01", **culprit_more):
    """What `--format json` prints, as far as a history reads it."""
    ranks = [{"rank": i, "host": host, "stage": "ready", "seen": True, "culprit": False} for i, host in enumerate(hosts)]
    failed = culprit is not None
    out = {"schema": "ncclwhy.report/1", "ncclwhy": "0.1.0", "verdict": "failure" if failed else "healthy",
           "outcome": "failed" if failed else "succeeded", "causes": [], "timeline": [
               {"kind": "ending", "what": "it ended", "time": f"{day} 10:00:00", "count": 1}],
           "job": {"nccl_versions": ["2.27.7"], "hosts": len(hosts), "processes": len(hosts), "transports": {},
                   "communicators": [{"id": 0, "comm_id": "0x%x" % number, "nranks": len(hosts), "ranks": ranks}],
                   "environment": [{"name": "cuda_driver", "value": "13000"}]},
           "coverage": {"lines": 9}}
    if failed:
        out["causes"] = [{"id": cause, "confidence": 0.9, "culprits": [{"host": culprit, "why": "it", **culprit_more}]}]
        out["decision"] = {"do": decision, "hosts": [culprit], "confidence": 0.8, "why": "it"}
    return out


class HistoryTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.db = self.dir / "fleet.db"

    def add(self, reports, *options, exit_status=0):
        paths = []
        for number, each in enumerate(reports):
            paths.append(self.dir / f"report-{number}.json")
            paths[-1].write_text(json.dumps(each, indent=2))
        run = self.ncclwhy("history", "add", *options, self.db, *paths)
        self.assertEqual(run.returncode, exit_status, run.stderr)
        return run.stderr.decode()

    def ask(self, question, *options):
        run = self.ncclwhy("history", question, self.db, *options)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout.decode()

    def rows(self, question, *options):
        return json.loads(self.ask(question, "--json", *options))["rows"]

    def fleet(self):
        """300 jobs of four hosts: bad-7 is in nine of them, nine fail, five of those through bad-7."""
        jobs = []
        for i in range(300):
            hosts = [f"n{(i * 4 + k) % 97}" for k in range(4)]
            if i % 33 == 0 and i < 270:  # nine jobs
                hosts[0] = "bad-7"
            jobs.append([i + 1, hosts, None])
        for i, culprit in [(0, "bad-7"), (33, "bad-7"), (66, "bad-7"), (99, "bad-7"), (132, "bad-7")]:
            jobs[i][2] = culprit
        for i in (7, 70, 111, 222):
            jobs[i][2] = jobs[i][1][1]
        return [report(*job, day=f"2026-10-{1 + job[0] // 12:02}") for job in jobs]

    def test_a_bad_host_stands_out(self):
        self.assertIn("added 300, replaced 0", self.add(self.fleet()))
        first = self.rows("hosts")[0]
        self.assertEqual((first["host"], first["blamed"], first["jobs"], first["share"]), ("bad-7", 5, 9, 0.03))
        self.assertEqual((first["first"], first["last"], first["causes"]), ("2026-10-01", "2026-10-12", "gpu.ecc 5"))
        # Binomial, 9 failures of a chance of 3 % / 4 each, times 98 hosts.
        self.assertAlmostEqual(first["chance"] / (98 * 126 * 0.0075 ** 5), 1, delta=0.05)
        self.assertGreater(self.rows("hosts")[1]["chance"], 0.1)
        self.assertEqual([row["host"] for row in self.rows("drain")], ["bad-7"])
        self.assertRegex(self.ask("drain"), r"\Abad-7\tblamed in 5 jobs since 2026-10-01, last 2026-10-12, chance \S+: gpu")
        self.assertRegex(self.ask("hosts"), r"300 jobs, 9 of them failed .*\nhost +blamed .*\nbad-7 +5 +9 +3 % ")

    def test_a_job_counts_once(self):
        jobs = self.fleet()[:40]
        self.add(jobs)
        before = self.ask("hosts", "--json")
        self.assertIn("added 0, replaced 40", self.add(jobs))
        self.assertEqual(self.ask("hosts", "--json"), before)
        # A better report on the same run takes the place of the old one.
        jobs[1] = report(2, ["a", "b"], "b", "ib.link-down")
        self.assertIn("added 0, replaced 1", self.add(jobs[1:2]))
        self.assertEqual(self.rows("causes")[-1]["cause"], "ib.link-down")
        self.assertIn("added 1", self.add(jobs[:1], "--key", "slurm-17"))

    def test_what_would_fail_anywhere_drains_nobody(self):
        self.add([report(i, [f"h{i}", "x", "y", f"z{i}"], "x", "app.exception", "fix-first") for i in range(1, 9)] +
                 [report(100 + i, [f"h{i}", "q", "r"]) for i in range(400)])
        self.assertEqual(self.rows("hosts")[0]["blamed"], 8)
        self.assertEqual(self.rows("drain"), [])

    def test_no_drained_host_is_more_than_one(self):
        """What reads the list runs `scontrol update nodename=HOST state=drain`."""
        for name in ("ALL", "all", "n[1-96]", "n1,n2", "--all", "n1 n2", "$(n1)", "*", "localhost", "n1\tx", "n1\nn2"):
            jobs = self.fleet()
            for job in jobs:
                for rank in job["job"]["communicators"][0]["ranks"]:
                    rank["host"] = name if rank["host"] == "bad-7" else rank["host"]
                for cause in job["causes"]:
                    for culprit in cause["culprits"]:
                        culprit["host"] = name if culprit["host"] == "bad-7" else culprit["host"]
            self.db = self.dir / "other.db"
            self.db.unlink(missing_ok=True)
            self.add(jobs)
            self.assertEqual(self.rows("hosts")[0]["blamed"], 5)
            self.assertEqual(self.ask("drain"), "", name)

    def test_without_others_nothing_is_known(self):
        """Failures only, no other host named: nothing says that the host is not simply in all jobs."""
        self.add([report(i, ["only"], "only") for i in range(1, 10)])
        self.assertEqual(self.rows("hosts")[0]["chance"], 1)
        self.assertEqual(self.rows("drain"), [])

    def test_devices_and_versions(self):
        jobs = [report(i, ["a", "b", "c", "d"], "a", "ib.link-down", device="mlx5_3") for i in (1, 2, 3)]
        jobs += [report(i, ["a", "b", "c", "d"]) for i in range(10, 60)]
        for job in jobs[:3]:
            job["job"]["nccl_versions"] = ["2.99.1"]
        self.add(jobs)
        self.assertEqual(self.rows("devices")[0]["device"], "a mlx5_3")
        versions = {row["version"]: row for row in self.rows("versions")}
        self.assertEqual((versions["nccl 2.99.1"]["failures"], versions["nccl 2.99.1"]["jobs"]), (3, 3))
        # One of C(53,3) draws, times three versions.
        self.assertAlmostEqual(versions["nccl 2.99.1"]["chance"], 3 / (53 * 52 * 51 / 6), places=9)
        self.assertEqual(versions["cuda_driver 13000"]["chance"], 1)

    def places(self, text, exit_status=0):
        path = self.dir / "places.txt"
        path.write_text(text)
        run = self.ncclwhy("history", "places", self.db, path)
        self.assertEqual(run.returncode, exit_status, run.stderr)
        return run.stderr.decode()

    def leaves(self, culprits):
        """240 jobs of four hosts among 64, four each on 16 switches; `culprits`: who fails in which job."""
        return [report(i + 1, [f"n{(i * 13 + k * 17) % 64:02}" for k in range(4)] if i not in culprits else
                       [culprits[i], f"n{(i * 3 + 1) % 64:02}", f"n{(i * 5 + 2) % 64:02}", f"n{(i * 7 + 3) % 64:02}"],
                       culprits.get(i), cause="ib.link-down") for i in range(240)]

    SLURM = "".join(f"SwitchName=leaf{i:02} Level=0 LinkSpeed=1 Nodes=n[{i * 4:02}-{i * 4 + 3:02}]\n" for i in range(16)) + \
        "SwitchName=spine1 Level=1 LinkSpeed=1 Nodes=n[00-63] Switches=leaf[00-15]\n"

    def test_a_bad_switch_stands_out(self):
        """Each host of leaf05 fails but twice; none of them stands out by itself as the switch does."""
        self.add(self.leaves({i * 20: f"n{20 + i % 4}" for i in range(8)} | {7: "n40", 90: "n02"}))
        self.assertEqual(self.rows("switches"), [])  # nobody said what hangs where
        self.assertIn("know 17 places", self.places(self.SLURM))
        first, *others = self.rows("switches")
        self.assertEqual((first["place"], first["blamed"], first["hosts"]), ("switch leaf05", 8, 4))
        self.assertLess(first["chance"], 1e-3)
        self.assertEqual(first["causes"], "ib.link-down 8")
        for row in others:
            self.assertGreater(row["chance"], 0.1, row)  # the spine, above all: it has all hosts
        self.assertRegex(self.ask("switches"), r"switch leaf05 +8 ")
        self.assertIn('ncclwhy_history_place_blamed{place="switch leaf05"} 8', self.ask("metrics"))

    def test_one_bad_host_makes_no_bad_switch(self):
        self.add(self.leaves({i * 20: "n21" for i in range(8)}))
        self.places(self.SLURM)
        self.assertLess(self.rows("hosts")[0]["chance"], 1e-3)
        self.assertGreater(self.rows("switches")[0]["chance"], 0.1)

    def test_no_bad_switch(self):
        self.add(self.leaves({i * 20: f"n{i * 6:02}" for i in range(10)}))
        self.places(self.SLURM)
        for row in self.rows("switches"):
            self.assertGreater(row["chance"], 0.1, row)

    def test_forms_of_places(self):
        """What each prints of n20 to n23 and of others."""
        def node(name, **labels):
            return {"kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/arch": "amd64", **labels}}}
        leaf = "network.topology.nvidia.com/leaf"
        forms = {
            "switch sw5": [
                "SwitchName=sw5 Nodes=n[20-21],n22,n23\nSwitchName=sw6 Nodes=n[24-27]\nSwitchName=top Switches=sw[5-6]\n",
                "switchname=sw5  nodes=n[20-23]   # the odd one\n",
                "- topology: default\n  cluster_default: true\n  tree:\n    switches:\n      - switch: top\n        children: sw[5-6]\n"
                "      - switch: sw5\n        nodes: n[20-23]\n      - switch: sw6\n        nodes: n[24-27]\n"],
            "block b1": ["BlockName=b1 Nodes=n[20-23]\nBlockName=b2 Nodes=n[24-40]\n"],
            f"{leaf} l-5": [
                json.dumps({"kind": "List", "items": [node(f"n{i}", **{leaf: f"l-{i // 4}"}) for i in range(20, 30)]}),
                "NAME STATUS ROLES AGE VERSION LABELS\n" + "".join(
                    f"n{i}   Ready    <none>   41d   v1.31.2   kubernetes.io/arch=amd64,{leaf}=l-{i // 4}\n" for i in range(20, 30))],
            "place rack-5": ["# hosts\nn[20-23] rack-5\nn24\track-6\n"]}
        self.add(self.leaves({i * 20: f"n{20 + i % 4}" for i in range(8)}))
        for place, texts in forms.items():
            for text in texts:
                self.places(text)
                self.assertEqual((self.rows("switches")[0]["place"], self.rows("switches")[0]["hosts"]), (place, 4), text)
        # Names of reports may be longer than those of the scheduler.
        self.db = self.dir / "long.db"
        jobs = self.leaves({i * 20: f"n{20 + i % 4}" for i in range(8)})
        self.add([json.loads(re.sub(r'"(n\d\d)"', r'"\1.cluster.example"', json.dumps(job))) for job in jobs])
        self.places(self.SLURM)
        self.assertEqual(self.rows("switches")[0]["place"], "switch leaf05")

    def test_bad_places(self):
        self.add(self.leaves({0: "n20"}))
        before = self.ask("switches", "--json")
        for text in ("", "\n", "# nothing\n", "{", '{"items": 7}', '{"items": [null, {"metadata": {"name": 3}}]}',
                     "SwitchName=a Switches=a\n", "SwitchName=a Switches=b\nSwitchName=b Switches=a\n"):
            self.assertIn("hangs" if not text.startswith("{") or "items" in text else "JSON", self.places(text, exit_status=2))
        self.assertEqual(self.ask("switches", "--json"), before)
        self.assertEqual(self.ncclwhy("history", "places", self.db, self.dir / "none").returncode, 2)
        # A range without end, a bracket without one, a name that is none.
        self.places("SwitchName=a Nodes=n[1-99999999999],x[3,y[5-1],n20\nSwitchName=\x1b]0;x\u202e\" Nodes=n20\n")
        for text in (self.ask("switches"), self.ask("metrics"), self.ask("switches", "--json")):
            self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\u202e]")

    def test_since(self):
        self.add([report(1, ["a", "b"], "a", day="2001-01-01"), report(2, ["a", "b"], "b", day=time.strftime("%Y-%m-%d"))])
        self.assertEqual([row["host"] for row in self.rows("hosts", "--since", "30")], ["b"])
        self.assertEqual(len(self.rows("hosts")), 2)

    def test_logs_and_pipes(self):
        run = self.ncclwhy("history", "add", self.db, KILLED)
        self.assertIn(b"added 1", run.stderr)
        piped = self.ncclwhy("--json", KILLED)
        run = self.ncclwhy("history", "add", self.db, "-", stdin=piped.stdout)
        self.assertIn(b"added 0, replaced 1", run.stderr)
        # A log by a pipe, with a NUL in it.
        log = b"\0\n" + (SOURCE / "samples/incidents/shm-full-2.28.9-1x4-s1/job.log").read_bytes()
        for data in (log, b"a line of the job\n" * 100000 + log):
            self.assertIn(b"added 1", self.ncclwhy("history", "add", self.dir / "other.db", "--key", str(len(data)), "-", stdin=data).stderr)
        causes = self.ncclwhy("history", "causes", self.dir / "other.db").stdout
        self.assertRegex(causes.decode(), r"shm\.too-small +2 ")
        self.assertEqual(self.rows("causes")[0]["cause"], "app.rank-crashed")
        self.assertEqual(self.rows("hosts")[0]["host"], "worker-20")

    def test_several_jobs_in_one_report(self):
        several = report(5, ["a"], "a")
        several["jobs"] = [{"name": "1", "outcome": "failed", "verdict": "failure", "cause": "gpu.ecc", "files": ["x"],
                            "culprits": [{"host": "a", "why": "it"}], "exit_status": 1},
                           {"name": "2", "outcome": "succeeded", "verdict": "healthy", "files": ["y"], "culprits": [],
                            "exit_status": 0}]
        self.assertIn("added 2", self.add([several]))
        self.assertIn("replaced 2", self.add([several]))

    def test_hostile_names(self):
        evil = 'h"} 1\nx{y="\x1b[2J\u202e; rm -rf / #' + "A" * 5000
        jobs = [report(i, [evil, f"a{i}", "b", "c"], evil, cause="gpu.ecc") for i in range(1, 9)]
        jobs += [report(100 + i, ["b", "c", "d"]) for i in range(300)]
        self.add(jobs)
        self.assertLess(self.rows("hosts")[0]["chance"], 1e-6)
        self.assertEqual(self.ask("drain"), "")  # no host has such a name
        for text in (self.ask("hosts"), self.ask("metrics"), self.ask("hosts", "--json")):
            self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\u202e]")
        for line in self.ask("metrics").splitlines():
            self.assertRegex(line, r'\A(# (HELP|TYPE) .*|[a-z_]+(\{[a-z]+="([^"\\\n]|\\["\\n])*"\})? [0-9.e+-]+)\Z')
        self.assertIn('ncclwhy_history_host_blamed{host="h\\"} 1\\\\nx', self.ask("metrics"))
        self.assertLess(len(self.ask("hosts")), 2000)

    def test_reports_of_another_shape(self):
        self.assertIn("is no report", self.add([{"schema": "ncclwhy.report/1"}], exit_status=2))
        # Every member of a wrong type is as good as none.
        twisted = report(1, ["a"], "a")
        for name in ("causes", "timeline", "job", "decision", "coverage", "jobs", "outcome"):
            for value in (None, 7, "x", [1, "y", [None]], {"a": [1]}, [{"culprits": 3, "id": [], "time": {}}]):
                self.add([{**twisted, name: value}])
        self.assertFalse(self.ncclwhy("history", "hosts", self.db).stderr)

    def test_files_of_others(self):
        sqlite3.connect(self.db).executescript("CREATE TABLE t(a); INSERT INTO t VALUES (1);")
        before = self.db.read_bytes()
        self.assertIn("is no history", self.add([report(1, ["a"])], exit_status=2))
        self.assertEqual(self.db.read_bytes(), before)
        self.db.unlink()
        self.add([report(1, ["a"])])
        other = sqlite3.connect(self.db)
        other.execute("PRAGMA user_version=99")
        other.commit()
        self.assertIn("newer version", self.add([report(2, ["a"])], exit_status=2))
        self.assertIn(b"there is no history", self.ncclwhy("history", "hosts", self.dir / "none.db").stderr)

    def test_many_writers(self):
        paths = []
        for i in range(24):
            paths.append(self.dir / f"{i}.json")
            paths[-1].write_text(json.dumps(report(i + 1, ["a", "b"], "a")))
        running = [subprocess.Popen([NCCLWHY, "history", "add", "-q", self.db, path]) for path in paths]
        self.assertEqual([each.wait(60) for each in running], [0] * 24)
        self.assertEqual(json.loads(self.ask("hosts", "--json"))["jobs"], 24)

    def test_killed_writers(self):
        """All jobs of a call, or none, and the file stays whole."""
        self.add([report(1, ["a", "b"], "a")])
        batch = []
        for i in range(60):
            batch.append(self.dir / f"big-{i}.json")
            batch[-1].write_text(json.dumps(report(1000 + i, [f"n{k}" for k in range(400)], "n1")))
        started = time.monotonic()
        subprocess.run([NCCLWHY, "history", "add", "-q", self.dir / "trial.db", *batch], check=True)
        whole = time.monotonic() - started
        seen = set()
        for step in range(12):
            writer = subprocess.Popen([NCCLWHY, "history", "add", "-q", self.db, *batch])
            time.sleep(whole * step / 10)
            writer.send_signal(signal.SIGKILL)
            writer.wait()
            jobs = json.loads(self.ask("hosts", "--json"))["jobs"]
            self.assertIn(jobs, (1, 61))
            seen.add(jobs)
            with sqlite3.connect(self.db) as check:
                self.assertEqual(check.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        self.assertIn(1, seen)

    def test_words(self):
        run = self.ncclwhy("history", "hots", self.db)
        self.assertEqual(run.returncode, 2)
        self.assertIn(b"hosts", run.stderr)
        self.assertEqual(self.ncclwhy("history", "hosts", self.db, "x").returncode, 2)


if __name__ == "__main__":
    unittest.main()
