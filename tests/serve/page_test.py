"""The page of `ncclwhy serve`, who may ask, and who waits too long: with sockets and http.client, no browser."""
import json
import os
import re
import socket
import tarfile
import time
import unittest

from programs import HEALTHY, KILLED, SHM_FULL
from server_test import ServeTest

LOG = SHM_FULL.read_bytes()
TOKEN = "correct-horse-battery"


def form(*parts):
    """multipart/form-data as browsers write it: (name, value) or (name, file name, bytes)."""
    out = b""
    for name, *rest in parts:
        out += b'--XX\r\nContent-Disposition: form-data; name="%s"' % name.encode()
        if len(rest) == 2:
            out += b'; filename="%s"\r\nContent-Type: application/octet-stream' % rest[0].encode()
        value = rest[-1]
        out += b"\r\n\r\n" + (value.encode() if isinstance(value, str) else value) + b"\r\n"
    return out + b"--XX--\r\n"


class Page(ServeTest):
    def send(self, server, *parts, headers=None):
        head = {"Content-Type": "multipart/form-data; boundary=XX", **(headers or {})}
        return server.ask("POST", "/", form(*parts), head)

    def test_the_page(self):
        server = self.start("--max-bytes", "200MiB", "--timeout", "30")
        status, body, headers = server.ask("GET", "/")
        page = body.decode()
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("200 MiB", page)
        self.assertIn("30 s", page)
        self.assertNotIn("<script", page)
        self.assertNotRegex(page, r"(src|href)=\"(https?:)?//")
        policy = headers["Content-Security-Policy"]
        for rule in ("default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
            self.assertIn(rule, policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(server.ask("HEAD", "/")[:2], (200, b""))

    def test_pasted(self):
        server = self.start()
        text = LOG.decode().replace("\n", "\r\n")  # as a browser sends a text area
        status, body, headers = self.send(server, ("text", text), ("logs", "", b""), ("lang", "en"))
        self.assertEqual(status, 200)
        self.assertIn(b"shm.too-small", body)
        self.assertIn(b"pasted", body)
        self.assertIn("frame-ancestors 'none'", headers["Content-Security-Policy"])
        self.assertIn("共享".encode(), self.send(server, ("text", text), ("lang", "zh"))[1])
        hidden = self.send(server, ("text", text), ("redact", "1"))[1].decode()
        self.assertNotIn("h100-39", hidden)

    def test_files_and_archives(self):
        server = self.start()
        logs = sorted(KILLED.glob("*.log"))
        status, body, _ = self.send(server, ("text", ""), *[("logs", log.name, log.read_bytes()) for log in logs])
        self.assertEqual(status, 200)
        for expected in (b"app.rank-crashed", b"worker-20", logs[0].name.encode()):
            self.assertIn(expected, body)
        with tarfile.open(self.dir / "logs.tar.gz", "w:gz") as archive:
            for log in logs:
                archive.add(log, log.name)
        status, body, _ = self.send(server, ("logs", "C:\\dir\\logs.tar.gz", (self.dir / "logs.tar.gz").read_bytes()))
        self.assertEqual(status, 200)
        self.assertIn(b"logs.tar.gz/" + logs[0].name.encode(), body)
        self.assertNotIn(b"C:", body)
        metrics = server.metrics()
        self.assertEqual(metrics['ncclwhy_reports_total{verdict="failure"}'], 2)
        self.assertEqual(metrics['ncclwhy_http_responses_total{path="/",code="200"}'], 2)

    def test_what_is_wrong_is_said_on_the_page(self):
        server = self.start("--max-bytes", "1MB")
        cases = [(400, [("text", "")], "Nothing was pasted"), (400, [("evil", "x")], "not known"),
                 (413, [("text", "x" * 2000000)], "limit"), (413, [("logs", "a", b"x" * 700000), ("logs", "b", b"y" * 400000)], "limit"),
                 (413, [("logs", str(i), b"") for i in range(300)], "archive"), (422, [("logs", "a.gz", b"\x1f\x8b\x08" + bytes(30))], "")]
        for status, parts, words in cases:
            with self.subTest(parts[0][0], status=status):
                got, body, headers = self.send(server, *parts)
                self.assertEqual(got, status)
                self.assertIn("<form", body.decode())
                self.assertIn('role="alert"', body.decode())
                self.assertIn(words, body.decode())
                self.assertIn("style-src 'sha256-", headers["Content-Security-Policy"])
        self.assertEqual(server.ask("POST", "/", b"x")[0], 415)
        self.assertEqual(server.ask("POST", "/", b"--XX\r\nrubbish", {"Content-Type": "multipart/form-data; boundary=XX"})[0], 400)

    def test_room_for_uploads(self):
        """Forms that never end hold no more on disk than four of the largest; who ends gives it back."""
        server = self.start("--max-bytes", "1MB", "--queue", "16")
        head = (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=XX\r\nContent-Length: 990000\r\n\r\n"
                b'--XX\r\nContent-Disposition: form-data; name="text"\r\n\r\n')
        slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(5)]
        try:
            for client in slow:
                client.sendall(head + b"x" * 950000)
            time.sleep(1)
            status, body, _ = self.send(server, ("text", LOG * 3))
            self.assertEqual(status, 503)
            self.assertIn(b"too much is uploaded", body)
        finally:
            for client in slow:
                client.close()
        time.sleep(1)
        self.assertEqual(self.send(server, ("text", LOG))[0], 200)

    def test_names_of_files_are_text(self):
        server = self.start()
        status, body, _ = self.send(server, ("logs", "<script>x</script>\u202e.log", LOG))
        self.assertEqual(status, 200)
        self.assertNotIn(b"<script>x", body)
        self.assertNotIn("\u202e".encode(), body)

    def test_nothing_is_kept(self):
        """Uploads are files without a name, and their descriptors are closed."""
        os.environ["TMPDIR"], before = str(self.dir), os.environ.get("TMPDIR")
        try:
            server = self.start()
        finally:
            os.environ.pop("TMPDIR") if before is None else os.environ.update(TMPDIR=before)
        self.send(server, ("text", LOG))
        open_files = len(os.listdir(f"/proc/{server.process.pid}/fd"))
        for _ in range(5):
            self.assertEqual(self.send(server, ("text", LOG), ("logs", "a", HEALTHY.read_bytes()))[0], 200)
        time.sleep(0.3)
        self.assertLessEqual(len(os.listdir(f"/proc/{server.process.pid}/fd")), open_files + 1)
        self.assertEqual(os.listdir(self.dir), [])


class WhoMayAsk(ServeTest):
    send = Page.send

    def setUp(self):
        super().setUp()
        (self.dir / "token").write_text(TOKEN + "\n")

    def test_token(self):
        server = self.start("--token", str(self.dir / "token"))
        bearer = {"Authorization": "Bearer " + TOKEN}
        for headers, status in (({}, 401), ({"Authorization": "Bearer wrong-horse-battery"}, 401), ({"Authorization": TOKEN}, 401),
                                ({"Authorization": "Basic " + TOKEN}, 401), (bearer, 200), ({"Authorization": "bearer " + TOKEN}, 200)):
            with self.subTest(headers):
                got, _, answer = server.ask("POST", "/analyze", LOG, headers)
                self.assertEqual(got, status)
                self.assertEqual(answer["WWW-Authenticate"], "Bearer" if status == 401 else None)
                self.assertEqual(server.ask("GET", "/metrics", headers=headers)[0], status)
        for path, status in (("/", 200), ("/health", 200), ("/openapi.json", 200), ("/favicon.ico", 204)):
            self.assertEqual(server.ask("GET", path)[0], status)

    def test_token_of_the_form(self):
        server = self.start("--token", str(self.dir / "token"))
        self.assertIn(b'type="password"', server.ask("GET", "/")[1])
        self.assertEqual(self.send(server, ("token", TOKEN), ("text", LOG))[0], 200)
        self.assertEqual(self.send(server, ("text", LOG), headers={"Authorization": "Bearer " + TOKEN})[0], 200)
        for parts in ([("token", "wrong-horse-battery"), ("text", LOG)], [("text", LOG), ("token", TOKEN)], [("text", LOG)],
                      [("token", ""), ("text", LOG)], []):
            status, body, headers = self.send(server, *parts)
            self.assertEqual(status, 401, parts[:1])
            self.assertIn(b"<form", body)
            self.assertNotIn(TOKEN.encode(), body)

    def test_bad_tokens(self):
        for text in ("short", "", "x" * 5000):
            (self.dir / "bad").write_text(text)
            run = self.ncclwhy("serve", "--listen", "127.0.0.1:0", "--token", self.dir / "bad")
            self.assertEqual(run.returncode, 2)
            self.assertIn(b"16 to 4096", run.stderr)
        self.assertEqual(self.ncclwhy("serve", "--token", self.dir / "none").returncode, 2)

    def test_pages_of_others(self):
        server = self.start()
        own = f"127.0.0.1:{server.port}"
        for origin, status in ((None, 200), (f"http://{own}", 200), ("http://evil.example", 403), ("null", 403),
                               (f"http://{own}.evil.example", 403), (f"http://127.0.0.1:{server.port + 1}", 403)):
            headers = {"Host": own, **({"Origin": origin} if origin else {})}
            self.assertEqual(server.ask("POST", "/analyze", LOG, headers)[0], status, origin)
            self.assertEqual(self.send(server, ("text", LOG), headers=headers)[0], status, origin)
        self.assertEqual(server.ask("GET", "/", headers={"Host": "rebound.example"})[0], 403)

    def test_names_of_the_server(self):
        server = self.start("--host", "why.example")
        for host, status in (("why.example", 200), ("WHY.example:80", 200), ("localhost", 200), ("evil.example", 403)):
            self.assertEqual(server.ask("GET", "/health", headers={"Host": host})[0], status, host)


class Slow(ServeTest):
    def test_heads_that_drip(self):
        """A head has ten seconds, however many bytes come meanwhile."""
        server = self.start()
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
            started = time.monotonic()
            client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ")
            client.settimeout(1)
            answer = b""
            while time.monotonic() - started < 20:
                try:
                    answer = client.recv(4096)
                    break
                except TimeoutError:
                    client.sendall(b"x")
            self.assertIn(b"408", answer[:13])
            self.assertTrue(9 < time.monotonic() - started < 13, time.monotonic() - started)

    def test_many_silent_clients(self):
        """Neither heads that never end nor bodies that never come keep others from an answer."""
        server = self.start("--queue", "4", "--workers", "1")
        silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(300)]
        try:
            for i, client in enumerate(silent):
                client.sendall(b"POST /analyze HTTP/1.1\r\nContent-Length: 1000000\r\n" + (b"\r\n" if i % 10 == 0 else b""))
            started = time.monotonic()
            for path in ("/health", "/metrics", "/"):
                self.assertEqual(server.ask("GET", path)[0], 200)
            self.assertLess(time.monotonic() - started, 3)
        finally:
            for client in silent:
                client.close()

    def test_more_than_wait(self):
        """Who came first goes first, and the newest is served."""
        server = self.start()
        waiting = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(520)]
        try:
            self.assertEqual(server.ask("GET", "/health")[0], 200)
            waiting[0].settimeout(5)
            self.assertIn(b"503", waiting[0].recv(4096)[:13])
        finally:
            for client in waiting:
                client.close()

    def test_half_a_request(self):
        server = self.start()
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
            client.sendall(b"GET /hea")
            client.shutdown(socket.SHUT_WR)
            started = time.monotonic()
            while client.recv(4096):
                pass
            self.assertLess(time.monotonic() - started, 3)


