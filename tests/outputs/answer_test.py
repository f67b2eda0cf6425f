"""What an expert would say beside the cause stands in the short answer, in both languages: the real binary on small logs."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BINARY = os.environ["NCCLWHY"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]


def start(rank, host, n=2, pid=400, more=""):
    head = f"{host}:{pid + rank}:{pid + rank} [0] NCCL INFO "
    return (f"{head}NCCL version 2.28.9+cuda13.0\n{more.replace('@', head)}"
            f"{head}ncclCommInitRank comm 0x7f{rank}0 rank {rank} nranks {n} cudaDev 0 nvmlDev 0 busId 10000 commId 0x91 - Init START\n")


def qp(rank, host, gid, pid=400):
    return (f"{host}:{pid + rank}:{pid + rank} [0] NCCL INFO NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn 222 mtu 3 GID {gid} "
            f"fifoRkey=0x1 fifoLkey=0x1\n")


RTR = "{0}:{1}:{1} [0] misc/ibvwrap.cc:206 NCCL WARN Call to ibv_modify_qp failed with error Invalid argument errno 22\n"


class Answer(unittest.TestCase):
    def answer(self, files, language, *options):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                pathlib.Path(folder, name).write_text(text)
            done = subprocess.run([BINARY, "--lang", language, *options, *sorted(files)], cwd=folder,
                                  capture_output=True, check=False)
        return done.stdout.decode()

    def says(self, files, english, chinese):
        for language, words in (("en", english), ("zh", chinese)):
            text = self.answer(files, language)
            for word in words:  # wherever a row ends
                self.assertIn("".join(word.split()), "".join(text.split()), text)

    def test_calls_side_by_side(self):
        logs = sorted(str(p) for p in (SOURCE / "samples/incidents/swapped-calls-2.21.5-2x2-s3").glob("*.log"))

        def run(*options):
            return subprocess.run([BINARY, *options, *logs], capture_output=True, check=False).stdout.decode()

        table = next(c["calls_differ"] for c in json.loads(run("--format", "json"))["job"]["communicators"]
                     if "calls_differ" in c)
        most, odd = table["columns"]
        self.assertEqual((len(most["ranks"]), len(odd["ranks"])), (3, 1))
        at = table["disagree"] - table["first"]
        self.assertEqual(most["calls"][:at], odd["calls"][:at])
        self.assertNotEqual(most["calls"][at], odd["calls"][at])
        self.assertIn(odd["calls"][at], run("-v"))
        page = run("--format", "html", "-o", "-")
        self.assertIn(f"<mark>{table['disagree']}</mark>", page)
        self.assertIn(f"<mark>{odd['calls'][at]}</mark>", page)

    def test_one_of_several(self):
        shell = "./launch0.sh: line 5: 27715 Segmentation fault      RANK=$q ./serve >> logs/rank$q.log 2>&1\n"
        files = {"launch.log": shell}
        for rank in range(4):
            waits = f"rank {rank}: step watchdog: no progress for 6 s, giving up\n" if rank > 1 else ""
            files[f"rank{rank}.log"] = f"INFO rank {rank}: step 12 loss 2.1\n" + waits
        text = " ".join(self.answer(files, "en").split())
        self.assertIn("One of the ranks 0, 1", text)
        self.assertNotIn("was rank 0", text)

    def test_stacks_beside_the_logs(self):
        def gdb(pid, *frames):
            lines = [f'Thread 1 (Thread 0x7f0b1a339740 (LWP {pid}) "train"):', "#0  __GI___libc_read (fd=18) at ../sysdeps/unix/sysv/linux/read.c:26"]
            lines += [f"#{n}  0x00005626c29887a4 in {name} () at {place}" for n, (name, place) in enumerate(frames, 1)]
            return "\n".join(lines) + f"\n[Inferior 1 (process {pid}) detached]\n"

        run = ("run", "train.cc:282")
        waits = (("synchronize_stream", "train.cc:164"), ("all_reduce", "train.cc:168"), run)
        logs = {f"rank{r}.log": f"rank {r}: step 7 loss 2.1\n" for r in range(3)}
        stacks = {f"rank{r}.txt": gdb(4100 + r, *waits) for r in (0, 2)}
        stacks["rank1.txt"] = gdb(4101, ("lock_wait", "/src/io/lock.cc:76"), ("write_checkpoint", "train.cc:177"), run)
        self.says({**logs, **stacks}, ["rank 1: it stands in lock_wait (lock.cc:76)", "waits for in lock_wait"],
                  ["它停在 lock_wait (lock.cc:76)"])
        # The process is known by its number alone: whose stacks they are no name of a file says.
        one = start(0, "dgx38", 3, 4100) + start(1, "dgx39", 3, 4100) + start(2, "dgx40", 3, 4100)
        self.says({"job.log": one, **{f"{n}.stack": t for n, t in zip("abc", stacks.values())}}, ["rank 1 on dgx39", "lock_wait (lock.cc:76)"],
                  ["rank 1（dgx39）"])

    def test_waits_in_two_calls(self):
        def spy(pid, name, line):
            return (f'Thread {pid} (idle): "MainThread"\n    all_reduce (torch/distributed/distributed_c10d.py:2806)\n'
                    f"    {name} (train.py:{line})\n    step (train.py:140)\n")

        logs = {f"rank{r}.log": start(r, f"dgx3{r}", 2, 4100) for r in (0, 1)}
        stacks = {"rank0.txt": spy(4100, "sync_gradients", 88), "rank1.txt": spy(4101, "sync_experts", 96)}
        places = "rank 0: sync_gradients (train.py:88); rank 1: sync_experts (train.py:96)"
        self.says({**logs, **stacks}, [places], [places])
        self.assertNotIn("sync_gradients (train.py:88); ", self.answer({**logs, "rank0.txt": stacks["rank0.txt"]}, "en"))

    def test_abort_that_names_nobody(self):
        # The output of all ranks, of which one alone prints headers: neither its steps nor its host are the others'.
        late = "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=81, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600080 milliseconds before timing out.\n"
        log = (start(0, "gpu07", 4) + "step=10 loss=2.31\nstep=20 loss=2.11\nstep=30 loss=2.01\n"
               "terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector::_M_range_check\n"
               "step=40 loss=1.91\n" + "".join(f"[Rank {r}] {late}" for r in (0, 1, 3)))
        ended = "srun: error: gpu08: task 2: Aborted (core dumped)\n"
        for more, host in (("", None), (ended, "gpu08"), (ended + "E1123 torch/distributed/elastic/multiprocessing/api.py:869] failed "
                                                         "(exitcode: -6) local_rank: 2 (pid: 77) of binary: /usr/bin/python3\n", None)):
            report = json.loads(self.answer({"out.log": log + more}, "en", "--format", "json"))
            cause = report["causes"][0]
            self.assertEqual((cause["id"], cause["culprits"][0]["rank"]), ("app.rank-crashed", 2), report["outcome"])
            if host:
                self.assertEqual(cause["culprits"][0]["host"], host)
            else:
                self.assertNotEqual(cause["culprits"][0].get("host"), "gpu08")

    def test_host_of_a_rank_that_names_none(self):
        # Only its peers print a header: who printed nothing need not be beside them.
        files = {"rank1.log": 'Traceback (most recent call last):\n  File "train.py", line 9, in <module>\n'
                              "IndexError: [rank 1] list index out of range\n",
                 "rank2.log": "dgx39:700:701 [0] misc/socket.cc:71 NCCL WARN socketProgress: Connection closed by remote peer "
                              "dgx38<44536>\n"}
        self.says(files, ["rank 1 on dgx38"], ["rank 1，主机 dgx38"])

    def test_gid_empty_against_address(self):
        log = (start(0, "dgx38") + start(1, "dgx39", pid=500) + qp(0, "dgx38", "3 (0/A64A8C0FFFF0000)") +
               qp(1, "dgx39", "0 (0/0)", 500) + RTR.format("dgx38", 400))
        self.says({"job.log": log},
                  ["dgx39 uses GID index 0, which is empty, dgx38 uses GID index 3 (192.168.100.10)", "no address on dgx39"],
                  ["dgx39 使用 GID index 0（空），而 dgx38 使用 GID index 3（192.168.100.10）"])

    def test_gid_version_1_against_2(self):
        rtr = ("{0}:{1}:{1} [0] misc/ibvwrap.cc:206 NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, on dev "
               "mlx5_0:1, curr state INIT, next state RTR, local GID index {2}, local GID ::ffff:{3}, remote GID ::ffff:{4}\n")
        log = (start(0, "dgx38") + start(1, "dgx39", pid=500) + rtr.format("dgx38", 400, 3, "10.9.0.1", "10.9.0.2") +
               rtr.format("dgx39", 501, 2, "10.9.0.2", "10.9.0.1"))
        self.says({"job.log": log}, ["GID index 3 (10.9.0.1)", "GID index 2 (10.9.0.2)", "RoCE v1"],
                  ["GID index 3（10.9.0.1）", "GID index 2（10.9.0.2）", "RoCE v1"])

    def test_one_address_on_two_hosts(self):
        bootstrap = "@Bootstrap: Using virbr0:192.168.122.1<0>\n"
        log = (start(0, "h100-01", 3, more=bootstrap) + start(1, "h100-02", 3, more=bootstrap) +
               start(2, "h100-03", 3, more="@Bootstrap: Using virbr0:192.168.122.7<0>\n") +
               "h100-02:401:401 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 192.168.122.1<46515> failed : "
               "Connection refused\n")
        self.says({"job.log": log}, ["virbr0 has 192.168.122.1 on several hosts"],
                  ["virbr0", "192.168.122.1"])

    def test_what_is_harmless_and_what_is_unproven(self):
        noise = "@Failed to open libibverbs.so[.1]\n@Using network Socket\n"
        full = ("dgx1:400:400 [0] misc/shmutils.cc:72 NCCL WARN Error: failed to extend /dev/shm/nccl-x8Gh2k to 9637892 bytes, "
                "error: No space left on device (28)\n")
        log = start(0, "dgx1", 2, more=noise) + start(1, "dgx1", 2, more=noise) + "step 1\n" * 9 + full
        report = json.loads(self.answer({"job.log": log}, "en", "--json"))
        self.assertEqual([(h["text"], h["count"]) for h in report["harmless"]], [("Failed to open libibverbs.so[.1]", 2)])
        self.assertEqual(report["causes"][0]["unproven"], "how large /dev/shm is there, and what else lies in it")
        for language, words in (("en", ("Not it", "Not shown: how large /dev/shm")), ("zh", ("与此无关", "日志未能证明：那里的 /dev/shm"))):
            text = "".join(self.answer({"job.log": log}, language, "-v").split())
            for word in words:
                self.assertIn("".join(word.split()), text)
        short = start(0, "dgx1", 2, more=noise) + "step 1\n" * 9 + (
            "dgx1:400:400 [0] misc/argcheck.cc:48 NCCL WARN Broadcast : invalid root 7 (root should be in the 0..2 range)\n")
        self.says({"job.log": short}, ["Not it: Failed to open libibverbs.so[.1] (job.log:", "Not shown: where in the program"],
                  ["与此无关：Failed to open libibverbs.so[.1]", "日志未能证明：程序何处"])
        # Right in front of the failure it belongs to it.
        wanted = start(0, "dgx1", 2, more="@Failed to open libibverbs.so[.1]\n") + (
            "dgx1:400:400 [0] net.cc:600 NCCL WARN Error: network IB not found.\n")
        self.assertNotIn("Not it", self.answer({"job.log": wanted}, "en"))

    def test_who_sets_the_variable(self):
        bad = ("@NCCL_SOCKET_IFNAME set by environment to ib0\n")
        warn = "dgx11:402:402 [0] bootstrap.cc:115 NCCL WARN Bootstrap : no socket interface found\n"
        files = {f"rank{r}.log": start(r, f"dgx{r}", 3) for r in range(2)}
        files["rank2.log"] = start(2, "dgx11", 3, more=bad) + warn
        self.says(files, ["set on rank 2 only, of 3", "Outcome: failed, in NCCL's initialisation"],
                  ["3 个 rank 中只有 rank 2 如此设置", "NCCL 初始化期间"])

    def test_ranks_of_a_host(self):
        log = start(0, "h32", 4) + start(1, "h32", 4) + start(2, "h33", 4) + start(3, "h33", 4)
        log += "".join(f"h32:{400 + r}:{450 + r} [{r}] misc/ibvwrap.cc:221 NCCL WARN Call to ibv_create_qp failed with error "
                       "Cannot allocate memory\n" for r in range(2))
        self.says({"job.log": log}, ["h32: its ranks 0, 1 print the failing line"], ["rank 0, 1 打印"])

    def test_last_words_of_the_accused(self):
        files = {f"rank{r}.log": start(r, f"h{r}", 3, more=f"@Bootstrap : Using eth0:10.77.0.1{r}<0>\n") for r in range(1, 3)}
        for r in range(1, 3):
            files[f"rank{r}.log"] += (f"h{r}:{400 + r}:{400 + r} [0] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to "
                                      "10.77.0.10<46515> failed : Connection refused\n")
        files = {name: text.replace("2.28.9", "2.21.5") for name, text in files.items()}
        files["rank0.log"] = "h0:400:400 [0] NCCL INFO Bootstrap : Using eth0:10.77.0.10<0>\nrank 0: leaving\n"
        self.says(files, ["rank0.log:2  rank 0: leaving", "was refused at 10.77.0.10 port 46515"],
                  ["rank0.log:2  rank 0: leaving", "最后一行，rank 0"])

    def test_fewer_tasks_than_ranks(self):
        log = "srun: Warning: can't run 2 processes on 3 nodes, setting nnodes to 2\n" + start(0, "h0", 3) + start(1, "h1", 3)
        self.says({"job.log": log}, ["srun --ntasks=3", "fix first"], ["srun --ntasks=3", "3 个而不是 2 个"])

    def test_where_the_lost_connections_lead(self):
        log = ("NCCL version 2.27.7+cuda13.0\ngpu-a16:32313:32347 [0] misc/socket.cc:71 NCCL WARN socketProgress: Connection "
               "closed by remote peer gpu-a15<57708>\n")
        self.says({"job.log": log}, ["what became of gpu-a15"], ["gpu-a15 的情况"])

    def test_a_look_that_would_settle_it(self):
        log = "NCCL version 2.18.5+cuda12.2\ntransport/nvls.cc:165 NCCL WARN Cuda failure 'invalid argument'\n"
        self.says({"job.log": log}, ["To be sure: "], ["进一步确认："])

    def test_failing_line_of_a_script(self):
        files = {f"rank{r}.log": start(r, f"h{r}", 2, more=f"@Bootstrap : Using eth0:10.77.0.1{r}<0>\n") for r in range(2)}
        files["launch.log"] = ("./launch1.sh: line 5: 401 Segmentation fault      (core dumped) RANK=$q ./train_main >> "
                               "logs/rank$q.log 2>&1\n")
        self.says(files, ["Rank 1 on h1 (pid 401), which ./launch1.sh: line 5 had started, was ended by signal 11 (SIGSEGV)",
                           "launch.log:1  ./launch1.sh: line 5"],
                  ["./launch1.sh: line 5", "SIGSEGV", "launch.log:1"])

    def test_assertion_of_a_logger(self):
        log = ("3: [rank3] step 12 loss 8.1\n3: [rank3] step 13 loss 7.9\n3: [rank3] ERROR: rank 3: assert failed: optimizer "
               "state has 510 tensors, expected 512\nsrun: error: node3: task 3: Exited with exit code 1\n")
        self.says({"job.log": log}, ["Assertion failed: optimizer state has 510 tensors, expected 512"],
                  ["Assertion failed: optimizer state has 510 tensors, expected 512"])

    def test_setting_that_forces_it(self):
        level = "@NCCL_P2P_LEVEL set by environment to SYS\n"
        files = {f"rank{r}.log": start(r, "h0", more=level) +
                 f"h0:{400 + r}:{400 + r} [{r}] transport/p2p.cc:275 NCCL WARN Cuda failure 'peer access is not supported between "
                 "these two devices'\n" for r in range(2)}
        self.says(files, ["unset NCCL_P2P_LEVEL", "set on all 2 ranks"], ["unset NCCL_P2P_LEVEL", "全部 2 个 rank"])

    def test_foot_of_the_page(self):
        log = ("#SBATCH --job-name=llama-7b\n+ srun --ntasks=2 python train.py --config base.yaml\n" + start(0, "h0") +
               start(1, "h1") + "h1:401:401 [0] bootstrap.cc:115 NCCL WARN Bootstrap : no socket interface found\n")
        for language in ("en", "zh"):
            page = self.answer({"job.log": log}, language, "--format", "html")
            self.assertIn("job_name llama-7b", page)
            self.assertIn("srun --ntasks=2 python train.py --config base.yaml", page)

    def test_world_size_of_one_rank(self):
        log = start(0, "h0", 3) + start(1, "h1", 3) + start(2, "h2", 4)
        self.says({"job.log": log}, ["was started with a world size of 4, the others with 3"], ["启动时的 world size 是 4，其他 rank 是 3"])

    def test_hosts_that_fail_alike_are_all_named(self):
        logs = sorted(str(p) for p in (SOURCE / "samples/incidents/duplicate-gpu-2.28.9-2x2-s1").glob("*.log"))
        text = subprocess.run([BINARY, *logs], capture_output=True, check=False).stdout.decode()
        self.assertIn("The same on worker-59.", " ".join(text.split()))
        self.assertIn("Give every rank on worker-58 and worker-59", " ".join(text.split()))

    def test_none_of_the_others_prints_it_only_where_none_does(self):
        for case, told in (("illegal-access-2.28.9-2x2-s1", True), ("rdma-gid-unreachable-2.28.9-2x2-s22", False)):
            folder = SOURCE / "samples/incidents" / case
            text = subprocess.run([BINARY, *sorted(str(p) for p in folder.glob("*.log"))], capture_output=True,
                                  check=False).stdout.decode()
            self.assertEqual("none of the other" in text, told, text)

    def test_tools_of_another_framework_are_not_offered(self):
        log = ("tensorflow.python.framework.errors_impl.InvalidArgumentError: Op type not registered 'NcclAllReduce' in "
               "binary running on WS-17.\n")
        self.assertNotIn("torch", self.answer({"job.log": log}, "en", "-v").split("In other environments")[0].split("Seen")[0])

    def test_settings_typed_in_front_of_a_command(self):
        line = "\nn3:1:1 [0] bootstrap.cc:115 NCCL WARN Bootstrap : no socket interface found\n"
        said = "NCCL_SOCKET_IFNAME=eno9 matches no usable network interface"
        typed = self.answer({"job.log": "root@n3:~# CUDA_VISIBLE_DEVICES=0 NCCL_SOCKET_IFNAME=eno9 python main.py" + line}, "en")
        self.assertIn(said, typed)
        for other in ("NCCL_SOCKET_IFNAME=eno9 is what helped others.", "# export NCCL_SOCKET_IFNAME=eno9"):
            self.assertNotIn(said, self.answer({"job.log": other + line}, "en"))

    def test_port_that_is_taken(self):
        log = ("torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: "
               "29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use\n")
        self.says({"job.log": log}, ["29500", "ss -ltnp | grep 29500"], ["29500", "ss -ltnp | grep 29500"])

    def test_one_end_of_input_is_enough(self):
        master, slave = os.openpty()
        run = subprocess.Popen([BINARY], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        os.close(slave)
        os.write(master, b"n1:1:1 [0] bootstrap.cc:115 NCCL WARN Bootstrap : no socket interface found\n\x04")
        out, _ = run.communicate(timeout=20)
        os.close(master)
        self.assertIn(b"net.interface-missing", out)

    def test_explain_proposes_and_shows(self):
        for language, words in (("en", ["did you mean shm.too-small?"]), ("zh", ["是否指 shm.too-small？"])):
            done = subprocess.run([BINARY, "explain", "--lang", language, "shm.to-small"], capture_output=True, check=False)
            self.assertEqual(done.returncode, 2)
            for word in words:
                self.assertIn(word, done.stderr.decode())
        for language, words in (("en", ["Example: NCCL_IB_PKEY=0", "Common mistake: "]), ("zh", ["示例", "常见错误"])):
            done = subprocess.run([BINARY, "explain", "--lang", language, "NCCL_IB_PKEY"], capture_output=True, check=True)
            for word in words:
                self.assertIn(word, done.stdout.decode())
        for language, fixed in (("en", "(fixed in 2.18.3)"), ("zh", "（2.18.3 已修复）")):
            run = [BINARY, "explain", "--lang", language, "app.numerics"]
            told = subprocess.run(run, capture_output=True, check=True).stdout.decode()
            self.assertIn("nccl 2.18.1: ", told)
            self.assertIn(fixed, told)
            self.assertIn("NCCL_PROTO=^LL128", told)

    def test_driver_of_nvidia_smi(self):
        log = ("Cuda failure common.cu:891 'CUDA driver version is insufficient for CUDA runtime version'\n"
               "| NVIDIA-SMI 384.81                 Driver Version: 384.81                    |\n")
        self.says({"job.log": log}, ["The GPU driver 384.81 is too old"], ["384.81"])

    def test_got_over(self):
        steps = "".join(f"step {i}/40 loss {9 - i / 10:.2f}\n" for i in range(1, 41))
        log = (steps[:200] + "\n" + "fetch of bucket/part-0003 failed: 503 Service Unavailable, retrying in 2 s (1/6)\n"
               + "loader worker (pid 4711) exited unexpectedly with signal 9: Killed. Restarting it (1 of 3)\n"
               + start(0, "n1", 1) + steps[200:] + "Training finished\n")
        self.says({"rank0.log": log},
                  ["HEALTHY", "Got over: ", "503 Service Unavailable", "it tried again, and the job went on",
                   "it was started anew, and the job went on"], ["已恢复", "程序重试后作业继续"])
        told = json.loads(self.answer({"rank0.log": log}, "en", "--format", "json"))
        self.assertTrue(all(line["got_over"] for line in told["harmless"]))

    def test_tries_in_vain(self):
        log = ("fetch of bucket/part-0003 failed: 503 Service Unavailable, retrying in 2 s (6/6)\n"
               "fetch: giving up after 6 attempts\n")
        self.assertNotIn("went on", self.answer({"rank0.log": log}, "en"))

    def test_no_build_for_linux_on_windows(self):
        log = ("  File \"C:\\work\\envs\\t\\Lib\\site-packages\\torch\\distributed\\distributed_c10d.py\", line 9, in f\n"
               "RuntimeError: Distributed package doesn't have NCCL built in\n")
        self.says({"log.txt": log}, ["NCCL does not exist for Windows", "gloo"], ["NCCL 没有 Windows 版本"])
        self.assertNotIn("whl/cu", self.answer({"log.txt": log}, "en"))
        self.assertIn("whl/cu", self.answer({"log.txt": log.replace("C:\\work", "/work").replace("\\", "/")}, "en"))

    def test_last_words_of_the_late_rank(self):
        def watch(rank):
            return (f"2026-11-22 11:11:4{rank},500 - ERROR - watch.py:41 - rank {rank}: step watchdog: "
                    "collective #20 (ALLREDUCE) of step 20 did not finish in 6 s\n")

        files = {f"rank{r}.log": start(r, "n1", 4) + watch(r) for r in range(3)}
        files["rank3.log"] = start(3, "n1", 4) + ("2026-11-22 11:11:40,100 - INFO - loader.py:7 - "
                                                  "rank 3: waiting for shard 00057\n")
        self.says(files, ["rank 3", "fell silent at, \"waiting for shard 00057\""], ["“waiting for shard 00057”"])

    def test_newest_first(self):
        lines = [f"2025-03-02T22:{m:02d}:00Z step {m}/40 loss 2.{60 - m}\n" for m in range(1, 41)]
        lines += ["2025-03-02T22:41:00Z Training finished\n"]
        told = json.loads(self.answer({"export.log": "".join(reversed(lines))}, "en", "--format", "json"))
        self.assertEqual(told["outcome"], "succeeded")
        self.assertEqual(told, json.loads(self.answer({"export.log": "".join(reversed(lines))}, "en", "--format", "json")))
        broken = lines[:20] + ["2025-03-02T22:21:00Z torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"]
        answer = self.answer({"export.log": "".join(reversed(broken))}, "en")
        self.assertIn("export.log:1  ", answer)  # the line as the file counts it

    def test_own_memory(self):
        log = ("[rank6]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 15.66 GiB. GPU 6 has a total capacity of 79.25 GiB of "
               "which 9.83 GiB is free. Process 233214 has 69.41 GiB memory in use. Of the allocated memory 61.02 GiB is allocated by "
               "PyTorch, and 6.71 GiB is reserved by PyTorch but unallocated.\n")
        self.says({"log.txt": log}, ["this process has 69.41 GiB in use"], ["显存"])
        other = log.replace("61.02 GiB is allocated", "1.02 GiB is allocated")
        self.assertIn("Process 233214 has 69.41 GiB", self.answer({"log.txt": other}, "en"))

    def test_later_fault_of_the_host(self):
        steps = "".join(f"2024-12-12 03:{m:02d}:38 step {m}/60 loss 2.{90 - m}\n" for m in range(1, 24))
        kernel = ("root@n1:~# dmesg -T\n"
                  "[Thu Dec 12 03:23:38 2024] mlx5_core 0000:41:00.0 ens2f0np0: Link down\n"
                  "[Thu Dec 12 03:40:21 2024] Out of memory: Killed process 33101 (python3) total-vm:301882212kB, anon-rss:201992312kB, "
                  "file-rss:0kB, shmem-rss:90112kB, UID:1004 pgtables:412212kB oom_score_adj:0\n")
        log = steps + start(0, "n1", 2) + ("n1:100:160 [0] NCCL WARN socketProgressOpt: Call to recv from 192.168.50.6<47259> failed : "
                                           "Connection timed out\n")
        told = json.loads(self.answer({"out.txt": log, "dmesg-n1.txt": kernel}, "en", "--format", "json"))
        self.assertNotEqual(told["causes"][0]["id"], "host.oom")

    def test_one_host_needs_no_network(self):
        log = start(0, "n1", 1) + "n1:100:160 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'\n" + "Training finished\n"
        self.assertNotIn("DEGRADED", self.answer({"rank0.log": log}, "en"))

    def test_peer_is_named(self):
        log = "".join(start(r, f"n{r}", 2) for r in range(2))
        log = log.replace("NCCL INFO", "NCCL INFO Bootstrap: Using eth0:10.0.0.0<0>\nn0:100:100 [0] NCCL INFO", 1)
        log += "n1:101:160 [0] NCCL WARN NET/IB: Got completion from peer 10.0.0.0<4000> with status=12 opcode=0 len=0 vendor err 129 (Send)\n"
        answer = self.answer({"all.log": log}, "en")
        self.assertIn("n1 sent to n0 (10.0.0.0) over RDMA", answer)
        self.assertIn("$ ssh n0 'ibstat", answer)
        self.assertNotIn("n0$ ssh", answer)


if __name__ == "__main__":
    unittest.main()
