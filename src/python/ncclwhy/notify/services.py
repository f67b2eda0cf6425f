"""One class a service: `options` for the command line, `send(message)` → a sentence of what was done.

Limits are those of the services' documentation:
  Slack       header 150, text 3000 characters, https://api.slack.com/reference/block-kit/blocks
  Teams       28 KB a message, https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors
  Jira        summary 255, text 32767, https://developer.atlassian.com/cloud/jira/platform/rest/v2
  GitHub      title 256, body 65536, label 50, https://docs.github.com/rest/issues/issues
  PagerDuty   summary 1024, dedup_key 255, 512 KB, https://developer.pagerduty.com/docs/events-api-v2/trigger-events
"""
import base64
import datetime
import os
import urllib.parse

from .memory import remembered
from .message import clipped
from .post import Failed, base_url, call


def _secret(*names):
    for name in names:
        if os.environ.get(name):
            return os.environ[name]
    raise Failed(f"{names[0]} is not set")


def _now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")


def _times(count):
    return "" if count < 2 else f"Seen {count} times, last {_now()}"


class Slack:
    """A message in a channel, rewritten when the trouble comes again. NCCLWHY_SLACK_TOKEN: a bot's, with chat:write."""

    options = [("--channel", {"required": True, "help": "its id, C…"}),
               ("--state", {"default": os.path.expanduser("~/.cache/ncclwhy/slack.json"), "metavar": "FILE", "help": "which message is whose"}),
               ("--url", {"default": "https://slack.com/api", "help": "of the Web API"})]

    def __init__(self, options):
        self.url, self.channel, self.state = base_url(options.url), options.channel, options.state
        self.headers = {"Authorization": "Bearer " + _secret("NCCLWHY_SLACK_TOKEN")}

    @staticmethod
    def escaped(text, most):
        text = clipped(text, most)
        while len(out := text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")) > most:
            text = clipped(text, len(text) - max(1, (len(out) - most) // 5))
        return out

    @staticmethod
    def blocks(message, count=1):
        escaped = Slack.escaped

        def section(text):
            return {"type": "section", "text": {"type": "mrkdwn", "text": text}}

        blocks = [{"type": "header", "text": {"type": "plain_text", "text": clipped(message.title, 150), "emoji": False}}]
        if len(message.title) > 150:
            blocks.append(section(escaped(message.title, 2900)))
        fields = [{"type": "mrkdwn", "text": f"*{name}*\n{escaped(value, 1900)}"} for name, value in message.facts[:10]]
        if fields:
            blocks.append({"type": "section", "fields": fields})
        if message.fixes:
            blocks.append(section("*Fix*\n" + "\n".join("• " + escaped(fix, 900) for fix in message.fixes)))
        if message.evidence:
            lines = "\n".join(escaped(line, 900).replace("```", "'''") for line in message.evidence)
            blocks.append(section(f"```{lines}```"))
        context = " · ".join(filter(None, [_times(count), message.link and f"<{message.link.replace('|', '%7C').replace('>', '%3E')}|report>",
                                           f"ncclwhy {message.fingerprint}"]))
        blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": context}]})
        return blocks

    def ask(self, method, body):
        answer = call("POST", f"{self.url}/{method}", body, self.headers)
        if answer.get("ok") is not True:
            problem = Failed(f"Slack answered {answer.get('error', 'no JSON')}")
            problem.code = answer.get("error")
            raise problem
        return answer

    def send(self, message):
        with remembered(self.state) as known:
            key = f"{self.channel} {message.fingerprint}"
            old = known.get(key) if isinstance(known.get(key), dict) else None
            count = int(old.get("count", 1)) + 1 if old else 1
            body = {"channel": self.channel, "text": self.escaped(message.title, 3000), "blocks": self.blocks(message, count)}
            if old:
                try:
                    self.ask("chat.update", {**body, "ts": old["ts"]})
                    known[key] = {**old, "count": count}
                    return f"updated the message {old['ts']}"
                except Failed as problem:
                    if getattr(problem, "code", "") not in ("message_not_found", "cant_update_message", "edit_window_closed"):
                        raise
            answer = self.ask("chat.postMessage", {**body, "unfurl_links": False, "unfurl_media": False})
            known[key] = {"ts": str(answer.get("ts", "")), "count": count}
            return f"posted the message {answer.get('ts', '')}"


class Teams:
    """An adaptive card by a workflow's web hook, which cannot change a card: the second time is only counted.
    NCCLWHY_TEAMS_URL: the hook's address, which is the secret."""

    options = [("--state", {"default": os.path.expanduser("~/.cache/ncclwhy/teams.json"), "metavar": "FILE", "help": "what was told"})]

    def __init__(self, options):
        self.url, self.state = base_url(_secret("NCCLWHY_TEAMS_URL")), options.state

    @staticmethod
    def card(message):
        # RichTextBlock: a TextBlock would read Markdown out of a log.
        def rich(text, **style):
            return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **style}]}

        body = [rich(clipped(message.title, 600), weight="Bolder", size="Medium")]
        body += [rich(clipped(f"{name}: {value}", 600)) for name, value in message.facts]
        body += [rich(clipped(f"Fix: {fix}", 600)) for fix in message.fixes]
        body += [rich(clipped(line, 600), fontType="Monospace", size="Small") for line in message.evidence]
        body.append(rich(f"ncclwhy {message.fingerprint}", isSubtle=True, size="Small"))
        card = {"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": body}
        if message.link:
            card["actions"] = [{"type": "Action.OpenUrl", "title": "Report", "url": message.link}]
        return {"type": "message", "attachments": [
            {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}]}

    def send(self, message):
        with remembered(self.state) as known:
            old = known.get(message.fingerprint)
            if isinstance(old, int):
                known[message.fingerprint] = old + 1
                return f"told before; seen {old + 1} times"
            call("POST", self.url, self.card(message))
            known[message.fingerprint] = 1
            return "posted a card"


