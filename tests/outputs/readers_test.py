"""Every machine-readable format, judged by a reader that is not ours."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import HEALTHY, ProgramTest, SHM_FULL, SOURCE  # noqa: E402

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
INCIDENTS = sorted(path for path in (SOURCE / "samples/incidents").iterdir() if path.is_dir())
HARMLESS = {folder.name for folder in INCIDENTS
            if json.loads((folder / "incident.json").read_text())["root_cause"] == "none"}
MARKDOWN = shutil.which("cmark-gfm")
# Of "seen before".
INCIDENT_URLS = {json.loads(line)["url"] for path in (SOURCE / "kb/incidents").glob("*.jsonl")
                 for line in path.read_text().splitlines() if line}
# Limits of who shows it: GitHub refuses a comment or a job summary line above these, GitLab a note.
GITHUB_COMMENT, GITLAB_NOTE, GITHUB_ANNOTATION, GITHUB_TITLE = 65536, 1000000, 64 << 10, 255
# A log that wants to be more than text, in every syntax we write.
EVIL = [
    "<script>alert(1)</script><img src=x onerror=alert(1)>", "[click](javascript:alert(1)) ![x](http://192.0.2.1/x.png)",
    "@everyone @octocat fixes #1 http://evil.example/ www.evil.example", "```\n# heading\n~~~", "</details></pre></code>",
    "::error::forged", "::set-output name=x::y", "##[error]forged", "##vso[task.complete]", "]]><!ENTITY x SYSTEM 'file:///'>",
    "%0A::error::x", "\x1b[2J\x1b]0;title\x07", "\u202egnp.exe", "| a | b |\n|---|---|", "<!-- --> & &amp; &#0;", "\x00\x01\xff",
]


def evil_log():
    lines = ["h1:7:7 [0] NCCL INFO NCCL version 2.28.9+cuda12.8"]
    for text in EVIL:
        one = text.replace("\n", " ")
        lines.append(f"h1:7:7 [0] misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/{one} to 9637892 bytes, "
                     "error: No space left on device (28)")
        lines.append(f"h1:7:7 [0] NCCL WARN Cuda failure 'out of memory {one}'")
        lines.append(text)
    return "\n".join(lines).encode("utf-8", "surrogateescape") + b"\n\xfe\xff\n"


class ReadersTest(ProgramTest):
    def render(self, format, *logs, options=(), log=None):
        run = self.ncclwhy("--format", format, *options, *(logs or ["-"]), stdin=log or b"", timeout=120)
        self.assertIn(run.returncode, (0, 1, 3), run.stderr)
        return run.stdout.decode()  # always UTF-8

    def inputs(self):
        """(name, logs, bytes for standard input)"""
        for folder in INCIDENTS:
            yield folder.name, sorted(folder.glob("*.log")), None
        yield "healthy", [HEALTHY], None
        yield "nothing", [], b""
        yield "no nccl", [], b"hello\nworld\n"
        yield "evil", [], evil_log()

    def each(self, format, check):
        """check(name, text) of every input in both languages."""
        for name, logs, log in self.inputs():
            for language in ("en", "zh"):
                with self.subTest(name=name, language=language):
                    check(name, self.render(format, *logs, options=("--lang", language), log=log))


class Json(ReadersTest):
    def test_schema(self):
        schema = json.loads((SOURCE / "src/report/report.schema.json").read_text())
        jsonschema.validators.validator_for(schema).check_schema(schema)
        validator = jsonschema.validators.validator_for(schema)(schema)
        self.each("json", lambda _, text: validator.validate(json.loads(text)))


class Sarif(ReadersTest):
    def test_schema(self):
        schema = json.loads((HERE / "sarif-2.1.0.schema.json").read_text())
        validator = jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())
        def check(_, text):
            data = json.loads(text)
            validator.validate(data)
            run = data["runs"][0]
            self.assertLessEqual(len(run["results"]), 5000)  # what GitHub takes of one run
            rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
            self.assertEqual(len(rules), len(set(rules)))
            for result in run["results"]:
                self.assertIn(result["ruleId"], rules)
                self.assertTrue(result["message"]["text"])
                for value in result["partialFingerprints"].values():
                    self.assertRegex(value, r"^[0-9a-f]{64}$")

        self.each("sarif", check)

    def fingerprints(self, log):
        data = json.loads(self.render("sarif", log=log))
        return {r["ruleId"]: r["partialFingerprints"] for r in data["runs"][0]["results"] if r["level"] == "error"}

    def test_same_failure_on_another_day(self):
        """Other pids, ports, pointers, times and more lines before it; and another failure is another."""
        seen = {}
        for folder in INCIDENTS:
            log = b"".join(path.read_bytes() for path in sorted(folder.glob("*.log")))
            if not (first := self.fingerprints(log)):
                continue
            moved = re.sub(rb"(?<=:)(\d{3,7})(?=:\d+ )|(?<=:)\d{3,7}(?= \[)", lambda m: b"%d" % (int(m[0]) + 10007), log)
            moved = re.sub(rb"<(\d{4,5})>", lambda m: b"<%d>" % (20000 + int(m[1]) % 40000), moved)
            moved = re.sub(rb"0x7f([0-9a-f]{10})", lambda m: b"0x7e" + m[1][::-1], moved)
            moved = re.sub(rb"\d\d:\d\d:\d\d", b"03:04:05", moved)
            with self.subTest(folder.name):
                self.assertNotEqual(moved, log)
                self.assertEqual(self.fingerprints(b"a line of the launcher\n" * 9 + moved), first)
            for rule, value in first.items():
                seen.setdefault(rule, set()).add(json.dumps(value))
        self.assertGreater(len(seen), 12)
        every = [value for values in seen.values() for value in values]
        self.assertEqual(len(every), len(set(every)))


class Junit(ReadersTest):
    def test_xml(self):
        def check(name, text):
            suites = xml.etree.ElementTree.fromstring(text.encode())
            self.assertEqual((suites.tag, [suite.tag for suite in suites]), ("testsuites", ["testsuite"]))
            suite = suites[0]
            cases = suite.findall("testcase")
            for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                count = sum(len(case.findall(tag)) for case in cases)
                self.assertEqual(int(suite.get(attribute)), count)
                self.assertEqual(int(suites.get(attribute)), count)
            self.assertEqual(int(suite.get("tests")), len(cases))
            self.assertLessEqual({element.tag for element in suite.iter()},
                                 {"testsuite", "testcase", "failure", "error", "skipped", "system-out"})
            for case in cases:
                self.assertTrue(case.get("name") and case.get("classname"))
            if name in {folder.name for folder in INCIDENTS if folder.name not in HARMLESS}:
                failure = suite.find(".//failure")
                self.assertTrue(failure is not None and failure.get("message") and failure.get("type"))

        self.each("junit", check)


class Markdown(ReadersTest):
    def test_size(self):
        log = evil_log() + b"".join(path.read_bytes() for folder in INCIDENTS for path in sorted(folder.glob("*.log")))
        for language in ("en", "zh"):
            text = self.render("markdown", log=log * 3, options=("--lang", language, "--top", "50"))
            self.assertLess(len(text), GITHUB_COMMENT)
            self.assertLess(len(text.encode()), GITLAB_NOTE)

    def html(self, text):
        """What GitHub's renderer makes of it, its filter of dangerous tags left off."""
        run = subprocess.run([MARKDOWN, "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e",
                              "tasklist"], input=text.encode(), stdout=subprocess.PIPE, check=True)
        return run.stdout.decode()

    @unittest.skipUnless(MARKDOWN, "cmark-gfm is not installed")
    def test_only_our_elements(self):
        ours = {"h2", "h3", "p", "ul", "ol", "li", "pre", "code", "details", "summary", "strong", "em"}
        def check(name, text):
            # The addresses of public incidents are ours; no other may become a link.
            page = re.sub(r'<a href="([^"]*)">(.*?)</a>', lambda m: m[2] if m[1] in INCIDENT_URLS else m[0],
                          self.html(text))
            self.assertLessEqual(set(re.findall(r"<([A-Za-z][A-Za-z0-9]*)", page)), ours)
            self.assertNotRegex(page, r"<[^>]*\b(href|src|on\w+)=")
            self.assertEqual(page.count("<details>"), page.count("</details>"))
            outside = re.sub(r"<code[^>]*>.*?</code>", "", page, flags=re.S)
            self.assertNotRegex(outside, r"@\w|#\d")  # mentions and references
            if name == "evil":
                self.assertIn("&lt;script&gt;", page)

        self.each("markdown", check)

    @unittest.skipUnless(MARKDOWN, "cmark-gfm is not installed")
    def test_evidence_is_folded(self):
        page = self.html(self.render("markdown", SHM_FULL))
        head = page[: page.index("<details>")]
        self.assertIn("--shm-size=1g", head)
        self.assertIn("h100-39", head)
        self.assertLess(len(head), 4000)


