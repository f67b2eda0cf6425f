#!/usr/bin/env python3
"""Logs of one shape of line each, for measuring that none of them is slow. The same name and size give the same bytes.

    shapes.py NAME BYTES FILE          shapes.py --list
"""
import random
import sys

LETTERS = "abcdefghijklmnopqrstuvwxyz"
RANKS = 16
COLLECTIVES = ("AllReduce", "Broadcast", "ReduceScatter", "AllGather")


def word(rng, most=10):
    return "".join(rng.choices(LETTERS, k=rng.randint(2, most)))


def words(rng, least, most):
    return " ".join(word(rng) for _ in range(rng.randint(least, most)))


def head(i):
    rank = i % RANKS
    return f"gpu{rank // 8:03d}:{7000 + rank}:{7400 + rank} [{rank % 8}]"


def pointer(rng):
    return f"0x7f{rng.getrandbits(36):09x}"


def coll(i, rng, acc=""):
    of = i // RANKS
    return (f"{head(i)} NCCL INFO {COLLECTIVES[of % 4]}: opCount {of:x} sendbuff {pointer(rng)} recvbuff {pointer(rng)}{acc} count "
            f"{4096 << of % 5} datatype 9 op 0 root 0 comm 0x5616{i % RANKS:02x}a8c0 [nranks={RANKS}] stream 0x5616{i % RANKS:02x}b1d0")


def rccl(i, rng):
    return coll(i, rng, " acc (nil)")


def info_unknown(i, rng):
    return f"{head(i)} NCCL INFO VENDOR/{word(rng)} {words(rng, 2, 5)} {i} {word(rng)}={rng.getrandbits(20):x}"


def completion(i, rng):
    peer = rng.randrange(RANKS)
    return (f"{head(i)} NCCL WARN NET/IB : Got completion from peer 172.16.{peer}.{peer + 9}<{rng.randrange(1024, 65536)}> with status=12 "
            f"opcode={rng.randrange(8)} len={rng.randrange(1 << 22)} vendor err {rng.randrange(64, 255)} (Send) localGid "
            f"fe80::{i % 251:x} remoteGids fe80::{rng.randrange(256):x} hca mlx5_{i % 8}")


def allocation(i, rng):
    return f"{head(i)} NCCL WARN Failed to CUDA calloc async {rng.randrange(1 << 30)} bytes"


def closed(i, rng):
    return f"{head(i)} misc/socket.cc:{470 + rng.randrange(40)} NCCL WARN Net : Connection closed by remote peer gpu{rng.randrange(99):03d}<{rng.randrange(65536)}>"


def warn_mixed(i, rng):
    return (completion, allocation, closed)[rng.randrange(3)](i, rng)


def warn_distinct(i, rng):
    return f"{head(i)} NCCL WARN {words(rng, 5, 12)}"


def megatron(i, rng):
    return (f" [2026-10-04 07:{i // 60 % 60:02d}:{i % 60:02d}] iteration {i:8d}/ 1000000 | consumed samples: {i * 256:12d} | elapsed time per "
            f"iteration (ms): {rng.uniform(300, 900):.1f} | learning rate: {rng.random():.6E} | lm loss: {rng.uniform(1, 9):.6E} | grad norm: "
            f"{rng.random():.3f} |")


def logging(i, rng):
    return f"2026-10-04 07:{i // 60 % 60:02d}:{i % 60:02d},{i % 1000:03d} - trainer.{word(rng)} - INFO - {words(rng, 6, 14)}"


def mllog(i, rng):
    return (f':::MLLOG {{"namespace": "", "time_ms": {1791000000000 + i}, "event_type": "POINT_IN_TIME", "key": "train_loss", "value": '
            f'{rng.uniform(1, 9):.4f}, "metadata": {{"file": "/opt/run/train.py", "lineno": 212, "samples_count": {i * 256}}}}}')


