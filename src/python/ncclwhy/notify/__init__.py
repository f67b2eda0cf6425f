"""Tells people of a failed job: Slack, Teams, Jira, GitHub, PagerDuty, any web hook.

    ncclwhy --json logs/ | NCCLWHY_SLACK_TOKEN=… python -m ncclwhy.notify slack --channel C042 -

The title is the sentence of the report with the host. The same trouble (cause, hosts, devices) has one message, issue or
incident: the second time only updates it. Nothing is sent when nothing failed. `--redact` sends aliases.
"""
from .message import Message
from .post import Failed

__all__ = ["Failed", "Message"]