def annotations(text):
    """(level, properties, message) as GitHub's runner reads its log."""
    for line in text.splitlines():
        found = re.fullmatch(r"::(\w+)(?: ([^:]*?))?::(.*)", line)
        if not found:
            raise AssertionError(f"not an annotation: {line!r}")

        def plain(value):
            for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
                value = value.replace(code, character)
            return value

        pairs = dict(pair.split("=", 1) for pair in (found[2] or "").split(",") if pair)
        yield found[1], {key: plain(value) for key, value in pairs.items()}, plain(found[3])


class Github(ReadersTest):
    def test_annotations(self):
        def check(_, text):
            found = list(annotations(text))
            self.assertTrue(1 <= len(found) <= 10)
            self.assertEqual(sum(level == "error" for level, _, _ in found), found[0][0] == "error")
            for level, properties, message in found:
                self.assertIn(level, ("error", "warning", "notice"))
                self.assertLessEqual(set(properties), {"file", "line", "title"})
                self.assertRegex(properties.get("line", "1"), r"^\d+$")
                self.assertLessEqual(len(properties.get("title", "")), GITHUB_TITLE)
                self.assertLess(len(message.encode()), GITHUB_ANNOTATION)

        self.each("github", check)

    def test_from_the_failed_job_to_the_fix(self):
        """Whoever sees nothing but the first annotation knows what, where, why and what to do."""
        for folder in INCIDENTS:
            logs = sorted(folder.glob("*.log"))
            report = json.loads(self.render("json", *logs))
            if report["verdict"] != "failure":
                continue
            cause = report["causes"][0]
            with self.subTest(folder.name):
                level, properties, message = next(annotations(self.render("github", *logs)))
                self.assertEqual(level, "error")
                self.assertIn(cause["title"], properties["title"])
                if any("file" in item for item in cause["evidence"]):  # what is missing has no line
                    self.assertTrue((folder / pathlib.Path(properties["file"]).name).is_file())
                self.assertIn(cause["summary"], message)
                for culprit in cause["culprits"][:1]:
                    for key in ("rank", "host"):
                        if key in culprit:
                            self.assertIn(str(culprit[key]), message)
                self.assertIn(cause["fixes"][0]["text"], message)
                if "command" in cause["fixes"][0]:
                    self.assertIn(cause["fixes"][0]["command"], message)


class Summary(ReadersTest):
    def test_one_line(self):
        def check(_, text):
            self.assertEqual(text.count("\n"), 1)
            self.assertFalse(re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text))

        self.each("summary", check)


if __name__ == "__main__":
    unittest.main()
