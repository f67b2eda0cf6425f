"""Writes samples/witnesses: jobs whose text alone does not say who is to blame or why, and the second witness that does;
and jobs whose witnesses contradict each other (`contradiction` in the label: the rule that says so).

pairs.py DIRECTORY      Lines after NCCL 2.27 and PyTorch 2.7, dumps of recorder_dumps.py, tools as their sources print.
"""

import json
import os
import sys

from recorder_dumps import dump, entry, form, job

RANKS = range(4)
HOST = ["gpu-a1", "gpu-a1", "gpu-a2", "gpu-a2"]
PID = [4100, 4101, 5200, 5201]
V = (2, 9)


def life(rank, *more):
    """A rank up to its last line, and what it says then."""
    head = f"{HOST[rank]}:{PID[rank]}:{PID[rank] + 60} [{rank % 2}] NCCL INFO "
    comm = f"comm 0x55d00{rank} rank {rank} nranks 4 cudaDev {rank % 2} nvmlDev {rank % 2} busId {rank % 2 + 1}b000 commId 0x3c0ffee3b24a1d07"
    lines = [head + "NCCL version 2.27.3+cuda12.9"] if rank == 0 else []
    lines += [head + f"ncclCommInitRankConfig {comm} - Init START", head + f"ncclCommInitRankConfig {comm} - Init COMPLETE"]
    lines += [f"step {n} loss {9.1 - n / 100:.3f}" for n in range(400, 411)]
    return "\n".join(lines + list(more)) + "\n"


def watchdog(rank, seq=412, operation="ALLREDUCE"):
    return (
        f"[rank{rank}]:[E312 22:07:19.410087263 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: "
        f"WorkNCCL(SeqNum={seq}, OpType={operation}, NumelIn=4096, NumelOut=4096, Timeout(ms)=600000) ran for 600043 milliseconds "
        "before timing out."
    )


def text(silent=None):
    """All ranks wait but the silent one."""
    return {f"rank{r}.log": life(r, *([] if r == silent else [watchdog(r)])) for r in RANKS}


def dumps(issued, completed, ranks=RANKS, **more):
    return {f"nccl_trace_rank_{r}": form(d, "pickle") for r, d in job(V, ranks, issued, completed, **more).items()}


def py_spy(pid, *frames):
    return f'Process {pid}: python -u train.py\nPython v3.11.2 (/usr/bin/python3.11)\n\nThread {pid} (idle): "MainThread"\n' + "".join(
        f"    {frame}\n" for frame in frames + ("main (train.py:140)", "<module> (train.py:151)")
    )


def stacks(late, *frames):
    waits = ("all_reduce (torch/distributed/distributed_c10d.py:2806)", "wrapper (torch/distributed/c10d_logger.py:81)")
    return {f"py-spy-rank{r}.txt": py_spy(PID[r], *(frames if r == late else waits)) for r in RANKS}


def ras(counts, missing=None, dead=False):
    def who(r):
        return {"rank": r, "host": HOST[r], "pid": PID[r], "cuda_dev": r % 2, "nvml_dev": r % 2}

    ranks = [dict(who(r), status={"abort_flag": False}, collective_counts={"AllReduce": n}) for r, n in counts.items()]
    gone = [] if missing is None else [dict(who(missing), status={"unresponsive": True, "considered_dead": dead})]
    communicator = {"hash": "0x3c0ffee3b24a1d07", "size": 4, "ranks_count": len(ranks), "missing_ranks_count": len(gone)}
    communicator.update(ranks=ranks, missing_ranks=gone)
    return json.dumps({"nccl_version": "2.29.1", "communicators_count": 1, "communicators": [communicator]}, indent=1) + "\n"


def ibstat(down):
    return "".join(
        f"CA 'mlx5_{n}'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: {'Down' if n == down else 'Active'}\n"
        f"\t\tPhysical state: {'Polling' if n == down else 'LinkUp'}\n\t\tRate: 400\n\t\tLink layer: InfiniBand\n"
        for n in range(4)
    )


