"""The first step of an answer can be done, with the log's own values, and nothing in the answer contradicts it: the real
binary on small logs."""
import os
import pathlib
import subprocess
import tempfile
import unittest

BINARY = os.environ["NCCLWHY"]


def answer(files, *options):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            pathlib.Path(folder, name).write_text(text)
        done = subprocess.run([BINARY, *options, *sorted(files)], cwd=folder, capture_output=True, check=False)
    return " ".join(done.stdout.decode().split())


def raised(error, frame="/opt/t/data.py\", line 143, in training_step"):
    return (f"[rank1]: Traceback (most recent call last):\n[rank1]:   File \"{frame}\n[rank1]: {error}\n"
            "n2:400:400 [0] NCCL WARN socketProgress: Connection closed by remote peer n1<44536>\n")


class FirstStep(unittest.TestCase):
    def test_each_kind_of_exception_has_its_own(self):
        for error, english, chinese in (
                ("IndexError: list index out of range", "Print the index and the length of what it indexes right before data.py:143, on rank 1",
                 "打印下标和被索引对象的长度"),
                ("KeyError: 'labels'", "Print the key and the keys that are there", "打印该键和已有的键"),
                ("RuntimeError: loss is nan", "Save the batch right before data.py:143", "保存该批次"),
                ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x8 and 4x8)", "Print the shapes of both sides", "打印两侧的形状"),
                ("AssertionError: rows of the batch must be even", "Print what the assertion compares", "打印断言比较的值"),
                ("ValueError: no such schedule", "Read data.py:143 and log the values that it works with", "查看 data.py:143")):
            with self.subTest(error):
                self.assertIn("Fix: " + english, answer({"job.log": raised(error)}))
                self.assertIn(chinese.replace(" ", ""), answer({"job.log": raised(error)}, "--lang", "zh").replace(" ", ""))
                self.assertNotIn("Mend what", answer({"job.log": raised(error)}))

    def test_a_host_that_was_inferred(self):
        files = {"rank1.log": "Traceback (most recent call last):\n  File \"train.py\", line 9, in step\n"
                              "IndexError: [rank 1] list index out of range\n",
                 "rank2.log": "n2:400:400 [0] NCCL INFO NCCL version 2.27.7\n" + 2 * (
                     "n2:400:401 [0] socket.cc:1 NCCL WARN socketProgress: Connection closed by remote peer n1<44536>\n")}
        self.assertIn("rank 1 on n1: printed the failing line; its host is inferred from the connections that closed",
                      answer(files))
        self.assertIn("主机由被关闭的连接推断", answer(files, "--lang", "zh").replace(" ", ""))

    def test_hosts_that_fail_alike(self):
        line = "{}:{}:501 [0] net_ib.cc:1 NCCL WARN NET/IB : Got completion from peer 10.0.0.{}<4711> with error 4, opcode 1, len 0, vendor err 81\n"
        log = line.format("vmb", 500, 1) + line.format("vma", 600, 2)
        log += "vma:600:600 [0] NCCL INFO comm 0x7f rank 1 nranks 2 cudaDev 0 busId 84000 - Abort COMPLETE\n"
        told = answer({"job.log": log})
        self.assertIn("vma failed alike", told)
        self.assertIn("vmb, vma (rank 1): printed the failing line", told)

    def test_both_sides_of_a_comparison_are_quoted(self):
        def watchdog(rank, call):
            head = f"[E1122 11:09:50.459113 ProcessGroupNCCL.cpp:{{}}] [Rank {rank}] "
            return (head.format(632) + f"Watchdog caught collective operation timeout: WorkNCCL(SeqNum=29, OpType={call}, NumelIn=65536, "
                    "NumelOut=65536, Timeout(ms)=6000) ran for 6004 milliseconds before timing out.\n" + head.format(684)
                    + "Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent "
                    "GPU operations might run on corrupted/incomplete data.\n")

        told = answer({"job.log": "".join(watchdog(r, "ALLREDUCE" if r == 1 else "ALLGATHER") for r in (0, 3, 2, 1))})
        self.assertIn("job.log:1 [Rank 0]", told.replace("[E1122 11:09:50.459113 ProcessGroupNCCL.cpp:632] ", ""))
        self.assertIn("OpType=ALLREDUCE", told)

    def test_a_route_that_was_lost(self):
        head = "n1:402:412 [0] misc/socket.cc:1 NCCL WARN "
        log = "".join(f"n{r // 2}:40{r}:40{r} [0] NCCL INFO ncclCommInitRank comm 0x7f{r} rank {r} nranks 4 cudaDev 0 nvmlDev 0 busId "
                      f"10000 commId 0x91 - Init COMPLETE\n" for r in range(4))
        log += (head + "socketProgressOpt: Call to recv from 10.77.0.10<50961> failed : Software caused connection abort\n"
                + head + "socketStartConnect: connect to 10.77.0.10<40159> failed : Network is unreachable\n")
        self.assertIn("the host itself has no route to 10.77.0.10 any more", answer({"job.log": log}))

    def test_that_the_job_failed_is_not_shown(self):
        line = "n1:1:2 [0] misc/ibvwrap.cc:288 NCCL WARN Call to ibv_reg_dmabuf_mr failed with error Operation not supported\n"
        self.assertIn("one line shows the failure itself, not that the job failed of it", answer({"log.txt": line}))
        ended = line + "n1:1:2 [0] NCCL INFO transport/net.cc:870 -> 2\n"
        self.assertNotIn("not that the job failed", answer({"log.txt": ended}))

    def test_nothing_says_rerun_beside_find_out_first(self):
        log = "".join(f"n{r // 2}:40{r}:40{r} [0] NCCL INFO ncclCommInitRank comm 0x7f{r} rank {r} nranks 4 cudaDev 0 nvmlDev 0 busId "
                      f"10000 commId 0x91 - Init COMPLETE\n" for r in range(4))
        log += 2 * ("n1:402:412 [0] socket.cc:1 NCCL WARN socketProgressOpt: Call to recv from 10.77.0.10<50961> failed : "
                    "Software caused connection abort\n")
        told = answer({"job.log": log})
        self.assertIn("find out first what took the network away", told)
        self.assertNotIn("rerun as it is", told)
        for option in ("-q", "--summary", "-v", "--format=markdown", "--format=html", "--format=junit", "--format=github", "--format=sarif"):
            with self.subTest(option):
                told = answer({"job.log": log}, option)
                self.assertTrue("find out first what took the network away" in told and "; then rerun" in told)
                self.assertFalse("rerun as it is" in told)
        self.assertIn('"look_first": true', answer({"job.log": log}, "--json"))


unittest.main()
