#!/usr/bin/python3
"""Which words of complaints speak for which cause: learns kb/words/words.jsonl from labelled logs. Needs scikit-learn; the build does not.

    kb/words/train.py PROGRAM [--texts FILE.jsonl]... [--check FOLDER]... [--write] [FOLDER]...

A log is what the program itself keeps of it: the view `complaint`. Labelled are the folders' logs (incident.json or label.json), the texts of
`{"cause", "text"}` lines, plain_exceptions.txt (that a program broke, in words that say nothing of why), what incidents of kb/incidents looked like, and the logs that fire rules which speak for one cause. Two linear models,
one upon the other: the first, over all words and pairs of words that stand in three texts or more, chooses those that tell something; the
second learns their weights. Both spread weight over all words that come together (L2): what nobody has seen is told by the words that it
shares, and how large a margin is says how sure that is. Small weights are left out, so that the file can be read: each line is a word or
pair, how rare it is, and the causes that it speaks for or against. --check prints how often the first cause is right on folders that were
not learnt from, and of which margins."""
import argparse
import glob
import json
import math
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

import numpy
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# The same as in src/analyze/word_reading.cc: words of two letters or more; numbers of up to three digits that stand alone, but no part of an
# address, a version or a time, and no line of a source file; single characters of Chinese, Japanese and Korean.
TOKEN = re.compile(r"[a-z_]{2,}|(?<![\w])(?<![0-9][.:])[0-9]{1,3}(?![\w])(?![.:][0-9])|[\u3000-\ud7ff]")
LINE_OF_FILE = re.compile(r"(\.[a-z]{1,4}):[0-9]+")
LEAST_TEXTS = 3
# Names of hosts and clusters that came more often than that.
NAMES = {"hercules", "jette", "lxbk"}
STRENGTH = 0.3
TELLING = 0.2  # a word is kept that weighs as much for or against some cause
LEAST_WEIGHT = 0.08
MARGINS = (-9, -0.75, -0.5, -0.4, -0.3, -0.2, -0.1, 0.1, 0.3, 9)
DIGITS = re.compile("[0-9]")


def tokens(sentence):
    return [word for word in TOKEN.findall(LINE_OF_FILE.sub(r"\1", sentence.lower())) if word not in NAMES]


def features(sentences):
    out, said = [], set()
    for sentence in sentences:
        masked = DIGITS.sub("0", sentence)
        if masked in said:
            continue
        said.add(masked)
        words = tokens(sentence)
        out += words + [a + " " + b for a, b in zip(words, words[1:])]
    return out


