"""src/python by the library and by the program. python_test.py LOG CAUSE; NCCLWHY_LIBRARY and NCCLWHY are set."""

import gc
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import ncclwhy
import ncclwhy.engine

CAUSE = sys.argv.pop()
LOG = sys.argv.pop()
with open(LOG, "rb") as log_file:
    DATA = log_file.read()


class Engine:
    use = ""

    def analyze(self, logs, **options):
        return ncclwhy.analyze(logs, use=self.use, **options)

    def test_file(self):
        report = self.analyze(LOG, jobs=1)
        self.assertEqual((report.verdict, report.cause.id, report.exit_status), ("failure", CAUSE, 1))
        self.assertTrue(0.5 < report.cause.confidence <= 1)
        self.assertEqual(report.json()["causes"][0]["title"], report.cause.title)
        self.assertEqual(report.ncclwhy, ncclwhy.version())
        self.assertIn(CAUSE, str(report))
        self.assertIn(CAUSE, repr(report))
        self.assertTrue(report.render("html").lstrip().startswith("<!"))

    def test_chunks_are_the_file(self):
        whole = self.analyze({"job.log": DATA}).render("json")
        pieces = [DATA[i : i + 100] for i in range(0, len(DATA), 100)]
        self.assertEqual(self.analyze({"job.log": iter(pieces)}).render("json"), whole)
        self.assertIn("job.log", whole)

    def test_what_is_taken(self):
        def stream():
            yield DATA[:50]
            yield bytearray(DATA[50:])

        for logs in (pathlib.Path(LOG), [LOG], (one for one in [LOG]), DATA, memoryview(DATA), stream(), io.BytesIO(DATA),
                     io.StringIO(DATA.decode()), {"a": DATA.decode()}, [LOG, {"b": b"hello\n"}, b"x\n", b"y\n"]):
            self.assertEqual(self.analyze(logs).cause.id, CAUSE)
        with open(LOG, "rb") as file:
            self.assertEqual(self.analyze(file).cause.id, CAUSE)

    def test_names_that_lead_out_are_labels(self):
        with tempfile.TemporaryDirectory() as place:
            self.assertEqual(self.analyze({place + "/x/../../y": DATA, "../../z": b"", "": b"", "-": b"\n"}).cause.id, CAUSE)
            self.assertEqual(os.listdir(place), [])

    def test_report_outlives_analyzer(self):
        analyzer = ncclwhy.Analyzer(use=self.use)
        analyzer.push("job.log", DATA)
        report = analyzer.finish()
        del analyzer
        gc.collect()
        self.assertIn(CAUSE, report.render())

    def test_nothing_of_nccl(self):
        for logs in (b"hello\n", b"", []):
            report = self.analyze(logs)
            self.assertEqual((report.verdict, report.cause, report.exit_status), ("no-nccl", None, 0))

    def test_options(self):
        chinese = self.analyze(LOG, language="zh", top=1, redact=True)
        self.assertNotEqual(chinese.render(), self.analyze(LOG, redact=False).render())
        self.assertEqual((len(chinese.causes), chinese.language), (1, "zh"))
        with tempfile.TemporaryDirectory() as place:
            database = os.path.join(place, "job.db")
            self.analyze(LOG, database=database, kb=None)
            self.assertGreater(os.path.getsize(database), 0)

    def test_explain(self):
        self.assertIn(CAUSE, ncclwhy.explain(CAUSE, use=self.use))
        self.assertIn(CAUSE, ncclwhy.explain(use=self.use, top=2))
        self.assertNotEqual(ncclwhy.explain(CAUSE, use=self.use, language="zh"), ncclwhy.explain(CAUSE, use=self.use))
        with self.assertRaises(ncclwhy.Error) as caught:
            ncclwhy.explain("no such thing", use=self.use)
        self.assertEqual(caught.exception.code, 2)

    def test_diff(self):
        with tempfile.TemporaryDirectory() as place:
            good = os.path.join(place, "good.log")
            with open(good, "w") as file:
                file.write("node1:7:7 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n")
            self.assertIn(CAUSE, ncclwhy.diff(good, LOG, use=self.use))
            self.assertEqual(json.loads(ncclwhy.diff(good, LOG, "json", use=self.use))["schema"], "ncclwhy.diff/1")

    def test_refused(self):
        for options in ({"colour": "red"}, {"top": "many"}, {"language": "xx"}):
            with self.assertRaises(ncclwhy.Error) as caught:
                self.analyze(LOG, **options)
            self.assertEqual(caught.exception.code, 1)
            self.assertNotEqual(str(caught.exception), "")
        with self.assertRaises(ncclwhy.Error):
            self.analyze(LOG).render("no such format")

    def test_missing_file_is_in_the_report(self):
        report = self.analyze([LOG, "/no/such/file"])
        self.assertEqual((report.exit_status, report.cause.id, len(report.problems)), (2, CAUSE, 1))

    def test_other_threads_run_meanwhile(self):
        beats, done = [], threading.Event()

        def beat():
            while not done.wait(0.001):
                beats.append(time.monotonic())

        thread = threading.Thread(target=beat)
        analyzer = ncclwhy.Analyzer(use=self.use, jobs=1)
        analyzer.push("big.log", (DATA + b"an unknown line 1234 that says something else\n" * 200) * 1000)
        thread.start()
        try:
            from_, report = time.monotonic(), analyzer._session.finish()
            to = time.monotonic()
        finally:
            done.set()
            thread.join()
        self.assertIn(CAUSE, report("summary"))
        self.assertGreater(sum(from_ < at < to for at in beats), 3)


