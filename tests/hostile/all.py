#!/usr/bin/env python3
"""Runs everything that attacks and prints what was tried and what failed, by class:

    python3 tests/hostile/all.py [build/release] [-R regular-expression-of-tests] [--seed N]

The build has NCCLWHY_TEST_EXTRAS=ON and is brought up to date first. Generators say `hostile: CLASS tried N failed M`;
other tests are a class of their own, by their cases, assertions or inputs. --seed: what is drawn by lot is drawn anew, by
$NCCLWHY_SEED. Exit status 1 when anything failed.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
TESTS = (r"^(hostile(\..*)?|faults(\..*)?|fuzz\..*|plain(\..*)?|archives|server(_load)?|page|history|notify|follow.*"
         r"|outputs\.(readers|redact|browser.*|ci_samples|operator|terminal)|outcome\.properties)$")


def counts(text):
    """(class or None, tried, failed) of what a test printed."""
    told = re.findall(r"(?m)^hostile: (\S+) tried (\d+) failed (\d+)", text)
    for name, tried, failed in told:
        yield name, int(tried), int(failed)
    if told:
        return
    for unit in re.findall(r"(?m)^Ran (\d+) tests? in", text):
        yield None, int(unit), sum(map(int, re.findall(r"(?:failures|errors)=(\d+)", text)))
        return
    assertions = re.findall(r"All tests passed \((\d+) assertions", text)
    for number in assertions or re.findall(r"(?m)^(\d+) (?:inputs|jobs were read)", text):
        yield None, int(number), 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", nargs="?", type=pathlib.Path, default=HERE.parent.parent / "build/release")
    arguments.add_argument("-R", dest="tests", default=TESTS)
    arguments.add_argument("--seed", type=int)
    options = arguments.parse_args()
    if options.seed is not None:
        os.environ["NCCLWHY_SEED"] = str(options.seed)
    build = options.build.resolve()
    subprocess.run(["cmake", "--build", build], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory(prefix="ncclwhy-hostile-") as folder:
        results = os.path.join(folder, "results.xml")
        subprocess.run(["ctest", "--test-dir", build, "-R", options.tests, "--output-junit", results, "--test-output-size-passed",
                        "10000000", "--test-output-size-failed", "10000000"], check=False, stdout=subprocess.DEVNULL)
        cases = xml.etree.ElementTree.parse(results).getroot().findall("testcase")
    sums, left_out, broken = collections.OrderedDict(), [], []
    for case in cases:
        name, status = case.get("name"), case.get("status")
        text = case.findtext("system-out") or ""
        if status in ("notrun", "disabled"):
            left_out.append(name)
            continue
        seen = [(each or name, tried, failed) for each, tried, failed in counts(text)] or [(name, 1, 0)]
        if status != "run":
            broken.append(name)
            sys.stdout.write(text[-4000:])
            if not any(failed for _, _, failed in seen):
                seen.append((name, 0, 1))
        for each, tried, failed in seen:
            before = sums.get(each, (0, 0))
            sums[each] = (before[0] + tried, before[1] + failed)
    print(f"{'class':<24} {'tried':>9} {'failed':>7}")
    for name, (tried, failed) in sorted(sums.items()):
        print(f"{name:<24} {tried:>9,} {failed:>7,}")
    print(f"{'all':<24} {sum(t for t, _ in sums.values()):>9,} {sum(f for _, f in sums.values()):>7,}")
    for name in left_out:
        print(f"{name}: left out, what it needs is not here")
    for name in broken:
        print(f"{name}: failed")
    return bool(broken or not sums or any(failed for _, failed in sums.values()))


if __name__ == "__main__":
    sys.exit(main())
