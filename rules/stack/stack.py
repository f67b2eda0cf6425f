#!/usr/bin/env python3
"""The catalogue of other programs' messages, and the rules that it amounts to.

    stack.py read PRODUCT REPOSITORY TAG=VERSION...   rows of PRODUCT.tsv, from the sources of each version, oldest first
    stack.py write                             rules/catalog/stack/* from the tables and classes.json
    stack.py check                             the same, but only says what differs: the test

A table has a row for each message: product, file, topic, first and last version read, class, literal. The literal is the longest
text of the message's first line (or second, where the first has too little) without placeholders. classes.json decides what a class
means; `notice` means nothing and `covered` has a rule of its own: they make none. Build and tests need no source of these programs.
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from generated import write_or_check  # noqa: E402

CATALOG = HERE.parent / "catalog" / "stack"
LEAST = 24  # letters of a literal; more where it begins within a sentence
PLACE = re.compile(r"%[-0-9.]*(?:hh|h|ll|l|z|t)?(?:[sduxXicfm]|p[A-Z]?)")


def git(repo, *args):
    return subprocess.run(["git", "-C", repo, *args], capture_output=True, text=True, errors="replace", check=True).stdout


def topics(text):
    """Open MPI's help files: [topic], then the text that is shown between two lines of dashes."""
    topic, lines = None, []
    for line in text.split("\n"):
        if line.startswith("#"):
            continue
        head = re.match(r"\[([^\]]+)\]\s*$", line)
        if head:
            if topic:
                yield topic, lines
            topic, lines = head.group(1), []
        else:
            lines.append(line.strip())
    if topic:
        yield topic, lines


def literal_of(lines, product):
    least = product.get("least", LEAST)
    within = least if "head" in product else least + 10
    for line in [x for x in lines if x][:3]:
        best = max((p.strip() for p in PLACE.split(line)), key=len)
        if len(best) >= (least if best[0:1].isupper() else within if best[0:1].isalpha() else 2 * least):
            return best
    return ""


def class_of(rules, file, topic, text):
    for want, kind in rules:
        if re.search(want, f"{file}|{topic}|{text}", re.S):
            return kind
    return "notice"


def calls(text, call):
    """C's: the function that complains, and its format, pieces of which stand behind each other."""
    for found in re.finditer(call + r"""\((?:[^;"]{0,200}?(?:[,(]|<<)\s*)?((?:"(?:[^"\\\n]|\\.)*"\s*)+)""", text):
        words = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', found.group(found.lastindex)))
        yield found.group(0).split("(")[0], [x.strip() for x in words.replace('\\"', '"').replace("\\t", " ").split("\\n")]


def read(name, repo, tags):
    product = json.loads((HERE / "classes.json").read_text())[name]
    decide, source = product["decide"], product["source"]
    rows = {}
    for tag, version in (x.partition("=")[::2] for x in tags):
        for file in git(repo, "ls-tree", "-r", "--name-only", tag).split("\n"):
            if not re.search(source["files"], file):
                continue
            base = file.rsplit("/", 1)[1]
            text = git(repo, "show", f"{tag}:{file}")
            for topic, lines in topics(text) if "call" not in source else calls(text, source["call"]):
                literal = literal_of(lines, product)
                if not literal:
                    continue
                text = " ".join(x for x in lines if x)
                row = rows.setdefault((base, literal), [topic, version, version, class_of(decide, base, topic, text)])
                row[2] = version
    out = [f"{f}\t{t}\t{a}\t{b}\t{k}\t{literal}" for (f, literal), (t, a, b, k) in rows.items()]
    (HERE / f"{name}.tsv").write_text("file\ttopic\tfirst\tlast\tclass\tliteral\n" + "\n".join(sorted(out)) + "\n")


def rules():
    """path -> text of everything below catalog/stack."""
    out, anybodys = {}, set()
    for name, product in json.loads((HERE / "classes.json").read_text()).items():
        table = [x.split("\t") for x in (HERE / f"{name}.tsv").read_text().strip().split("\n")[1:]]
        taken = set() if "head" in product else anybodys
        for kind, what in product["classes"].items():
            texts = {row[5] for row in table if row[4] == kind}
            # A text that holds another is found by it; one that two classes print belongs to the first.
            texts = sorted(t for t in texts if not any(o in t for o in taken | (texts - {t})))
            taken.update(texts)
            if not texts:
                raise SystemExit(f"{name}.tsv has no row of class {kind}")
            rule = {"schema": "ncclwhy.rule/1", "id": f"{name.replace('_', '-')}-{kind}", **what["rule"]}
            rule["references"] = product["references"]
            if "head" in product:
                rule["near"] = [{**product["head"], "scope": "line"}]
            order = ["schema", "id", "role", "title", "match", "causes", "near", "unless", "boost", "explains", "blame", "note", "sign", "references"]
            lines = []
            for key in [k for k in order if k in rule or k == "match"]:
                if key == "match":
                    value = '[{"literal": [\n    ' + ",\n    ".join(json.dumps(t, ensure_ascii=False) for t in texts)
                    value += '\n  ], "level": ["NONE"]}]'
                else:
                    value = json.dumps(rule[key], ensure_ascii=False)
                lines.append(f'  "{key}": {value}')
            out[f"{rule['id']}/rule.json"] = "{\n" + ",\n".join(lines) + "\n}\n"
            out[f"{rule['id']}/fires-each.log"] = "".join(product["line"].replace("{}", t) + "\n" for t in texts)
            out[f"{rule['id']}/silent-other.log"] = what["silent"].strip() + "\n"
    return out


def main():
    if sys.argv[1:2] == ["read"]:
        return read(sys.argv[2], sys.argv[3], sys.argv[4:])
    return write_or_check("rules/stack/stack.py", CATALOG, rules())


if __name__ == "__main__":
    sys.exit(main())