def tqdm(i, rng):
    percent = i // 1000 % 100
    bar = ("█" * (percent // 10)).ljust(10)
    return f"\rTraining: {percent:3d}%|{bar}| {i % 100000}/100000 [{i // 60 % 60:02d}:{i % 60:02d}<1:12:04, {rng.uniform(1, 9):.2f}it/s, loss={rng.random():.3f}]"


def chinese(i, rng):
    return f"[2026-10-04T07:{i // 60 % 60:02d}:{i % 60:02d}] 第 {i} 步 损失 {rng.random():.4f} 学习率 {rng.random():.5f} 剩余 {1000000 - i} 步"


def random_words(_, rng):
    return words(rng, 8, 16)


def behind(prefix):
    return lambda i, rng: prefix(i) + coll(i, rng)


def docker_json(i, rng):
    return f'{{"log":"{coll(i, rng)}\\n","stream":"stderr","time":"2026-10-04T07:00:{i % 60:02d}.{i % 1000000000:09d}Z"}}'


def loki_json(i, rng):
    return f'{{"ts":"2026-10-04T07:00:{i % 60:02d}.{i % 1000:03d}Z","labels":{{"job":"train","node":"gpu{i % 2:03d}"}},"line":"{coll(i, rng)}"}}'


def csv_rows(i, rng):
    return f'2026-10-04T07:00:{i % 60:02d}Z,gpu{i % RANKS // 8:03d},stdout,"{coll(i, rng)}"'


def damaged(i, rng):
    text = coll(i, rng)
    kind = rng.randrange(4)
    if kind == 0:
        return text[rng.randrange(1, 30):]
    return text[:rng.randrange(20, len(text))] + (coll(i + 1, rng) if kind == 1 else "") if kind < 3 else text


def address(rng):
    return f"10.{rng.randrange(4)}.{rng.randrange(256)}.{rng.randrange(1, 255)}"


# Who writes an alarm: one of 256 ranks on 32 hosts, each with its pid and address.
def writer(i, rng):
    rank = rng.randrange(256)
    return {"rank": rank, "host": f"gpu{rank // 8:03d}", "pid": 90000 + 731 * rank % 10000, "ip": f"10.0.{rank // 8}.9", "min": i // 60 % 60, "s": i % 60, "us": i * 7919 % 1000000}


# c10d's watchdog of each rank, about one collective after the other.
def watchdog(i, rng):
    who, seq, op = writer(i, rng), rng.randrange(1 << rng.randrange(4, 24)), rng.choice(("ALLREDUCE", "BROADCAST", "_ALLGATHER_BASE", "COALESCED"))
    stamp = "[rank{rank}]:[E1130 12:{min:02d}:{s:02d}.{us:06d} ProcessGroupNCCL.cpp:616] [Rank {rank}] ".format(**who)
    if i % 4 < 3:
        size = 1 << rng.randrange(31)
        return (f"{stamp}Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={size}, NumelOut={size}, "
                f"Timeout(ms)=600000) ran for {600000 + rng.randrange(2000)} milliseconds before timing out.")
    return (f"{stamp}Exception (either an error or timeout) detected by watchdog at work: {seq}, last enqueued NCCL work: {seq + rng.randrange(99)}, "
            f"last completed NCCL work: {seq - 1}.")


# What Gloo, c10d's store, UCX and Open MPI print when the process at the other end is gone.
PEER_CLOSED = (
    "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:{n}] Connection closed by peer [{peer}]:{port}",
    "[rank{rank}]: RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Read error [{peer}]:{port}: Connection reset by peer",
    "[W1130 12:{min:02d}:{s:02d}.{us:06d}751 TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd={n}, addr=[{host}]:{port}, remote=[{peer}]:29500): Connection reset by peer",
    "[17645000{s:02d}.{us:06d}] [{host}:{pid}:0]            sock.c:325  UCX  ERROR recv(fd={n}) failed: Connection reset by peer",
    "[{host}][[48213,1],{rank}][btl_tcp_frag.c:241:mca_btl_tcp_frag_recv] mca_btl_tcp_frag_recv: readv failed: Connection reset by peer (104)")


def peer_closed(i, rng):
    return rng.choice(PEER_CLOSED).format(**writer(i, rng), peer=address(rng), port=rng.randrange(1024, 65536), n=rng.randrange(3, 600))


TRACEBACK = (
    'Traceback (most recent call last):', '  File "/opt/run/train.py", line {n}, in <module>', '    main(args)',
    '  File "/opt/run/train.py", line {n}, in main', '    loss = trainer.step(batch)',
    '  File "/usr/lib/python3.11/site-packages/torch/nn/modules/module.py", line {n}, in _call_impl', '    return forward_call(*args, **kwargs)',
    '  File "/usr/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", line {n}, in all_reduce', '    work = group.allreduce([tensor], opts)',
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {n}.00 MiB. GPU {g} has a total capacity of 79.15 GiB of which {n}.12 MiB is free.')


def traceback(i, rng, label=""):
    return label + TRACEBACK[i % len(TRACEBACK)].format(n=rng.randrange(1 << rng.randrange(4, 13)), g=rng.randrange(8))


# Beside one another: each rank writes its traceback line by line.
def traceback_labelled(i, rng):
    return traceback(i // RANKS, rng, f"[rank{i % RANKS}]: ")


# A hundred formats of many programs: a beginning that says whose log it is, a sentence that sounds wrong, and what differs.
WRITERS = ("[rank{rank}]:[W1130 12:{min:02d}:{s:02d}.{us:06d}751 socket.cpp:464] [c10d] ", "ERROR 11-30 12:{min:02d}:{s:02d} [worker.py:{few}] ", "[{host}:{pid}] ",
           "2026-11-30 12:{min:02d}:{s:02d},{few:03d} ERROR ", "(RayWorker pid={pid}, ip={ip}) ", "E1130 12:{min:02d}:{s:02d}.{us:06d} {pid} client.cc:{few}] ",
           "slurmstepd: error: ", "{host}: ", "ERROR:root:", "")
SENTENCES = ("failed to connect to {peer}:{few} (errno: 111 - Connection refused)", "heartbeat of worker {few} lost after {n} ms",
             "cannot open /data/part-{n:05d}.tar: No such file or directory", "timed out waiting for {few} of {n} shards", "RuntimeError: expected {n} elements, got {few}",
             "unable to allocate {n} bytes on device {s}", "request {n} to {peer} aborted: deadline exceeded after {s}s", "checksum mismatch in block {n:x}",
             "WARNING: retry {s} of {few} in {n} ms", "invalid rank {few} in group {n}")


def alarms(i, rng):
    return (rng.choice(WRITERS) + rng.choice(SENTENCES)).format(**writer(i, rng), few=rng.randrange(1000), n=rng.randrange(1 << rng.randrange(8, 28)), peer=address(rng))


# Lines of NCCL with what is another word on each of them.
def uuid(rng):
    bits = f"{rng.getrandbits(128):032x}"
    return "-".join((bits[:8], bits[8:12], bits[12:16], bits[16:20], bits[20:]))


def request(rng):
    return "".join(rng.choices(LETTERS + "0123456789", k=12))


def hanzi(rng):
    return "".join(chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(rng.randint(2, 4)))


def nccl_with(value):
    return lambda i, rng: f"{head(i)} NCCL INFO NET/Plugin: session {value(rng)} of peer {rng.randrange(RANKS)} open, {rng.randrange(1 << 20)} bytes queued"


def nccl_tabs(i, rng):
    return "\t".join((f"{head(i)} NCCL INFO NET/Plugin:", f"session {i}", f"peer {rng.randrange(RANKS)}", f"{rng.randrange(1 << 20)} bytes queued"))


SHAPES = {
    "coll": coll, "rccl": rccl, "info-unknown": info_unknown,
    "warn-storm": completion, "warn-mixed": warn_mixed, "warn-distinct": warn_distinct,
    "iterations": megatron, "python-logging": logging, "mllog": mllog, "tqdm": tqdm, "chinese": chinese, "words": random_words,
    "srun": behind(lambda i: f"{i % RANKS}: "),
    "mpirun": behind(lambda i: f"[1,{i % RANKS}]<stdout>: "),
    "torchrun": behind(lambda i: f"[default{i % 8}]:"),
    "syslog": behind(lambda i: f"Oct  4 07:{i // 60 % 60:02d}:{i % 60:02d} gpu{i % RANKS // 8:03d} train[{600 + i % RANKS}]: "),
    "cri": behind(lambda i: f"2026-10-04T07:00:{i % 60:02d}.{i % 1000000000:09d}Z stdout F "),
    "docker-json": docker_json, "loki-json": loki_json, "csv": csv_rows, "damaged": damaged,
    "watchdog": watchdog, "peer-closed": peer_closed, "traceback": traceback, "traceback-labelled": traceback_labelled, "alarms-hundred": alarms,
    "nccl-uuid": nccl_with(uuid), "nccl-request": nccl_with(request), "nccl-chinese": nccl_with(hanzi), "nccl-tabs": nccl_tabs,
}


def lines(name, seed=1):
    """Endless; without their newlines."""
    rng = random.Random(seed)
    make, i = SHAPES[name], 0
    while True:
        yield make(i, rng)
        i += 1


def write(name, size, path):
    """Writes so many bytes or a few more; {"bytes": …, "lines": …}."""
    written = {"bytes": 0, "lines": 0}
    with open(path, "wb") as file:
        for line in lines(name):
            written["bytes"] += file.write((line + "\n").encode())
            written["lines"] += 1
            if written["bytes"] >= size:
                return written


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print("\n".join(SHAPES))
    elif len(sys.argv) == 4 and sys.argv[1] in SHAPES:
        print(write(sys.argv[1], int(float(sys.argv[2])), sys.argv[3]))
    else:
        sys.exit(__doc__)
