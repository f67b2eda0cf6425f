"""What a reader would take for the failure is named as not it, with the reason: the real binary on small logs."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BINARY = os.environ["NCCLWHY"]


def answer(log, *options):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "job.log").write_text(log)
        done = subprocess.run([BINARY, *options, "job.log"], cwd=folder, capture_output=True, check=False)
    return " ".join(done.stdout.decode().split())


def steps(first, last, ranks=2):
    return "".join(f"{r}: [rank{r}] step {n} loss {9 - n / 10:.4f}\n" for n in range(first, last) for r in range(ranks))


CRASH = "1: Traceback (most recent call last):\n1:   File \"/opt/t/data.py\", line 143, in training_step\n1: IndexError: list index out of range\n"
ENDS = ("srun: error: node3: task 1: Exited with exit code 1\nsrun: launch/slurm: _step_signal: Terminating StepId=41.0\n"
        "0: slurmstepd-node1: error: *** STEP 41.0 ON node1 CANCELLED AT 2026-11-22T11:09:39 ***\n"
        "srun: error: node1: task 0: Terminated\n")


class NotIt(unittest.TestCase):
    def test_what_the_program_caught(self):
        oom = ("0: [rank0] WARNING: CUDA out of memory. Tried to allocate 2.50 GiB (GPU 0; 79.11 GiB total capacity) - caught in "
               "auto batch size search\n")
        log = steps(1, 4) + oom + steps(4, 15) + CRASH + ENDS
        self.assertIn("Not it: WARNING: CUDA out of memory. Tried to allocate 2.50 GiB", answer(log))
        self.assertIn("the program caught it and went on", answer(log))
        self.assertIn("程序捕获后继续运行", answer(log, "--lang", "zh").replace(" ", ""))
        alone = ("n1:400:400 [0] NCCL INFO NCCL version 2.28.9+cuda13.0\n" + steps(1, 4, 1) + oom + steps(4, 15, 1)
                 + "n1:400:400 [0] enqueue.cc:1 NCCL WARN Cuda failure 214 'uncorrectable ECC error encountered'\n")
        alone = alone.replace("0: [rank0] ", "")
        self.assertIn("the program caught it and went on, 11 more steps", answer(alone))
        self.assertIn("此后又完成11步", answer(alone, "--lang", "zh").replace(" ", ""))
        # Without work behind it nobody knows that it was got over.
        self.assertNotIn("caught it and went on", answer(steps(1, 4) + oom + CRASH + ENDS))

    def test_the_clean_up_of_the_launcher(self):
        log = steps(1, 9) + CRASH + ENDS
        self.assertIn("STEP 41.0 ON node1 CANCELLED… (job.log:22: srun's own clean-up, no scancel)", answer(log))
        self.assertIn("并非scancel", answer(log, "--lang", "zh").replace(" ", ""))
        stop = "slurmstepd-node1: error: *** JOB 54 ON node1 CANCELLED AT 2026-11-22T11:10:58 ***\n"
        self.assertNotIn("clean-up", answer(steps(1, 9) + stop))

    def test_words_of_an_evaluation(self):
        log = (steps(1, 4) + "0: [rank0] eval @ step 3: ERROR RATE 0.2314, ERROR count 118 of 510, fatal mispredictions 3\n"
               "0: [rank0] eval: worst sample: \"Segmentation fault (core dumped)\" -> label ERROR, predicted ERROR\n"
               "0: [rank0] WARNING: NCCL watchdog heartbeat was late by 4.1 s (GC pause); continuing\n" + steps(4, 30)
               + "slurmstepd-node1: error: *** JOB 54 ON node1 CANCELLED AT 2026-11-22T11:10:58 ***\n")
        for word in ("a figure of the evaluation", "text that the program works on"):
            self.assertIn(word, answer(log))

    def test_who_waited_in_front_of_the_failure(self):
        log = ("1: rank 1: step watchdog: no progress for 8 s\n"
               "node2:402:402 [0] enqueue.cc:1 NCCL WARN Cuda failure 214 'uncorrectable ECC error encountered'\n"
               "2: Fatal: rank 2 leaves\n")
        self.assertIn("no progress for 8 s (job.log:1: it only waited)", answer(log))

    def test_what_nobody_would_suspect(self):
        calm = "".join(f"n1:40{r}:40{r} [0] NCCL INFO ENV/Plugin: Could not find: libnccl-env.so\n" for r in range(2))
        log = calm + steps(1, 30) + CRASH + ENDS
        self.assertNotIn("libnccl-env", answer(log))
        told = json.loads(subprocess.run([BINARY, "--json", "-"], input=log, capture_output=True, text=True, check=False).stdout)
        self.assertEqual([h["alarm"] for h in told["harmless"] if "libnccl-env" in h["text"]], [0])


unittest.main()
