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
ARGS = r"(?:\([^()]*\))?"
KEY = (r"(?:CUresult|(?:cuda|hip)Error(?:_t)?|ucs_status(?:_t)?|status|[Ee]rror|err|errno|[Rr]eturned|[Rr]eturn (?:code|value)|rc|ret|retval|result|code|ierr(?:or)?|err(?:or)?_?code)"
       r"(?: code| no| class| value| number)?")
# What may stand between the name of a call and the word that its number follows.
WAY = (ARGS + r"(?: ?\([\w >-]+\))?(?:(?: in)?:? [\w./-]+\.(?:c|cc|cpp|cu|h):\d+)?(?:[:,]? [\w./:@\[\]>-]+){0,4}?[ ,:;.!(]+(?:with |and )?"
       r"(?:(?:CUDA|HIP|UCX|UCS|MPI|OS|driver|runtime|system) )?")
TAIL = WAY + r"(?:" + KEY + r"\s?[:=]?\s?\(?|failed\W{1,3}(?:with )?)"
# The same behind a call that returns a count or a descriptor where all is well: "recv returned 104" is no error.
COUNT = WAY + r"(?:(?:status|[Ee]rror|err|errno|err(?:or)?_?code|code)(?: code| no| value| number)?\s?[:=]?\s?\(?|failed\W{1,3}(?:with |rc=|ret=|ret |rc )?)"
# "cudaStreamSynchronize -> 700", "cuInit(0) = 803", "ibv_reg_mr: -12 (Cannot allocate memory)": nothing but a sign, and nothing behind.
ARROW, COLON = r"(?: \([\w >-]+\))? ?(?:->|=>|==?) ?", r"(?: \([\w >-]+\))?: "
OVER = r"\s*(?:$|[,;)\]]|\([A-Za-z])"
# "Error 24 in socket", "CUDA error 222 at cuModuleLoadData", "error 12 from ibv_reg_mr"
BEHIND = (r"(?:[Ee]rror|ERROR|[Ff]ailure|[Ss]tatus|errno|[Rr]eturn(?:ed)? (?:value|code))(?: code| number| no\.?| class)?[ :=#]{1,2}\(?",
          r"\)?,? (?:in|from|at|by|during|calling|while calling|when calling|returned by)(?: call to| function| call)? ['\"`]?")
# "ibv_create_cq(cqe=4096) failed: Cannot allocate memory": the text of the same number.
SAID = r"(?:\([^()]*\))?[^\n]{0,40}?\b(?:failed|error|returned)\b[^\n]{0,40}?[:(] ?\"?"
# "non-zero status: 101 cuMemCreate failed": the number stands before the name.
AHEAD = r"(?:status|error|errno|return code|rc|ret|result|code)\s?[:=]?\s?\(?"
STARTS = ["{w} failed", "{w}(", "{w} returned", "{w} -> ", "{w}: ", "{w} = ", "{w} error", "{w} err", "{w} ret", "{w} rc", "{w} status", "{w} to "]
ENDING = r"(?:[Rr]ank|[Ww]orker|[Pp]rocess|[Tt]rainer|[Ss]ubprocess|[Cc]hild|[Aa]ctor|[Tt]ask|[Rr]eplica|[Ll]auncher|[Jj]ob|[Ss]tep|[Cc]ontainer)"
COUNTED = ["socket", "accept", "recv", "send", "read", "write"]
FORMS = ["{api} failed with error {n}", "{api}() returned {n}", "{api} failed, errno: {n}", "cannot go on: {api} failed ({n})", "{api} rc = {n}", "{api}(): common/tool.c:417, ret={n}"]
SURE = ["{api} failed: {n}", "{api}(0x7f,4) failed, rc={n}", "{api}: error {n}", "{api} error code: {n}", "Error {n} in {api}", "[worker 3] ERROR net.cpp:412 {api} failed, ret={n}",
        "{api} failed: code={n}", "RuntimeError: {api} returned error code {n}", "error {n} from {api}", "{api} on node7 failed: errno {n}"]
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


def starts(row):
    """Literals of a call that has a plain word for its name: with what follows it, as the word alone is in any text."""
    return [start.format(w=word) for word in row["words"] for start in STARTS]