def _sections(message):
    """Title, facts, fixes and lines as blocks of plain text."""
    yield "", [message.title, *(f"{name}: {value}" for name, value in message.facts)]
    if message.fixes:
        yield "Fix", message.fixes
    if message.evidence:
        yield "Lines", message.evidence


class Jira:
    """An issue with the label ncclwhy-FINGERPRINT; a comment the second time, while it is not done. NCCLWHY_JIRA_TOKEN, with
    NCCLWHY_JIRA_USER (Cloud) or without (a personal access token of a Data Center)."""

    options = [("--url", {"required": True, "help": "https://you.atlassian.net"}), ("--project", {"required": True, "help": "its key"}),
               ("--type", {"default": "Bug", "help": "of issue"})]

    def __init__(self, options):
        self.url, self.project, self.type = base_url(options.url) + "/rest/api/2", options.project, options.type
        token, user = _secret("NCCLWHY_JIRA_TOKEN"), os.environ.get("NCCLWHY_JIRA_USER")
        basic = base64.b64encode(f"{user}:{token}".encode()).decode()
        self.headers = {"Authorization": "Basic " + basic if user else "Bearer " + token}

    @staticmethod
    def text(message, head=""):
        # Inside noformat nothing is markup but its own end.
        out = [head] if head else []
        for title, lines in _sections(message):
            inside = "\n".join(clipped(line, 4000).replace("{noformat", "{ noformat") for line in lines)
            out.append((f"h4. {title}\n" if title else "") + "{noformat}\n" + inside + "\n{noformat}")
        if message.link:
            out.append(message.link)
        return clipped("\n".join(out), 32767)

    def find(self, label):
        jql = f'project = "{self.project}" AND labels = "{label}" AND statusCategory != Done ORDER BY created ASC'
        query = urllib.parse.urlencode({"jql": jql, "fields": "key", "maxResults": 1})
        try:
            answer = call("GET", f"{self.url}/search/jql?{query}", headers=self.headers)
        except Failed as problem:  # a Data Center has the older one
            if getattr(problem, "status", 0) not in (404, 405):
                raise
            answer = call("GET", f"{self.url}/search?{query}", headers=self.headers)
        issues = answer.get("issues") or []
        return issues[0]["key"] if issues else None

    def send(self, message):
        label = "ncclwhy-" + message.fingerprint
        if key := self.find(label):
            call("POST", f"{self.url}/issue/{urllib.parse.quote(key, safe='')}/comment",
                 {"body": self.text(message, f"The same again, {_now()}.")}, self.headers)
            return f"commented on {key}"
        fields = {"project": {"key": self.project}, "issuetype": {"name": self.type}, "summary": clipped(message.title, 255),
                  "description": self.text(message), "labels": ["ncclwhy", label]}
        return f"opened {call('POST', f'{self.url}/issue', {'fields': fields}, self.headers).get('key', 'an issue')}"


