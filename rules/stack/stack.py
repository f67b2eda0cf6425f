#!/usr/bin/env python3
"""The catalogue of other programs' messages, and the rules that it amounts to.

    stack.py read PRODUCT REPOSITORY TAG=VERSION...   rows of PRODUCT.tsv, from the sources of each version, oldest first
    stack.py decide [PRODUCT...]               the classes in the tables again, from products/PRODUCT.json: needs no sources
    stack.py write                             rules/catalog/stack/* from the tables and products/*.json
    stack.py count                             messages of each product by class
    stack.py check                             the same, but only says what differs: the test

A table has a row for each message: product, file, topic, first and last version read, class, literal. The literal is the longest
text of the message's first line (or second, where the first has too little) without placeholders; where the whole text stands behind
it, with … for what only the run knows, that is what the class is decided by. products/PRODUCT.json decides what a
class means; `notice` means nothing, `covered` has a rule of its own, `undecided` nobody has decided on: they make none. Build and tests
need no source of these programs.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
from generated import write_or_check  # noqa: E402
from sources import HOLE, messages  # noqa: E402

CATALOG = HERE.parent / "catalog" / "stack"
LEAST = 24  # letters of a literal; more where it begins within a sentence
PLACE = re.compile(r"%[-0-9.]*(?:hh|h|ll|l|z|t)?(?:[sduxXicfm]|p[A-Z]?)")
FILLED = re.compile(HOLE + r"|\{[^{}\s]*\}|%[-+#0-9.*]*(?:hh|h|ll|l|z|t)?[a-zA-Z]\b|%\(\w+\)[sdrf]")


def git(repo, *args):
    return subprocess.run(["git", "-C", repo, *args], capture_output=True, text=True, errors="replace", check=True).stdout


def products():
    """Name and description, in the order of their names."""
    return {p.stem: json.loads(p.read_text()) for p in sorted((HERE / "products").glob("*.json"))}


def table_of(name):
    return [x.split("\t") for x in (HERE / f"{name}.tsv").read_text().strip().split("\n")[1:]]


def literal_of(lines, product):
    least = product.get("least", LEAST)
    within = least if "head" in product else least + 10
    place = FILLED if "reads" in product["source"] else PLACE
    for line in [x for x in lines if x][:3]:
        best = max((p.strip(" ()[].,:;'`\"=") if place is FILLED else p.strip() for p in place.split(line)), key=len)
        if len(best) >= (least if best[0:1].isupper() else within if best[0:1].isalpha() else 2 * least):
            # "%sEFA cannot", "id 0x%" PRIx64: what only the run knows at either end of the text.
            return re.sub(r"^%[sdu](?=[A-Z])|[ (]*%$", "", best)
    return ""


def shared():
    """The classes of programs that have none of their own: one rule for all of them."""
    return json.loads((HERE / "classes.json").read_text())


def pooled(product):
    return "reads" in product["source"] and not product["classes"]


def class_of(product, file, topic, text):
    for want, kind in product["decide"] + (shared()["decide"] if pooled(product) else []):
        if re.search(want, f"{file}|{topic}|{text}", re.S):
            return kind
    return "undecided" if "reads" in product["source"] else "notice"


def read(name, repo, tags):
    product = products()[name]
    source, rows = product["source"], {}
    for tag, version in (x.partition("=")[::2] for x in tags):
        for file in git(repo, "ls-tree", "-r", "--name-only", tag).split("\n"):
            if not re.search(source["files"], file):
                continue
            base = file.rsplit("/", 1)[-1]
            for topic, lines in messages(file, git(repo, "show", f"{tag}:{file}"), source):
                literal = literal_of(lines, product)
                if not literal:
                    continue
                lines = [" ".join(line.split()).replace(HOLE, "…") for line in lines]
                text = " ".join(x for x in lines if x)
                row = rows.setdefault((base, literal), [topic, version, version, class_of(product, base, topic, text), text])
                row[2] = version
    whole = "reads" in source
    write_table(name, [[f, t, a, b, k, literal, *([text] if whole else [])] for (f, literal), (t, a, b, k, text) in rows.items()])


def write_table(name, rows):
    out = sorted("\t".join(r) for r in rows)
    head = ["file", "topic", "first", "last", "class", "literal", "text"][: len(rows[0])]
    (HERE / f"{name}.tsv").write_text("\n".join(["\t".join(head), *out]) + "\n")


def decide(names):
    """Classes anew, of products whose messages are decided by what the table holds."""
    for name, product in products().items():
        if "reads" in product["source"] and (not names or name in names):
            write_table(name, [[f, t, a, b, class_of(product, f, t, text), literal, text] for f, t, a, b, _, literal, text in table_of(name)])


def count():
    for name in products():
        kinds = collections.Counter(row[4] for row in table_of(name))
        print(f"{name}: {sum(kinds.values())} messages:", ", ".join(f"{n} {k}" for k, n in kinds.most_common()))


def rules():
    """path -> text of everything below catalog/stack."""
    out, anybodys, pool = {}, set(), {name: p for name, p in products().items() if pooled(p)}
    for name, product in products().items():
        if name in pool:
            continue
        table, taken = table_of(name), set() if "head" in product else anybodys
        for kind, what in product["classes"].items():
            texts = texts_of([row[5] for row in table if row[4] == kind], taken)
            out.update(rule_of(f"{name.replace('_', '-')}-{kind}", what, texts, product, product["references"]))
    tables = {name: table_of(name) for name in pool}
    for kind, what in shared()["classes"].items():
        texts = texts_of([row[5] for table in tables.values() for row in table if row[4] == kind], anybodys)
        saying = [n for n, table in tables.items() if any(row[4] == kind for row in table)]
        out.update(rule_of(f"stack-{kind}", what, texts, {"line": "{}"}, [r for n in saying for r in pool[n]["references"]]))
    return out


def texts_of(texts, taken):
    """Sorted. A text that holds another is found by it; one that two classes print belongs to the first."""
    texts = set(texts)
    texts = sorted(t for t in texts if not any(o in t for o in taken | (texts - {t})))
    taken.update(texts)
    return texts


def rule_of(name, what, texts, product, references):
    if not texts:
        raise SystemExit(f"no table has a text for {name}")
    rule = {"schema": "ncclwhy.rule/1", "id": name, **what["rule"], "references": references}
    if "head" in product:
        rule["near"] = [{**product["head"], "scope": "line"}]
    level = product.get("level", ["NONE"])
    order = ["schema", "id", "role", "title", "match", "causes", "near", "unless", "boost", "explains", "blame", "note", "sign", "fix", "fix_command", "tells", "references"]
    lines = []
    for key in [k for k in order if k in rule or k == "match"]:
        if key == "match":
            value = '[{"literal": [\n    ' + ",\n    ".join(json.dumps(t, ensure_ascii=False) for t in texts)
            value += "\n  ]" + (f', "level": {json.dumps(level)}' if level else "") + "}]"
        else:
            value = json.dumps(rule[key], ensure_ascii=False)
        lines.append(f'  "{key}": {value}')
    return {
        f"{name}/rule.json": "{\n" + ",\n".join(lines) + "\n}\n",
        f"{name}/fires-each.log": "".join(product["line"].replace("{}", t) + "\n" for t in texts),
        f"{name}/silent-other.log": what["silent"].strip() + "\n",
    }


def main():
    if sys.argv[1:2] == ["read"]:
        return read(sys.argv[2], sys.argv[3], sys.argv[4:])
    if sys.argv[1:2] == ["decide"]:
        return decide(sys.argv[2:])
    if sys.argv[1:2] == ["count"]:
        return count()
    return write_or_check("rules/stack/stack.py", CATALOG, rules())


if __name__ == "__main__":
    sys.exit(main())
