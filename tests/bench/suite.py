#!/usr/bin/env python3
"""Speed of ncclwhy beside search tools on the same generated logs. See README.md.

usage: suite.py BUILD_DIR [--sizes 0.2,1] [--runs 5] [--only WORDS] [--limit S] [--work DIR] [--out DIR] [--keep]

Every tool runs on every input several times, in turn, so that a slow minute of the machine hits all of them; the medians
are compared within one run of the suite. Standard library only.
"""
import argparse
import csv
import datetime
import json
import os
import platform
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import shapes

# name -> options of ncclwhy_gen; a size is added
MIXES = {
    "info": ["--subsys", "init", "--ranks", "64", "--hosts", "8"],
    "coll": ["--subsys", "coll", "--ranks", "64", "--hosts", "8"],
    "trace": ["--subsys", "trace", "--ranks", "64", "--hosts", "8"],
    "all": ["--subsys", "all", "--ranks", "64", "--hosts", "8"],
    "warn": ["--mix", "warn", "--fault", "killed", "--version", "2.21.5", "--ranks", "64", "--hosts", "8"],
    "torn-foreign": ["--mix", "torn,foreign", "--subsys", "coll", "--ranks", "64", "--hosts", "8"],
}
# The forms beyond one file, all of them only for this mix: the others differ in content, not in how it is read. Sizes beyond this
# are only read as one file.
FORMS_OF = "coll"
MOST_OF_FORMS = 1.0
# Sizes that few tools are asked to read.
LARGE = 5.0
# Of each shape of shapes.py.
SHAPE_BYTES = 20e6
# A failure as it is pasted; beside sizes.
PASTE = ["--ranks", "1", "--hosts", "1", "--steps", "2", "--brief", "--channels", "1", "--fault", "killed"]