class ForPrograms(ServeTest):
    def test_openapi(self):
        server = self.start()
        document = json.loads(server.ask("GET", "/openapi.json")[1])
        self.assertRegex(document["openapi"], r"3\.0\.\d")
        for path, methods in document["paths"].items():
            for method in methods:
                status, _, headers = server.ask(method.upper(), path, b"" if method == "post" else None)
                self.assertNotIn(status, (404, 405), path)
                self.assertTrue(methods[method]["responses"])
        analyze = document["paths"]["/analyze"]["post"]
        # What it says about parameters is what the server says of a wrong one, and each is known.
        problem = json.loads(server.analyze(b"x", "?formt=1")[1])["error"]["message"]
        self.assertEqual([p["name"] for p in analyze["parameters"]], problem.split("known are ")[1].split(", "))
        for parameter in analyze["parameters"]:
            values = parameter["schema"].get("enum", ["1"])
            for value in values:
                status, _ = server.analyze(LOG, f"?{parameter['name']}={value}")
                self.assertIn(status, (200, 422) if parameter["name"] in ("job", "attempt") else (200,), (parameter, value))
        for reference in re.findall(r'"#/([^"]+)"', json.dumps(document)):
            place = document
            for name in reference.split("/"):
                place = place[name]
        try:
            import openapi_spec_validator
        except ImportError:
            return
        openapi_spec_validator.validate(document)

    def test_openapi_tells_every_refusal(self):
        """Who may not, sends too much or the wrong thing gets a status, and a type, that the document has for that place."""
        (self.dir / "token").write_text(TOKEN)
        server = self.start("--token", str(self.dir / "token"), "--max-bytes", "1MB")
        document = json.loads(server.ask("GET", "/openapi.json")[1])
        key = {"Authorization": "Bearer " + TOKEN}
        sent = {"Content-Type": "multipart/form-data; boundary=XX"}
        evil, broken = {"Origin": "http://evil.example"}, b"\x1f\x8b\x08" + bytes(30)
        cases = [("POST", "/analyze", LOG, {}, 401), ("POST", "/analyze", LOG, {**key, **evil}, 403), ("POST", "/analyze", b"x" * 2000000, key, 413),
                 ("POST", "/analyze", LOG, {**key, **sent}, 415), ("POST", "/analyze", broken, key, 422), ("POST", "/analyze", b"", key, 400),
                 ("POST", "/", form(("text", "x")), sent, 401), ("POST", "/", form(("text", "x")), {**sent, **key, **evil}, 403),
                 ("POST", "/", form(("text", "x" * 2000000)), {**sent, **key}, 413), ("POST", "/", LOG, key, 415),
                 ("POST", "/", form(("logs", "a.gz", broken)), {**sent, **key}, 422), ("POST", "/", form(("text", "")), {**sent, **key}, 400),
                 ("GET", "/metrics", None, {}, 401)]
        cases += [("GET", path, None, {**key, **evil}, 403) for path in ("/", "/metrics", "/health", "/openapi.json")]
        for method, path, body, headers, wanted in cases:
            with self.subTest(method + path, status=wanted):
                status, _, answer = server.ask(method, path, body, headers)
                self.assertEqual(status, wanted)
                told = document["paths"][path][method.lower()]
                self.assertIn(str(status), told["responses"])
                self.assertIn(answer["Content-Type"].split(";")[0], told["responses"][str(status)]["content"])
        for path, methods in document["paths"].items():
            for method, told in methods.items():
                self.assertEqual("401" in told["responses"], "security" in told, (path, method))

    def test_history(self):
        history = self.dir / "fleet.db"
        self.assertEqual(self.ncclwhy("history", "add", history, KILLED).returncode, 0)
        server = self.start("--history", str(history))
        metrics = server.metrics()
        self.assertEqual(metrics["ncclwhy_history_readable"], 1)
        self.assertEqual(metrics['ncclwhy_history_host_blamed{host="worker-20"}'], 1)
        history.write_bytes(b"rubbish")
        self.assertEqual(server.metrics()["ncclwhy_history_readable"], 0)


if __name__ == "__main__":
    unittest.main()