def crossed():
    result = {}
    for rank in RANKS:
        first, second = (3, 4) if rank % 2 == 0 else (4, 3)
        calls = [entry(V, 0, first, 1, "all_reduce", "completed"), entry(V, 1, second, 1, "all_reduce", "completed")]
        calls.append(entry(V, 2, first, 2, "all_reduce", "scheduled"))
        groups = {3: list(RANKS), 4: list(RANKS), 100 + rank: [rank]}
        values = dump(V, calls, groups, {first: (2, 1), second: (1, 1), 100 + rank: (-1, -1)})
        result[f"nccl_trace_rank_{rank}"] = form(values, "pickle")
    return result


def retry(rank):
    return (
        f"[2025-03-12 10:11:12] {HOST[rank]}:{PID[rank]}:{PID[rank] + 70} [{rank % 2}] transport/net_ib.cc:2334 NCCL WARN NET/IB: Got completion "
        "from peer 10.0.0.2<48154> with status=12 opcode=0 len=0 vendor err 129 (Send) localGid fe80::1 remoteGidsfe80::2 hca mlx5_1"
    )


def pairs():
    """name, cause, also acceptable, culprit, files"""
    crash = ["stopped.node-failure", "net.unreachable"]
    yield "recorder-late", "app.rank-stalled", [], 2, {**text(silent=2), **dumps([412, 412, 411, 412], [411] * 4)}
    everybody = text()
    yield "recorder-late-all-complain", "app.rank-stalled", ["app.collective-mismatch"], 1, {**everybody, **dumps([412, 410, 412, 412], [410] * 4)}
    other = {(3, 412): "broadcast"}
    yield "recorder-other-call", "app.collective-mismatch", [], 3, {**everybody, **dumps([412] * 4, [411] * 4, names=other)}
    size = {(1, 412): 1024}
    yield "recorder-other-size", "app.collective-mismatch", [], 1, {**everybody, **dumps([412] * 4, [411] * 4, sizes=size)}
    yield "recorder-groups-crossed", "app.concurrent-comms", ["app.collective-mismatch"], None, {**everybody, **crossed()}
    yield "recorder-frozen", "app.rank-stalled", ["gpu.xid", "gpu.illegal-access"], 1, {**text(silent=1), **dumps([412] * 4, [411, 405, 411, 411])}
    loader = ("poll (selectors.py:415)", "_try_get_data (torch/utils/data/dataloader.py:1133)", "__next__ (torch/utils/data/dataloader.py:630)")
    yield "stacks-data-loader", "app.rank-stalled", [], 2, {**text(silent=2), **stacks(2, *loader)}
    save = ("_save (torch/serialization.py:943)", "save (torch/serialization.py:850)", "save_checkpoint (train.py:97)")
    yield "stacks-checkpoint", "app.rank-stalled", [], 0, {**everybody, **stacks(0, *save)}
    yield "ras-dead", "app.rank-crashed", crash, 3, {**text(silent=3), "ras.json": ras({0: 412, 1: 412, 2: 412}, missing=3, dead=True)}
    behind = {r: 411 if r == 1 else 412 for r in RANKS}
    yield "ras-behind", "app.rank-stalled", ["app.collective-mismatch"], 1, {**text(silent=1), "ras.json": ras(behind)}
    killed = f"Mar 12 22:03:10 gpu-a2 kernel: Out of memory: Killed process {PID[2]} (python) total-vm:91234567kB, anon-rss:83456789kB\n"
    yield "kernel-oom", "host.oom", [], "gpu-a2", {**text(silent=2), "gpu-a2-dmesg.txt": killed}
    xid = f"Mar 12 22:03:10 gpu-a2 kernel: NVRM: Xid (PCI:0000:1b:00): 79, pid={PID[2]}, name=python, GPU has fallen off the bus.\n"
    yield "kernel-xid", "gpu.xid", [], "gpu-a2", {**text(silent=2), "gpu-a2-dmesg.txt": xid}
    panic = "Mar 12 22:03:10 gpu-a2 kernel: [ 3098.275469] Kernel panic - not syncing: Fatal hardware error!\n"
    yield "kernel-panic", "stopped.node-failure", [], None, {**text(silent=2), "gpu-a2-console.txt": panic}
    node = "JobId=4711 JobName=train\n   UserId=user(1000) GroupId=user(1000) MCS_label=N/A\n   JobState=NODE_FAIL Reason=NodeDown Dependency=(null)\n"
    yield "slurm-node-fail", "stopped.node-failure", [], None, {**text(silent=2), "scontrol.txt": node}
    pod = (
        "Name:             train-worker-1\nNode:             gpu-a2/10.0.0.2\nContainers:\n  pytorch:\n    State:          Terminated\n"
        "      Reason:       OOMKilled\n      Exit Code:    137\n    Ready:          False\n"
    )
    yield "kubernetes-oom", "host.oom", [], None, {**text(silent=3), "describe-pod.txt": pod}
    lost = {f"rank{r}.log": life(r, *([retry(r)] if r < 2 else [])) for r in RANKS}
    yield "port-down", "ib.link-down", ["ib.retry-exceeded"], None, {**lost, "gpu-a2-ibstat.txt": ibstat(1)}


    full = "Filesystem      Size  Used Avail Use% Mounted on\nshm              64M   64M     0 100% /dev/shm\n"
    bus = {f"rank{r}.log": life(r, *(["Bus error (core dumped)"] if r == 2 else [])) for r in RANKS}
    yield "shm-full", "shm.too-small", [], 2, {**bus, "gpu-a2-df.txt": full}
    evicted = (
        "LAST SEEN   TYPE      REASON    OBJECT               MESSAGE\n"
        "5m          Warning   Evicted   pod/train-worker-1   The node was low on resource: ephemeral-storage.\n"
    )
    yield "kubernetes-evicted", "stopped.evicted", [], None, {**text(silent=2), "events.txt": evicted}
    account = (
        "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode\n"
        "------------ ---------- ---------- ---------- ---------- ---------- --------\n"
        "4711              train        gpu       acct        192 OUT_OF_ME+    0:125\n"
        "4711.0            train                  acct        192 OUT_OF_ME+    0:125\n"
    )
    yield "slurm-oom", "host.oom", [], None, {**text(silent=2), "sacct.txt": account}
    stall = f"[Wed Mar 12 22:03:10 2025] INFO: task python:{PID[2]} blocked for more than 120 seconds.\n"
    everybody_else = {f"rank{r}.log": life(r, *([watchdog(r)] if r == 0 else [])) for r in RANKS}
    yield "kernel-hung-task", "app.rank-stalled", [], "gpu-a2", {**everybody_else, "gpu-a2-dmesg.txt": stall}
    lost = (
        "+-----------------------------------------+------------------------+----------------------+\n"
        "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:1B:00.0 Off |                 ERR! |\n"
        "|ERR!  ERR! ERR!             ERR!  / ERR! |   61213MiB /  81559MiB |    ERR!      Default |\n"
    )
    yield "nvidia-smi-error", "gpu.xid", [], "gpu-a2", {**text(silent=2), "gpu-a2-nvidia-smi.txt": lost}
    box = "| {:<25} | {:<50} |\n".format
    violation = (
        box("Overall Health", "Failure") + box("GPU", "") + box("-> 0", "Failure") + box("   -> Errors", "")
        + box("      -> Memory system", "Failure") + box("", "A DBE has occurred on GPU 0.")
    )
    yield "dcgm-health", "gpu.xid", [], "gpu-a2", {**text(silent=2), "gpu-a2-dcgmi-health.txt": violation}


