#!/usr/bin/env python3
"""Every shape of text beside ripgrep in one run: what must not be slow, with the goal of each.

    rows.py BUILD_DIR [--runs 5] [--only WORDS] [--jobs FOLDER] [--out DIR]

The bar is `rg -j1 -c -F -f` with the longest literal of every WARN format of NCCL (`ncclwhy_bench_literals warns`), one thread each; CPU time, as the
tools take turns and the machine may have other things to do. Packed text and many files are read with two threads and compared by the wall clock. FOLDER
holds whole outputs of real jobs, one a file (`*.log`, `*.txt`, `*.out`, also packed by gzip, and in folders below). Standard library only.
"""
import argparse
import datetime
import gzip
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import shapes

MB = 60
RUNS_OF_SLOW = 3  # what takes seconds
GOALS = {"coll": 0.30, "rccl": 0.30, "srun": 0.45, "mpirun": 0.45, "torchrun": 0.45, "syslog": 0.45, "docker-json": 0.7, "loki-json": 0.7, "cri": 0.7,
         "csv": 0.7, "info-unknown": 0.6, "warn-storm": 0.6, "warn-mixed": 0.6, "warn-distinct": 0.6, "damaged": 0.8,
         "nccl-uuid": 0.6, "nccl-request": 0.6, "nccl-chinese": 0.6, "nccl-tabs": 0.6}
OTHERS = 0.5  # other programs' lines
VERSIONS = ("2.19.3", "2.21.5", "2.24.3", "2.28.9", "2.30.7")


