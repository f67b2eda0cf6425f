"""The HTML report in a real browser. Screenshots go to the folder that NCCLWHY_SCREENSHOTS names."""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import NCCLWHY, SOURCE, SHM_FULL  # noqa: E402
import chromium  # noqa: E402

GENERATOR = os.environ.get("NCCLWHY_GEN")
PICTURES = os.environ.get("NCCLWHY_SCREENSHOTS")
INCIDENTS = SOURCE / "samples/incidents"
HOSTILE = b"""h1:7:7 [0] NCCL INFO NCCL version 2.28.9+cuda12.8
<script>window.stolen = 1</script><img src=x onerror="window.stolen = 2"><svg onload="window.stolen = 3">
h1:7:7 [0] misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/<script>stolen=4</script> to 9637892 bytes, \
error: No space left on device (28)
"><script>window.stolen = 5</script>:7:7 [0] NCCL WARN Cuda failure 'out of memory </pre><script>stolen=6</script>'
</script><style>body{display:none}</style><base href="http://192.0.2.1/"><meta http-equiv=refresh content="0;url=//x">
"""
# Where something stands, in pixels from the top of the page.
PLACES = """(() => { const at = css => { const found = document.querySelector(css);
  if (!found) return null; const box = found.getBoundingClientRect();
  return {top: box.top, bottom: box.bottom, left: box.left, right: box.right, text: found.textContent}; };
  return {verdict: at('h1'), culprit: at('.top .where'), fix: at('.top ol li'), width: document.body.scrollWidth}; })()"""


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        cls.dir = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ncclwhy-browser-")))
        cls.browser = stack.enter_context(chromium.Chromium())

    def report(self, name, *arguments, log=None):
        page = self.dir / (name + ".html")
        run = subprocess.run([NCCLWHY, "--format", "html", "-o", page, *map(str, arguments)], input=log, check=False,
                             stderr=subprocess.PIPE, timeout=120)
        self.assertIn(run.returncode, (0, 1, 3), run.stderr)
        return page

    def open(self, page, picture=None, **how):
        """The page draws, loads nothing and complains about nothing."""
        self.browser.open(page, **how)
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.requests(), [page.as_uri()])
        places = self.browser.evaluate(PLACES)
        self.assertGreater(places["verdict"]["bottom"], 10)
        if picture and PICTURES:
            os.makedirs(PICTURES, exist_ok=True)
            self.browser.screenshot(pathlib.Path(PICTURES) / (picture + ".png"))
        return places

    def assert_first_screen(self, places, height=800):
        for what in ("verdict", "culprit", "fix"):
            self.assertIsNotNone(places[what], what)
            self.assertLessEqual(places[what]["bottom"], height, what)
            self.assertGreater(places[what]["right"], places[what]["left"], what)

    def search(self, text):
        """How many items stay on the page."""
        return self.browser.evaluate(
            "(() => { const box = document.getElementById('q'); box.value = %r; box.dispatchEvent(new Event('input'));"
            "return Array.from(document.querySelectorAll('[data-item]')).filter(i => !i.hasAttribute('hidden')).length;"
            "})()" % text)

    def test_every_sample(self):
        folders = sorted(path for path in INCIDENTS.iterdir() if path.is_dir())
        self.assertGreater(len(folders), 20)
        for folder in folders:
            with self.subTest(folder.name):
                places = self.open(self.report(folder.name, *sorted(folder.glob("*.log"))), folder.name)
                self.assertLessEqual(places["verdict"]["bottom"], 800)
                if places["culprit"]:
                    self.assertLessEqual(places["culprit"]["bottom"], 800)
                self.assertLessEqual(places["width"], 1280)

    def test_verdict_culprit_and_fix_need_no_scrolling(self):
        logs = sorted((INCIDENTS / "killed-2.28.9-2x2-s1").glob("*.log"))
        for language in ("en", "zh"):
            places = self.open(self.report("killed", "--lang", language, *logs), "killed-" + language)
            self.assert_first_screen(places)
            self.assertIn("rank 3", places["culprit"]["text"])
            self.assertIn("worker-20", places["culprit"]["text"])

    def test_narrow_and_dark(self):
        page = self.report("shm", SHM_FULL)
        self.assertLessEqual(self.open(page, "shm-phone", width=400, height=800)["width"], 400)
        light = "getComputedStyle(document.body).backgroundColor"
        before = self.browser.evaluate(light)
        self.open(page, "shm-dark", dark=True)
        self.assertNotEqual(self.browser.evaluate(light), before)

    def test_log_text_stays_text(self):
        self.open(self.report("hostile", "-", log=HOSTILE), "hostile")
        self.assertIsNone(self.browser.evaluate("window.stolen"))
        self.assertEqual(self.browser.evaluate("[document.scripts.length, document.images.length,"
                                               "document.querySelectorAll('base,iframe,object,link').length,"
                                               "document.querySelectorAll('style').length]"), [1, 0, 0, 1])
        self.assertIn("<script>", self.browser.evaluate("document.body.innerText"))
        # Even an element that came in by another way would not run.
        self.browser.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x: onerror=\"stolen=7\">')")
        self.browser.evaluate("(() => { const s = document.createElement('script'); s.textContent = 'stolen=8';"
                              "document.body.append(s); })()")
        self.assertIsNone(self.browser.evaluate("window.stolen"))

    def test_lines_are_found(self):
        logs = sorted((INCIDENTS / "killed-2.28.9-2x2-s1").glob("*.log"))
        self.open(self.report("search", *logs))
        everything = self.search("")
        self.assertGreater(everything, 10)
        some = self.search("Connection closed by REMOTE peer")
        self.assertTrue(0 < some < everything, some)
        self.assertEqual(self.search("no such text anywhere"), 0)
        self.assertFalse(self.browser.evaluate("document.getElementById('none').hidden"))
        self.assertEqual(self.search(""), everything)
        # The link beside the culprit opens the lines around the evidence.
        self.browser.evaluate("document.querySelector('.top a').click()")
        self.browser.evaluate("new Promise(done => setTimeout(done, 100))")
        self.assertTrue(self.browser.evaluate("document.querySelector('#e0 details').open"))
        self.assertTrue(self.browser.evaluate("document.querySelector('#e0 details mark').textContent.length > 5"))
        self.assertTrue(self.browser.evaluate("document.querySelector('#e0').getBoundingClientRect().top < 800"))

    def test_pictures(self):
        logs = sorted((INCIDENTS / "rdma-retry-host-2.28.9-3x2-s23").glob("*.log"))
        self.open(self.report("pictures", *logs))
        pictures = self.browser.evaluate("Array.from(document.querySelectorAll('.scroll svg')).map(s => s.textContent)")
        self.assertEqual(len(pictures), 3)
        self.assertIn("Job", pictures[0])  # the story
        self.assertIn("first failure", pictures[1])
        self.assertIn("NET/IB", pictures[2])
        width = "document.querySelector('.scroll svg').getBoundingClientRect().width"
        before = self.browser.evaluate(width)
        self.browser.evaluate("document.querySelector('.zoom button').click()")
        self.assertGreater(self.browser.evaluate(width), before * 1.4)
        # What a button copies is the text of the log, in an attribute that nothing runs.
        copied = self.browser.evaluate("document.querySelector('[data-copy^=\"**FAILURE**\"]').getAttribute('data-copy')")
        self.assertIn("```", copied)
        self.assertTrue(self.browser.evaluate(
            "Array.from(document.querySelectorAll('.scroll svg')).every(s => s.getBoundingClientRect().height > 60)"))

    def test_story_of_a_program_with_a_clock(self):
        """A lane for each rank or group of ranks, by time, though no line is NCCL's."""
        log = self.dir / "train.out"
        lines = [f"2026-11-22 11:08:59,47{r} - INFO - dist.py:41 - [rank {r}] rank {r} of 4 on node{2 + r // 2}, "
                 f"local rank {r % 2}" for r in range(4)]
        lines += [f"2026-11-22 11:09:{9 + i:02},250 - INFO - train.py:212 - [rank 0] step={i}/30 loss=7.{90 - i}"
                  for i in range(1, 16)]
        lines += ["Traceback (most recent call last):", '  File "train.py", line 318, in <module>', "    main(cfg)",
                  "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2048x4096 and 5120x32000)",
                  "srun: error: node3: task 2: Exited with exit code 1",
                  "slurmstepd-node2: error: *** STEP 37.0 ON node2 CANCELLED AT 2026-11-22T11:09:27 ***",
                  "srun: error: node2: tasks 0-1: Terminated"]
        log.write_text("\n".join(lines) + "\n")
        for kind in ({}, {"width": 390, "height": 844}, {"dark": True}):
            with self.subTest(kind=kind):
                self.open(self.report("clock", log), **kind)
                lanes = self.browser.evaluate(
                    "Array.from(document.querySelector('.scroll svg').querySelectorAll('[data-item] g text'))"
                    ".map(t => t.textContent)")
                self.assertEqual(lanes, ["rank 2 node3", "Job", "ranks 0, 1 node2", "rank 3 node3"])
                self.assertIn("11:09:24.250", self.browser.evaluate("document.querySelector('.strip .root').textContent"))
                # The pulse of which no line tells whose it is: at the left, in front of what broke.
                bar, broke = (self.browser.evaluate(f"document.querySelector('.scroll svg {mark}').getBoundingClientRect().left")
                              for mark in ("rect.bar", "circle.bad"))
                self.assertLess(bar, broke)
                foot = self.browser.evaluate("document.body.innerText").strip().splitlines()[-1]
                self.assertIn("2026-11-22 11:08:59.470 \u2013 11:09:27 (took 27 s)", foot)
                self.assertIn("--format html", foot)

    @unittest.skipUnless(GENERATOR, "the generator of logs is not built")
    def test_thousands_of_ranks(self):
        for ranks, hosts in ((64, 8), (1024, 128), (2048, 256), (4096, 512), (16384, 2048)):
            with self.subTest(ranks=ranks):
                logs = self.dir / f"job{ranks}"
                subprocess.run([GENERATOR, "--out", logs, "--ranks", str(ranks), "--hosts", str(hosts), "--fault", "killed",
                                "--layout", "host", "--steps", "2"], check=True, stdout=subprocess.DEVNULL)
                page = self.report(f"job{ranks}", logs)
                self.assertLess(page.stat().st_size, 2 << 20)
                self.assert_first_screen(self.open(page, f"job{ranks}"))
                # Milliseconds until all of it is drawn.
                self.assertLess(self.browser.evaluate("performance.getEntriesByType('navigation')[0].duration"), 2000)
                lanes = self.browser.evaluate("document.querySelectorAll('.scroll svg')[0].querySelectorAll('[data-item]').length")
                self.assertTrue(2 <= lanes <= 60, lanes)
                # As many ranks have a row each.
                self.assertGreater(self.search("rank %d" % (min(ranks, 4096) - 1)), 0)
                self.assertEqual(self.browser.evaluate("document.querySelectorAll('svg .mark').length > 0"), True)


if __name__ == "__main__":
    if chromium.BINARY is None:
        print("skipped: chromium is not installed")
        sys.exit(77)
    unittest.main()