# Where nobody can tell which of the two is right, no cause is named.
OPEN = {"contrary-ras-all-well", "contrary-recorder-ended", "contrary-xid-elsewhere"}


def contradictions():
    """name, rule that says so, cause, also acceptable, culprit, files"""
    stalled = ["app.rank-crashed", "app.collective-mismatch", "app.concurrent-comms"]
    every = text()
    even = ras({r: 412 for r in RANKS})
    yield "contrary-ras-all-well", "witness-ras-all-well", "app.rank-stalled", stalled, None, {**every, "ras.json": even}
    dead = ras({0: 412, 1: 412, 2: 412}, missing=3, dead=True)
    crash = ["stopped.node-failure", "net.unreachable", "app.rank-stalled"]
    yield "contrary-ras-dead-speaks", "witness-ras-dead-speaks", "app.rank-crashed", crash, 3, {**every, "ras.json": dead}
    waits = {"py-spy-rank3.txt": stacks(None)["py-spy-rank3.txt"]}
    yield "contrary-ras-dead-stack", "witness-ras-dead-speaks", "app.rank-crashed", crash, 3, {**text(silent=3), **waits, "ras.json": dead}
    ended = dumps([412, 412, 412, 412], [412] * 4)
    yield "contrary-recorder-ended", "witness-recorder-ended", "app.rank-stalled", stalled, None, {**every, **ended}
    late = dumps([412, 412, 411, 412], [411] * 4)
    yield "contrary-stack-in-call", "witness-stack-in-call", "app.rank-stalled", stalled, 2, {**text(silent=2), **late, **stacks(None)}
    behind = {r: 411 if r == 1 else 412 for r in RANKS}
    yield "contrary-ras-recorder", "witness-ras-recorder", "app.rank-stalled", stalled, None, {**every, **late, "ras.json": ras(behind)}
    account = "JobID|JobName|State|ExitCode|NodeList\n4711|train|COMPLETED|0:0|gpu-a[1-2]\n4711.0|train|COMPLETED|0:0|gpu-a[1-2]\n"
    yield "contrary-slurm-completed", "witness-said-completed", "app.rank-stalled", stalled, 2, {**text(silent=2), "sacct.txt": account}
    pods = "NAME             READY   STATUS      RESTARTS   AGE\ntrain-worker-0   0/1     Completed   0          47m\ntrain-worker-1   0/1     Completed   0          47m\n"
    yield "contrary-pod-completed", "witness-said-completed", "app.rank-stalled", stalled, 2, {**text(silent=2), "pods.txt": pods}
    down = f"{HOST[2]}:{PID[2]}:{PID[2] + 61} [0] transport/net_ib.cc:207 NCCL WARN NET/IB : mlx5_1:1 Got async event : port error"
    port = {f"rank{r}.log": life(r, *([down] if r == 2 else [retry(r)] if r < 2 else [])) for r in RANKS}
    again = ["ib.retry-exceeded"]
    yield "contrary-port-active", "witness-port-active", "ib.link-down", again, "gpu-a2", {**port, "gpu-a2-ibstat.txt": ibstat(None)}
    gone = "[2025-03-12T22:05:10.123] error: Nodes gpu-a2 not responding, setting DOWN\n"
    yield "contrary-node-speaks", "witness-node-speaks", "stopped.node-failure", ["app.rank-stalled"], None, {**text(silent=1), "slurmctld.log": gone}
    xid = "Mar 12 22:03:10 gpu-a2 kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid=77123, name=python, GPU has fallen off the bus.\n"
    strange = ["gpu.xid", "app.rank-crashed"]
    yield "contrary-xid-elsewhere", "witness-xid-elsewhere", "app.rank-stalled", strange, None, {**text(silent=2), "gpu-a2-dmesg.txt": xid}


def cases():
    for name, cause, also, culprit, files in pairs():
        yield name, None, cause, also, culprit, files
    yield from contradictions()


def main(directory):
    for name, rule, cause, also, culprit, files in cases():
        folder = os.path.join(directory, name)
        for path, content in files.items():
            path = os.path.join(folder, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        who = f"rank {culprit}" if isinstance(culprit, int) else culprit
        label = {"source": "lab", "scenario": name, "root_cause": cause, "also_acceptable": also, "culprit": who}
        note = "the witnesses contradict each other" if rule else "the text alone leaves it open; the second witness decides"
        label.update(determinable_from_log=name not in OPEN, form="files", note=note)
        if rule:
            label["contradiction"] = rule
        with open(os.path.join(folder, "incident.json"), "w", encoding="utf-8") as file:
            json.dump(label, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