class Rows:
    def __init__(self, args):
        self.build, self.runs, self.only = pathlib.Path(args.build).resolve(), args.runs, args.only.split(",") if args.only else []
        self.jobs = pathlib.Path(args.jobs).resolve() if args.jobs else None
        self.ncclwhy = str(self.build / "ncclwhy")
        self.bench = self.build / "tests/bench"
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="ncclwhy-rows-"))
        self.bar = self.work / "warns.txt"
        self.bar.write_bytes(subprocess.run([self.bench / "ncclwhy_bench_literals", "warns"], check=True, capture_output=True).stdout)
        self.table = []

    def wanted(self, name):
        return not self.only or any(word in name for word in self.only)

    @staticmethod
    def once(command):
        """CPU seconds, wall seconds and peak bytes of one command and what it starts; a text is the shell's."""
        begin = time.monotonic()
        child = subprocess.Popen(["bash", "-c", command] if isinstance(command, str) else command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
        return usage.ru_utime + usage.ru_stime, time.monotonic() - begin, usage.ru_maxrss * 1024

    def measure(self, name, ours, theirs, goal, by="cpu", runs=None):
        """Medians of both, in turn. `goal`: of the ratio, or of seconds where `theirs` is None."""
        turns = [(self.once(ours), self.once(theirs) if theirs else None) for _ in range(runs or self.runs)]
        at = 0 if by == "cpu" else 1
        own = statistics.median(turn[0][at] for turn in turns)
        peak = max(turn[0][2] for turn in turns)
        if theirs:
            other = statistics.median(turn[1][at] for turn in turns)
            value, shown = own / max(other, 1e-4), f"{own:.3f} s, {other:.3f} s"
        else:
            value, shown = own, f"{own:.2f} s"
        self.table.append((name, shown, by, value, goal, peak, not theirs))
        print(f"{name:44} {shown:20} {value:6.2f}  goal {goal}  {peak / 1e6:.0f} MB", flush=True)

    def rg(self, *files):
        return f"rg -j1 -c -F -f {self.bar} {' '.join(map(str, files))}"

    def generated(self, *options):
        folder = self.work / "made"
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([self.bench / "ncclwhy_gen", "--out", folder, "--seed", "1", *map(str, options)], check=True, capture_output=True)
        (folder / "incident.json").unlink()
        return folder

    # A hundred formats in turn, with numbers of their own.
    def hundred(self, path):
        rng = random.Random(1)
        pieces = [line for line in self.bar.read_text().splitlines() if len(line) > 12]
        pieces = rng.sample(pieces, 100)
        with open(path, "w", encoding="utf-8") as out:
            i = 0
            while out.tell() < MB * 1e6:
                out.write(f"{shapes.head(i)} NCCL WARN {pieces[rng.randrange(100)]} {rng.randrange(1 << 20)}\n")
                i += 1

    def shapes(self):
        path = self.work / "shape.log"
        for name in (*shapes.SHAPES, "warn-hundred"):
            if not self.wanted(name):
                continue
            if name == "warn-hundred":
                self.hundred(path)
            else:
                shapes.write(name, MB * 1e6, str(path))
            self.measure(name, f"{self.ncclwhy} --jobs 1 --json {path}", self.rg(path),
                         0.6 if name == "warn-hundred" else GOALS.get(name, OTHERS))

    def eras(self):
        for subsys in ("coll", "trace", "init"):
            for version in VERSIONS if subsys == "coll" else ("2.21.5", "2.28.9"):
                for layout in ("single", "rank"):
                    name = f"{'INFO' if subsys == 'init' else subsys.upper()} of {version}, {'all in one' if layout == 'single' else 'a file a rank'}"
                    if not self.wanted(name):
                        continue
                    folder = self.generated("--subsys", subsys, "--ranks", 64, "--hosts", 8, "--version", version, "--layout", layout, "--size", f"{MB}M")
                    self.measure(name, f"{self.ncclwhy} --jobs 1 --json {folder}", self.rg(folder), 0.30)

    def packed(self, name, path):
        for suffix, pack, unpack in (("gz", "gzip -kf", "gzip -dc"), ("zst", "zstd -qkf", "zstd -dc")):
            if self.wanted(f"{name}, {suffix}"):
                subprocess.run(f"{pack} {path}", shell=True, check=True)
                self.measure(f"{name}, {suffix}, packed", f"{self.ncclwhy} --json {path}.{suffix}",
                             f"{unpack} {path}.{suffix} | rg -j1 -c -F -f {self.bar} -", 1.0, by="wall")

    def real(self):
        if self.jobs is None:
            return
        whole, files = self.work / "real.log", []
        with open(whole, "wb") as out:
            for path in sorted(self.jobs.rglob("*")):
                if not path.name.removesuffix(".gz").endswith((".log", ".txt", ".out")):
                    continue
                text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
                files.append(self.work / f"real-{len(files)}.log")
                files[-1].write_bytes(text)
                out.write(text + b"\n")
        size = f"{whole.stat().st_size / 1e6:.0f} MB"
        if self.wanted("real"):
            self.measure(f"real jobs, {size}, one after the other", f"{self.ncclwhy} --jobs 1 --json {whole}", self.rg(whole), 0.6)
            names = self.work / "names"
            names.write_text("".join(f"{path}\n" for path in files))
            each = "while IFS= read -r f; do {} \"$f\"; done < " + str(names)
            self.measure(f"real jobs, {len(files)} processes", each.format(f"{self.ncclwhy} --jobs 1 --json"),
                         each.format(f"rg -j1 -c -F -f {self.bar}"), 1.5, runs=RUNS_OF_SLOW)
        self.packed("real jobs", whole)

    def many(self):
        if self.wanted("16384"):
            folder = self.generated("--ranks", 16384, "--hosts", 2048, "--layout", "rank", "--size", "100M", "--brief")
            self.measure("16384 ranks, a file each", f"{self.ncclwhy} --json {folder}", None, 1.5, by="wall", runs=RUNS_OF_SLOW)
        if self.wanted("20000"):
            folder = self.work / "many"
            folder.mkdir()
            lines = "".join(shapes.coll(i, random.Random(i)) + "\n" for i in range(40))[:4096].rsplit("\n", 1)[0] + "\n"
            for i in range(20000):
                (folder / f"rank{i}.log").write_text(lines)
            self.measure("20000 files of 4 KB", f"{self.ncclwhy} --json {folder}", None, 0.6, by="wall", runs=RUNS_OF_SLOW)
            shutil.rmtree(folder)

    def paste(self):
        if self.wanted("paste"):
            folder = self.generated("--ranks", 1, "--hosts", 1, "--steps", 2, "--brief", "--channels", 1, "--fault", "killed", "--layout", "single")
            (log,) = folder.iterdir()
            self.measure("paste of a failure", [self.ncclwhy, log], ["rg", "x", log], 2.0, by="wall", runs=25)

    def main(self, out):
        self.shapes()
        self.eras()
        if self.wanted("COLL packed"):
            folder = self.generated("--subsys", "coll", "--ranks", 64, "--hosts", 8, "--layout", "single", "--size", "200M")
            (log,) = folder.iterdir()
            self.packed("COLL, 200 MB", log)
        self.real()
        self.many()
        self.paste()
        shutil.rmtree(self.work)
        text = self.markdown()
        print(text)
        if out:
            target = pathlib.Path(out)
            target.mkdir(parents=True, exist_ok=True)
            (target / "rows.md").write_text(text, encoding="utf-8")

    def markdown(self):
        version = subprocess.run([self.ncclwhy, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
        rows = sorted(self.table, key=lambda row: -row[3] / row[4])
        met = sum(row[3] <= row[4] for row in rows)
        lines = ["# Every shape of text", "",
                 f"{datetime.date.today().isoformat()}, {version}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f} at the end; medians of {self.runs} that take turns. "
                 f"{met} of {len(rows)} goals are met. The furthest from its goal first; a ratio is ours over rg's.", "",
                 "| input | ours, theirs | clock | ratio | goal | | peak MB |", "|---|---|---|---|---|---|---|"]
        for name, shown, by, value, goal, peak, absolute in rows:
            ratio = "" if absolute else f"{value:.2f}"
            lines.append(f"| {name} | {shown} | {by} | {ratio} | {goal}{' s' if absolute else ''} | {'met' if value <= goal else ''} | {peak / 1e6:.0f} |")
        return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build directory with ncclwhy, ncclwhy_gen and ncclwhy_bench_literals, Release")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", help="words, comma-separated: only rows whose name has one of them")
    parser.add_argument("--jobs", help="a folder of whole outputs of real jobs")
    parser.add_argument("--out", help="a folder for rows.md")
    args = parser.parse_args()
    if not shutil.which("rg"):
        sys.exit("rows.py: ripgrep is not installed")
    Rows(args).main(args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
