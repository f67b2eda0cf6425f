#!/usr/bin/env python3
"""What files of digests cost: size, time and memory, on jobs of ncclwhy_gen.

    tests/bench/digests.py build/release [--ranks 16384] [--more 131072]

Needs `ncclwhy` and `ncclwhy_gen` in the build, and some GB below $TMPDIR. Prints lines of a Markdown table; the job with --more ranks is
digested 1,024 ranks at a time (0: it is left out).
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time


class Bench:
    def __init__(self, build, folder):
        self.cli = os.path.abspath(os.path.join(build, "ncclwhy"))
        found = glob.glob(os.path.join(build, "**", "ncclwhy_gen"), recursive=True)
        self.gen = os.path.abspath(next(path for path in found if os.path.isfile(path)))
        self.folder = folder

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def generate(self, name, *options):
        shutil.rmtree(self.path(name), ignore_errors=True)
        subprocess.run([self.gen, "--out", self.path(name), *map(str, options)], check=True, stdout=subprocess.DEVNULL)
        os.unlink(self.path(name, "incident.json"))
        files = [e.path for e in os.scandir(self.path(name)) if e.is_file()]
        return sorted(files, key=lambda f: (len(f), f)), sum(os.path.getsize(f) for f in files)

    def run(self, *arguments):
        """Standard output, seconds of the clock and of the processor, and the peak of memory in MB."""
        begin = time.monotonic()
        with open(self.path("out"), "w+b") as out:
            child = subprocess.Popen([self.cli, *arguments], stdout=out, stderr=subprocess.DEVNULL, cwd=self.folder)
            _, _, usage = os.wait4(child.pid, 0)
            child.returncode = 0
            out.seek(0)
            text = out.read()
        return text, time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def digest(self, name, logs):
        _, wall, cpu, peak = self.run("digest", "-q", "-o", name, *[os.path.relpath(log, self.folder) for log in logs])
        return os.path.getsize(self.path(name)), wall, cpu, peak


def row(what, value):
    print(f"| {what} | {value} |", flush=True)


def large_ranks(bench):
    logs, text = bench.generate("large", "--ranks", 4, "--hosts", 1, "--subsys", "coll", "--size", "240M", "--fault", "killed")
    one, wall, cpu, _ = bench.digest("one.digest", logs[:1])
    size = os.path.getsize(logs[0])
    row("INFO+COLL of one rank", f"{size / 1e6:.1f} MB of text, digest of {one:,} bytes: {100 * one / size:.3f} %; {size / 1e6 / cpu:,.0f} MB/s of one processor")
    four, *_ = bench.digest("four.digest", logs)
    row("of 4 ranks", f"{text / 1e6:.1f} MB, digest of {four:,} bytes: {100 * four / text:.3f} %")
    shutil.rmtree(bench.path("large"))


def quiet_ranks(bench):
    for subsys in ("init", "coll"):
        logs, text = bench.generate("quiet", "--ranks", 512, "--hosts", 64, "--subsys", subsys, "--fault", "killed")
        sizes = {n: bench.digest("quiet.digest", logs[:n])[0] for n in (8, 64, 512)}
        single = sum(bench.digest("quiet.digest", [log])[0] for log in logs[:64]) // 64
        row(f"a further quiet rank ({subsys}, {text // 512:,} bytes of text)",
            f"{(sizes[64] - sizes[8]) // 56:,} bytes from 8 to 64 ranks of a digest, {(sizes[512] - sizes[64]) // 448:,} from 64 to 512; alone {single:,}")
        shutil.rmtree(bench.path("quiet"))


def many(bench, ranks, a_digest, compare):
    logs, text = bench.generate("many", "--ranks", ranks, "--hosts", ranks // 8, "--subsys", "coll", "--fault", "killed")
    shutil.rmtree(bench.path("digests"), ignore_errors=True)
    os.mkdir(bench.path("digests"))
    begin, peaks = time.monotonic(), []
    sizes = []
    for at in range(0, len(logs), a_digest):
        size, _, _, peak = bench.digest(f"digests/{at:06}.digest", logs[at:at + a_digest])
        sizes.append(size)
        peaks.append(peak)
    row(f"{ranks:,} ranks, {text / 1e6:,.0f} MB, in digests of {a_digest}",
        f"{len(sizes):,} digests, {sum(sizes) / 1e6:.1f} MB, made one after the other in {time.monotonic() - begin:.0f} s, {max(peaks):.0f} MB of memory each at most")
    got, wall, cpu, peak = bench.run("--format", "json", "digests")
    row(f"report of these {len(sizes):,} digests", f"{wall:.1f} s, {cpu:.1f} s of the processor, {peak:,.0f} MB of memory")
    size, wall, cpu, peak = bench.digest("all.digest", [bench.path("digests")])
    row("merged into one digest", f"{size / 1e6:.1f} MB, {wall:.1f} s, {cpu:.1f} s of the processor, {peak:,.0f} MB")
    again, wall, cpu, peak = bench.run("--format", "json", "all.digest")
    row("report of that one", f"{wall:.1f} s, {cpu:.1f} s of the processor, {peak:,.0f} MB of memory; {'equal' if again == got else 'ANOTHER REPORT'}")
    if compare:
        wanted, wall, cpu, peak = bench.run("--format", "json", "many")
        row("report of all logs at once", f"{wall:.1f} s, {cpu:.1f} s of the processor, {peak:,.0f} MB of memory; {'equal' if wanted == got else 'ANOTHER REPORT'}")
        if wanted != got:
            sys.exit("the reports differ")
    print("   ", bench.run("--summary", "all.digest")[0].decode().strip(), flush=True)
    shutil.rmtree(bench.path("many"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--ranks", type=int, default=16384)
    parser.add_argument("--more", type=int, default=131072)
    options = parser.parse_args()
    print("| what | measured |\n|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.build, folder)
        large_ranks(bench)
        quiet_ranks(bench)
        many(bench, options.ranks, 1, True)
        many(bench, options.ranks, 8, True)
        if options.more:
            many(bench, options.more, 1024, False)


if __name__ == "__main__":
    main()
