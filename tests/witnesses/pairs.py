"""Writes samples/witnesses: jobs whose text alone does not say who is to blame or why, and the second witness that does.

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
    yield "recorder-frozen", "app.rank-stalled", ["gpu.xid", "gpu.illegal-access"], 1, {**text(silent=1), **dumps([412] * 4, [412, 405, 412, 412])}
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


def main(directory):
    for name, cause, also, culprit, files in pairs():
        folder = os.path.join(directory, name)
        for path, content in files.items():
            path = os.path.join(folder, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        who = f"rank {culprit}" if isinstance(culprit, int) else culprit
        label = {"source": "lab", "scenario": name, "root_cause": cause, "also_acceptable": also, "culprit": who}
        label.update(determinable_from_log=True, form="files", note="the text alone leaves it open; the second witness decides")
        with open(os.path.join(folder, "incident.json"), "w", encoding="utf-8") as file:
            json.dump(label, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
