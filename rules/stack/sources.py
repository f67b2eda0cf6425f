"""Reads what a program may say out of its sources: topic and lines of each message.

Open MPI's help files, MPICH's error texts, calls of C, C++ and Go, and Python. What is only known when the program runs stands as HOLE.
"""
import ast
import re

HOLE = "\x00"
STRING = r'"((?:[^"\\\n]|\\.)*)"'
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"\w*\((?P<raw>.*?)\)\w*"|' + STRING + r"|'(?:[^'\\\n]|\\.)*'|`(?P<tick>[^`]*)`|[(){};]|\n", re.S)
LOGGERS = re.compile(r"^(?:error|warn|warning|exception|critical|fatal|error_once|warning_once)$")


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


def errnames(text):
    """MPICH's error texts: **name and its placeholders, a colon, the text; a backslash at the end goes on in the next line."""
    for line in re.sub(r" *\\\n *", HOLE, text).split("\n"):
        found = re.match(r"\*\*([^: ]+)[^:]*:(.*\S)", line)
        if found:
            yield found.group(1), lines_of(found.group(2))


def formats(text, call):
    """C: the function that complains, and its format, pieces of which stand behind each other."""
    for found in re.finditer(call + r"""\((?:[^;"]{0,200}?(?:[,(]|<<)\s*)?((?:"(?:[^"\\\n]|\\.)*"\s*)+)""", text):
        words = "".join(re.findall(STRING, found.group(found.lastindex)))
        yield found.group(0).split("(")[0], lines_of(words)


def statements(text, call, go=False):
    """C++ and Go: all texts of the statement that complains, with a hole for what stands between them."""
    for found in re.finditer(call, text):
        depth, words, bare = 0, "", False
        start = last = found.end() if found.group(0)[-1] not in "({" else found.end() - 1
        for token in TOKEN.finditer(text, start):
            piece = next((g for g in token.groups() if g is not None), None)
            if piece is not None:
                between = text[last:token.start()].strip()
                words += (HOLE if words and between else "") + piece
                last, bare = token.end(), True
            elif token.group(0) in "({":
                depth += 1
            elif token.group(0) in ")}":
                depth -= 1
                if depth < 0 or (go and depth == 0):
                    break
            elif token.group(0) == ";" and depth <= 0:
                break
            if token.end() - start > 3000:
                break
        if bare:
            yield " ".join(found.group(0).split()), lines_of(words)


def lines_of(words):
    return [x.strip() for x in words.replace('\\"', '"').replace("\\t", " ").replace("\\n", "\n").split("\n")]


def python(text, _call=None):
    """Python: what is raised, warned of, logged as an error or said by an assertion."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for scope in [tree] + [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]:
        names = {}
        for node in own(scope):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                names[node.targets[0].id] = said(node.value, names)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                names[node.target.id] = (names.get(node.target.id) or "") + (said(node.value, names) or HOLE)
            topic, value = complaint(node)
            words = said(value, names) if value is not None else None
            if words and words.strip(HOLE + " "):
                yield topic, [x.strip() for x in words.split("\n")]


def own(scope):
    """The nodes of a function in their order, without those of the functions within."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from own(node)


def complaint(node):
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
        name = node.exc.func.attr if isinstance(node.exc.func, ast.Attribute) else getattr(node.exc.func, "id", "?")
        return "raise " + name, node.exc.args[0]
    if isinstance(node, ast.Assert):
        return "assert", node.msg
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args and LOGGERS.match(node.func.attr):
        return node.func.attr, node.args[0]
    return "", None


def said(node, names):
    """The text of an expression, None where it has none."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(v.value if isinstance(v, ast.Constant) else HOLE for v in node.values)
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = said(node.left, names), said(node.right, names)
        return None if left is None and right is None else (left or HOLE) + (right or HOLE)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return said(node.left, names)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return said(node.func.value, names)
    if isinstance(node, ast.Call) and node.args:
        return said(node.args[0], names)
    return None


def messages(file, text, source):
    """Whatever the file's language: topic and lines."""
    if file.endswith(".py"):
        return python(text)
    if source.get("reads") == "errnames":
        return errnames(text)
    if "call" not in source:
        return topics(text)
    if source.get("reads") == "statements":
        return statements(text, source["call"], file.endswith(".go"))
    return formats(text, source["call"])
