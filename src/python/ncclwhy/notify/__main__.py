"""python -m ncclwhy.notify SERVICE [OPTIONS] REPORT.json|-"""
import argparse
import json
import sys

from . import __doc__ as about
from .message import Message
from .post import Failed, persistently
from .services import SERVICES


def parser():
    out = argparse.ArgumentParser(prog="python -m ncclwhy.notify", description=about, formatter_class=argparse.RawDescriptionHelpFormatter,
                                  epilog="Exit status: 0 told, or nothing to tell; 2 wrong usage or no report; 3 the service refused or cannot be reached.")
    services = out.add_subparsers(dest="service", required=True)
    for name, service in SERVICES.items():
        one = services.add_parser(name, help=service.__doc__.split(".")[0], description=service.__doc__)
        for option, settings in service.options:
            one.add_argument(option, **settings)
        one.add_argument("--redact", action="store_true", help="aliases for hosts, addresses and paths; no lines of the log")
        one.add_argument("--link", default="", metavar="URL", help="of the whole report, such as a CI artifact")
        one.add_argument("--always", action="store_true", help="also when nothing failed")
        one.add_argument("--dry-run", action="store_true", help="print what would be told")
        one.add_argument("report", help="what `ncclwhy --json` printed; - reads it")
    return out


def main(arguments=None):
    options = parser().parse_args(arguments)

    def complain(sentence, status):
        print(f"notify: {sentence}", file=sys.stderr)
        return status

    try:
        if options.link and not options.link.startswith(("https://", "http://")):
            raise ValueError("--link is an http or https address")
        if options.report == "-":
            report = json.load(sys.stdin)
        else:
            with open(options.report, encoding="utf-8") as file:
                report = json.load(file)
        message = Message(report, options.redact, options.link)
    except (OSError, ValueError) as problem:
        return complain(problem, 2)
    if not message.failed and not options.always:
        return complain(f"{message.verdict}, nobody is told", 0)
    if options.dry_run:
        print(json.dumps(SERVICES["webhook"].ticket(message), ensure_ascii=False, indent=2))
        return 0
    try:
        service = SERVICES[options.service](options)
        print(persistently(lambda: service.send(message)))
    except (Failed, OSError) as problem:
        return complain(problem, 3)
    return 0


if __name__ == "__main__":
    sys.exit(main())