def calls(names, table):
    return "(?:" + "|".join(spelled(a) for a in names) + ")" + table.get("ends", r"\w*")


def patterns(table, row):
    """Name and number in every order and with every sign that programs put between them."""
    number = table.get("sign", "") + f"(?P<exit_code>{shortest(row['codes'])})"
    end = r"(?:$|[^\w.])"
    before = r"(?:^|[^\w.])"
    if "words" in row:
        counted = [w for w in row["words"] if w in COUNTED]
        plain = [w for w in row["words"] if w not in COUNTED]
        name = r"(?:(?:tcp|sock|socket|do|uv|sys|try|nb|net|my)_)?(?:" + "|".join(row["words"]) + r")(?:\(\))?"
        literals = starts(row)
        if plain:
            yield literals, before + r"(?:(?:tcp|sock|socket|do|uv|sys|try|nb|net|my)_)?(?:" + "|".join(plain) + r")" + TAIL + number + end
            yield literals, before + r"(?:(?:tcp|sock|socket|do|uv|sys|try|nb|net|my)_)?(?:" + "|".join(plain) + r")" + ARGS + ARROW + number + OVER
        if counted:
            yield literals, before + r"(?:(?:tcp|sock|socket|do|uv|sys|try|nb|net|my)_)?(?:" + "|".join(counted) + r")" + COUNT + number + end
            yield literals, before + r"(?:(?:tcp|sock|socket|do|uv|sys|try|nb|net|my)_)?(?:" + "|".join(counted) + r")" + TAIL + number.replace("-?", "-", 1) + end
        yield literals, before + name + ARGS + "(?:" + ARROW + "|" + COLON + ")" + number.replace("-?", "-", 1) + OVER
        yield [w + word for word in row["words"] for w in ("in ", "from ", "at ", "by ", "calling ")], before + BEHIND[0] + number + BEHIND[1] + name + end
        return
    api = row.get("api", table["api"])
    name = calls(api, table)
    yield api, before + name + TAIL + number + end
    yield api, before + AHEAD + number + r"\)?[ ,:;]{1,2}(?:in |from |at )?" + name + r"(?:\(\))? (?:has )?(?:failed|returned)"
    # "Return value 46 from 'cudaStreamCreate(&kernel_stream)'"
    yield api, before + BEHIND[0] + number + BEHIND[1] + name + end
    if "counts" in table and min(row["codes"]) < 34:  # "cudaGetDeviceCount -> 2": two devices
        api = [a for a in api if not any(a.startswith(c) for c in table["counts"])]
    safe = [a for a in api if a in table["bare_in"]] if "bare_in" in table else api
    sign = ARROW if table.get("bare") == "arrow" else "(?:" + ARROW + "|" + COLON + ")"
    if safe:
        yield safe, before + calls(safe, table) + ARGS + sign + number + OVER
    if table.get("sign") == "-?" and "bare_in" in table:
        yield api, before + calls(api, table) + ARGS + sign + number.replace("-?", "-", 1) + OVER


def endings(row):
    """A code or signal behind whatever ran the process and says that it is over."""
    signals = "|".join(str(n) for n in row["signals"])
    codes = [str(n) for n in row["codes"] or []] + [f"-{n}" for n in row["signals"]] + [str(128 + n) for n in row["signals"]] + row["more"]
    over = r"(?:crashed|exit(?:ed|s)?|died|failed|ended|terminated|finished|stopped|returned|killed|aborted)"
    starts = ["code ", "code: ", "code=", "code = ", "status ", "status: ", "status=", "status = ", "exited ", "exited: "]
    yield [start + code for start in starts for code in codes], (ENDING + r"\b[^\n]{0,60}?(?:" + over + r"(?: unexpectedly)?(?: with| \(|[:,])? ?(?:an? )?)?"
        r"(?:(?:[Ee]xit|[Rr]eturn|[Ss]tatus)[ -]?code|[Ee]xit ?status|code|status|\bexited)(?:: | ?= ?| )(?P<exit_code>" + "|".join(codes) + r")(?:$|[^\w.])")
    if signals:
        yield ([f"signal {n}" for n in row["signals"]] + [f"signal: {n}" for n in row["signals"]],
               r"(?:" + ENDING + r"\b[^\n]{0,60}?|^\W*(?:\S+ )?)\b(?:[Rr]eceived|[Cc]aught|[Gg]ot|" + over + r")(?:[:,]| (?:by|with|on|of|from|due to))? (?:an? |the )?(?:fatal )?signal:? "
               r"\(?(?P<signal>" + signals + r")(?:$|[^\w.])")
        yield row["names"], (r"^\W*\d{0,6}\W*(?P<signal>" + "|".join(row["names"]) + r")\W*$|\b(?:[Rr]eceived|[Cc]aught|[Gg]ot|" + over +
                             r" (?:by|with|on|of|from)) (?:signal )?(?:" + "|".join(row["names"]) + r")\b")


