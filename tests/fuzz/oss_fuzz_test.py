#!/usr/bin/env python3
"""oss-fuzz/targets, the table of README.md and figures.py name the targets that CMakeLists.txt builds, with their corpora."""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main():
    built = dict(re.findall(r"(?m)^ncclwhy_fuzz_target\((\w+)[^)]*?CORPUS (\w+)", (HERE / "CMakeLists.txt").read_text()))
    listed = dict(line.split() for line in (HERE / "oss-fuzz/targets").read_text().splitlines())
    told = set(re.findall(r"(?m)^\| `(\w+)` \|", (HERE / "README.md").read_text()))
    counted = dict(re.findall(r'"(\w+)": "(\w+)"', re.search(r"CORPUS = \{(.*?)\}", (HERE / "figures.py").read_text(), re.S)[1]))
    wrong = [what for what, same in (("oss-fuzz/targets", listed == built), ("README.md", told == set(built)),
                                     ("figures.py", counted == built)) if not same]
    wrong += [corpus for corpus in built.values() if not any((HERE / "corpus" / corpus).iterdir())]
    print("other targets than CMakeLists.txt:", wrong) if wrong else print(f"{len(built)} inputs")
    return bool(wrong) or len(built) < 10


if __name__ == "__main__":
    sys.exit(main())
