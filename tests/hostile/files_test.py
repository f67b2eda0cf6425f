"""Where commands write: devices, links, folders, files that may not grow, memory that runs out, signals and SIGKILL at
any moment. What stood there before stands there still, or the new file is whole; nothing is left beside it, a device
stays one, and every refusal is a sentence."""
import os
import pathlib
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

NCCLWHY = os.environ["NCCLWHY"]
SOURCE = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
LOGS = SOURCE / "samples/incidents/rdma-retry-host-2.28.9-3x2-s23"
KILOBYTE = 1024
tried, failed = 0, 0

# Each writes to its last word, with the status of a run in which nothing is wrong.
WRITERS = {
    "report": (["--format", "html", LOGS, "-o"], 1),
    "redacted": (["--redact", "--format", "json", LOGS, "-o"], 1),
    "timeline": ([LOGS, "--db"], 1),
    "history": (["history", "add", "-q", "--key", "k", "FILE", LOGS], 0),
    "digest": (["digest", LOGS, "-o"], 0),
    "collect": (["collect", LOGS, "-o"], 0),
    "minimize": (["minimize", LOGS, "-o"], 0),
}


def arguments(writer, place):
    words = [str(word) for word in WRITERS[writer][0]]
    return [str(place) if w == "FILE" else w for w in words] if "FILE" in words else [*words, str(place)]


def check(good, *what):
    global tried, failed
    tried += 1
    if not good:
        failed += 1
        print("failed:", *what)


def run(words, limit=None, **more):
    return subprocess.run([NCCLWHY, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=120, check=False, preexec_fn=limit, **more)


def ended_well(done, expected):
    """A status of ours, and a sentence where it is trouble."""
    sentence = done.stderr.startswith(b"ncclwhy: ") or b"problem" in done.stdout.lower() or b"cannot" in done.stdout
    return done.returncode == expected or (done.returncode == 2 and sentence)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def places(folder):
    """Nothing there but a device, a link, a folder, somebody's pipe: what is not ours stays what it is."""
    for writer, (_, fine) in WRITERS.items():
        root = folder / f"places-{writer}"
        root.mkdir()
        target = root / "target"
        done = run(arguments(writer, target))
        check(done.returncode == fine and target.stat().st_size > 0 and names(root) == ["target"], writer, "a file", names(root))
        whole = target.read_bytes()
        link = root / "link"
        link.symlink_to("target")
        done = run(arguments(writer, link))
        check(done.returncode == fine and link.is_symlink() and names(root) == ["link", "target"] and
              target.stat().st_size > len(whole) // 2, writer, "a link", done.stderr, names(root))
        link.unlink()
        (root / "folder").mkdir()
        done = run(arguments(writer, root / "folder"))
        inside = names(root / "folder")
        check(ended_well(done, fine) and (not inside or (writer == "collect" and inside[0].endswith(".tar.gz"))),
              writer, "a folder", done.returncode, done.stderr, inside)
        done = run(arguments(writer, root / "missing" / "x"))
        check(done.returncode == 2 and ended_well(done, fine) and not (root / "missing").exists(), writer, "no folder",
              done.returncode, done.stderr)
        if os.geteuid() == 0:
            device = root / "device"
            os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))  # as /dev/null
            done = run(arguments(writer, device))
            check(stat.S_ISCHR(device.lstat().st_mode) and names(root) == ["device", "folder", "target"], writer, "a device",
                  names(root))
            check(ended_well(done, fine), writer, "a device", done.returncode, done.stderr)


def small_disks(folder):
    """RLIMIT_FSIZE: a file that may not grow beyond it, from nothing to enough."""
    for writer, (_, fine) in WRITERS.items():
        for size in (0, 100, 4 * KILOBYTE, 20 * KILOBYTE, 200 * KILOBYTE):
            root = folder / f"small-{writer}-{size}"
            root.mkdir()
            target = root / "target"
            old = writer not in ("timeline", "history")
            if old:
                target.write_text("old")
            done = run(arguments(writer, target), lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
            check(ended_well(done, fine), writer, size, done.returncode, done.stderr)
            check(names(root) in ([], ["target"]), writer, size, names(root))
            if old and done.returncode == 2:
                check(target.read_text() == "old", writer, size, "the old file")


def little_memory():
    """Address space that runs out somewhere: a sentence, no crash."""
    commands = {"report": (["--format", "summary", str(LOGS)], (1, 2)), "serve": (["serve", "--listen", "127.0.0.1:0"], (0, 2)),
                "run": (["run", "--", "false"], (1, 2)), "query": (["query", "x", "SELECT 1"], (2,))}
    for name, (words, fine) in commands.items():
        for megabytes in (90, 130, 200, 300, 600):
            def limit(most=megabytes << 20):
                resource.setrlimit(resource.RLIMIT_AS, (most, most))
            process = subprocess.Popen([NCCLWHY, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       preexec_fn=limit)
            if name == "serve" and process.stdout.readline():
                time.sleep(0.3)
                process.terminate()
            out, err = process.communicate(timeout=60)
            # 127: the loader found no room for the libraries.
            check(process.returncode in (*fine, 127), name, megabytes, process.returncode, out[-200:], err[-200:])


def interrupted(folder, dice):
    """A signal, or SIGKILL, at random moments: the old file or a whole new one; a part beside it is SIGKILL's, or a timeline's."""
    for writer in WRITERS:
        root = folder / f"killed-{writer}"
        root.mkdir()
        target = root / "target"
        started = time.monotonic()
        run(arguments(writer, target))
        takes = time.monotonic() - started
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            for _ in range(6):
                process = subprocess.Popen([NCCLWHY, *arguments(writer, target)], stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(dice.uniform(0, 1.3 * takes))
                process.send_signal(number)
                process.wait(60)
                # The library writes timelines, and takes no signal from the program that it is in: the next one takes the
                # part over.
                left = {"target.part", "target.part-journal"} if writer == "timeline" else set()
                if number != signal.SIGKILL:
                    check(set(names(root)) - left <= {"target", "target-journal"}, writer, number, names(root))
                else:
                    for path in root.iterdir():
                        if path.name not in ("target", "target-journal", *left):
                            path.unlink()
                check(readable(writer, target), writer, number, "is damaged")


def readable(writer, target):
    if writer in ("report", "redacted", "minimize"):
        return target.read_bytes().rstrip().endswith((b"</html>", b"}")) or writer == "minimize"
    words = {"timeline": ["query", target, "SELECT count(*) FROM event"], "history": ["history", "hosts", target],
             "digest": ["--summary", target], "collect": ["--summary", target]}[writer]
    return run([str(w) for w in words]).returncode in (0, 1, 3)


def main():
    seed = int(os.environ.get("NCCLWHY_SEED", random.randrange(1 << 30)))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ncclwhy-files-"))
    try:
        places(folder)
        small_disks(folder)
        little_memory()
        interrupted(folder, random.Random(seed))
    finally:
        shutil.rmtree(folder)
    print(f"hostile: files tried {tried} failed {failed}  (seed {seed})")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