def rule_of(name, table, row):
    rule = {"schema": "ncclwhy.rule/1", "id": f"number-{name}-{row['id']}", "role": row.get("role", "root"), "title": row["title"]}
    match = []
    level = {"level": table["level"]} if "level" in table else {}
    if "hex" in table:  # "vendor err 129", "vendor_err 0x81"
        numbers = "|".join([f"0x0*{n:x}" for n in row["codes"]] + ([str(n) for n in row["codes"]] if table["plain"] else []))
        for words, regex in table["hex"]:
            match.append({"literal": words, "regex": regex + rf"(?P<status>{numbers})(?:$|[^\w.])", **level})
    elif "ended" in table:
        match += [{"literal": literals, "regex": regex, **level} for literals, regex in endings(row)]
    elif "dump" in table:  # the last row of mlx5's dump: vendor's error and syndrome are bytes 54 and 55
        numbers = "|".join(f"{n:02x}" for n in row["codes"])
        match.append({"literal": "00000000 0000", "regex": rf"(?:^|[\s:|>])00000000 0000[0-9a-f]{{2}}(?P<status>{numbers}) [0-9a-f]{{8}} [0-9a-f]{{8}}\s*$", **level})
        match.append({"literal": "00000030: 00 00 00 00 00 00 ", "regex": rf"00000030: (?:00 ){{6}}[0-9a-f]{{2}} (?P<status>{numbers}) [0-9a-f]{{2}} ", **level})
    elif "codes" in row:
        api = row.get("api", table.get("api", []))
        for literal, regex in patterns(table, row):
            match.append({"literal": literal, "regex": regex, **level})
        if "who" in table and not "api" in row:  # "CUDA error 222 at f.cpp", "CUDA error kernels.cu:99 '46'": whose number it is
            match.append({"literal": table["who_words"], "regex": r"(?:^|[^\w.])(?:" + table["who"] + r")(?: driver| runtime| API)? (?:[Ee]rror|ERROR)(?: code| number)?"
                          r"(?:[: ]{1,2}(?:at |in )?[\w./-]+:\d+)?[ :=#(]{1,3}['\"]?" + f"(?P<exit_code>{shortest(row['codes'])})(?:$|[^\\w.])", "level": ["NONE"]})
        for words in table.get("before", []):  # what stands before the number where no name of a call does
            match.append({"literal": words, "regex": spelled(words) + f"(?P<exit_code>{shortest(row['codes'])})" + r"(?:$|[^\w.])",
                          **({"level": table["level"]} if "level" in table else {})})
        for literal, words in table.get("ahead", []):  # the same, where the place in the source stands between
            match.append({"literal": literal, "regex": words + f"(?P<exit_code>{shortest(row['codes'])})" + r"(?:$|[^\w.])",
                          **({"level": table["level"]} if "level" in table else {})})
        if "success" in table:  # glog: "Check failed: error == cudaSuccess (77 vs. 0)"
            numbers = shortest(row["codes"] + row.get("old", []))
            match.append({"literal": table["success"] + " (", "regex": table["success"] + rf" \((?P<exit_code>{numbers}) vs\. 0\)"})
        if "said" in row:  # names that are no plain words, with the text of the number
            said = "|".join(sorted({ERRNO[n] for n in row["codes"] if n in ERRNO}))
            match.append({"literal": row["said"], "regex": r"(?:^|[^\w.])(?:" + "|".join(spelled(w) for w in row["said"]) + ")" + SAID + f"(?P<errno_text>{said})", **level})
        elif table.get("perror"):  # "ibv_modify_qp: Invalid argument": perror() puts the name of the call before the text
            said = "|".join(f"[{t[0].upper()}{t[0].lower()}]{t[1:]}" for t in sorted({ERRNO[n] for n in row["codes"] if n in ERRNO}))
            if said:
                regex = r"(?:^|[^\w.])(?:" + "|".join(spelled(a) for a in api) + ")" + table.get("ends", r"\w*") + r"(?:\(\))?: (?P<errno_text>" + said + r")"
                match.append({"literal": api, "regex": regex, **({"level": table["level"]} if "level" in table else {})})
        if table.get("errno") and "words" not in row:
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
    if "near" in table:
        rule["near"] = table["near"]
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