class Suite:
    def __init__(self, args):
        self.build = os.path.abspath(args.build)
        self.ncclwhy = os.path.join(self.build, "ncclwhy")
        self.gen = os.path.join(self.build, "tests", "bench", "ncclwhy_gen")
        self.literals = os.path.join(self.build, "tests", "bench", "ncclwhy_bench_literals")
        self.inserts = os.path.join(self.build, "tests", "bench", "ncclwhy_bench_inserts")
        for tool in (self.ncclwhy, self.gen, self.literals, self.inserts):
            if not os.access(tool, os.X_OK):
                sys.exit(f"suite.py: {tool} is missing: build ncclwhy_cli and the ncclwhy_gen, ncclwhy_bench_literals and "
                         "ncclwhy_bench_inserts of tests/bench first")
        self.runs = args.runs
        self.limit = args.limit
        self.sizes = [float(size) for size in args.sizes.split(",")]
        self.only = args.only.split(",") if args.only else []
        self.work = args.work or tempfile.mkdtemp(prefix="ncclwhy-suite-")
        os.makedirs(self.work, exist_ok=True)
        self.keep = args.keep or bool(args.work)
        self.out = args.out
        self.rows = []      # one per run of one tool
        self.checks = []    # (input, form, tool, lines counted, lines written)
        self.patterns = self.pattern_files()

    # Inputs: one in the work directory at a time, they are large.

    def inputs(self):
        for size in self.sizes:
            for mix, options in MIXES.items():
                name = f"{mix}-{size:g}GB"
                forms = ["one-file"]
                if mix == FORMS_OF and size == min(self.sizes):
                    forms += ["pipe", "zst"]
                if mix == FORMS_OF and size <= MOST_OF_FORMS:
                    forms += ["256-files", "1024-files", "timeline-full"]
                if mix in ("trace", "all") and size <= MOST_OF_FORMS:
                    forms += ["256-files"]
                forms = [form for form in forms if not self.only or any(w in f"{name} {form}" for w in self.only)]
                if forms:
                    yield name, size, options, forms

    def generate(self, folder, size, options, layout, ranks=None):
        shutil.rmtree(folder, ignore_errors=True)
        options = list(options)
        if ranks:
            options[options.index("--ranks") + 1] = str(ranks)
            options[options.index("--hosts") + 1] = str(ranks // 8)
        done = subprocess.run([self.gen, "--out", folder, "--layout", layout, "--seed", "1",
                               *(["--size", str(int(size * 1e9))] if size else []), *options], check=True, capture_output=True)
        os.remove(os.path.join(folder, "incident.json"))
        written = json.loads(done.stdout)
        for path in self.files(folder):  # into the page cache
            with open(path, "rb") as file:
                while file.read(1 << 20):
                    pass
        return written

    # One shape of line after the other, beside tools of one thread.
    def shapes(self, folder):
        for name in shapes.SHAPES:
            if self.only and not any(word in f"shape-{name}" for word in self.only):
                continue
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            written = shapes.write(name, SHAPE_BYTES, os.path.join(folder, name + ".log"))
            self.measure(f"shape-{name}", "shape", folder, written)

    @staticmethod
    def files(folder):
        return sorted(os.path.join(folder, name) for name in os.listdir(folder))

    # Tools: name -> (argv, path for standard input or None)

    def pattern_files(self):
        fixed, regexes = os.path.join(self.work, "literals.txt"), os.path.join(self.work, "regexes.txt")
        with open(fixed, "wb") as file:
            file.write(subprocess.run([self.literals, "literals"], check=True, capture_output=True).stdout)
        text = subprocess.run([self.literals, "regexes"], check=True, capture_output=True, text=True).stdout
        # ripgrep joins the patterns into one: names of groups would collide.
        patterns = [re.sub(r"\(\?P<\w+>", "(?:", line) for line in text.splitlines()]
        if shutil.which("rg"):
            patterns = [p for p in patterns
                        if subprocess.run(["rg", "--no-unicode", "-c", "-e", p, os.devnull], capture_output=True).returncode != 2]
        with open(regexes, "w") as file:
            file.write("".join(p + "\n" for p in patterns))
        return fixed, regexes

    def tools(self, folder, form):
        fixed, regexes = self.patterns
        paths = self.files(folder)
        if form == "pipe":
            source, where = paths[0], ["-"]
            return {"ncclwhy": ([self.ncclwhy, "--format", "json", "-"], source),
                    "rg literals": (["rg", "-c", "-F", "-f", fixed, "-"], source),
                    "grep WARN": (["grep", "-c", "NCCL WARN", "-"], source),
                    "wc -l": (["wc", "-l"], source)}
        if form == "zst":
            return {"ncclwhy": ([self.ncclwhy, "--format", "json", paths[0]], None),
                    "rg -z literals": (["rg", "-z", "-c", "-F", "-f", fixed, paths[0]], None),
                    "zstd -dc": (["zstd", "-dc", paths[0]], None)}
        if form == "paste":
            return {"ncclwhy": ([self.ncclwhy, "-"], paths[0]), "rg x": (["rg", "x"], paths[0]),
                    "ncclwhy --version": ([self.ncclwhy, "--version"], None), "rg --version": (["rg", "--version"], None)}
        if form == "shape":
            return {"ncclwhy --jobs 1": ([self.ncclwhy, "--jobs", "1", "--format", "json", *paths], None),
                    "rg literals": (["rg", "-j1", "-c", "-F", "-f", fixed, *paths], None)}
        if form == "timeline-full":
            timeline = os.path.join(self.work, "timeline.db")
            return {"ncclwhy --timeline full": ([self.ncclwhy, "--jobs", "1", "--format", "json", "--timeline", "full", "--db",
                                                 timeline, *paths], None),
                    "bare inserts": ([self.inserts, timeline, timeline + ".copy"], None)}
        whole = [folder] if len(paths) > 1 else paths
        tools = {"ncclwhy": ([self.ncclwhy, "--format", "json", *whole], None),
                 "ncclwhy --jobs 1": ([self.ncclwhy, "--jobs", "1", "--format", "json", *whole], None),
                 "rg literals": (["rg", "-c", "-F", "-f", fixed, *whole], None),
                 "rg -j1 literals": (["rg", "-j1", "-c", "-F", "-f", fixed, *whole], None),
                 "rg regexes": (["rg", "--no-unicode", "-c", "-f", regexes, *whole], None),
                 "grep WARN": (["grep", "-c", "NCCL WARN", *paths], None),
                 "wc -l": (["wc", "-l", *paths], None)}
        if sum(os.path.getsize(path) for path in paths) > LARGE * 1e9:
            tools = {name: tools[name] for name in ("ncclwhy", "ncclwhy --jobs 1", "rg literals", "wc -l")}
        elif shutil.which("lnav"):
            tools["lnav"] = (["lnav", "-n", "-q", "-c", ":quit", *paths], None)
        return {name: tool for name, tool in tools.items()
                if os.path.isabs(tool[0][0]) or shutil.which(tool[0][0])}

    def run_once(self, argv, source):
        stdin = open(source, "rb") if source else subprocess.DEVNULL
        with tempfile.TemporaryFile() as out:
            begin = time.monotonic()
            child = subprocess.Popen(argv, stdin=stdin, stdout=out, stderr=subprocess.DEVNULL)
            alarm = threading.Timer(self.limit, os.kill, (child.pid, signal.SIGKILL))
            alarm.start()
            _, status, usage = os.wait4(child.pid, 0)
            alarm.cancel()
            wall = time.monotonic() - begin
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            text = out.read(1 << 24) if argv[0] != "zstd" else b""
        if source:
            stdin.close()
        return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "rss": usage.ru_maxrss * 1024,
                "status": child.returncode}, text

    @staticmethod
    def lines_counted(name, text):
        """How many lines the tool says it went through; None when it does not say."""
        if name.startswith("ncclwhy") and text.startswith(b"{"):
            return json.loads(text)["coverage"]["lines"]
        if name == "wc -l":
            return int(text.split(b"\n")[-2].split()[0])
        return None

    def measure(self, name, form, folder, written):
        tools = self.tools(folder, form)
        for turn in range(self.runs):
            for tool, (argv, source) in tools.items():
                if turn > 0 and self.cut_off(name, form, tool):
                    continue
                cost, text = self.run_once(argv, source)
                if tool == "bare inserts":  # it reads as well, and tells what the inserts alone took
                    told = json.loads(text)
                    cost["wall"], cost["cpu"] = told["wall_s"], told["cpu_s"]
                if turn == 0 and cost["status"] != -signal.SIGKILL:
                    counted = self.lines_counted(tool, text)
                    if counted is not None:
                        self.checks.append((name, form, tool, counted, written["lines"]))
                self.rows.append({"input": name, "form": form, "tool": tool, "run": turn, "bytes": written["bytes"],
                                  "lines": written["lines"], "wall_s": round(cost["wall"], 4),
                                  "cpu_s": round(cost["cpu"], 4), "peak_bytes": cost["rss"], "status": cost["status"]})
        print(f"{name} {form}: " + ", ".join(f"{tool} {self.median(name, form, tool, 'wall_s'):.2f} s" for tool in tools),
              flush=True)

    def cut_off(self, name, form, tool):
        return any(r["status"] == -signal.SIGKILL for r in self.rows
                   if (r["input"], r["form"], r["tool"]) == (name, form, tool))

    def median(self, name, form, tool, column):
        return statistics.median(r[column] for r in self.rows
                                 if (r["input"], r["form"], r["tool"]) == (name, form, tool))

    def main(self):
        folder = os.path.join(self.work, "logs")
        for name, size, options, forms in self.inputs():
            plain = [form for form in forms if form in ("one-file", "timeline-full", "pipe", "zst")]
            if plain:
                written = self.generate(folder, size, options, "single")
                for form in plain:
                    if form == "zst":
                        path = self.files(folder)[0]
                        subprocess.run(["zstd", "-q", "-3", "--rm", path], check=True)
                    self.measure(name, form, folder, written)
            for form in forms:
                if form.endswith("-files"):
                    written = self.generate(folder, size, options, "rank", int(form.split("-")[0]))
                    self.measure(name, form, folder, written)
        self.shapes(folder)
        if not self.only or any(word in "paste" for word in self.only):
            written = self.generate(folder, 0, PASTE, "single")
            for _ in range(5):  # a few milliseconds: more turns
                self.measure("paste", "paste", folder, written)
        if not self.rows:
            sys.exit("suite.py: --only leaves nothing to run")
        self.report()
        if not self.keep:
            shutil.rmtree(self.work)
        wrong = [check for check in self.checks if check[3] != check[4]]
        for check in wrong:
            print("NOT THE SAME LINES:", *check, file=sys.stderr)
        return 1 if wrong else 0

    # Results

    def report(self):
        kind = f"{os.cpu_count()}core-{platform.machine()}"
        target = self.out or os.path.join(os.path.dirname(os.path.abspath(__file__)), "runs",
                                          f"{datetime.date.today().isoformat()}-{kind}")
        os.makedirs(target, exist_ok=True)
        with open(os.path.join(target, "raw.csv"), "w", newline="") as file:
            writer = csv.DictWriter(file, list(self.rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)
        with open(os.path.join(target, "machine.md"), "w") as file:
            file.write(self.machine())
        with open(os.path.join(target, "summary.md"), "w") as file:
            file.write(self.summary())
        print(self.summary())
        print("written to", target)

    @staticmethod
    def first_line(*argv):
        try:
            done = subprocess.run(argv, capture_output=True, text=True)
            return (done.stdout or done.stderr).splitlines()[0]
        except (OSError, IndexError):
            return "not installed"

    def machine(self):
        cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                   platform.machine())
        memory = next(line.split()[1] for line in open("/proc/meminfo") if line.startswith("MemTotal"))
        cache = open(os.path.join(self.build, "CMakeCache.txt")).read()
        value = lambda key: (re.search(rf"^{key}:\w+=(.*)$", cache, re.M) or ["", ""])[1]
        return "\n".join([
            "# Machine", "", "| | |", "|---|---|",
            f"| CPU | {cpu}, {os.cpu_count()} logical |",
            f"| memory | {int(memory) / 1e6:.1f} GB |",
            f"| kernel | {platform.system()} {platform.release().split('-')[0]} |",
            f"| load when the suite ended (1, 5, 15 min) | {' '.join(f'{x:.1f}' for x in os.getloadavg())} |",
            f"| ncclwhy | {self.first_line(self.ncclwhy, '--version')}, {value('CMAKE_BUILD_TYPE')} {value('CMAKE_CXX_FLAGS')} |",
            f"| compiler | {self.first_line(value('CMAKE_CXX_COMPILER') or 'c++', '--version')} |",
            f"| ripgrep | {self.first_line('rg', '--version')} |",
            f"| grep | {self.first_line('grep', '--version')} |",
            f"| lnav | {self.first_line('lnav', '-V')} |",
            f"| Python | {platform.python_version()} |", ""])

    @staticmethod
    def seconds(value):
        return f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"

    # The worst first.
    def shape_summary(self, names):
        if not names:
            return []
        rows = []
        for name in names:
            ours, theirs = (self.median(name, "shape", tool, "wall_s") for tool in ("ncclwhy --jobs 1", "rg literals"))
            cpu, peak = (self.median(name, "shape", "ncclwhy --jobs 1", column) for column in ("cpu_s", "peak_bytes"))
            their_cpu = self.median(name, "shape", "rg literals", "cpu_s")
            rows.append((cpu / max(their_cpu, 1e-3), f"| {name.removeprefix('shape-')} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} | "
                         f"{cpu / max(their_cpu, 1e-3):.2f} | {peak / 1e6:.0f} |"))
        return [f"## One shape of line, {SHAPE_BYTES / 1e6:.0f} MB, one thread", "", "Beside `rg -j1 literals`.", "",
                "| shape | ncclwhy s | rg s | wall ratio | CPU ratio | peak MB |", "|---|---|---|---|---|---|",
                *(row for _, row in sorted(rows, reverse=True)), ""]

    def summary(self):
        text = ["# Summary", "",
                "Medians of the runs; whole process, inputs in the page cache. The ratios are wall and CPU time (user and",
                "system) over those of `rg literals` (rg -c -F -f: all literals of the rules and the WARN texts of the",
                "catalogue) in the same run of the suite; for the paste over `rg x`, for the full timeline over an insert",
                "loop with the same rows. On a busy machine trust the second. Slow cases are listed like",
                f"the others. A peak of {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB may be less: it is what",
                "the starting script had.", ""]
        inputs = list(dict.fromkeys((r["input"], r["form"]) for r in self.rows))
        text += self.shape_summary([name for name, form in inputs if form == "shape"])
        for name, form in inputs:
            if form == "shape":
                continue
            here = [r for r in self.rows if (r["input"], r["form"]) == (name, form)]
            tools = list(dict.fromkeys(r["tool"] for r in here))
            base = next((t for t in tools if t in ("rg literals", "rg -z literals", "rg x", "bare inserts")), None)
            base_wall, base_cpu = (self.median(name, form, base, column) if base else 0 for column in ("wall_s", "cpu_s"))
            text += [f"## {name}, {form}", "", f"{here[0]['bytes'] / 1e6:.0f} MB, {here[0]['lines']} lines", "",
                     "| tool | wall s | MB/s | CPU s | peak MB | wall ratio | CPU ratio |", "|---|---|---|---|---|---|---|"]
            for tool in tools:
                wall, cpu = (self.median(name, form, tool, column) for column in ("wall_s", "cpu_s"))
                ratio = f"{wall / base_wall:.2f} | {cpu / base_cpu:.2f}" if base_wall and base_cpu else " | "
                more = "> " if self.cut_off(name, form, tool) else ""
                text.append(f"| {tool} | {more}{self.seconds(wall)} | {here[0]['bytes'] / 1e6 / max(wall, 1e-4):.0f} | {self.seconds(cpu)} | "
                            f"{self.median(name, form, tool, 'peak_bytes') / 1e6:.0f} | {ratio} |")
            text.append("")
        text += ["## Equal work", "", "Lines that a tool says it read, against the lines that were written.", "",
                 "| input | form | tool | counted | written |", "|---|---|---|---|---|"]
        text += [f"| {' | '.join(str(part) for part in check)} |" for check in self.checks]
        return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="build directory with the ncclwhy binary, Release")
    parser.add_argument("--sizes", default="0.2,1", help="gigabytes (10^9 bytes) of each input; 10 takes long")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--limit", type=float, default=60, help="seconds after which a run is cut off, and not repeated")
    parser.add_argument("--only", help="words, comma-separated: only inputs and forms whose name has one of them")
    parser.add_argument("--work", help="where inputs are written (kept)")
    parser.add_argument("--out", help="where results are written; default runs/DATE-KIND beside this file")
    parser.add_argument("--keep", action="store_true", help="keep the last input")
    return Suite(parser.parse_args()).main()


if __name__ == "__main__":
    sys.exit(main())
