"""Two hosts whose clocks stand apart: samples without time stamps get some, those of one host shifted. The order of what
happened in the trace, the page and the text is that of the events; with equal clocks, and where nothing tells, nothing moves."""
import datetime
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

BINARY = os.environ["NCCLWHY"]
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples/incidents"
BEGIN = datetime.datetime(2025, 3, 12, 10, 11, 12)
# What broke, the first who noticed, their hosts.
EXCEPTION = ("exception-2.28.9-2x4-s33", "rank3.log", "dgx15", "dgx16")
KILLED = ("killed-2.28.9-2x2-s1", "rank3.log", "worker-20", "worker-19")
SAID = re.compile(r"'s clock|时钟|Clocks|time stamps do not fit|process_labels|\"(clocks|moved)\"")


def stamped(case, skew, notice=5.0, start=True, late=None):
    """The logs of `case`. They begin together, complete 0.3 s later, break at 20 s, and notice it `notice` seconds later.
    `skew`: seconds by host that its clock is ahead. Without `start` nobody says when it began; `late`: seconds by which the
    clock of a host was set in the middle of the initialisation."""
    name, root, *_ = case
    files = {}
    for path in sorted((SAMPLES / name).glob("*.log")):
        at, stands, lines = 1.0, "before", []
        host = re.match(r"([\w-]+):\d+:\d+ ", path.read_text()).group(1)
        for number, line in enumerate(path.read_text().splitlines()):
            line = re.sub(r"^\[\d{4}-[\d: -]+\] ", "", line)  # only warnings have one
            if "Init START" in line:
                at, stands = 2.0, "init"
                if not start:
                    continue
            if "Init COMPLETE" in line:
                at, stands = 2.3, "ready"
            elif stands == "ready":
                at, stands = (20.0 if path.name == root else 20.0 + notice), "broken"
            seconds = at + number / 10000 + skew.get(host, 0)
            if late and host in late and stands != "before" and "Init START" not in line:
                seconds += late[host]
            stamp = BEGIN + datetime.timedelta(seconds=seconds)
            lines.append(f"{stamp:%Y-%m-%d %H:%M:%S}.{stamp.microsecond // 1000:03} {line}\n")
        files[path.name] = "".join(lines)
    return files


