"""The ticket bot of samples/bot against a tracker that listens on loopback."""
import gzip
import http.server
import json
import os
import subprocess
import sys
import threading
import unittest

from programs import HEALTHY, NCCLWHY, ProgramTest, SHM_FULL, SOURCE


class Tracker(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.tickets.append((dict(self.headers), body))
        self.send_response(self.server.answers.pop(0) if self.server.answers else 201)
        self.end_headers()

    def log_message(self, *_):
        pass


class TicketBot(ProgramTest):
    def setUp(self):
        super().setUp()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Tracker)
        self.server.tickets, self.server.answers = [], []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def tool(self):
        return {"NCCLWHY": NCCLWHY}

    def bot(self, log, *arguments, **environment):
        url = f"http://127.0.0.1:{self.server.server_port}/new"
        clean = {k: v for k, v in os.environ.items() if k != "NCCLWHY"}
        variables = {**clean, **self.tool(), "NCCLWHY_TICKET_URL": url, "no_proxy": "*", **environment}
        return subprocess.run([sys.executable, "-B", SOURCE / "samples/bot/ticket_bot.py", *arguments], input=log,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables, timeout=60, check=False)

    def test_ticket(self):
        run = self.bot(SHM_FULL.read_bytes(), "--name", "job 7", NCCLWHY_TICKET_TOKEN="t0ken")
        self.assertEqual(run.returncode, 0, run.stderr)
        [(headers, body)] = self.server.tickets
        ticket = json.loads(body)
        self.assertEqual(headers["Authorization"], "Bearer t0ken")
        self.assertEqual(ticket["cause"], "shm.too-small")
        self.assertEqual(ticket["job"], "job 7")
        self.assertEqual(ticket["labels"], ["nccl", "failed", "shm"])
        self.assertTrue(ticket["title"].startswith("shm.too-small on host-1 ("), ticket["title"])
        self.assertIn("--shm-size", ticket["body"])
        self.assertNotIn("h100-39", body.decode())  # redacted
        self.assertNotIn("/tmp/ncclwhy", body.decode())
        self.assertEqual(ticket["report"]["schema"], "ncclwhy.report/1")

    def test_same_trouble_same_fingerprint_other_host_another(self):
        log = SHM_FULL.read_bytes()
        for text in (log, log + b"one more line\n", log.replace(b"h100-39", b"h100-40")):
            self.assertEqual(self.bot(text).returncode, 0)
        prints = [json.loads(body)["deduplicate"] for _, body in self.server.tickets]
        self.assertEqual(prints[0], prints[1])
        self.assertNotEqual(prints[0], prints[2])

    def test_nothing_failed(self):
        run = self.bot(HEALTHY.read_bytes())
        self.assertEqual((run.returncode, self.server.tickets), (0, []))
        self.assertEqual(self.bot(HEALTHY.read_bytes(), "--always").returncode, 0)
        self.assertIsNone(json.loads(self.server.tickets[0][1])["cause"])

    def test_tracker_fails_for_a_moment(self):
        self.server.answers = [503, 500]
        self.assertEqual(self.bot(SHM_FULL.read_bytes()).returncode, 0)
        self.assertEqual(len(self.server.tickets), 3)

    def test_tracker_refuses(self):
        self.server.answers = [403]
        run = self.bot(SHM_FULL.read_bytes())
        self.assertEqual((run.returncode, len(self.server.tickets)), (3, 1))
        self.assertIn(b"403", run.stderr)

    def test_wrong_settings(self):
        log = SHM_FULL.read_bytes()
        self.assertEqual(self.bot(log, NCCLWHY="no-such-command").returncode, 2)
        self.assertEqual(self.bot(log, NCCLWHY_TICKET_URL="file:///etc/passwd").returncode, 3)
        self.assertEqual(self.bot(log, NCCLWHY_TICKET_URL="").returncode, 2)
        self.assertEqual(self.server.tickets, [])


@unittest.skipUnless(os.environ.get("NCCLWHY_LIBRARY"), "no shared library was built")
class TicketBotByLibrary(TicketBot):
    """The same tickets, without starting the command."""

    def tool(self):
        return {"PATH": os.path.dirname(sys.executable)}

    def test_archive(self):
        self.assertEqual(self.bot(gzip.compress(SHM_FULL.read_bytes())).returncode, 0)
        self.assertEqual(json.loads(self.server.tickets[0][1])["cause"], "shm.too-small")

    def test_the_same_ticket(self):
        for tool in ({}, {"NCCLWHY": NCCLWHY}):
            self.assertEqual(self.bot(SHM_FULL.read_bytes(), **tool).returncode, 0)
        self.assertEqual(self.server.tickets[0][1], self.server.tickets[1][1])


if __name__ == "__main__":
    unittest.main()
