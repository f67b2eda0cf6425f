#!/usr/bin/env python3
"""Last resorts: who complains and that it does, in words that no rule knows (catalog/otherwise). Their logs are written by hand.

    otherwise.py write   rule.json of each rule in otherwise.json
    otherwise.py check   the same, but only says what differs: the test

What makes any complaint harmless is said once, for all of them: `harmless`, words in its own line (`harmless_also` and `harmless_but`
of a rule: some more, and some that do not count there), and `went_on`, words in the lines beside it.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from generated import write_or_check  # noqa: E402


def rule_of(table, row):
    words = [w for w in table["harmless"] if w not in row.get("harmless_but", [])] + row.get("harmless_also", [])
    unless = [{"literal": words, "scope": "line"}, {"literal": table["went_on"], "scope": "source", "within": 3}, *row.get("unless", [])]
    own = {k: v for k, v in row.items() if k not in ("harmless_also", "harmless_but", "unless")}
    return {"schema": "ncclwhy.rule/1", "role": "root", "last_resort": True, **own, "unless": unless}


table = json.loads((HERE / "otherwise.json").read_text())
rules = {f"{row['id']}/rule.json": json.dumps(rule_of(table, row), ensure_ascii=False, indent=2) + "\n" for row in table["rules"]}
# Of a trace, with its exception or without, other words say that it is harmless: these stand by themselves.
catalog = HERE.parent / "catalog" / "otherwise"
for name in ("otherwise-traceback", "otherwise-exception", "otherwise-exception-echo"):
    rules[f"{name}/rule.json"] = (catalog / name / "rule.json").read_text()
write_or_check("rules/otherwise/otherwise.py", catalog, rules, "rule.json")
