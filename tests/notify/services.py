"""HTTP servers that check what comes by the shape and limits which each service documents; a test that tells them something."""
import contextlib
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
NCCLWHY = os.environ["NCCLWHY"]
SCHEMAS = json.loads((HERE / "schemas.json").read_text())
SERVICES = ("slack", "teams", "jira", "github", "pagerduty", "webhook")
try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)


class Services(http.server.BaseHTTPRequestHandler):
    """All of them behind one address, each with what it remembers."""

    def log_message(self, *_):
        pass

    def answer(self, status, body, **headers):
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.handle_one()

    def do_POST(self):
        self.handle_one()

    def handle_one(self):
        server = self.server
        size = int(self.headers.get("Content-Length", 0))
        raw = self.rfile.read(size)
        body = json.loads(raw) if raw else None
        parts = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        server.seen.append((self.command, parts.path, body, dict(self.headers)))
        if server.trouble:
            status, headers = server.trouble.pop(0)
            return self.answer(status, {"error": "later"}, **headers)

        def check(name, most=None):
            jsonschema.validate(body, SCHEMAS[name])
            assert most is None or size <= most, f"{name}: {size} bytes"
            assert self.headers["Content-Type"].startswith("application/json")
        try:
            bearer = self.headers.get("Authorization", "")
            path = parts.path
            if path in ("/slack/chat.postMessage", "/slack/chat.update"):
                check("chat.postMessage")
                if bearer != "Bearer xoxb-test":
                    return self.answer(200, {"ok": False, "error": "invalid_auth"})
                if path.endswith("update"):
                    if body.get("ts") not in server.messages:
                        return self.answer(200, {"ok": False, "error": "message_not_found"})
                    server.messages[body["ts"]] = body
                    return self.answer(200, {"ok": True, "ts": body["ts"]})
                ts = f"1700000000.{len(server.messages):06}"
                server.messages[ts] = body
                return self.answer(200, {"ok": True, "ts": ts})
            if path == "/teams":
                check("teams", 28 * 1024)
                server.messages[len(server.messages)] = body
                return self.answer(202, {})
            if path == "/rest/api/2/search/jql" and not server.data_center or path == "/rest/api/2/search" and server.data_center:
                label = query["jql"].split('labels = "')[1].split('"')[0]
                found = [{"key": key} for key, issue in server.messages.items() if label in issue["fields"]["labels"]]
                return self.answer(200, {"issues": found[:int(query["maxResults"])]})
            if path == "/rest/api/2/issue":
                check("jira-issue")
                key = f"OPS-{len(server.messages) + 1}"
                server.messages[key] = body
                return self.answer(201, {"key": key})
            if path.startswith("/rest/api/2/issue/") and path.endswith("/comment"):
                check("jira-comment")
                return self.answer(201 if path.split("/")[5] in server.messages else 404, {})
            if path == "/repos/o/r/issues" and self.command == "GET":
                found = [{"number": n} for n, issue in server.messages.items() if query["labels"] in issue["labels"]]
                return self.answer(200, found)
            if path == "/repos/o/r/issues":
                check("github-issue")
                server.messages[len(server.messages) + 1] = body
                return self.answer(201, {"number": len(server.messages)})
            if path.startswith("/repos/o/r/issues/") and path.endswith("/comments"):
                check("github-comment")
                return self.answer(201, {})
            if path == "/v2/enqueue":
                check("pagerduty", 512 * 1024)
                server.messages[body["dedup_key"]] = body
                return self.answer(202, {"status": "success", "dedup_key": body["dedup_key"]})
            if path == "/hook":
                check("webhook")
                assert self.headers["Idempotency-Key"] == body["deduplicate"]
                return self.answer(200, {})
            if path == "/moved":
                return self.answer(302, {}, Location=f"http://127.0.0.1:{server.server_port}/hook")
        except Exception as problem:  # pylint: disable=broad-except
            server.problems.append(f"{self.path}: {problem}")
            return self.answer(400, {"error": str(problem)[:200]})
        return self.answer(404, {"error": "no such place"})


class ServicesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shm = cls.report(SOURCE / "samples/incidents/shm-full-2.28.9-1x4-s1")
        cls.killed = cls.report(SOURCE / "samples/incidents/killed-2.28.9-2x2-s1")
        cls.healthy = cls.report(SOURCE / "samples/healthy/healthy-coll-2.28.9-2x4-s33")

    @staticmethod
    def report(folder):
        run = subprocess.run([NCCLWHY, "--json", *sorted(map(str, folder.glob("*.log")))], stdout=subprocess.PIPE, check=False)
        return json.loads(run.stdout)

    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.dir = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ncclwhy-notify-")))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Services)
        self.server.seen, self.server.messages, self.server.trouble, self.server.problems = [], {}, [], []
        self.server.data_center = False
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        stack.callback(thread.join)
        stack.callback(self.server.server_close)
        stack.callback(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def notify(self, service, report, *options, status=0, **environment):
        own = {"slack": ["--channel", "C042", "--url", self.url + "/slack", "--state", self.dir / "slack.json"],
               "teams": ["--state", self.dir / "teams.json"], "jira": ["--url", self.url, "--project", "OPS"],
               "github": ["--repo", "o/r", "--url", self.url], "pagerduty": ["--url", self.url], "webhook": []}[service]
        secrets = {"NCCLWHY_SLACK_TOKEN": "xoxb-test", "NCCLWHY_TEAMS_URL": self.url + "/teams", "NCCLWHY_JIRA_TOKEN": "jira-test",
                   "NCCLWHY_GITHUB_TOKEN": "ghp-test", "NCCLWHY_PAGERDUTY_KEY": "R" * 32, "NCCLWHY_WEBHOOK_URL": self.url + "/hook"}
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("NCCLWHY_", "GITHUB_", "HTTP", "http"))}
        run = subprocess.run([sys.executable, "-B", "-m", "ncclwhy.notify", service, *map(str, own), *options, "-"], check=False,
                             input=json.dumps(report).encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                             env={**plain, "PYTHONPATH": str(SOURCE / "src/python"), **secrets, **environment})
        self.assertEqual(run.returncode, status, run.stderr.decode())
        self.assertEqual(self.server.problems, [])
        for secret in ("xoxb-test", "jira-test", "ghp-test", "R" * 32):
            self.assertNotIn(secret.encode(), run.stdout + run.stderr)
        return run.stdout.decode() + run.stderr.decode()

    def hostile(self):
        """Markup of every service, hidden characters and endless texts."""
        evil = ("<!channel> *b* `c` ```\n{noformat}h1. x{noformat} @everyone #1 [x](http://evil) <a|b> &amp; \u202e\x1b[2J\x00" + "A&<" * 40000)
        report = json.loads(json.dumps(self.shm))
        cause = report["causes"][0]
        cause["summary"] = cause["id"] = evil
        cause["culprits"] = [{"host": evil, "device": evil, "why": evil}] * 200
        cause["fixes"] = [{"for": evil, "text": evil, "command": evil}] * 50
        cause["evidence"] = [{"role": "direct", "file": evil, "line": 1, "text": evil}] * 50
        report["progress"] = evil
        return report
