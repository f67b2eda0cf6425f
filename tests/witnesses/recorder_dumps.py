"""Writes flight recorder dumps of PyTorch for the cases of rules and tests, after torch/csrc/distributed/c10d of the
version that each is named for; no text of a real job is in them.

recorder_dumps.py CATALOG_DIR [--check]      writes (or compares) the folders of rules/catalog/torch/torch-recorder-*
"""

import io
import json
import os
import pickle
import sys


def entry(version, record, group, seq, name, state, *, size=4096, dtype="BFloat16", p2p_seq=None, pg_id=None):
    """One call as that version writes it."""
    done = state == "completed"
    values = {
        "record_id": record,
        "pg_id": group if pg_id is None else pg_id,
        "profiling_name": "nccl:" + name,
        "time_created_ns": 1735700000000000000 + record * 1500000,
        "input_sizes": [[size]],
        "output_sizes": [[size * 4 if "gather" in name else size]],
        "state": state,
        "frames": [{"name": "forward", "filename": "train.py", "line": 41}],
        "retired": done,
    }
    if version < (2, 0):
        values["seq_id"] = seq
        return values
    values.update(is_p2p=p2p_seq is not None, collective_seq_id=seq, p2p_seq_id=p2p_seq or 0, op_id=record)
    values.update(timeout_ms=600000, time_discovered_started_ns=None, time_discovered_completed_ns=None)
    values["process_group"] = (str(group), "default_pg" if group == 0 else "undefined")
    if version >= (2, 4):
        values.update(input_dtypes=[dtype], output_dtypes=[dtype])
    return values


def dump(version, entries, groups=None, status=None):
    values = {"version": "%d.%d" % version}
    if version >= (2, 1) and groups:
        values["pg_config"] = {
            str(n): {"name": str(n), "desc": "default_pg" if n == 0 else "undefined", "ranks": str(ranks)}
            for n, ranks in groups.items()
        }
    if version >= (2, 4) and status:
        values["pg_status"] = {
            str(n): {"last_enqueued_collective": e, "last_started_collective": -1, "last_completed_collective": c}
            for n, (e, c) in status.items()
        }
        values["nccl_version"] = "2.27.3"
    values["entries"] = entries
    return values


def job(version, ranks, issued, completed, group=0, members=None, names=None, keep=6, sizes=None):
    """A dump of every rank in `ranks`: the last `keep` calls of one group, the first `completed` of them ended."""
    members = members or list(range(len(issued)))
    result = {}
    for rank in ranks:
        n, done = issued[rank], completed[rank]
        calls = []
        for seq in range(max(1, n - keep + 1), n + 1):
            name = (names or {}).get((rank, seq), "all_reduce" if seq % 2 else "_all_gather_base")
            size = (sizes or {}).get((rank, seq), 4096)
            calls.append(entry(version, seq - 1, group, seq, name, "completed" if seq <= done else "scheduled", size=size))
        own = 100 + rank  # a group of this rank alone tells which rank it is
        result[rank] = dump(version, calls, {group: members, own: [rank]}, {group: (n, done), own: (-1, -1)})
    return result


def cases():
    """rule, case → (form, {rank: dump})"""
    v = (2, 9)
    late = job(v, range(4), [41, 41, 40, 41], [40, 40, 40, 40])
    yield "torch-recorder-late", "fires-2.9", "pickle", late
    yield "torch-recorder-late", "fires-2.3-json", "json", job((2, 3), range(4), [41, 39, 41, 41], [39, 39, 39, 39])
    yield "torch-recorder-open", "fires-one", "pickle", {3: late[3]}
    yield "torch-recorder-open", "silent-ended", "pickle", job(v, range(2), [41] * 2, [41] * 2)
    # Everybody issued everything: nobody is late.
    equal = job(v, range(4), [41] * 4, [40] * 4)
    yield "torch-recorder-late", "silent-equal", "pickle", equal
    yield "torch-recorder-all-wait", "fires-2.9", "pickle", equal
    yield "torch-recorder-all-wait", "silent-late", "json", late
    yield "torch-recorder-frozen", "fires-2.9", "json", job(v, range(4), [41] * 4, [41, 41, 37, 41])
    # Two ranks did not see the end: no one stands out. And one call behind is a matter of when the dump was made.
    yield "torch-recorder-frozen", "silent-two", "json", job(v, range(4), [41] * 4, [41, 37, 37, 41])
    yield "torch-recorder-frozen", "silent-moment", "json", job(v, range(4), [41] * 4, [41, 41, 40, 41])
    # Ranks 0 and 1 use the groups 3 and 4 in different order.
    crossed = {}
    for rank in (0, 1):
        first, second = (3, 4) if rank == 0 else (4, 3)
        calls = [entry(v, 0, first, 1, "all_reduce", "completed"), entry(v, 1, second, 1, "all_reduce", "completed")]
        calls.append(entry(v, 2, first, 2, "all_reduce", "scheduled"))
        groups = {3: [0, 1], 4: [0, 1], 100 + rank: [rank]}
        crossed[rank] = dump(v, calls, groups, {first: (2, 1), second: (1, 1), 100 + rank: (-1, -1)})
    yield "torch-recorder-crossed", "fires-2.9", "pickle", crossed
    yield "torch-recorder-crossed", "silent-late", "pickle", late
    # A pipeline of three stages: 1 neither receives from 0 nor sends to 2.
    for case, idle in (("fires-2.9", True), ("silent-busy", False)):
        pipeline = {}
        for rank in range(3):
            calls = [entry(v, 7, 0, 3, "recv 0<-1" if rank == 0 else "recv %d<-%d" % (rank, rank - 1), "scheduled", p2p_seq=8)]
            if rank == 1 and idle:
                calls = []
            groups = {0: [0, 1, 2], 100 + rank: [rank]}
            pipeline[rank] = dump(v, calls, groups, {0: (8, 7), 100 + rank: (-1, -1)})
        yield "torch-recorder-peer-idle", case, "pickle", pipeline
    yield "torch-recorder-no-dump", "fires-2.9", "pickle", job(v, [0, 1, 2, 4, 5], [41] * 6, [40] * 6)
    # Three dumps of six say nothing about the other three.
    yield "torch-recorder-no-dump", "silent-half", "pickle", job(v, [0, 1, 2], [41] * 6, [40] * 6)


def form(values, how):
    if how == "json":
        return (json.dumps(values, sort_keys=True, indent=1) + "\n").encode()
    out = io.BytesIO()
    pickle.dump(values, out, protocol=2)
    return out.getvalue()


def main(catalog, check=False):
    for rule, case, how, dumps in cases():
        folder = os.path.join(catalog, "torch", rule, case)
        for rank, values in dumps.items():
            path = os.path.join(folder, f"nccl_trace_rank_{rank}")
            if check:
                with open(path, "rb") as file:
                    assert file.read() == form(values, how), path + " is not what the generator writes"
                continue
            os.makedirs(folder, exist_ok=True)
            with open(path, "wb") as file:
                file.write(form(values, how))


if __name__ == "__main__":
    main(sys.argv[1], "--check" in sys.argv)
