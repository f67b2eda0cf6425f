"""What `python -m ncclwhy.notify` sends, before what the services themselves publish (check_payload.mjs): packages of npm, installed once
for each build directory, $NCCLWHY_NPM. Without npm or its registry this is skipped and says so; notify_test.py checks by schemas.json."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from services import HERE, ServicesTest

NPM = pathlib.Path(os.environ["NCCLWHY_NPM"])
SECONDS = 60


def install():
    """Why it cannot be, or an empty text. Versions and checksums are those of npm/package-lock.json."""
    lock = HERE / "npm/package-lock.json"
    stamp, wanted = NPM / "installed", hashlib.sha256(lock.read_bytes()).hexdigest()
    for program in ("node", "npm"):
        if not shutil.which(program):
            return f"{program} is not installed"
    version = subprocess.run(["node", "--version"], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout.strip()
    if int(version.lstrip("v").split(".")[0]) < 18:
        return f"node {version} is older than 18"
    if stamp.exists() and stamp.read_text() == wanted:
        return ""
    NPM.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / "npm" / name, NPM)
    try:
        run = subprocess.run(["npm", "ci", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--prefer-offline",
                              "--fetch-retries=0", "--fetch-timeout=20000"], cwd=NPM, timeout=SECONDS, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False)
    except subprocess.TimeoutExpired:
        return f"npm did not install them within {SECONDS} seconds"
    if "EINTEGRITY" in run.stdout:
        raise AssertionError(run.stdout)  # not what was pinned: no reason to look away
    if run.returncode:
        return "npm cannot install them: " + " ".join(run.stdout.split())[:200]
    stamp.write_text(wanted)
    return ""


def check(payloads):
    run = subprocess.run(["node", HERE / "check_payload.mjs", NPM / "node_modules"], input=json.dumps(payloads).encode(),
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
    assert run.returncode == 0, run.stderr.decode()
    return json.loads(run.stdout)


# Where a body went → by what it is checked, and which part of it.
PLACES = (("/slack/chat.postMessage", "slack.post", lambda body: body), ("/slack/chat.update", "slack.update", lambda body: body),
          ("/teams", "teams", lambda body: body), ("/repos/o/r/issues", "github.issue", lambda body: body),
          ("/comments", "github.comment", lambda body: body), ("/rest/api/2/issue", "jira.text", lambda body: body["fields"]["description"]),
          ("/comment", "jira.text", lambda body: body["body"]), ("/v2/enqueue", "pagerduty", lambda body: body))
KINDS = {kind for _, kind, _ in PLACES}


class PublishedTest(ServicesTest):
    @classmethod
    def setUpClass(cls):
        why = install()
        if why:
            pinned = json.loads((HERE / "npm/package.json").read_text())["dependencies"]
            print(f"skipped: nothing was checked by {', '.join(pinned)}: {why}")
            sys.exit(77)
        super().setUpClass()

    def payloads(self):
        """All that was sent, the second time as well."""
        told = []
        for method, path, body, _ in self.server.seen:
            if method == "POST":
                kind, part = next((kind, part) for end, kind, part in PLACES if path.endswith(end))
                told.append({"as": kind, "body": part(body)})
        return told

    def tell(self, *reports):
        for report in reports:
            for state in self.dir.glob("*.json"):
                state.unlink()
            for service in ("slack", "teams", "jira", "github", "pagerduty"):
                self.server.messages.clear()
                for _ in range(2):
                    self.notify(service, report, "--link", "https://ci.example/why.html?a=1&b=2")
        return self.payloads()

    def test_what_is_sent(self):
        many = json.loads(json.dumps(self.killed))
        many["causes"][0]["summary"] = "It broke on a host. " * 40  # does not fit the heading
        payloads = self.tell(self.shm, self.killed, many, self.hostile())
        self.assertEqual({payload["as"] for payload in payloads}, KINDS)
        for payload, problems in zip(payloads, check(payloads)):
            self.assertEqual(problems, [], (payload["as"], json.dumps(payload["body"])[:2000]))

    def test_what_is_refused(self):
        """Each check is seen to fail: right payloads with one thing wrong."""
        def wrong_field(body):
            body["blocks"][1]["fields"][0] = "plain"

        def wrong_block(body):
            body["blocks"][0]["type"] = "heading"

        def wrong_weight(body):
            body["attachments"][0]["content"]["body"][0]["inlines"][0]["weight"] = "Fat"

        def wrong_name(body):
            body["attachments"][0]["content"]["body"][0]["inlines"][0]["colour"] = "Warning"

        def no_address(body):
            del body["attachments"][0]["content"]["actions"][0]["url"]

        changes = {
            "slack.post": [wrong_field, wrong_block, lambda body: body.pop("channel"), lambda body: body.update(chanel="C1")],
            "slack.update": [wrong_block, lambda body: body.pop("ts")],
            "teams": [wrong_weight, wrong_name, no_address],
            "github.issue": [lambda body: body.update(labels="ncclwhy"), lambda body: body.pop("title"), lambda body: body.update(text="x")],
            "github.comment": [lambda body: body.update(body=7)],
            "pagerduty": [lambda body: body["payload"].update(severity="bad"), lambda body: body["payload"].pop("source")],
        }
        sent = {payload["as"]: payload["body"] for payload in self.tell(self.shm)}
        wrong = [{"as": "jira.text", "body": sent["jira.text"].replace("Verdict", text, 1).replace("shm.too-small", text, 1)}
                 for text in ("{noformat}*b*{noformat}", "{noformat}\n||h||\n|a|\n{noformat}", "{noformat}[x|http://evil]{noformat}")]
        for kind, ways in changes.items():
            for way in ways:
                wrong.append({"as": kind, "body": json.loads(json.dumps(sent[kind]))})
                way(wrong[-1]["body"])
        wrong.append({"as": "smoke", "body": {}})
        self.assertEqual({payload["as"] for payload in wrong} - {"smoke"}, KINDS)
        for payload, problems in zip(wrong, check(wrong)):
            self.assertTrue(problems, (payload["as"], json.dumps(payload["body"])[:2000]))


if __name__ == "__main__":
    unittest.main()
