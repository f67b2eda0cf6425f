#!/usr/bin/env python3
"""Turns the log of a failed job into a ticket: log on standard input, JSON to NCCLWHY_TICKET_URL."""
import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ATTEMPTS = 3
SECONDS_PER_ATTEMPT = 20


class Failed(Exception):
    pass


def by_library(folder, redact):
    """(report, Markdown, report with real names) on folder/log from libncclwhy; None where that is not installed."""
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "python"))
    try:
        import ncclwhy
        import ncclwhy.engine

        ncclwhy.engine.LibrarySession.load()
    except (ImportError, OSError):
        return None
    before = os.getcwd()
    os.chdir(folder)  # so that evidence is quoted as log:17
    try:
        shown = ncclwhy.analyze("log", redact=redact)
        return shown.json(), shown.render("markdown"), ncclwhy.analyze("log").json()
    except ncclwhy.Error as error:
        raise Failed(str(error)) from error
    finally:
        os.chdir(before)


def by_command(folder, redact):
    """The same from the command."""
    names = ["--redact"] if redact else []
    return (json.loads(command(folder, *names, "--format", "json")), command(folder, *names, "--format", "markdown"),
            json.loads(command(folder, "--format", "json")))


def command(folder, *arguments):
    """The bytes of one report on folder/log. 0, 1 and 3 are answers; 2 may come with a report on what could be read."""
    name = os.environ.get("NCCLWHY", "ncclwhy")
    program = shutil.which(name)
    if program is None:
        raise Failed(f"there is no command {name}")
    # In the folder, so that evidence is quoted as log:17.
    run = subprocess.run([os.path.abspath(program), "--quiet", *arguments, "log"], cwd=folder,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if run.returncode not in (0, 1, 2, 3) or not run.stdout:
        raise Failed(run.stderr.decode(errors="replace").strip() or f"{name} ended with {run.returncode}")
    return run.stdout.decode()


def fingerprint(report):
    """The same for the same cause on the same hosts; from real names, which a hash does not tell."""
    cause = report["causes"][0] if report["causes"] else None
    hosts = sorted({c["host"] for c in cause.get("culprits", []) if "host" in c}) if cause else []
    identity = "\n".join([cause["id"] if cause else report["verdict"], *hosts])
    return hashlib.sha256(identity.encode()).hexdigest()


def culprit_name(culprit):
    parts = [f"rank {culprit['rank']}" if "rank" in culprit else "", culprit.get("host", "")]
    return " on ".join(part for part in parts if part)


def make_ticket(report, body, job, deduplicate):
    cause = report["causes"][0] if report["causes"] else None
    culprits = [name for name in map(culprit_name, cause.get("culprits", []) if cause else []) if name]
    hosts = sorted({c["host"] for c in cause.get("culprits", []) if "host" in c}) if cause else []
    if cause:
        where = f" on {hosts[0]}" if hosts else ""
        title = f"{cause['id']}{where} ({int(cause['confidence'] * 100)}%)"
    else:
        title = {"undetermined": "NCCL job failed, cause not determined"}.get(report["verdict"], "NCCL job")
    decision = report.get("decision")
    return {
        "title": f"{title}: {job}" if job else title,
        "job": job,
        "verdict": report["verdict"],
        "outcome": report["outcome"],
        "progress": report.get("progress", ""),
        "do": decision["do"] if decision else None,
        "without": decision["hosts"] if decision else [],
        "cause": cause["id"] if cause else None,
        "confidence": cause["confidence"] if cause else None,
        "culprits": culprits,
        "labels": ["nccl", report["outcome"], *([cause["id"].split(".")[0]] if cause else [])],
        "deduplicate": deduplicate,
        "body": body,
        "report": report,
    }


def post(url, ticket):
    """Again after a failure of the network or of the server; a refusal (4xx) is final."""
    if not url.startswith(("http://", "https://")):
        raise Failed("NCCLWHY_TICKET_URL is no http or https address")
    headers = {"Content-Type": "application/json", "User-Agent": "ncclwhy-ticket-bot"}
    if os.environ.get("NCCLWHY_TICKET_TOKEN"):
        headers["Authorization"] = "Bearer " + os.environ["NCCLWHY_TICKET_TOKEN"]
    data = json.dumps(ticket, ensure_ascii=False).encode()
    for attempt in range(1, ATTEMPTS + 1):
        try:
            request = urllib.request.Request(url, data=data, headers=headers, method="POST")
            with urllib.request.urlopen(request, timeout=SECONDS_PER_ATTEMPT) as response:
                return response.status
        except urllib.error.HTTPError as error:
            if error.code < 500 or attempt == ATTEMPTS:
                raise Failed(f"the tracker answered {error.code}") from error
        except OSError as error:
            if attempt == ATTEMPTS:
                raise Failed(f"the tracker cannot be reached: {error}") from error
        time.sleep(0.5 * attempt)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", default="", help="the job, for the title")
    parser.add_argument("--always", action="store_true", help="post when nothing failed, too")
    parser.add_argument("--no-redact", dest="redact", action="store_false", help="names as they are in the log")
    parser.add_argument("--dry-run", action="store_true", help="print the ticket instead of posting it")
    options = parser.parse_args()
    url = os.environ.get("NCCLWHY_TICKET_URL", "")
    if not url and not options.dry_run:
        parser.error("NCCLWHY_TICKET_URL is not set")

    # An archive is read from a file, and more than once: it is kept until the reports are made.
    with tempfile.TemporaryDirectory(prefix="ncclwhy-bot-") as folder:
        with open(os.path.join(folder, "log"), "wb") as log:
            shutil.copyfileobj(sys.stdin.buffer, log)
        try:
            answer = None if "NCCLWHY" in os.environ else by_library(folder, options.redact)
            report, body, plain = answer or by_command(folder, options.redact)
            deduplicate = fingerprint(plain)
        except (Failed, ValueError) as error:
            print(f"ticket_bot: {error}", file=sys.stderr)
            return 2
    if report["verdict"] not in ("failure", "undetermined") and not options.always:
        print(f"ticket_bot: {report['verdict']}, no ticket", file=sys.stderr)
        return 0
    ticket = make_ticket(report, body, options.name, deduplicate)
    if options.dry_run:
        print(json.dumps(ticket, ensure_ascii=False, indent=2))
        return 0
    try:
        post(url, ticket)
    except Failed as error:
        print(f"ticket_bot: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