class LibraryTest(Engine, unittest.TestCase):
    use = "library"


class ProgramTest(Engine, unittest.TestCase):
    use = "program"

    def test_command(self):
        run = subprocess.run([sys.executable, "-B", "-m", "ncclwhy", "--summary", LOG], stdout=subprocess.PIPE)
        self.assertEqual(run.returncode, 1)
        self.assertIn(CAUSE.encode(), run.stdout)

    def test_time_limit(self):
        with self.assertRaises(subprocess.TimeoutExpired):
            self.analyze(LOG, timeout=0.0001)


class ChoiceTest(unittest.TestCase):
    def test_both_say_the_same(self):
        for logs in (LOG, {"job.log": DATA}):
            by = [ncclwhy.analyze(logs, use=use) for use in ("library", "program")]
            for format in ("json", "text", "markdown", "sarif"):
                self.assertEqual(by[0].render(format), by[1].render(format))

    def test_without_the_library_the_program(self):
        code = "import ncclwhy, sys; r = ncclwhy.analyze(sys.argv[1]); print(r.cause.id, ncclwhy.version())"
        for library in ("", "/no/such.so", LOG):
            run = subprocess.run([sys.executable, "-B", "-c", code, LOG], stdout=subprocess.PIPE, universal_newlines=True,
                                 env=dict(os.environ, NCCLWHY_LIBRARY=library))
            self.assertEqual(run.stdout.split(), [CAUSE, ncclwhy.version()])

    def test_neither(self):
        code = "import ncclwhy\ntry: ncclwhy.analyze(b'')\nexcept ImportError as e: print(e)"
        run = subprocess.run([sys.executable, "-B", "-c", code], stdout=subprocess.PIPE, universal_newlines=True,
                             env=dict(os.environ, NCCLWHY_LIBRARY="", NCCLWHY="/no/such"))
        self.assertIn("no libncclwhy.so", run.stdout)
        with self.assertRaises(ValueError):
            ncclwhy.analyze(b"", use="magic")

    def test_sample(self):
        place = os.path.dirname(os.path.abspath(__file__))
        sample = os.path.join(place, "..", "..", "samples", "python", "why.py")
        run = subprocess.run([sys.executable, "-B", sample, os.path.dirname(os.path.dirname(os.path.abspath(LOG)))],
                             stdout=subprocess.PIPE, universal_newlines=True)
        self.assertEqual(run.returncode, 0)
        self.assertIn(",%s," % CAUSE, run.stdout)


if __name__ == "__main__":
    unittest.main()