def examples(table, row):
    """A line of each form for the first name, and each further name in one of them."""
    codes = row["codes"]
    sign = table.get("sign", "")
    if "words" in row:
        names, further = row["words"], []
    else:
        names, further = row.get("names", table.get("names", table["api"]))[:1], row.get("names", table.get("names", table["api"]))

    def line(form, api, i):
        return form.format(api=api, n=("-" if sign == "-" or sign and i % 2 else "") + str(codes[i % len(codes)])).replace("()()", "()")

    out = [line(form, api, i) for api in names for i, form in enumerate(SURE + (FORMS if api not in COUNTED else []))]
    out += [line(FORMS[i % len(FORMS)], api, i) for i, api in enumerate(further)]
    out += [f"{api}{end}-{codes[0]}" for api in row.get("words", []) for end in (" -> ", ": ", "() = ")]
    return out + [line(form, names[0], 0) for form in ("non-zero status: {n} {api} failed", "Return value {n} from '{api}(x)'. Exiting.")][:0 if "words" in row else 2]


def read_all(rule, lines):
    """Each line by itself: a log fires its rule with one of them."""
    for line in lines:
        if not any(re.search(m["regex"], line) if "regex" in m else any(t in line for t in m["literal"]) for m in rule["match"]):
            raise SystemExit(f"{rule['id']} does not read: {line}")