class GitHub:
    """An issue with the label ncclwhy-FINGERPRINT; a comment the second time, while it is open. NCCLWHY_GITHUB_TOKEN or
    GITHUB_TOKEN."""

    options = [("--repo", {"required": True, "help": "OWNER/NAME"}), ("--url", {"default": "https://api.github.com", "help": "of the API"})]

    def __init__(self, options):
        if options.repo.count("/") != 1:
            raise Failed("--repo is OWNER/NAME")
        self.url = f"{base_url(options.url)}/repos/{urllib.parse.quote(options.repo)}"
        self.headers = {"Authorization": "Bearer " + _secret("NCCLWHY_GITHUB_TOKEN", "GITHUB_TOKEN"),
                        "Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}

    @staticmethod
    def text(message, head=""):
        # In a fence nothing is Markdown, no @name is told, no #1 linked.
        out = [head] if head else []
        for title, lines in _sections(message):
            inside = "\n".join(clipped(line, 4000) for line in lines)
            fence = "```"
            while fence in inside:
                fence += "`"
            out.append((f"#### {title}\n" if title else "") + f"{fence}text\n{inside}\n{fence}")
        if message.link:
            out.append(f"[report](<{message.link.replace('<', '%3C').replace('>', '%3E')}>)")
        return clipped("\n".join(out), 60000)

    def send(self, message):
        label = "ncclwhy-" + message.fingerprint
        query = urllib.parse.urlencode({"state": "open", "labels": label, "per_page": 1, "direction": "asc"})
        found = call("GET", f"{self.url}/issues?{query}", headers=self.headers)
        if isinstance(found, list) and found:
            number = int(found[0]["number"])
            call("POST", f"{self.url}/issues/{number}/comments", {"body": self.text(message, f"The same again, {_now()}.")}, self.headers)
            return f"commented on #{number}"
        issue = {"title": clipped(message.title, 256), "body": self.text(message), "labels": ["ncclwhy", label]}
        return f"opened #{call('POST', f'{self.url}/issues', issue, self.headers).get('number', '')}"


class PagerDuty:
    """An event of an incident whose key is the fingerprint: PagerDuty joins the same trouble. NCCLWHY_PAGERDUTY_KEY: the
    integration's."""

    options = [("--severity", {"default": "error", "choices": ["critical", "error", "warning", "info"]}),
               ("--source", {"default": "ncclwhy", "help": "where no host is known"}),
               ("--url", {"default": "https://events.pagerduty.com", "help": "of the Events API"})]

    def __init__(self, options):
        self.url, self.severity, self.source = base_url(options.url) + "/v2/enqueue", options.severity, options.source
        self.key = _secret("NCCLWHY_PAGERDUTY_KEY")

    def send(self, message):
        details = {name.lower(): clipped(value, 4000) for name, value in message.facts}
        details.update({f"fix {i}": clipped(fix, 4000) for i, fix in enumerate(message.fixes, 1)})
        details.update({f"line {i}": clipped(line, 4000) for i, line in enumerate(message.evidence, 1)})
        event = {"routing_key": self.key, "event_action": "trigger", "dedup_key": "ncclwhy-" + message.fingerprint, "client": "ncclwhy",
                 "payload": {"summary": clipped(message.title, 1024), "source": message.host or self.source, "severity": self.severity,
                             "class": message.cause or message.verdict, "component": "nccl", "custom_details": details}}
        if message.link:
            event["links"] = [{"href": message.link, "text": "report"}]
        call("POST", self.url, event)
        return "sent the event"


class Webhook:
    """Plain JSON to NCCLWHY_WEBHOOK_URL, with NCCLWHY_WEBHOOK_TOKEN as bearer: for whatever is not above. `deduplicate` is the
    fingerprint, also in the header Idempotency-Key."""

    options = []

    def __init__(self, _):
        self.url = base_url(_secret("NCCLWHY_WEBHOOK_URL"))
        token = os.environ.get("NCCLWHY_WEBHOOK_TOKEN")
        self.headers = {"Authorization": "Bearer " + token} if token else {}

    @staticmethod
    def ticket(message):
        return {"title": message.title, "deduplicate": message.fingerprint, "verdict": message.verdict, "outcome": message.outcome,
                "cause": message.cause or None, "confidence": message.confidence, "culprits": message.culprits, "do": message.decision,
                "fixes": message.fixes, "evidence": message.evidence, "link": message.link or None}

    def send(self, message):
        call("POST", self.url, self.ticket(message), {**self.headers, "Idempotency-Key": message.fingerprint})
        return "posted"


SERVICES = {"slack": Slack, "teams": Teams, "jira": Jira, "github": GitHub, "pagerduty": PagerDuty, "webhook": Webhook}
