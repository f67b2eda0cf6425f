#!/usr/bin/env python3
"""One line of chatter is not a failure: lines that sound bad and mean nothing for the job, into healthy jobs."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

NCCLWHY = os.environ["NCCLWHY"]
SOURCE = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])

LINES = """Out of memory: Killed process 999 (chrome) total-vm:1234kB, anon-rss:12kB
Permission denied (publickey).
bind: Address already in use, trying the next port
OSError: [Errno 24] Too many open files: worker restarted
ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error. (from the list of codes)
usage: all_reduce_perf [-c,--check <0/1>] error codes: 0 success 1 failure
Warning: Permanently added 'node3' (ED25519) to the list of known hosts.
ssh: connect to host mirror port 22: Connection refused, retrying
curl: (28) Operation timed out after 30000 milliseconds; using the cache
wandb: Network error (ConnectionError), entering retry loop.
pip: ERROR: pip's dependency resolver does not currently take into account all the packages
Traceback (most recent call last) was printed by the optional telemetry and ignored
segfault handler installed
kernel: chrome[812]: segfault at 0 ip 0000 sp 0000 error 4 in libc.so.6
systemd[1]: cups.service: Main process exited, code=exited, status=1/FAILURE
sshd[812]: error: kex_exchange_identification: Connection closed by remote host
slurmd: error: Node configuration differs from hardware: Sockets=2:2
dataloader: timeout reading shard 7, retrying (1/5)
checkpoint: retry 1 of 3 after OSError: [Errno 5] Input/output error, succeeded
INFO: 0 errors, 0 failures, 0 timeouts
loss scale overflow, skipping step 12, reducing to 32768
FutureWarning: torch.cuda.amp.autocast is deprecated
test_abort_handling PASSED
errors=0 failed=0 killed=0
health check of port 8080 failed: Connection refused (not started yet)
git: fatal: not a git repository (or any of the parent directories)
ModuleNotFoundError: No module named 'apex', using the native optimizer
CUDA out of memory avoided by gradient checkpointing
watchdog: started, timeout 600 s
retrying: HTTPSConnectionPool: Read timed out.
fatal: unable to auto-detect email address
docker: Error response from daemon: toomanyrequests, using the local image
apt: W: Failed to fetch http://mirror/InRelease Temporary failure resolving
OpenBLAS blas_thread_init: pthread_create failed for thread 63 of 64: Resource temporarily unavailable
nvidia-smi: command not found, GPU statistics are off
rm: cannot remove '/tmp/x': No such file or directory
mount.nfs: Connection timed out; mounted at the second try""".splitlines()

# Lines that an ordinary job may print.
MORE = (pathlib.Path(__file__).resolve().parent / "chatter_lines.txt").read_text().splitlines()

WHO = ["monitor", "prometheus", "tensorboard", "jupyter", "rsync", "backup", "cron", "ntpd", "mlflow", "cleanup", "lint", "mirror", "proxy",
       "browser", "mailer", "indexer", "scraper", "updater", "notebook", "exporter"]
WHAT = ["{}: connection refused, will try again", "{}: process 4711 killed by its own timeout and restarted", "{}: permission denied on /var/cache, skipped",
        "{}: no space left on device in its own scratch folder, rotated", "{}: request timed out after 30 s, retried with success",
        "{}[811]: exited with status 1; not needed by the job", "{}: error budget: 0.1 % used", "{}: WARNING failed to report usage, ignoring",
        "{}: aborted an old session", "{}: broken pipe while sending statistics, reconnected"]


def main():
    lines = LINES + [what.format(who) for who in WHO for what in WHAT]
    dice = random.Random(int(os.environ.get("NCCLWHY_SEED", 18)))
    jobs = sorted(path for path in (SOURCE / "samples/healthy").iterdir() if path.is_dir())[:6]
    for job in jobs:  # without a word of chatter
        run = subprocess.run([NCCLWHY, "--format", "json", sorted(job.glob("*.log"))[0]], stdout=subprocess.PIPE, check=False)
        assert json.loads(run.stdout)["verdict"] == "healthy", job
    tried, failed = 0, []
    with tempfile.TemporaryDirectory(prefix="ncclwhy-chatter-") as folder:
        told = [(number, chatter, jobs[number % len(jobs)]) for number, chatter in enumerate(lines)]
        # A log that says nothing but its version does not outweigh a line: a job that works does.
        jobs = [job for job in jobs if not job.name.endswith("-warn")]
        told += [(number + turn, chatter, jobs[(number + turn) % len(jobs)])
                 for turn in range(len(jobs)) for number, chatter in enumerate(LINES)]
        told += [(dice.randrange(5), chatter, dice.choice(jobs)) for chatter in MORE]
        for number, chatter, job in told:
            log = sorted(job.glob("*.log"))[0].read_text(errors="replace").splitlines()
            path = pathlib.Path(folder) / "job.log"
            at = len(log) * (number % 5 + 1) // 6
            path.write_text("\n".join(log[:at] + [chatter] + log[at:]) + "\n")
            run = subprocess.run([NCCLWHY, "--format", "json", path], stdout=subprocess.PIPE, check=False)
            tried += 1
            if json.loads(run.stdout)["verdict"] != "healthy":
                failed.append(f"{job.name}, line {at}: {chatter}")
    for chatter in failed:
        print("chatter alarmed:", chatter)
    print(f"hostile: chatter tried {tried} failed {len(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
