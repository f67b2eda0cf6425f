"""`ncclwhy serve`, started for real on a free port of loopback."""
import concurrent.futures
import gzip
import http.client
import io
import json
import re
import signal
import socket
import subprocess
import tarfile
import time
import unittest
import xml.dom.minidom

from programs import FORMATS, HEALTHY, KILLED, NCCLWHY, ProgramTest, SHM_FULL

LOG = SHM_FULL.read_bytes()


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([NCCLWHY, "serve", "--listen", "127.0.0.1:0", *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.stopped = None
        line = self.process.stdout.readline().decode()
        self.port = int(re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)\n", line).group(1))

    def ask(self, method, target, body=None, headers=None, **options):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, target, body, headers or {}, **options)
            response = connection.getresponse()
            return response.status, response.read(), response.headers
        finally:
            connection.close()

    def analyze(self, body, query="", **options):
        status, data, _ = self.ask("POST", "/analyze" + query, body, **options)
        return status, data

    def raw(self, data, timeout=30):
        """What comes back for these bytes, until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            connection.sendall(data)
            out = b""
            while chunk := connection.recv(65536):
                out += chunk
            return out

    def metrics(self):
        text = self.ask("GET", "/metrics")[1].decode()
        return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line[0] != "#"}

    def stop(self, number=signal.SIGTERM):
        """Once; a second signal would end it at once."""
        if self.stopped:
            return self.stopped
        if number and self.process.poll() is None:
            self.process.send_signal(number)
        try:
            _, err = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self.stopped = self.process.returncode, err.decode()
        return self.stopped


class ServeTest(ProgramTest):
    def start(self, *options):
        server = Server(*options)
        self.addCleanup(server.stop)
        return server

    def error(self, answer):
        status, data = answer
        problem = json.loads(data)["error"]
        self.assertEqual(problem["status"], status)
        self.assertTrue(problem["message"])
        return status, problem["code"]


class Answers(ServeTest):
    def setUp(self):
        super().setUp()
        self.server = self.start()

    def test_formats_are_those_of_the_command(self):
        (self.dir / "log").write_bytes(LOG)
        for name in FORMATS:
            for lang in ("en", "zh"):
                with self.subTest(name, lang=lang):
                    status, data = self.server.analyze(LOG, f"?format={name}&lang={lang}")
                    self.assertEqual(status, 200)
                    # The foot of the page tells what was typed; here nothing was.
                    told = re.sub("\u00b7 ncclwhy [^\u00b7<]*".encode(), b"", self.ncclwhy("--format", name, "--lang", lang, "log").stdout)
                    self.assertEqual(data, told)

    def test_types(self):
        for name, kind in {"json": "application/json", "html": "text/html", "junit": "application/xml"}.items():
            _, data, headers = self.server.ask("POST", f"/analyze?format={name}", LOG)
            self.assertTrue(headers["Content-Type"].startswith(kind))
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["X-Ncclwhy-Verdict"], "failure")
            self.assertIn(headers["X-Ncclwhy-Outcome"], ("failed", "hung", "stopped", "unknown"))
            if name == "junit":
                xml.dom.minidom.parseString(data)

    def test_default_is_json(self):
        self.assertEqual(json.loads(self.server.analyze(LOG)[1])["causes"][0]["id"], "shm.too-small")

    def test_parameters(self):
        _, data = self.server.analyze(LOG, "?redact=1")
        self.assertNotIn(b"h100-39", data)
        _, data = self.server.analyze(LOG, "?name=../../etc/hostname&top=1")
        report = json.loads(data)
        self.assertEqual(report["causes"][0]["evidence"][0]["file"], "../../etc/hostname")
        self.assertEqual(len(report["causes"]), 1)
        _, data = self.server.analyze(HEALTHY.read_bytes(), "?format=summary&name=/dev/zero")
        self.assertRegex(data, rb"^(\w+, )?healthy")

    def test_archive(self):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w:gz") as archive:
            archive.add(KILLED, "logs")
        report = json.loads(self.server.analyze(out.getvalue(), "?name=b.tgz")[1])
        self.assertEqual(report["causes"][0]["culprits"][0]["rank"], 3)
        self.assertTrue(report["causes"][0]["evidence"][0]["file"].startswith("b.tgz/logs/rank"))

    def test_content_encoding(self):
        for headers in ({}, {"Content-Encoding": "gzip"}):
            status, data = self.server.analyze(gzip.compress(LOG), "?format=summary", headers=headers)
            self.assertEqual((status, b"failure: shm.too-small" in data), (200, True))

    def test_chunks(self):
        pieces = (LOG[i : i + 777] for i in range(0, len(LOG), 777))
        status, data = self.server.analyze(pieces, "?format=summary", encode_chunked=True,
                                           headers={"Transfer-Encoding": "chunked"})
        self.assertEqual((status, b"failure: shm.too-small" in data), (200, True))

    def test_damaged_archive_is_said(self):
        packed = gzip.compress(LOG * 50, 1)
        status, data = self.server.analyze(packed[: len(packed) // 2])
        self.assertEqual(status, 200)
        self.assertIn("cannot be unpacked", json.loads(data)["problems"][0])
        self.assertEqual(self.error(self.server.analyze(packed[:12])), (422, "unreadable"))

    def test_bad_requests(self):
        for query in ("?format=pdf", "?lang=fr", "?redact=yes", "?formt=json", "?top=0", "?name=", "?name=" + "x" * 300,
                      "?redact=1&redact=0", "?lang=en&top=1&lang=zh"):
            with self.subTest(query):
                self.assertEqual(self.error(self.server.analyze(LOG, query)), (400, "bad-request"))
        self.assertEqual(self.error(self.server.analyze(b"")), (400, "bad-request"))
        form = {"Content-Type": "multipart/form-data; boundary=x"}
        self.assertEqual(self.error(self.server.analyze(b"--x--", headers=form)), (415, "unsupported-media-type"))
        for method, target, status in (("GET", "/analyze", 405), ("POST", "/health", 405), ("DELETE", "/analyze", 405),
                                       ("POST", "/etc/passwd", 404), ("GET", "/../etc/passwd", 404)):
            with self.subTest(method=method, target=target):
                answer, data, headers = self.server.ask(method, target, b"x" if method == "POST" else None)
                self.assertEqual(self.error((answer, data))[0], status)
                if status == 405:
                    self.assertIn("POST" if target == "/analyze" else "GET", headers["Allow"])

    def test_broken_http(self):
        cases = {
            b"\r\n\r\n": b"400",
            b"GET / HTTP/3.0\r\n\r\n": b"400",
            b"BREW /analyze HTTP/1.1\r\n\r\n": b"400",
            b"POST /analyze HTTP/1.1\r\n\r\n": b"411",
            b"POST /analyze HTTP/1.1\r\nContent-Length: -1\r\n\r\n": b"400",
            b"POST /analyze HTTP/1.1\r\nContent-Length: 1e3\r\n\r\n": b"400",
            b"POST /analyze HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx": b"400",
            b"POST /analyze HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": b"400",
            b"POST /analyze HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n": b"400",
            b"POST /analyze HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n": b"400",
            b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n": b"414",
            b"GET /health HTTP/1.1\r\nRange: bytes=0-,0-,0-,0-,0-\r\n\r\n": b"200",
        }
        # At a time: some get their answer only when the server has waited long enough for the rest.
        with concurrent.futures.ThreadPoolExecutor(len(cases)) as clients:
            answers = list(clients.map(self.server.raw, cases))
        for (request, status), answer in zip(cases.items(), answers):
            with self.subTest(request[:60]):
                self.assertEqual(answer[9:12], status)
        self.assertEqual(self.server.ask("GET", "/health")[0], 200)

    def test_one_request_a_connection(self):
        """The rest of a refused body is no request."""
        smuggled = b"GET /health HTTP/1.1\r\n\r\n"
        answer = self.server.raw(b"POST /analyze?x=1 HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(smuggled) + smuggled)
        self.assertEqual(answer.count(b"HTTP/1.1"), 1)
        answer = self.server.raw(b"GET /health HTTP/1.1\r\n\r\n" * 2)
        self.assertEqual(answer.count(b"HTTP/1.1"), 1)

    def test_hostile_logs(self):
        for body in (bytes(range(256)) * 400, b"\x1f\x8b" + bytes(5000), b"\n" * 100000, b"x" * 3000000, b"PK\x03\x04"):
            status, _ = self.server.analyze(body, "?format=summary")
            self.assertIn(status, (200, 422))
        self.assertEqual(self.server.ask("GET", "/health")[0], 200)

    def test_only_our_own_names(self):
        """A page whose name was made to mean this machine is a stranger's."""
        for host, status in ((b"evil.example", b"403"), (b"evil.example:80", b"403"), (b"127.0.0.1.evil.example", b"403"),
                             (b"localhost:1", b"200"), (b"127.0.0.1", b"200"), (b"[::1]:9", b"200")):
            answer = self.server.raw(b"GET /health HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
            self.assertEqual(answer.split(b" ", 2)[1], status, host)

    def test_one_host(self):
        """Which of two counts, a proxy in front may tell differently."""
        for second in (b"localhost", b"evil.example.org"):
            answer = self.server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: " + second + b"\r\n\r\n")
            self.assertTrue(answer.startswith(b"HTTP/1.1 400"), answer[:80])

    def test_health(self):
        status, data, _ = self.server.ask("GET", "/health")
        self.assertEqual((status, json.loads(data)["status"]), (200, "ok"))
        self.assertEqual(self.server.ask("HEAD", "/health")[:2], (200, b""))

    def test_many_at_a_time(self):
        want = {log: self.server.analyze(log)[1] for log in (LOG, HEALTHY.read_bytes())}
        before = self.server.metrics()

        def one(number):
            log = list(want)[number % 2]
            return self.server.analyze(gzip.compress(log) if number % 3 == 0 else log) == (200, want[log])

        with concurrent.futures.ThreadPoolExecutor(8) as clients:
            self.assertTrue(all(clients.map(one, range(160))))
        deadline = time.monotonic() + 10
        while (after := self.server.metrics())["ncclwhy_analyses_running"] and time.monotonic() < deadline:
            time.sleep(0.02)
        counted = lambda name: after.get(name, 0) - before.get(name, 0)
        self.assertEqual(counted('ncclwhy_http_responses_total{path="/analyze",code="200"}'), 160)
        self.assertEqual(counted('ncclwhy_reports_total{verdict="failure"}'), 80)
        self.assertEqual(counted('ncclwhy_reports_total{verdict="healthy"}'), 80)
        self.assertEqual(counted('ncclwhy_causes_total{cause="shm.too-small"}'), 80)
        self.assertEqual(counted("ncclwhy_report_seconds_count"), 160)
        self.assertEqual(counted('ncclwhy_report_seconds_bucket{le="+Inf"}'), 160)
        self.assertEqual(counted("ncclwhy_log_bytes_total"), 80 * sum(map(len, want)))
        self.assertEqual(after["ncclwhy_analyses_running"], 0)


class Limits(ServeTest):
    def test_size(self):
        server = self.start("--max-bytes", "1MB")
        self.assertEqual(server.analyze(LOG)[0], 200)
        big = b"a line of a log\n" * 100000
        self.assertEqual(self.error(server.analyze(big)), (413, "too-large"))
        self.assertEqual(self.error(server.analyze(gzip.compress(big))), (413, "too-large"))
        self.assertEqual(self.error(server.analyze(iter([big] * 20), encode_chunked=True,
                                                   headers={"Transfer-Encoding": "chunked"})), (413, "too-large"))
        # curl asks first: the body is not sent at all.
        answer = server.raw(b"POST /analyze HTTP/1.1\r\nContent-Length: 99000000\r\nExpect: 100-continue\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 413"), answer[:80])
        self.assertEqual(server.metrics()['ncclwhy_http_responses_total{path="/analyze",code="413"}'], 4)
        self.assertEqual(server.analyze(LOG)[0], 200)

    def test_bomb(self):
        server = self.start()
        started = time.monotonic()
        self.assertEqual(self.error(server.analyze(gzip.compress(bytes(400 << 20)))), (413, "too-large"))
        self.assertLess(time.monotonic() - started, 30)

    def test_time(self):
        server = self.start("--timeout", "1")
        head = b"POST /analyze HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as slow:
            slow.sendall(head)
            started = time.monotonic()
            try:
                while time.monotonic() - started < 10:
                    slow.sendall(b"4\r\nlog\n\r\n")
                    time.sleep(0.2)
            except OSError:
                pass
            self.assertLess(time.monotonic() - started, 8)
        # One that says nothing more.
        answer = server.raw(b"POST /analyze HTTP/1.1\r\nContent-Length: 100\r\n\r\nabc")
        self.assertIn(answer[9:12], (b"400", b"504"))
        self.assertEqual(server.analyze(LOG)[0], 200)

    def test_queue(self):
        server = self.start("--workers", "1", "--queue", "1", "--timeout", "60")
        large = gzip.compress(LOG * 15000, 1)  # some seconds of work
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            waiting = [pool.submit(server.analyze, large) for _ in range(2)]  # one is being analysed, one waits
            deadline = time.monotonic() + 10
            while server.metrics()["ncclwhy_analyses_waiting"] < 1 and time.monotonic() < deadline:
                time.sleep(0.02)
            status, data, headers = server.ask("POST", "/analyze", LOG)
            self.assertEqual(self.error((status, data)), (503, "busy"))
            self.assertEqual(headers["Retry-After"], "1")
            self.assertEqual(server.ask("GET", "/health")[0], 200)
            self.assertEqual([one.result()[0] for one in waiting], [200, 200])
        self.assertEqual(server.analyze(LOG)[0], 200)

    def test_a_place_is_for_a_body_that_is_there(self):
        server = self.start("--workers", "1", "--queue", "4")
        head = b"POST /analyze HTTP/1.1\r\nContent-Length: 500000\r\n\r\n"
        silent = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(8)]
        for n, connection in enumerate(silent):
            connection.sendall(head + b"a line\n" * n)
        time.sleep(0.3)
        started = time.monotonic()
        self.assertEqual(server.analyze(LOG)[0], 200)
        self.assertLess(time.monotonic() - started, 5)
        for connection in silent:
            connection.close()

    def test_clients_that_go_away(self):
        server = self.start("--workers", "1")
        for size in (0, 10, len(LOG)):
            with socket.create_connection(("127.0.0.1", server.port)) as client:
                client.sendall(b"POST /analyze HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(LOG) + LOG[:size])
        self.assertEqual(server.analyze(LOG)[0], 200)


class Life(ServeTest):
    def test_stop(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = self.start()
            self.assertEqual(server.analyze(LOG)[0], 200)
            status, err = server.stop(number)
            self.assertEqual(status, 0)
            self.assertIn("POST /analyze 200", err)

    def test_stop_answers_what_was_begun(self):
        server = self.start()
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
            client.sendall(b"POST /analyze?format=summary HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(LOG) + LOG[:100])
            time.sleep(0.3)  # it is being read
            server.process.terminate()
            time.sleep(0.3)
            client.sendall(LOG[100:])
            answer = b""
            while chunk := client.recv(65536):
                answer += chunk
        self.assertIn(b"failure: shm.too-small", answer)
        self.assertEqual(server.stop(None)[0], 0)

    def test_port_in_use(self):
        server = self.start()
        run = self.ncclwhy("serve", "--listen", f"127.0.0.1:{server.port}")
        self.assertEqual(run.returncode, 2)
        self.assertIn(b"cannot listen on http://127.0.0.1:", run.stderr)

    def test_wrong_options(self):
        for options in (["--listen", "nonsense"], ["--listen", "127.0.0.1:99999"], ["--listen", "::1:80"],
                        ["--timeout", "0"], ["--max-bytes", "0"], ["--rules", "/no/such/rules"], ["log"]):
            with self.subTest(options):
                self.assertEqual(self.ncclwhy("serve", *options, timeout=20).returncode, 2)

    def test_only_loopback_by_default(self):
        self.assertIn(b"default 127.0.0.1:", self.ncclwhy("serve", "--help").stdout)
        self.assertEqual(self.start("--quiet").stop(), (0, ""))

    def test_own_rules(self):
        rule = self.dir / "rules/test/test-own"
        rule.mkdir(parents=True)
        if not (SHM_FULL.parents[3] / "rules/catalog").is_dir():
            self.skipTest("no rules to start from")
        server = self.start("--rules", str(SHM_FULL.parents[3] / "rules/catalog/shm"))
        self.assertEqual(json.loads(server.analyze(LOG)[1])["causes"][0]["id"], "shm.too-small")


if __name__ == "__main__":
    unittest.main()