class Clocks(unittest.TestCase):
    def run_in(self, files, *options, groups=None):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                pathlib.Path(folder, name).write_text(text)
            names = sorted(files)
            if groups:
                for i, group in enumerate(groups):
                    subprocess.run([BINARY, "digest", "-q", "-o", f"{i}.digest", *group], cwd=folder, check=True)
                names = [f"{i}.digest" for i in range(len(groups))]
            done = subprocess.run([BINARY, *options, *names], cwd=folder, capture_output=True, check=False)
        return done.stdout.decode()

    def report(self, files):
        return json.loads(self.run_in(files, "--format", "json"))

    def trace(self, files, *options):
        """Moments of the steps by kind, and the labels of the processes by name."""
        events = json.loads(self.run_in(files, "--format", "trace", *options))["traceEvents"]
        moments = {e["cat"]: e["ts"] for e in reversed(events) if e["ph"] == "i"}
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        labels = {names[e["pid"]]: e["args"]["labels"] for e in events if e["name"] == "process_labels"}
        return moments, labels

    def picture(self, files, *options):
        """Where what broke and what followed first stand in the picture of the story, and the section's text."""
        page = self.run_in(files, "--format", "html", *options)
        section = next(s for s in page.split("<section") if 'r="7"' in s)
        picture = section[section.index('<div class="scroll">'):section.index('class="dim legend"')]
        root = int(re.search(r'cx="(\d+)" cy="\d+" r="7"', picture).group(1))
        after = [int(x) for x in re.findall(r'<circle class="t2" cx="(\d+)"', picture)]
        return root, min(after), re.sub(r"<[^>]+>", " ", section).replace("&#39;", "'")

    def text(self, files, *options):
        return " ".join(self.run_in(files, "-v", *options).split())

    def check_order(self, files):
        moments, labels = self.trace(files)
        self.assertLess(moments["root"], moments["consequence"])
        root, after, section = self.picture(files)
        self.assertLess(root, after)
        kinds = [step["kind"] for step in self.report(files)["timeline"]]
        self.assertLess(kinds.index("root"), kinds.index("consequence"))
        return labels, section

    def test_who_noticed_is_behind(self):
        for case, host, other, ahead in ((EXCEPTION, "dgx16", "dgx15", -37.2), (KILLED, "worker-20", "worker-19", 37.2)):
            with self.subTest(case[0]):
                files = stamped(case, {host: ahead})
                side, way = ("ahead of", "快") if ahead > 0 else ("behind", "慢")
                english = f"{host}'s clock is 37.2 s {side} {other}'s (±0.3 s, from 1 shared event)"
                chinese = f"{host} 的时钟比 {other} 的{way} 37.2 秒（±0.3 秒，依据 1 个共同事件）；其步骤已按此移动"
                labels, section = self.check_order(files)
                moved = "; its steps are moved by that"
                self.assertEqual(labels, {host: english + moved})
                self.assertIn(english + moved, section)
                self.assertIn(f"({-ahead:+.1f} s)", section)
                self.assertIn(english, self.text(files))
                self.assertIn(english, self.run_in(files, "--format", "markdown").replace("\\", ""))
                self.assertNotRegex(self.run_in(files), SAID)
                self.assertEqual(self.trace(files, "--lang", "zh")[1], {host: chinese})
                self.assertIn(chinese, self.picture(files, "--lang", "zh")[2])
                self.assertIn("".join(chinese.split()), "".join(self.run_in(files, "-v", "--lang", "zh").split()))
                clock, = self.report(files)["clocks"]
                self.assertAlmostEqual(clock["ahead"], ahead, delta=0.1)
                self.assertEqual((clock["host"], clock["reference"], clock["events"]), (host, other, 1))

    def test_equal_clocks(self):
        for case in (EXCEPTION, KILLED):
            files = stamped(case, {case[3]: 0.03})
            self.check_order(files)
            for format in ("text", "full", "json", "markdown", "html", "trace"):
                for language in ("en", "zh"):
                    self.assertNotRegex(self.run_in(files, "--format", format, "--lang", language), SAID)

    def test_too_little_to_mislead(self):
        files = stamped(EXCEPTION, {"dgx16": -0.8})
        labels, section = self.check_order(files)
        self.assertIn("0.8 s behind", labels["dgx16"])
        self.assertIn("0.8 s behind", section)
        self.assertNotRegex(self.text(files), SAID)
        # Unless that is longer than it took the others to notice.
        files = stamped(EXCEPTION, {"dgx16": -0.8}, notice=0.5)
        self.check_order(files)
        self.assertIn("0.8 s behind", self.text(files))

    def test_another_zone(self):
        files = stamped(EXCEPTION, {"dgx16": 7200})
        labels, _ = self.check_order(files)
        self.assertIn("2 h ahead of dgx15's (±0.3 s, from 1 shared event), as in another time zone", labels["dgx16"])

    def test_nothing_measured(self):
        files = stamped(EXCEPTION, {"dgx16": -37.2}, start=False)
        unknown = "dgx16's time stamps do not fit dgx15's, and nothing that both saw tells"
        moments, labels = self.trace(files)
        self.assertGreater(moments["root"], moments["consequence"])  # as stamped
        self.assertIn(unknown, labels["dgx16"])
        self.assertIn(unknown, self.picture(files)[2])
        self.assertIn(unknown, self.text(files))
        self.assertIn("dgx16 的时间戳与 dgx15 的不相符", self.trace(files, "--lang", "zh")[1]["dgx16"])
        equal = stamped(EXCEPTION, {}, start=False)
        self.check_order(equal)
        for format in ("full", "html", "trace", "json"):
            self.assertNotRegex(self.run_in(equal, "--format", format), SAID)

    def test_clock_was_set(self):
        files = stamped(EXCEPTION, {}, late={"dgx16": -60})
        report = self.report(files)
        self.assertEqual([(c["host"], "ahead" in c) for c in report["clocks"]], [("dgx16", False)])
        self.assertFalse(any("moved" in step for step in report["timeline"]))
        self.assertIn("time stamps do not fit", self.picture(files)[2])

    def test_digests_say_the_same(self):
        files = stamped(EXCEPTION, {"dgx16": -37.2})
        names = sorted(files)
        for format in ("full", "json", "markdown", "html", "trace"):
            # The foot of the page tells what was typed, which are other files.
            told = lambda out: re.sub(r"\xb7 ncclwhy [^\xb7<]*", "", out)  # noqa: E731
            wanted = told(self.run_in(files, "--format", format))
            for groups in ([names[:4], names[4:]], [names[::2], names[1::2]], [[name] for name in names]):
                self.assertEqual(told(self.run_in(files, "--format", format, groups=groups)), wanted)

    def test_aliases(self):
        files = stamped(EXCEPTION, {"dgx16": -37.2})
        for format in ("full", "json", "html", "trace"):
            out = self.run_in(files, "--format", format, "--redact")
            self.assertNotIn("dgx1", out)
            self.assertRegex(out, r"clock is 37.2 s behind|\"clocks\"")


if __name__ == "__main__":
    unittest.main()