def complaints(program, files):
    with tempfile.TemporaryDirectory() as scratch:
        database = os.path.join(scratch, "job.db")
        subprocess.run([program, "--job", "1", "--db", database, *files], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if not os.path.exists(database):
            subprocess.run([program, "--db", database, *files], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if not os.path.exists(database):
            return []
        with sqlite3.connect(database) as connection:
            return [text for (text,) in connection.execute("SELECT text FROM complaint ORDER BY source, line")]


def labelled(program, folder, healthy=False):
    for name in sorted(os.listdir(folder)):
        for label in ("label.json", "incident.json"):
            path = os.path.join(folder, name, label)
            if not os.path.exists(path):
                continue
            with open(path, encoding="utf-8") as file:
                entry = json.load(file)
            causes = [entry.get("cause") or entry.get("root_cause") or ("none" if healthy and entry.get("outcome") == ["succeeded"] else None), *(entry.get("also_acceptable") or [])]
            causes = ["none" if cause == "none.healthy" else cause for cause in causes]
            files = [f for f in sorted(glob.glob(os.path.join(folder, name, "**"), recursive=True)) if os.path.isfile(f) and not f.endswith("/" + label)]
            if causes[0] and entry.get("determinable_from_log", True):
                yield name, complaints(program, files), causes
            break


def texts(program, path):
    with open(path, encoding="utf-8") as file, tempfile.TemporaryDirectory() as scratch:
        for line in file:
            entry = json.loads(line)
            log = os.path.join(scratch, "log.txt")
            with open(log, "w", encoding="utf-8") as out:
                out.write(entry["text"] + "\n")
            yield complaints(program, [log]) or entry["text"].split("\n"), entry["cause"]


def own(program):
    for path in sorted(glob.glob(os.path.join(ROOT, "kb/incidents/*.jsonl"))):
        with open(path, encoding="utf-8") as file:
            for entry in map(json.loads, file):
                yield [re.sub("<[a-z]+>", "0", line) for line in [*entry["looked_like"], entry["title"]["en"]]], entry["cause"]
    with open(os.path.join(HERE, "plain_exceptions.txt"), encoding="utf-8") as file:
        for line in file:
            yield [line.rstrip("\n")], "app.rank-crashed"
    for folder in ("incidents", "healthy", "jobs", "torch", "witnesses"):
        for _, sentences, causes in labelled(program, os.path.join(ROOT, "samples", folder), healthy=True):
            yield sentences, causes[0]
    for path in sorted(glob.glob(os.path.join(ROOT, "rules/catalog/**/rule.json"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            causes = json.load(file).get("causes") or {}
        cause, odds = max(causes.items(), key=lambda item: item[1], default=("", 0))
        if odds < 1:
            continue
        for log in sorted(glob.glob(os.path.join(os.path.dirname(path), "fires*"))):
            files = [log] if os.path.isfile(log) else [f for f in sorted(glob.glob(log + "/**", recursive=True)) if os.path.isfile(f)]
            yield complaints(program, files), cause


def learn(examples):
    samples = [features(sentences) for sentences, _ in examples]
    names = [cause for _, cause in examples]
    identity = lambda sample: sample
    every = TfidfVectorizer(analyzer=identity, sublinear_tf=True, min_df=LEAST_TEXTS)
    first = LinearSVC(C=STRENGTH, random_state=0).fit(every.fit_transform(samples), names)
    telling = sorted(every.get_feature_names_out()[(numpy.abs(first.coef_) >= TELLING).any(axis=0)])
    some = TfidfVectorizer(analyzer=identity, sublinear_tf=True, vocabulary=telling)
    second = LinearSVC(C=STRENGTH, random_state=0).fit(some.fit_transform(samples), names)
    second.coef_[numpy.abs(second.coef_) < LEAST_WEIGHT] = 0
    return some, second


def check(program, folders, some, second):
    for folder in folders:
        cases = list(labelled(program, folder))
        margins = second.decision_function(some.transform([features(c) for _, c, _ in cases]))
        best = [(max(row), second.classes_[numpy.argmax(row)] in causes) for row, (_, _, causes) in zip(margins, cases)]
        print(f"{folder}: first cause right {sum(right for _, right in best)} of {len(cases)}")
        for low, high in zip(MARGINS, MARGINS[1:]):
            these = [right for margin, right in best if low <= margin < high]
            if these:
                print(f"  margin {low} to {high}: {sum(these)} of {len(these)}")


def write(some, second):
    causes = list(second.classes_)
    with open(os.path.join(HERE, "words.jsonl"), "w", encoding="utf-8") as out:
        bias = {c: round(float(b), 2) for c, b in zip(causes, second.intercept_)}
        out.write(json.dumps({"word": "", "rarity": 0, "causes": bias}) + "\n")
        names = some.get_feature_names_out()
        for k in sorted(range(len(names)), key=lambda k: names[k].encode()):
            weights = {c: round(float(w), 2) for c, w in zip(causes, second.coef_[:, k]) if w}
            out.write(json.dumps({"word": names[k], "rarity": round(float(some.idf_[k]), 2), "causes": weights}, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", nargs="*")
    parser.add_argument("--texts", action="append", default=[])
    parser.add_argument("--check", action="append", default=[])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    examples = list(own(options.program))
    for path in options.texts:
        examples += texts(options.program, path)
    for folder in options.folder:
        examples += [(sentences, causes[0]) for _, sentences, causes in labelled(options.program, folder)]
    examples = [(sentences, cause) for sentences, cause in examples if sentences]
    some, second = learn(examples)
    print(f"{len(examples)} texts, {len(some.vocabulary_)} words, {int((second.coef_ != 0).sum())} weights")
    check(options.program, options.check, some, second)
    if options.write:
        write(some, second)
    return 0


if __name__ == "__main__":
    sys.exit(main())
