"""`ncclwhy collect`: what the host's tools say, however they behave, and nothing secret."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tarfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import NCCLWHY, ProgramTest, SHM_FULL, SOURCE  # noqa: E402

HOST = socket.gethostname()
XID = """[Mon Nov 23 22:00:00 2026] mlx5_core 0000:3b:00.0 eth2: Link up
[Mon Nov 23 22:14:05 2026] NVRM: Xid (PCI:0000:4e:00): 79, pid=4711, name=python, GPU has fallen off the bus.
"""
# All that commands.def knows: without a fake of its own a tool of the machine that tests would answer.
TOOLS = ["dmesg", "journalctl", "nvidia-smi", "ibstat", "ibv_devinfo", "show_gids", "perfquery", "ip", "ifconfig",
         "ethtool", "df", "free", "uname", "sacct", "scontrol", "py-spy", "gdb", "ncclras"]


class CollectTest(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.dir / "bin").mkdir()
        (self.dir / "work").mkdir()
        for tool in TOOLS:
            self.tool(tool, "exit 1")
        self.environment = {"PATH": f"{self.dir}/bin:/usr/bin:/bin", "HOME": str(self.dir)}

    def tool(self, name, script):
        path = self.dir / "bin" / name
        path.write_text("#!/bin/bash\n" + script + "\n")
        path.chmod(0o755)

    def collect(self, *arguments, timeout=100, environment=None):
        done = subprocess.run([NCCLWHY, "collect", "-o", str(self.dir / "c.tar.gz"), *map(str, arguments)],
                              cwd=self.dir / "work", env=environment or self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=timeout, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        with tarfile.open(self.dir / "c.tar.gz") as archive:
            members = {m.name: archive.extractfile(m).read() for m in archive.getmembers()}
        self.assertTrue(all(name.startswith(HOST + "/") for name in members), members.keys())
        return {name[len(HOST) + 1 :]: data.decode() for name, data in members.items()}, done.stderr.decode()

    def report(self):
        done = self.ncclwhy("--json", str(self.dir / "c.tar.gz"))
        return json.loads(done.stdout)

    def job(self, **environment):
        script = "import time; print('begun', flush=True); time.sleep(100)"
        with open(self.dir / "job.out", "wb") as out, open(self.dir / "job.err", "wb") as err:
            process = subprocess.Popen([sys.executable, "-c", script, "--token", "s3cret"], env=environment, stdout=out, stderr=err)

        def end():
            process.kill()
            process.wait()

        self.addCleanup(end)
        end_of_patience = time.monotonic() + 30
        while not (self.dir / "job.out").read_bytes() and time.monotonic() < end_of_patience:
            time.sleep(0.05)
        return process

    def test_kernel_names_the_cause(self):
        self.tool("dmesg", f"cat <<'E'\n{XID}E")
        files, _ = self.collect()
        self.assertEqual(files["dmesg.txt"], XID)
        self.assertIn("dmesg.txt  dmesg -T: status 0", files["MANIFEST.txt"])
        self.assertEqual(self.report()["causes"][0]["id"], "gpu.xid")

    def test_host_decides_what_the_ranks_leave_open(self):
        ranks = sorted((SOURCE / "samples/witnesses/kernel-xid").glob("rank*.log"))
        line = "2026-03-12T22:03:10+0000 gpu-a2 kernel: NVRM: Xid (PCI:0000:1b:00): 79, pid=5200, name=python, GPU has " \
               "fallen off the bus."
        self.collect(*ranks)
        self.assertEqual(self.report()["causes"][0]["id"], "app.rank-stalled")
        self.tool("journalctl", f"echo '{line}'")
        self.collect(*ranks)
        cause = self.report()["causes"][0]
        self.assertEqual((cause["id"], cause["culprits"][0]["host"]), ("gpu.xid", "gpu-a2"))

    def test_logs_and_folders(self):
        logs = self.dir / "logs"
        (logs / "a").mkdir(parents=True)
        (logs / "a/rank.log").write_bytes(SHM_FULL.read_bytes())
        (logs / "b.log").write_text("hello\n")
        files, said = self.collect(logs, logs / "b.log", self.dir / "missing.log")
        self.assertEqual(files["logs/rank.log"], SHM_FULL.read_text())
        self.assertEqual(files["logs/b.log"], "hello\n")
        self.assertIn("missing.log cannot be read", said)
        self.assertIn("2 logs", said)
        self.assertEqual(self.report()["causes"][0]["id"], "shm.too-small")

    def test_logs_of_a_process(self):
        nccl = self.dir / f"nccl.{HOST}.1.log"
        nccl.write_bytes(SHM_FULL.read_bytes())
        (self.dir / "dump_0").write_text("{}")
        job = self.job(NCCL_DEBUG_FILE=f"{self.dir}/nccl.%h.%p.log", TORCH_FR_DUMP_TEMP_FILE=f"{self.dir}/dump_",
                       NCCL_DEBUG="INFO")
        self.tool("py-spy", 'echo "Process $3: python"')
        files, _ = self.collect("--pid", job.pid)
        self.assertEqual(files[f"logs/{nccl.name}"], SHM_FULL.read_text())
        self.assertEqual(files["logs/job.out"], "begun\n")
        self.assertIn("logs/dump_0", files)
        self.assertEqual(files[f"pid-{job.pid}/stack.txt"], f"Process {job.pid}: python\n")
        self.assertIn("State:", files[f"pid-{job.pid}/process.txt"])
        self.assertIn("NCCL_DEBUG=INFO\n", files[f"pid-{job.pid}/environment.txt"])

    def test_nothing_secret(self):
        secrets = {"AWS_SECRET_ACCESS_KEY": "aws-s3cret", "HF_TOKEN": "hf-s3cret", "WANDB_API_KEY": "wandb-s3cret",
                   "NCCL_MY_PASSWORD": "nccl-s3cret", "UCX_TOKEN": "ucx-s3cret", "HTTP_PROXY": "http://u:s3cret@h"}
        job = self.job(NCCL_IB_HCA="mlx5_0", **secrets)
        self.tool("py-spy", 'echo "Process $3: $(tr \'\\0\' " " < /proc/$3/cmdline)"')
        self.environment.update(secrets, UCX_TLS="tcp")
        files, _ = self.collect("--pid", job.pid)
        everything = "".join(files) + "".join(files.values())
        self.assertNotIn("s3cret", everything)
        self.assertIn("python", files[f"pid-{job.pid}/stack.txt"])
        self.assertIn("NCCL_IB_HCA=mlx5_0", files[f"pid-{job.pid}/environment.txt"])
        files, _ = self.collect()
        self.assertNotIn("s3cret", "".join(files.values()))
        self.assertIn("UCX_TLS=tcp", files["environment.txt"])

    def test_a_tool_that_sleeps(self):
        self.tool("ip", f"echo begun; setsid sleep 300.{os.getpid()} & (setsid sleep 301.{os.getpid()} &); sleep 300")
        self.tool("ibstat", "trap '' TERM INT; echo CA; while true; do sleep 1; done")
        begun = time.monotonic()
        files, said = self.collect()
        self.assertLess(time.monotonic() - begun, 40)
        self.assertEqual(files["ip-addr.txt"], "begun\n")
        self.assertIn("ip addr: stopped after 5 s", files["MANIFEST.txt"])
        self.assertIn("ibstat took longer than 10 s", said)
        # In a session of its own, too, and a daemon.
        for left in (f"{self.dir}/bin/ibstat", f"sleep 300.{os.getpid()}", f"sleep 301.{os.getpid()}"):
            self.assertEqual(subprocess.run(["pgrep", "-f", left], check=False, stdout=subprocess.DEVNULL).returncode, 1)

    def test_a_tool_without_end(self):
        self.tool("ibv_devinfo", "yes hca_id")
        begun = time.monotonic()
        files, _ = self.collect()
        self.assertLess(time.monotonic() - begun, 30)
        self.assertLess(len(files["ibv_devinfo.txt"]), 20 << 20)
        self.assertIn("ibv_devinfo -v: stopped after 16", files["MANIFEST.txt"])

    def test_tools_that_fail_or_are_not_here(self):
        self.tool("nvidia-smi", "echo 'no devices were found'; exit 6")
        self.tool("dmesg", "echo 'dmesg: read kernel buffer failed: Operation not permitted' >&2; exit 1")
        self.tool("journalctl", "echo 'Nov 23 22:00:00 h kernel: eth0: link up'")
        (self.dir / "bin/ibstat").unlink()
        files, _ = self.collect()
        self.assertIn("link up", files["dmesg.txt"])
        manifest = files["MANIFEST.txt"]
        self.assertIn("nvidia-smi -q: status 6, it says: no devices were found", manifest)
        self.assertRegex(manifest, r"ibstat: (not here|status)")
        self.assertNotIn("nvidia-smi.txt", files)
        self.assertEqual(self.report()["causes"], [])

    def test_slurm(self):
        self.tool("sacct", "echo $*")
        self.tool("scontrol", "echo $*")
        files, _ = self.collect(environment={**self.environment, "SLURM_JOB_ID": "4242"})
        self.assertEqual(files["sacct.txt"], "-j 4242\n")
        self.assertEqual(files["scontrol.txt"], "show job 4242\n")
        files, _ = self.collect()
        self.assertNotIn("sacct.txt", files)

    def test_what_is_no_number_of_a_job(self):
        self.tool("sacct", 'echo "$@"')
        touched = self.dir / "touched"
        for job in (f"1; touch {touched}", "-f/tmp/own.conf", "$(id)", "1\n2", "1" * 64, "x", ""):
            files, _ = self.collect(environment={**self.environment, "SLURM_JOB_ID": job})
            self.assertNotIn("sacct.txt", files, job)
        self.assertFalse(touched.exists())
        files, _ = self.collect(environment={**self.environment, "SLURM_JOB_ID": "4242_3.batch"})
        self.assertIn("4242_3.batch", files["sacct.txt"])

    def test_a_process_that_is_not_there(self):
        _, said = self.collect("--pid", 999999999)
        self.assertIn("there is no process 999999999", said)

    def test_processes_that_were_there_are_counted(self):
        _, said = self.collect("--pid", 999999999)
        self.assertIn("0 processes", said)

    def test_pipes_and_devices_are_not_waited_for(self):
        os.mkfifo(self.dir / "fifo.log")
        begun = time.monotonic()
        files, said = self.collect(self.dir / "fifo.log", "/dev/zero", SHM_FULL)
        self.assertLess(time.monotonic() - begun, 30)
        for text in (said, files["MANIFEST.txt"]):
            self.assertIn(f"{self.dir}/fifo.log is no regular file and was not taken", text)
            self.assertIn("/dev/zero is no regular file", text)
        self.assertIn("1 logs", said)

    def test_links_out_of_a_folder(self):
        logs, secret = self.dir / "logs", self.dir / "shadow"
        (logs / "a").mkdir(parents=True)
        secret.write_text("root:s3cret\n")
        (logs / "a/real.log").write_text("hello\n")
        (logs / "out.log").symlink_to(secret)
        (logs / "folder").symlink_to(self.dir / "bin")
        (logs / "in.log").symlink_to(logs / "a/real.log")
        files, said = self.collect(logs)
        self.assertNotIn("s3cret", "".join(files.values()))
        self.assertEqual([f for f in files if f.startswith("logs/")], ["logs/real.log"])
        for text in (said, files["MANIFEST.txt"]):
            self.assertIn(f"{logs}/out.log is a link out of the folder and was not taken", text)
        files, _ = self.collect(logs / "out.log")  # who names it wants it
        self.assertEqual(files["logs/shadow"], "root:s3cret\n")

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root")
    def test_a_users_process_does_not_name_files_of_others(self):
        self.dir.chmod(0o755)
        (self.dir / "shadow").write_text("root:s3cret\n")
        (self.dir / "own.log").write_text("own\n")
        os.chown(self.dir / "own.log", 65534, 65534)
        jobs = [subprocess.Popen(["setpriv", "--reuid=65534", "--clear-groups", "sleep", "100"],
                                 env={"NCCL_DEBUG_FILE": str(self.dir / name), "PATH": os.environ["PATH"]})
                for name in ("shadow", "own.log")]
        try:
            for job in jobs:
                while b"sleep" not in pathlib.Path(f"/proc/{job.pid}/cmdline").read_bytes()[:5]:
                    time.sleep(0.02)
            files, said = self.collect("--pid", jobs[0].pid, "--pid", jobs[1].pid)
        finally:
            for job in jobs:
                job.kill()
                job.wait()
        self.assertNotIn("s3cret", "".join(files.values()))
        self.assertIn(f"does not belong to the user of process {jobs[0].pid}", said)
        self.assertEqual(files["logs/own.log"], "own\n")

    def test_nothing_is_left_of_one_that_was_killed(self):
        """By whatever: the OOM killer asks nobody either."""
        self.tool("dmesg", "touch begun; sleep 30")
        command = subprocess.Popen([NCCLWHY, "collect", "-o", str(self.dir / "c.tar.gz")], cwd=self.dir / "work",
                                   env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end_of_patience = time.monotonic() + 30
        while not list(self.dir.rglob("begun")) and time.monotonic() < end_of_patience:
            time.sleep(0.02)
        command.kill()
        command.wait()
        self.assertEqual(list(self.dir.glob("c.tar.gz*")), [])

    def test_what_others_wrote_is_shown_as_text(self):
        logs = self.dir / "logs"
        logs.mkdir()
        (logs / "a\n::error::x\033[31m.log").write_text("hello\n")
        self.tool("ibstat", "printf '::error::x\\033[31m\\n'; exit 3")
        files, said = self.collect(logs, self.dir / "no\033[31m")
        for text in (said, files["MANIFEST.txt"]):
            self.assertNotIn("\033", text)
            self.assertNotRegex(text, "(?m)(^|: )::error")

    def test_addresses_without_credentials(self):
        job = self.job(MASTER_ADDR="http://u:s3cret@node1", NCCL_IB_HCA="mlx5_0:1",
                       NCCL_SOCKET_IFNAME="tcp://h:1?token=s3cret&x=1", NCCL_COMM_ID="u:s3cret@h:1")
        files, _ = self.collect("--pid", job.pid)
        seen = files[f"pid-{job.pid}/environment.txt"]
        self.assertNotIn("s3cret", seen)
        for line in ("MASTER_ADDR=http://***@node1", "NCCL_IB_HCA=mlx5_0:1",
                     "NCCL_SOCKET_IFNAME=tcp://h:1?token=***&x=1", "NCCL_COMM_ID=***@h:1"):
            self.assertIn(line + "\n", seen)

    def test_an_input_is_not_replaced(self):
        log = self.dir / "in.log"
        log.write_text("hello\n")
        (self.dir / "soft").symlink_to(log)
        os.link(log, self.dir / "hard")
        job = self.job(NCCL_DEBUG_FILE=str(log))
        for output, *inputs in ((log, log), (log, self.dir / "soft"), (self.dir / "hard", log), (self.dir / "soft", log),
                                (log, self.dir), (log, "--pid", job.pid)):
            done = self.ncclwhy("collect", *inputs, "-o", output)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done)
            self.assertIn(b"is one of the files that are read", done.stderr)
            self.assertEqual(log.read_text(), "hello\n")
        self.assertEqual(sorted(p.name for p in self.dir.iterdir() if p.name.endswith(".part")), [])

    def test_an_archive_in_the_folder_that_is_collected(self):
        (self.dir / "work/rank0.log").write_bytes(SHM_FULL.read_bytes())
        files, _ = self.collect(self.dir)
        self.assertEqual(files["logs/rank0.log"], SHM_FULL.read_text())
        self.assertFalse([name for name in files if "c.tar.gz" in name], files.keys())

    def test_standard_output_in_the_folder_that_is_collected(self):
        (self.dir / "work/rank0.log").write_bytes(SHM_FULL.read_bytes())
        with open(self.dir / "work/own.tar.gz", "wb") as out:
            subprocess.run([NCCLWHY, "collect", "-o", "-", self.dir / "work"], cwd=self.dir, env=self.environment, stdout=out,
                           stderr=subprocess.PIPE, timeout=100, check=True)
        with tarfile.open(self.dir / "work/own.tar.gz") as archive:
            manifest = archive.extractfile(HOST + "/MANIFEST.txt").read().decode()
            self.assertFalse([name for name in archive.getnames() if "own.tar.gz" in name])
        self.assertRegex(manifest, "own.tar.gz: is this archive")

    def test_a_job_id_that_is_an_option(self):
        self.tool("scontrol", f'echo "$@" >> {self.dir}/asked')
        job = self.job(SLURM_JOB_ID="-f/tmp/own.conf")
        self.collect("--pid", job.pid)
        self.assertFalse((self.dir / "asked").exists())

    def test_what_cannot_be_written(self):
        done = self.ncclwhy("collect", "-o", self.dir / "no/where.tar.gz")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"cannot write", done.stderr)

    def test_standard_output(self):
        done = subprocess.run([NCCLWHY, "collect", "-o", "-"], cwd=self.dir, env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100, check=True)
        self.assertEqual(done.stdout[:2], b"\x1f\x8b")
        self.assertEqual(self.ncclwhy("--json", "-", stdin=done.stdout).returncode, 0)

    def test_run_asks_the_host(self):
        self.tool("dmesg", f"cat <<'E'\n{XID}E")
        done = subprocess.run([NCCLWHY, "run", "--log-dir", str(self.dir / "why"), "bash", "-c", "sleep 0.1; exit 1"],
                              env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"gpu.xid", done.stderr)
        self.assertTrue((self.dir / f"why/logs/collected/{HOST}/dmesg.txt").exists())

    def test_run_takes_the_stacks_of_what_hangs(self):
        self.tool("py-spy", 'echo "Process $3: python"; echo "Thread 1 (idle): MainThread"')
        process = subprocess.Popen([NCCLWHY, "run", "--hang", "1", "--log-dir", str(self.dir / "why"), "sleep", "60"],
                                   env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.assertIn(b"still runs", process.stderr.readline())
        stacks = list((self.dir / "why/logs/collected").glob("*/pid-*/stack.txt"))
        self.assertEqual(len(stacks), 1)
        process.terminate()
        self.assertEqual(process.wait(30), 143)
        process.stderr.close()


if __name__ == "__main__":
    unittest.main()
