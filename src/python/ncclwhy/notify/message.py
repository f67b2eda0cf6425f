"""What is told of a report, the same for every service; each escapes and clips it for itself."""
import hashlib
import re
import unicodedata

# An address, a GUID, somebody's folder: what is told under another name besides hosts.
_PRIVATE = (
    ("address", r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)|(?<![\w:])(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{0,4}(?![\w:])"),
    ("path", r"/(?:home|root|users?|Users|mnt|scratch|lustre|gpfs|nfs|data)/[^\s'\",:;)]+"),
)
# Of a text of the report: no service takes more.
_MOST = 8000
_WORDS = {"undetermined": "The job failed; its logs do not say why", "degraded": "The job was slow",
          "healthy": "Nothing failed", "no-nccl": "The job shows no line of NCCL"}
_DO = {"rerun": "run it again", "rerun-without": "run it again without", "fix-first": "fix it first, a rerun would fail again",
       "undecided": ""}


def plain(text):
    """One line without anything that hides or reorders text."""
    return " ".join("".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp") else c
                            for c in str(text)[:_MOST]).split())


def clipped(text, most):
    return text if len(text) <= most else text[:most - 1] + "…"


def _texts(value):
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _dicts(value):
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


class Message:
    """`report`: the object of `ncclwhy --json`."""

    def __init__(self, report, redact=False, link=""):
        if not isinstance(report, dict) or report.get("schema") != "ncclwhy.report/1":
            raise ValueError("this is no report of `ncclwhy --json`")
        self.report, self.redact, self.link = report, redact, link
        self.verdict = clipped(plain(report.get("verdict", "")), 100)
        self.outcome = clipped(plain(report.get("outcome", "unknown")), 100)
        causes = _dicts(report.get("causes"))
        cause = causes[0] if causes and self.verdict in ("failure", "degraded") else {}
        culprits = _dicts(cause.get("culprits"))
        hosts = [c["host"] for c in culprits if isinstance(c.get("host"), str)]
        self._aliases = self._names(report, hosts) if redact else {}
        self.cause = clipped(plain(cause.get("id", "")), 100)
        self.confidence = cause.get("confidence") if isinstance(cause.get("confidence"), (int, float)) else None
        self.fingerprint = self._identity(cause, culprits, hosts)
        self.host = self.shown(hosts[0]) if hosts else ""
        sentence = self.shown(cause.get("summary") or cause.get("title") or _WORDS.get(self.verdict, "The job failed"))
        self.title = sentence if not self.host or self.host in sentence else f"{self.host}: {sentence}"
        self.culprits = [self.shown(self._who(c)) for c in culprits[:8]]
        fixes = _dicts(cause.get("fixes"))
        self.fixes = [self.shown(self._fix(fix)) for fix in fixes[:3]]
        decision = report.get("decision") if isinstance(report.get("decision"), dict) else {}
        without = ", ".join(map(self.shown, _texts(decision.get("hosts"))))
        self.decision = " ".join(filter(None, [_DO.get(decision.get("do"), ""), without]))
        if decision.get("look_first") is True:  # a bare "run it again" would say the opposite
            self.decision = f"{self.shown(decision.get('why', ''))}; then {self.decision}"
        # Lines of the log hold more than names that can be replaced.
        self.evidence = [] if redact else [
            self.shown(f"{self._place(item.get('file', ''))}:{item.get('line', '')}: {item.get('text', '')}")
            for item in [each for each in _dicts(cause.get("evidence")) if each.get("text")][:3]]
        self.facts = [(name, value) for name, value in (
            ("Cause", f"{self.cause} ({self._percent(self.confidence)} %)" if self.cause and self.confidence is not None else self.cause),
            ("Outcome", self.outcome), ("Where", "; ".join(self.culprits)), ("Now", self.decision),
            ("Progress", self.shown(report.get("progress", "")))) if value]

    @property
    def failed(self):
        return self.verdict in ("failure", "undetermined")

    def shown(self, text):
        text = plain(text)
        for name, alias in self._aliases.items():
            text = re.sub(r"(?<![\w-])%s(?![\w-])" % re.escape(name), alias, text)
        if self.redact:
            for kind, pattern in _PRIVATE:
                text = re.sub(pattern, f"<{kind}>", text)
        return text

    @staticmethod
    def _who(culprit):
        parts = [f"rank {culprit['rank']}" if "rank" in culprit else "", str(culprit.get("host", "")),
                 f"GPU {culprit['gpu']}" if "gpu" in culprit else "", str(culprit.get("device", ""))]
        return " ".join(filter(None, parts)) or str(culprit.get("why", ""))

    @staticmethod
    def _fix(fix):
        """With its command where that is one line: who is woken up by it has nothing else in hand."""
        environment, command = fix.get("for", "any"), str(fix.get("command", "")).strip()
        text = fix.get("text", "") if environment == "any" else f"{environment}: {fix.get('text', '')}"
        return f"{text} $ {command}" if command and "\n" not in command else text

    @staticmethod
    def _place(file):
        """The end of a path: the folder tells one rank's file from another's."""
        return "/".join(str(file).split("/")[-2:])

    @staticmethod
    def _percent(confidence):
        """As the reports print it: nothing is certain."""
        return min(99, max(1, int(100 * min(confidence, 1) + 0.5))) if confidence > 0 else 0

    @staticmethod
    def _names(report, first):
        """Every host of the report, the blamed ones first, the longest names replaced first."""
        job = report.get("job") if isinstance(report.get("job"), dict) else {}
        ranks = [rank for c in _dicts(job.get("communicators")) for rank in _dicts(c.get("ranks"))]
        others = [item.get("host") for item in ranks + _dicts(report.get("timeline"))]
        for cause in _dicts(report.get("causes")):
            others += [c.get("host") for c in _dicts(cause.get("culprits"))]
        decision = report.get("decision") if isinstance(report.get("decision"), dict) else {}
        names = dict.fromkeys(name for name in first + _texts(others) + _texts(decision.get("hosts")) if name)
        aliases = {plain(name): f"host-{number}" for number, name in enumerate(names, 1)}
        return dict(sorted(aliases.items(), key=lambda item: -len(item[0])))

    def _identity(self, cause, culprits, hosts):
        """The same for the same cause on the same hosts and devices; a keyless hash, so aliases stay aliases only for who
        does not know the names of the hosts."""
        devices = [str(c["device"]) for c in culprits if c.get("device")]
        identity = [cause.get("id", self.verdict), *sorted(set(hosts)), *sorted(set(devices))]
        if not cause:
            lines = _dicts(self.report.get("consequences"))[:1] + _dicts(self.report.get("outcome_evidence"))[:1]
            identity += [re.sub(r"\w*\d\w*", "#", str(line.get("text", ""))) for line in lines]
        return hashlib.sha256("\n".join(map(str, identity)).encode("utf-8", "replace")).hexdigest()[:16]
