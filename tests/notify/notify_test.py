"""`python -m ncclwhy.notify` against HTTP servers that check what comes by the shape and limits which each service documents."""
import http.server
import json
import shutil
import ssl
import subprocess
import sys
import threading
import unittest

from services import SERVICES, SOURCE, Services, ServicesTest

sys.path.insert(0, str(SOURCE / "src/python"))
from ncclwhy.notify import Message  # noqa: E402


class NotifyTest(ServicesTest):
    def test_the_second_time_only_updates(self):
        for service, first, second in (("slack", "posted", "updated"), ("teams", "posted", "told before; seen 2"),
                                       ("jira", "opened OPS-1", "commented on OPS-1"), ("github", "opened #1", "commented on #1"),
                                       ("pagerduty", "sent", "sent")):
            with self.subTest(service):
                self.server.messages = {}
                self.assertIn(first, self.notify(service, self.shm))
                self.assertIn(second, self.notify(service, self.shm))
                self.assertEqual(len(self.server.messages), 1)
                self.notify(service, self.killed)
                self.assertEqual(len(self.server.messages), 2)
                told = json.dumps(list(self.server.messages.values()), ensure_ascii=False)
                for words in ("h100-39", "worker-20", "/dev/shm on h100-39 is full or too small"):
                    self.assertIn(words, told)

    def test_slack_counts_and_forgets_nothing(self):
        for _ in range(3):
            self.notify("slack", self.shm)
        (message,) = self.server.messages.values()
        self.assertIn("Seen 3 times", message["blocks"][-1]["elements"][0]["text"])
        self.server.messages.clear()  # somebody deleted it
        self.assertIn("posted", self.notify("slack", self.shm))
        (self.dir / "slack.json").write_text("{ torn")
        self.assertIn("posted", self.notify("slack", self.shm))

    def test_jira_of_a_data_center(self):
        self.server.data_center = True
        self.assertIn("opened", self.notify("jira", self.shm))
        self.assertIn("commented", self.notify("jira", self.shm))
        self.assertEqual(self.server.seen[-1][3]["Authorization"], "Bearer jira-test")
        self.notify("jira", self.shm, NCCLWHY_JIRA_USER="me@example.com")
        self.assertTrue(self.server.seen[-1][3]["Authorization"].startswith("Basic "))

    def test_redacted(self):
        for service in SERVICES:
            with self.subTest(service):
                self.server.seen.clear()
                self.server.messages.clear()
                self.notify(service, self.killed, "--redact")
                told = json.dumps([body for _, _, body, _ in self.server.seen])
                self.assertNotIn("worker-", told)
                self.assertNotRegex(told, r"\d+\.\d+\.\d+\.\d+")
                self.assertIn("host-1", told)
        # Aliases hide names, not the trouble: it is the same with and without.
        self.notify("webhook", self.killed)
        self.assertEqual(self.server.seen[-1][2]["deduplicate"], self.server.seen[-2][2]["deduplicate"])

    def test_fingerprints(self):
        def of(report):
            self.notify("webhook", report)
            return self.server.seen[-1][2]["deduplicate"]
        again = json.loads(json.dumps(self.shm))
        again["causes"][0]["culprits"][0]["pid"] = 99
        again["causes"][0]["confidence"] = 0.5
        self.assertEqual(of(again), of(self.shm))
        again["causes"][0]["culprits"][0]["host"] = "other"
        self.assertNotEqual(of(again), of(self.shm))
        self.assertNotEqual(of(self.killed), of(self.shm))

    def test_what_is_told(self):
        """The fix with its command, places that fit a line, and no certainty."""
        report = json.loads(json.dumps(self.shm))
        cause = report["causes"][0]
        cause.update(confidence=0.9999, fixes=[{"for": "any", "text": "Look", "command": "df -h"}, {"for": "docker", "text": "More"},
                                               {"for": "slurm", "text": "Edit", "command": "a\nb"}],
                     evidence=[{"file": "/a/long/way/rank0/job.log", "line": 7, "text": "it broke"}])
        told = Message(report)
        self.assertEqual(told.fixes, ["Look $ df -h", "docker: More", "slurm: Edit"])
        self.assertEqual(told.evidence, ["rank0/job.log:7: it broke"])
        self.assertEqual(dict(told.facts)["Cause"], "shm.too-small (99 %)")
        # "run it again" beside a look that has to come first would say the opposite.
        report["decision"] = {"do": "rerun", "hosts": [], "confidence": 0.8, "why": "find out first who holds the port", "look_first": True}
        self.assertEqual(dict(Message(report).facts)["Now"], "find out first who holds the port; then run it again")
        for odd, shown in ((float("nan"), 0), (-1, 0), (1e300, 99), (0.004, 1)):
            cause["confidence"] = odd
            self.assertEqual(dict(Message(report).facts)["Cause"], f"shm.too-small ({shown} %)")

    def test_hostile_reports(self):
        report = self.hostile()
        for service in SERVICES:
            with self.subTest(service):
                self.server.seen.clear()
                self.server.messages.clear()
                self.notify(service, report)
                told = json.dumps([body for _, _, body, _ in self.server.seen], ensure_ascii=False)
                self.assertEqual([c for c in told if c in "\x00\x1b\u202e"] + [c for c in ("\\u202e", "\\u001b", "\\u0000") if c in told], [])
                if service == "slack":
                    self.assertNotIn("<!channel>", self.server.seen[-1][2]["text"])
                    for block in self.server.seen[-1][2]["blocks"][1:]:
                        self.assertFalse("<!channel>" in json.dumps(block), block["type"])
                if service == "jira":
                    for _, _, body, _ in self.server.seen:
                        if body:
                            text = body["fields"]["description"]
                            self.assertLessEqual(text.count("{noformat}"), 8)

    def test_reports_of_another_shape(self):
        for name in ("causes", "consequences", "outcome_evidence", "job", "decision", "timeline", "progress"):
            for value in (None, 7, "x", [1, None, {}], {"a": 1}, [{"culprits": 7, "fixes": "x", "evidence": [3]}]):
                self.assertTrue(Message({**self.shm, name: value}, redact=True).title)
        for wrong in ([], {}, {"schema": "ncclwhy.report/9"}, 7):
            self.notify("webhook", wrong, status=2)

    def test_services_that_fail(self):
        self.server.trouble = [(503, {}), (429, {"Retry_After": "1"})]
        self.assertIn("opened #1", self.notify("github", self.shm))
        self.server.trouble = [(500, {})] * 9
        self.assertIn("answered 500", self.notify("webhook", self.shm, status=3))
        self.assertEqual(len(self.server.trouble), 6)
        self.server.trouble = []
        self.assertIn("cannot be reached", self.notify("webhook", self.shm, status=3, NCCLWHY_WEBHOOK_URL="http://127.0.0.1:1/"))
        self.assertIn("invalid_auth", self.notify("slack", self.shm, status=3, NCCLWHY_SLACK_TOKEN="xoxb-wrong"))
        self.assertIn("404", self.notify("webhook", self.shm, status=3, NCCLWHY_WEBHOOK_URL=self.url + "/nowhere"))

    def test_secrets_stay(self):
        """No plain HTTP but to this machine, and no redirect with the token."""
        self.assertIn("no https", self.notify("webhook", self.shm, status=3, NCCLWHY_WEBHOOK_URL="http://tickets.example/x"))
        self.server.seen.clear()
        self.assertIn("302", self.notify("webhook", self.shm, status=3, NCCLWHY_WEBHOOK_URL=self.url + "/moved", NCCLWHY_WEBHOOK_TOKEN="t0ken"))
        self.assertEqual(len(self.server.seen), 1)
        self.assertIn("NCCLWHY_PAGERDUTY_KEY is not set", self.notify("pagerduty", self.shm, status=3, NCCLWHY_PAGERDUTY_KEY=""))

    @unittest.skipUnless(shutil.which("openssl"), "no openssl to make certificates with")
    def test_tls(self):
        """A certificate that nobody vouches for, or of another name, gets no byte of the message."""
        def served(name):
            key, certificate = self.dir / f"{name}.key", self.dir / f"{name}.pem"
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                            "-addext", f"subjectAltName=DNS:{name}", "-keyout", key, "-out", certificate], check=True, capture_output=True)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Services)
            server.seen, server.messages, server.trouble, server.problems = self.server.seen, {}, [], []
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
            server.handle_error = lambda *_: None  # a client that went away
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            self.addCleanup(thread.join)
            self.addCleanup(server.server_close)
            self.addCleanup(server.shutdown)
            return certificate, f"https://localhost:{server.server_port}/hook"
        certificate, url = served("localhost")
        self.assertIn("posted", self.notify("webhook", self.shm, NCCLWHY_WEBHOOK_URL=url, SSL_CERT_FILE=str(certificate)))
        self.assertEqual(len(self.server.seen), 1)
        self.assertIn("CERTIFICATE_VERIFY_FAILED", self.notify("webhook", self.shm, status=3, NCCLWHY_WEBHOOK_URL=url))
        certificate, url = served("tickets.example")
        self.assertIn("CERTIFICATE_VERIFY_FAILED",
                      self.notify("webhook", self.shm, status=3, NCCLWHY_WEBHOOK_URL=url, SSL_CERT_FILE=str(certificate)))
        self.assertEqual(len(self.server.seen), 1)

    def test_nothing_failed(self):
        self.assertIn("nobody is told", self.notify("slack", self.healthy))
        self.assertEqual(self.server.seen, [])
        self.notify("slack", self.healthy, "--always")
        self.assertEqual(len(self.server.seen), 1)


if __name__ == "__main__":
    unittest.main()
