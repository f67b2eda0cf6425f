#!/usr/bin/env python3
"""Numbers behind the name of an API, and the rules that they amount to.

    numbers.py write   rules/catalog/number/* from numbers.json
    numbers.py check   the same, but only says what differs: the test

A table of numbers.json has the names (or beginnings of names) of an API and rows: which numbers (or texts) speak for which causes.
"with ibv_modify_qp failed with error 110", "fi_domain returned -12", "hipMalloc(...) failed (2)": what may stand between name
and number is the same for all, TAIL. A table of `texts` has what the API's own error function prints instead. With `by`, words that show
whose text it is, any program may put it anywhere in its complaint: "cudaSetDevice(3) failed, invalid device ordinal". `own` are texts
that nobody else has: a word of failure is enough. With `after`, the text counts behind that (the class of an exception); `regex` of a row
reads what `says` shows, `near` is what it must not read, `raised` are whole lines where the class is what tells, `also_unless` are further words of a line that is none.
"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from generated import write_or_check  # noqa: E402

CATALOG = HERE.parent / "catalog" / "number"
TAIL = (r"(?:\([^()]{0,200}\))?(?:(?: in)?:? [\w./-]{1,60}\.(?:c|cc|cpp|cu|h):\d+)?(?: \w+){0,3}?[ ,:;.!(]+(?:with |and )?"
        r"(?:(?:status|error|err|errno|returned|return code|rc|ret|result|code)(?: code| no)?\s?[:=]?\s?\(?|failed\W{1,3}(?:with )?)")
# "ibv_create_cq(cqe=4096) failed: Cannot allocate memory": the text of the same number.
SAID = r"(?:\([^()]{0,200}\))?[^\n]{0,40}?\b(?:failed|error|returned)\b[^\n]{0,40}?[:(] ?\"?"
# "non-zero status: 101 cuMemCreate failed": the number stands before the name.
AHEAD = r"(?:status|error|errno|return code|rc|ret|result|code)\s?[:=]?\s?\(?"
FORMS = ["{api} failed with error {n}", "{api}() returned {n}", "{api} failed, errno: {n}", "cannot go on: {api} failed ({n})", "{api} rc = {n}", "{api}(): common/tool.c:417, ret={n}"]
# "CUDA error at f.cu:3 (out of memory)", "Fatal error: cudaMalloc (out of memory at f.cu:3)", "out of memory: cudaMalloc(&p, n)"
FAILED = r"(?:[Ee]rror|ERROR|[Ff]ail|FAIL|[Aa]ssert|ASSERT|[Aa]bort|ABORT|[Rr]eturned|[Ee]xception|[Ff]atal|FATAL|错误|失败|报错)"
GAP = r"[^\n]*?"
SAYS = ["Cuda error {t} ", "CUDA error at solver.cu:312 ({t})", "Fatal error: cudaSetDevice ({t} at solver.cu:312)", "cudaSetDevice(3) failed, {t}",
        "hipMalloc returned {t}", "ERROR: (HIP) {t} (rank 3, host n12, device.cpp:312 in init())", "[E] 1: Error Code 1: Cuda Runtime ({t})",
        "Libomptarget error: Failure to set device: {t}", "unhandled cuda error (run with NCCL_DEBUG=INFO for details) {t}", "{t} cudaDeviceSynchronize()"]
OWN = ["error: '{t}'(17) at square.cpp:61", "check failed: {t}", "{t}"]
ERRNO = {e["code"]: e["text"] for e in json.loads((HERE.parents[1] / "kb" / "codes.json").read_text())["tables"]["errno"]}


def spelled(text):
    return re.escape(text).replace("\\ ", " ").replace("\\-", "-")


def shortest(numbers):
    return "|".join(str(n) for n in sorted(numbers, key=lambda n: (len(str(n)), n)))


def rule_of(name, table, row):
    rule = {"schema": "ncclwhy.rule/1", "id": f"number-{name}-{row['id']}", "role": row.get("role", "root"), "title": row["title"]}
    match = []
    if "codes" in row:
        api = table["api"]
        regex = r"(?:^|[^\w.])(?:" + "|".join(spelled(a) for a in api) + r")" + table.get("ends", r"\w*") + TAIL
        regex += table.get("sign", "") + f"(?P<exit_code>{shortest(row['codes'])})" + r"(?:$|[^\w.])"
        match.append({"literal": api, "regex": regex, **({"level": table["level"]} if "level" in table else {})})
        regex = r"(?:^|[^\w.])" + AHEAD + table.get("sign", "") + f"(?P<exit_code>{shortest(row['codes'])})" + r"\)?[ ,:;]{1,2}(?:in |from |at )?"
        regex += "(?:" + "|".join(spelled(a) for a in api) + ")" + table.get("ends", r"\w*") + r"(?:\(\))? (?:has )?(?:failed|returned)"
        match.append({"literal": api, "regex": regex, **({"level": table["level"]} if "level" in table else {})})
        # "Return value 46 from 'cudaStreamCreate(&kernel_stream)'"
        regex = r"(?:[Rr]eturn(?:ed)? (?:value|code)|[Ee]rror(?: code| number)?|[Ss]tatus)[ :=]{1,2}" + table.get("sign", "")
        regex += f"(?P<exit_code>{shortest(row['codes'])})" + r" from ['\"`]?(?:" + "|".join(spelled(a) for a in api) + ")" + table.get("ends", r"\w*") + r"(?:$|[^\w.])"
        match.append({"literal": api, "regex": regex, **({"level": table["level"]} if "level" in table else {})})
        for words in table.get("before", []):  # what stands before the number where no name of a call does
            match.append({"literal": words, "regex": spelled(words) + f"(?P<exit_code>{shortest(row['codes'])})" + r"(?:$|[^\w.])",
                          **({"level": table["level"]} if "level" in table else {})})
        for literal, words in table.get("ahead", []):  # the same, where the place in the source stands between
            match.append({"literal": literal, "regex": words + f"(?P<exit_code>{shortest(row['codes'])})" + r"(?:$|[^\w.])",
                          **({"level": table["level"]} if "level" in table else {})})
        if "success" in table:  # glog: "Check failed: error == cudaSuccess (77 vs. 0)"
            numbers = shortest(row["codes"] + row.get("old", []))
            match.append({"literal": table["success"] + " (", "regex": table["success"] + rf" \((?P<exit_code>{numbers}) vs\. 0\)"})
        if table.get("perror"):  # "ibv_modify_qp: Invalid argument": perror() puts the name of the call before the text
            said = "|".join(f"[{t[0].upper()}{t[0].lower()}]{t[1:]}" for t in sorted({ERRNO[n] for n in row["codes"] if n in ERRNO}))
            if said:
                regex = r"(?:^|[^\w.])(?:" + "|".join(spelled(a) for a in api) + ")" + table.get("ends", r"\w*") + r"(?:\(\))?: (?P<errno_text>" + said + r")"
                match.append({"literal": api, "regex": regex, **({"level": table["level"]} if "level" in table else {})})
        if table.get("errno"):
            said = "|".join(sorted({ERRNO[n] for n in row["codes"] if n in ERRNO}))
            regex = r"(?:^|[^\w.])(?:" + "|".join(spelled(a) for a in api) + ")" + table.get("ends", r"\w*") + SAID + f"(?P<errno_text>{said})"
            match.append({"literal": api, "regex": regex, **({"level": table["level"]} if "level" in table else {})})
    if "after" in table:
        text = row.get("regex") or "(?P<errno_text>" + "|".join(spelled(t) for t in row["texts"]) + r")(?:$|[^\w\n-])"
        match.append({"literal": row["texts"], "regex": row.get("after", table["after"]) + ("" if "regex" in row else r"[^\n]*?" + row.get("pre", "") + table["gap"]) + text, "level": "NONE"})
    elif "by" in table:
        text = "(?P<text>" + "|".join(spelled(t) for t in row["texts"]) + ")"
        by = "(?:" + "|".join(table["by"]) + ")"
        for regex in [rf"(?:{by}{GAP}{FAILED}|{FAILED}{GAP}{by}){GAP}\b{text}", rf"^[^\w\n]{{0,8}}{text}\W[^\n]{{0,80}}?{by}"]:
            match.append({"literal": row["texts"], "regex": regex, "level": "NONE"})
        if row.get("own"):
            match.append({"literal": row["texts"], "regex": rf"(?:^[^\w\n]{{0,8}}|{FAILED}{GAP}\b){text}", "level": "NONE"})
    elif "texts" in row:
        match.append({"literal": row["texts"], **({"level": table["level"]} if "level" in table else {})})
    rule["match"] = match
    rule["causes"] = row["causes"]
    for key in ("unless", "boost", "explains"):
        if key in row or key in table:
            rule[key] = row.get(key, table.get(key))
    if "also_unless" in row:
        rule["unless"] = [*rule["unless"], {"literal": row["also_unless"], "scope": "line"}]
    rule["blame"] = "self"
    for key in ("note", "fix", "fix_command", "tells"):
        if key in row:
            rule[key] = row[key]
    rule["references"] = table["references"]
    return rule


def written(rule):
    lines = [f'  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}' for k, v in rule.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def rules():
    """path -> text of everything below catalog/number."""
    out = {}
    for name, table in json.loads((HERE / "numbers.json").read_text()).items():
        for row in table["rows"]:
            rule = rule_of(name, table, row)
            sign = "-" if table.get("sign") else ""
            fires = [FORMS[i % len(FORMS)].format(api=api, n=f"{sign if i % 2 else ''}{row['codes'][i % len(row['codes'])]}")
                     .replace("()()", "()") for i, api in enumerate(table.get("names", table.get("api", []))) if "codes" in row]
            if "codes" in row:
                fires.append(f"non-zero status: {sign}{row['codes'][0]} {table.get('names', table['api'])[0].removesuffix('()')}{'()' if table.get('ends') == '' else ''} failed")
            if "codes" in row:
                fires.append(f"Return value {sign}{row['codes'][0]} from '{table.get('names', table['api'])[0].removesuffix('()')}(x)'. Exiting.")
            fires += [f" {words}{n}: wr_id 0 syndrom 0x51" for words in table.get("before", []) for n in row.get("codes", [])]
            fires += [f" {literal}/src/utils.cpp:211 '{n}'" for literal, words in table.get("ahead", []) if words.endswith("'") for n in row.get("codes", [])]
            if table.get("perror"):
                fires += [f"{table['names'][0].removesuffix('()')}: {ERRNO[n][0].lower()}{ERRNO[n][1:]}" for n in row["codes"] if n in ERRNO]
            if table.get("errno"):
                fires += [f"{table['names'][0]}(x, 8) failed: {ERRNO[n]}" for n in row["codes"] if n in ERRNO]
            if "after" in table:
                lines = row.get("raised") or ["mesh.errors.MeshError: " + (said if "says" in row else table["before_text"] + said) for said in row.get("says", row["texts"])]
                for i, line in enumerate(lines):
                    out[f"{rule['id']}/fires-{i + 1}.log"] = f"Traceback (most recent call last):\n  File \"/w/mesh.py\", line 8, in start\n{line}\n"
                out[f"{rule['id']}/rule.json"] = written(rule)
                out[f"{rule['id']}/silent-retried.log"] = f"{lines[0]}, retrying\n"
                out[f"{rule['id']}/silent-other.log"] = table["other"] + "\n"
                if "near" in row:
                    out[f"{rule['id']}/silent-near.log"] = "".join(f"mesh.errors.MeshError: {text}\n" for text in row["near"])
                continue
            if "by" in table:
                for i, form in enumerate(SAYS + (OWN if row.get("own") else [])):
                    said = form.format(t=row["texts"][i % len(row["texts"])])
                    out[f"{rule['id']}/fires-{i + 1}.log"] = f"[n04:4711] step 12\n{said}\n" if form[0] != "{" else said + "\n"
                out[f"{rule['id']}/rule.json"] = written(rule)
                out[f"{rule['id']}/silent-prose.log"] = "".join(f"# a CUDA error such as '{text}' usually means another thing\n" for text in row["texts"])
                out[f"{rule['id']}/silent-other.log"] = table["other"] + "\n"
                continue
            fires += [f"[n04:4711] worker: {text}" for text in row.get("texts", [])]
            other = table.get("names", table.get("api", ["the call"]))[0]
            out[f"{rule['id']}/rule.json"] = written(rule)
            if "success" in table:
                out[f"{rule['id']}/fires-success.log"] = "".join(
                    f"F0302 08:01:12.100000 4711 math.cu:79] Check failed: error == {table['success']} ({n} vs. 0)\n"
                    for n in row["codes"] + row.get("old", []))
            out[f"{rule['id']}/fires-each.log"] = "\n".join(fires) + "\n"
            out[f"{rule['id']}/silent-other.log"] = f"{other} returned 0\n{other} took 12.5 s\nerror {row.get('codes', [4])[0]} of the page\n"
    return out


def main():
    return write_or_check("rules/numbers/numbers.py", CATALOG, rules())


if __name__ == "__main__":
    sys.exit(main())
