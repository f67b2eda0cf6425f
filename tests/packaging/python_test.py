"""samples/python/ncclwhy.py against the shared library. python_test.py LOG CAUSE; NCCLWHY_LIBRARY is set."""

import gc
import json
import os
import sys
import tempfile
import unittest

import ncclwhy

CAUSE = sys.argv.pop()
LOG = sys.argv.pop()


class PythonTest(unittest.TestCase):
    def test_file(self):
        report = ncclwhy.analyze(LOG, jobs=1)
        self.assertEqual((report.verdict, report.cause, report.exit_status), ("failure", CAUSE, 1))
        self.assertEqual((report.outcome, report.progress), (report.json()["outcome"], report.json().get("progress", "")))
        self.assertEqual(report.action, report.json().get("decision", {"do": "undecided"})["do"])
        self.assertTrue(0.5 < report.confidence <= 1)
        data = report.json()
        self.assertEqual(data["schema"], "ncclwhy.report/1")
        self.assertEqual(data["causes"][0]["id"], CAUSE)
        self.assertEqual(data["ncclwhy"], ncclwhy.version())

    def test_chunks_are_the_file(self):
        with open(LOG, "rb") as file:
            data = file.read()
        analyzer = ncclwhy.Analyzer()
        analyzer.push(LOG, *(data[i : i + 100] for i in range(0, len(data), 100)))
        self.assertEqual(analyzer.finish().render("json"), ncclwhy.analyze([LOG]).render("json"))

    def test_report_outlives_analyzer(self):
        analyzer = ncclwhy.Analyzer()
        analyzer.add(LOG)
        report = analyzer.finish()
        del analyzer
        gc.collect()
        self.assertIn(CAUSE, report.render())

    def test_nothing_of_nccl(self):
        analyzer = ncclwhy.Analyzer()
        analyzer.push("notes", "hello\n")
        report = analyzer.finish()
        self.assertEqual((report.verdict, report.cause, report.confidence, report.exit_status), ("no-nccl", "", 0, 0))

    def test_options(self):
        chinese = ncclwhy.analyze(LOG, language="zh", top=1, redact=True)
        self.assertNotEqual(chinese.render(), ncclwhy.analyze(LOG).render())
        self.assertEqual(len(chinese.json()["causes"]), 1)
        with tempfile.TemporaryDirectory() as place:
            database = os.path.join(place, "job.db")
            ncclwhy.analyze(LOG, database=database, kb=None)
            self.assertGreater(os.path.getsize(database), 0)

    def test_explain(self):
        self.assertIn(CAUSE, ncclwhy.explain(CAUSE))
        self.assertIn(CAUSE, ncclwhy.explain())
        self.assertNotEqual(ncclwhy.explain(CAUSE, language="zh"), ncclwhy.explain(CAUSE))
        with self.assertRaises(ncclwhy.Error) as caught:
            ncclwhy.explain("no such thing")
        self.assertEqual(caught.exception.code, 2)

    def test_diff(self):
        with tempfile.TemporaryDirectory() as place:
            good = os.path.join(place, "good.log")
            with open(good, "w") as file:
                file.write("node1:7:7 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n")
            self.assertIn(CAUSE, ncclwhy.diff(good, LOG))
            self.assertEqual(json.loads(ncclwhy.diff(good, LOG, "json"))["schema"], "ncclwhy.diff/1")

    def test_refused(self):
        for options in ({"colour": "red"}, {"top": "many"}, {"language": "xx"}):
            with self.assertRaises(ncclwhy.Error) as caught:
                ncclwhy.Analyzer(**options)
            self.assertEqual(caught.exception.code, 1)
            self.assertNotEqual(str(caught.exception), "")
        with self.assertRaises(ncclwhy.Error):
            ncclwhy.analyze(LOG).render("no such format")

    def test_missing_file_is_in_the_report(self):
        report = ncclwhy.analyze([LOG, "/no/such/file"])
        self.assertEqual((report.exit_status, report.cause), (2, CAUSE))


if __name__ == "__main__":
    unittest.main()