def rules():
    """path -> text of everything below catalog/number."""
    out = {}
    for name, table in json.loads((HERE / "numbers.json").read_text()).items():
        for row in table["rows"]:
            rule = rule_of(name, table, row)
            sign = "-" if table.get("sign") else ""
            fires = examples(table, row) if "codes" in row and not {"hex", "dump", "ended"} & table.keys() else []
            fires += [f" {words}{n}: wr_id 0 syndrom 0x51" for words in table.get("before", []) for n in row.get("codes", [])]
            fires += [f" {literal}/src/utils.cpp:211 '{n}'" for literal, words in table.get("ahead", []) if words.endswith("'") for n in row.get("codes", [])]
            if table.get("perror") and "words" not in row:
                fires += [f"{row.get('names', table['names'])[0].removesuffix('()')}: {ERRNO[n][0].lower()}{ERRNO[n][1:]}" for n in row["codes"] if n in ERRNO]
            fires += [f"{row['said'][0]} failed: {ERRNO[n]}" for n in row["codes"] if n in ERRNO] if "said" in row else []
            if table.get("errno") and "words" not in row:
                fires += [f"{row.get('names', table['names'])[0]}(x, 8) failed: {ERRNO[n]}" for n in row["codes"] if n in ERRNO]
            if "ended" in table:
                ends = [f"-{n}" for n in row["signals"]] + [128 + n for n in row["signals"]] + (row["codes"] or []) + row["more"]
                lines = [f"worker exit code {n}" for n in ends] + [f"process rank 5 exit status {n}" for n in ends] + [f"[node1] child 4242 exited: {n}" for n in ends]
                lines += [f"Job step exited {n}" for n in ends] + [f"Child process 3 terminated with exit status {n}" for n in ends] + [f"rank 1: exit code {n}" for n in ends]
                lines += [form.format(n=n) for n in row["signals"] for form in ("rank 2 received signal {n}", "worker died: signal {n}", "Caught signal {n}", "process 3 killed by signal {n}")]
                lines += [form.format(n=n) for n in row["names"] for form in ("terminated by {n}", "[3] {n}", "worker killed by {n}")]
                read_all(rule, lines)
                out[f"{rule['id']}/fires-each.log"] = "\n".join(lines) + "\n"
                out[f"{rule['id']}/rule.json"] = written(rule)
                out[f"{rule['id']}/silent-other.log"] = f"worker exit code 0\nrank 2 received signal {(row['signals'] or [1])[0]}0\nInstalled handler for signal {(row['signals'] or [1])[0]}\nstep 139 of 1370 exited: no\n"
                out[f"{rule['id']}/silent-previous.log"] = f"{lines[0]} in the previous run\n"
                continue
            if "hex" in table or "dump" in table:
                out[f"{rule['id']}/rule.json"] = written(rule)
                zero = "00000000 00000000 00000000 00000000\n"
                for n in row["codes"]:
                    if "dump" in table:
                        out[f"{rule['id']}/fires-{n:02x}.log"] = f"mlx5: n04: got completion with error:\n{zero * 3}00000000 0000a1{n:02x} 08006214 0000f6d2\n"
                        out[f"{rule['id']}/silent-memory-{n:02x}.log"] = f"page table:\n{zero * 3}00000000 0000a1{n:02x} 08006214 0000f6d2\n"
                    else:
                        out[f"{rule['id']}/fires-{n:02x}.log"] = "".join(said.format(n=n, x=f"0x{n:02x}") + "\n" for said in table["says"])
                if "dump" in table:
                    out[f"{rule['id']}/fires-kernel.log"] = ("infiniband mlx5_0: dump_cqe:272:(pid 912): dump error cqe\n00000000: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
                                                            f"00000030: 00 00 00 00 00 00 a1 {row['codes'][0]:02x} 08 00 62 14 00 00 f6 d2\n")
                    out[f"{rule['id']}/silent-flushed.log"] = f"mlx5: n04: got completion with error:\n{zero * 3}00000000 0000f905 08006214 0000f6d2\n"
                else:
                    out[f"{rule['id']}/silent-other.log"] = table["other"] + "\n"
                continue
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
            if "who" in table and "api" not in row:
                who = table["who_words"][0]
                fires += [f"{who} {n} at solver.cpp" for n in row["codes"]] + [f"Failed, {who} kernels.cu:99 '{n}'" for n in row["codes"]]
            read_all(rule, fires)
            other = row.get("words", row.get("names", table.get("names", table.get("api", ["the call"]))))[0]
            out[f"{rule['id']}/rule.json"] = written(rule)
            if "success" in table:
                out[f"{rule['id']}/fires-success.log"] = "".join(
                    f"F0302 08:01:12.100000 4711 math.cu:79] Check failed: error == {table['success']} ({n} vs. 0)\n"
                    for n in row["codes"] + row.get("old", []))
            out[f"{rule['id']}/fires-each.log"] = "\n".join(fires) + "\n"
            out[f"{rule['id']}/silent-other.log"] = f"error {row.get('codes', [4])[0]} of the page\n{other} returned 0\n{other} took 12.5 s\n"
            if "codes" in row:  # counts, times and descriptors are no numbers of errors
                n = row["codes"][0]
                near = [f"{other}: {n} calls in 3 s", f"{other} -> {n} ms", f"{n} of 4096 calls in {other}", f"Core(s) per socket: {n}", f"{other} = {n}.5"]
                near += [f"libfabric:4711:1751035971::core:core:fi_getinfo_():1123<info> {other}: provider efa returned -{n}"] if table.get("level") == ["NONE"] else []
                near += [f"{other} returned {n}", f"{other}() = {n}"] if other in COUNTED else []
                near += [f"[W socket.cpp:436] [c10d] The server socket has failed to bind to [::]:1 (errno: {n})", f"{other} failed: {n}, retrying", f"LustreError: 11-0: ost_{other} to node 10.3.0.9@o2ib failed: rc = -{n}", f"rdma_{other} took {n} ms"] if "words" in row else []
                near += [f"  [[System has another driver (CUDA_ERROR_OF_ANY_KIND) cuInit()={n}]]"] if "unless" in row and name == "cuda" and "cuInit" in str(row["unless"]) else []
                near += [f"{a} = {n}" for a in table.get("counts", []) if n < 34 and a not in row.get("api", [])]
                out[f"{rule['id']}/silent-counts.log"] = "\n".join(near) + "\n"
    return out


def main():
    return write_or_check("rules/numbers/numbers.py", CATALOG, rules())


if __name__ == "__main__":
    sys.exit(main())
