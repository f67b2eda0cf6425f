#!/usr/bin/env python3
"""One line of chatter is not a failure: lines that sound bad and mean nothing for the job, into healthy jobs."""
import json
import os
import pathlib
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

MORE = r"""E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?
W: Failed to fetch http://archive.ubuntu.com/ubuntu/dists/jammy/InRelease  Temporary failure resolving 'archive.ubuntu.com'
debconf: delaying package configuration, since apt-utils is not installed
Failed to start crashdump.service: Unit not found.
systemd-logind[811]: Failed to abandon session scope: No such process
/usr/lib/python3.10/site-packages/torch/utils/data/dataloader.py:557: UserWarning: This DataLoader will create 32 worker processes in total. Our suggested max number of worker in current system is 16, which might get slowness or even freeze
/opt/conda/lib/python3.11/site-packages/requests/__init__.py:102: RequestsDependencyWarning: urllib3 or chardet doesn't match a supported version!
FutureWarning: `torch.cuda.amp.autocast(args...)` is deprecated and will raise an error in a future version
DeprecationWarning: the imp module is deprecated; Python 3.12 will fail
urllib3.connectionpool WARNING Retrying (Retry(total=2)) after connection broken by 'NewConnectionError: Failed to establish a new connection: [Errno 111] Connection refused'
requests.exceptions.ConnectionError caught, retrying in 5s (attempt 2/5)
Retry 1/3 failed: TimeoutError; next attempt succeeded
huggingface_hub.utils._http: '(ReadTimeoutError("HTTPSConnectionPool(host='huggingface.co', port=443): Read timed out. (read timeout=10)"))' thrown while requesting HEAD
  --fatal-errors        abort with exit code 1 on the first error (default: no)
usage: train.py [-h] [--abort-on-nan] [--timeout SECONDS] [--kill-after N]
exit codes: 0 success, 1 general error, 137 out of memory, 139 segmentation fault
test_oom_is_raised PASSED (RuntimeError: CUDA out of memory expected)
test_peer_died XFAIL (ncclRemoteError expected)
ok 17 - kills child with SIGKILL and expects "Killed"
FAILED (expected failures=3)
OK (skipped=2, expected failures=1)
AssertionError raised as expected
Using dataset: crash-reports-2024/segfault-corpus
dataset "fatal_error_logs" loaded: 12000 samples
Top label: "Killed by signal 9" p=0.71
loss is nan? no
tokenizing file system_failure_and_deadlock.txt
kernel: traps: chrome[4411] trap int3 ip:55d error:0 in chrome
kernel: python3[99812]: segfault at 0 ip 00007f sp 00007ffd error 4 in libfoo.so[7f+1000]
[  912.331] Memory cgroup out of memory: Killed process 88123 (jupyter-lab) total-vm:1kB
[ 1021.002] nfs: server nas01 not responding, still trying
[ 1022.101] nfs: server nas01 OK
[ 88.1] EXT4-fs (sda1): re-mounted. Opts: errors=remount-ro
[ 12.4] ACPI BIOS Error (bug): Could not resolve symbol [\_SB.PCI0], AE_NOT_FOUND
[ 3.21] nvidia: module verification failed: signature and/or required key missing - tainting kernel
[ 5.01] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.15
wandb: ERROR Error while calling W&B API: Error 500: internal (<Response [500]>); retrying
wandb: Network error (ConnectionError), entering retry loop.
wandb: WARNING Fatal error while uploading data. Some run data will not be synced, but it will still be written to disk. Use `wandb sync`
[W 10:11:12.001 NotebookApp] 404 GET /api/kernels/abc (127.0.0.1): Kernel does not exist: abc
[C 10:11:12.001 ServerApp] Shut down this notebook server (y/[n])?
[I 10:11] KernelRestarter: restarting kernel (1/5), keep random ports
ERROR: pip's dependency resolver does not currently take into account all the packages that are installed. This behaviour is the source of the following dependency conflicts.
ERROR: Could not find a version that satisfies the requirement flash-attn==9.9 (from versions: none)
  error: subprocess-exited-with-error
WARNING: Running pip as the 'root' user can result in broken permissions and conflicting behaviour with the system package manager.
fatal: not a git repository (or any of the parent directories): .git
error: pathspec 'v9' did not match any file(s) known to git
fatal: unable to access 'https://github.com/x/y/': Could not resolve host: github.com
CMake Error at CMakeLists.txt:3 (find_package): could not find NCCL; falling back to bundled
-- Performing Test HAVE_ABORT - Failed
make: *** [Makefile:12: optional-docs] Error 2 (ignored)
gcc: fatal error: Killed signal terminated program cc1plus (retrying with -O0)
Error response from daemon: pull access denied for foo, repository does not exist; using cached image
docker: layer already exists; error ignored
3m  Warning  BackOff  pod/other-app-7d9  Back-off restarting failed container
10s Normal Killing pod/web-0 Stopping container web
Warning  FailedScheduling  pod/notebook-0  0/12 nodes are available: 12 Insufficient nvidia.com/gpu.
Evicted pod log-shipper-x2 due to DiskPressure
TF-TRT Warning: Could not find TensorRT
Could not load dynamic library 'libnvinfer.so.7'; dlerror: libnvinfer.so.7: cannot open shared object file: No such file or directory
E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:9261] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered
failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected (this is a CPU-only helper)
ModuleNotFoundError: No module named 'tensorboard' (optional)
Exception ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f>
Exception in thread QueueManagerThread (ignored)
BrokenPipeError: [Errno 32] Broken pipe while writing to tensorboard, continuing
WARNING: terminated worker 3 will be respawned
Deadlock detection enabled; watchdog timeout 1800s
Setting TORCH_NCCL_ASYNC_ERROR_HANDLING=1: errors will abort the process
NaN detected in gradients, skipping step 12
grad overflow: skipping, loss scale 32768
Skipping batch: CUDA out of memory caught, batch size halved
torch.cuda.OutOfMemoryError caught; retrying with micro batch 4
ssh: connect to host backup port 22: Connection refused (backup skipped)
rsync error: some files/attrs were not transferred (code 23) at main.c(1338)
curl: (7) Failed to connect to metrics port 9091: Connection refused
cp: cannot stat 'old.ckpt': No such file or directory
rm: cannot remove '/tmp/x': No such file or directory
bash: module: command not found
bash: /root/.bashrc: Permission denied
mkdir: cannot create directory 'out': File exists
/bin/sh: 1: nvcc: not found
ulimit: max locked memory: cannot modify limit: Operation not permitted
perl: warning: Setting locale failed.
tar: Removing leading `/' from member names
ERROR 1045 (28000): Access denied for user 'mlflow'@'db'; metrics disabled
redis.exceptions.ConnectionError: Error 111 connecting; cache disabled
grpc: addrConn.createTransport failed to connect; will reconnect
INFO: received SIGHUP, reloading configuration
INFO: caught SIGUSR1, dumping state
Signal handler installed for SIGTERM
If the job is killed by SIGKILL, resume with --resume
Note: Segmentation fault in old driver versions is known; see docs
checkpoint step_100 failed validation? False
0 errors, 3 warnings
errors: 0, failed: 0, crashed: 0
num_failed=0 num_timeouts=0
Slurm: job 4711 previously FAILED, this is attempt 2
sacct: 4700 FAILED 1:0 (previous job)
Previous run exited with code 137; resuming from step 4000
[health] node gpu-03 was drained yesterday: Xid 79 (replaced)
Reading Xid reference: Xid 79: GPU has fallen off the bus
sample 0: RuntimeError: CUDA error: an illegal memory access was encountered
help: "unhandled cuda error" means a CUDA call failed
# if you see "NCCL WARN Cuda failure" check the driver
prompt> "Why did my job crash with NCCL timeout?"
answer: "Because rank 3 was killed by the OOM killer."
{"text": "Traceback (most recent call last): KeyError", "label": 1}
val example: 'srun: error: node3: task 2: Exited with exit code 1'
[rank0] example log in the dataset: Segmentation fault (core dumped)
GLIBCXX_3.4.30 not found (fallback to bundled)
ptxas warning : Stack size for entry function cannot be statically determined
nvidia-smi has failed because it couldn't communicate with the NVIDIA driver on login node (ignored)
dmesg: read kernel buffer failed: Operation not permitted
ERROR: ld.so: object 'libhpl.so' from LD_PRELOAD cannot be preloaded: ignored.
OMP: Warning #190: Forking a process while a parallel region is active is potentially unsafe.
[warn] epoll_wait: Bad file descriptor
PMIX ERROR: PMIX_ERR_NOT_FOUND in file dstore (harmless)
A process has executed an operation involving a call to the "fork()" system call to create a child process.
WARNING: There was an error initializing an OpenFabrics device. (not used)
Failed to create /dev/infiniband watcher: inotify limit; polling instead
FATAL: could not open config ~/.foorc (using defaults)
CRITICAL:root:disk usage above 90% on /scratch
PANIC level set to 2
assert_finite enabled
abort_threshold=1e-3
Timeout waiting for metrics endpoint, skipping
""".splitlines()

WHO = ["monitor", "prometheus", "tensorboard", "jupyter", "rsync", "backup", "cron", "ntpd", "mlflow", "cleanup", "lint", "mirror", "proxy",
       "browser", "mailer", "indexer", "scraper", "updater", "notebook", "exporter"]
WHAT = ["{}: connection refused, will try again", "{}: process 4711 killed by its own timeout and restarted", "{}: permission denied on /var/cache, skipped",
        "{}: no space left on device in its own scratch folder, rotated", "{}: request timed out after 30 s, retried with success",
        "{}[811]: exited with status 1; not needed by the job", "{}: error budget: 0.1 % used", "{}: WARNING failed to report usage, ignoring",
        "{}: aborted an old session", "{}: broken pipe while sending statistics, reconnected"]


def main():
    lines = LINES + [what.format(who) for who in WHO for what in WHAT]
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
        told += [(number, chatter, jobs[number % len(jobs)]) for number, chatter in enumerate(MORE)]
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
