"""Pairs of samples/witnesses: the text alone leaves it open, the second witness decides; where witnesses contradict each
other the answer says so, and does not where they agree."""

import json
import os
import pathlib
import subprocess
import unittest

import pairs

BINARY = os.environ["NCCLWHY"]
FOLDER = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"]) / "samples/witnesses"
CASES = list(pairs.cases())
DECIDED = [case for case in CASES if case[1] is None]
CONTRARY = [case for case in CASES if case[1] is not None]


def read(files, *options):
    done = subprocess.run([BINARY, *options, *map(str, files)], capture_output=True, timeout=120, check=False)
    assert done.returncode in (0, 1, 3), done.stderr
    return done.stdout.decode()


def report(files):
    return json.loads(read(files, "--json"))


def texts(name):
    return sorted((FOLDER / name).glob("rank*.log"))


def blamed(answer):
    first = (answer["causes"] or [{"culprits": []}])[0]
    return {f"rank {c['rank']}" for c in first["culprits"] if c.get("rank") is not None} | {
        c["host"] for c in first["culprits"] if c.get("host")
    }


def contradictions(answer):
    return [warning["id"] for warning in answer["warnings"] if warning["id"].startswith("witness-")]


class Pairs(unittest.TestCase):
    def test_the_generator_writes_what_stands_there(self):
        for name, _, _, _, _, files in CASES:
            for path, content in files.items():
                content = content if isinstance(content, bytes) else content.encode()
                self.assertEqual((FOLDER / name / path).read_bytes(), content, f"{name}/{path}: run pairs.py")
        folders = {p.name for p in FOLDER.iterdir() if p.is_dir()}
        self.assertEqual(folders, {case[0] for case in CASES})

    def test_there_are_enough(self):
        self.assertGreaterEqual(len(DECIDED), 20)
        self.assertGreaterEqual(len(CONTRARY), 10)

    def test_the_second_witness_decides(self):
        for name, _, cause, also, culprit, _ in DECIDED:
            with self.subTest(name):
                who = f"rank {culprit}" if isinstance(culprit, int) else culprit
                both = report([FOLDER / name])
                self.assertIn(both["causes"][0]["id"], [cause, *also])
                if who is not None:
                    self.assertIn(who, blamed(both))
                alone = report(texts(name))
                # Another cause, another culprit, or less sure.
                first = (alone["causes"] or [{"id": None, "confidence": 0}])[0]
                told = first["id"] == both["causes"][0]["id"] and (who is None or who in blamed(alone))
                if told:
                    self.assertLess(first["confidence"], both["causes"][0]["confidence"] - 0.05)
                self.assertFalse(contradictions(both))

    def test_contradictions_are_told(self):
        for name, rule, _, _, _, files in CONTRARY:
            with self.subTest(name):
                answer = report([FOLDER / name])
                self.assertIn(rule, contradictions(answer))
                short = read([FOLDER / name]).splitlines()
                self.assertTrue(any(line.startswith("But: ") for line in short), short)
                self.assertIn("但是", read([FOLDER / name], "--lang", "zh"))
                # One witness cannot contradict itself.
                self.assertFalse(contradictions(report(texts(name))))
                others = [FOLDER / name / path for path in files if not path.startswith("rank")]
                if rule not in ("witness-stack-in-call", "witness-ras-recorder", "witness-ras-dead-speaks"):
                    self.assertFalse(contradictions(report(others)))


if __name__ == "__main__":
    unittest.main()
