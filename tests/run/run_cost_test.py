"""What `ncclwhy run` costs: throughput against the bare pipe, and processor time. Bounds are wide: machines that test
are loaded; the figures are printed."""
import os
import pathlib
import resource
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import NCCLWHY, ProgramTest  # noqa: E402

MB = 1_000_000
RATE = 100 * MB
SECONDS = 4
# Prints lines at a given rate, and says how long it took.
WRITER = """
import os, sys, time
rate, seconds = int(sys.argv[1]), float(sys.argv[2])
piece = (b'x' * 99 + b'\\n') * 650
begun = time.monotonic()
total = 0
while total < rate * seconds:
    ahead = total / rate - (time.monotonic() - begun)
    if ahead > 0:
        time.sleep(ahead)
    total += os.write(1, piece)
sys.stderr.write('%f' % (time.monotonic() - begun))
"""


class RunCostTest(ProgramTest):
    def took(self, wrapped, rate, seconds):
        writer = [sys.executable, "-c", WRITER, str(rate), str(seconds)]
        command = [NCCLWHY, "run", "--hang", "60", "--", *writer] if wrapped else writer
        reader = subprocess.Popen(["dd", "of=/dev/null", "bs=1M"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=reader.stdin, stderr=subprocess.PIPE, check=True,
                              env={**os.environ, "TMPDIR": str(self.dir)})
        reader.stdin.close()
        reader.wait()
        return float(done.stderr)

    def test_100_mb_a_second(self):
        slower = []
        for _ in range(3):
            bare = self.took(False, RATE, SECONDS)
            slower.append(self.took(True, RATE, SECONDS) / bare - 1)
        print(f"\n  100 MB/s: slower by {min(slower):.1%} at best of 3 ({', '.join(f'{s:.1%}' for s in slower)})",
              file=sys.stderr)
        self.assertLess(min(slower), 0.05)

    def test_as_fast_as_it_goes(self):
        bare, wrapped = (self.took(w, 100_000 * MB, 0.02) for w in (False, True))
        print(f"\n  2 GB at once: {2000 / bare:.0f} MB/s bare, {2000 / wrapped:.0f} MB/s watched", file=sys.stderr)

    def test_processor_time(self):
        script = "for i in `seq 100`; do echo step $i loss 2.$i; sleep 0.1; done"

        def used():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime

        def run(*prefix):
            before, begun = used(), time.monotonic()
            subprocess.run([*prefix, "bash", "-c", script], stdout=subprocess.DEVNULL, check=True,
                           env={**os.environ, "TMPDIR": str(self.dir)})
            return used() - before, time.monotonic() - begun

        bare, _ = run()
        watched, wall = run(NCCLWHY, "run", "--hang", "60", "--")
        share = max(0, watched - bare) / wall
        print(f"\n  a line in 100 ms: {share:.2%} of one processor", file=sys.stderr)
        self.assertLess(share, 0.03)


if __name__ == "__main__":
    unittest.main()
