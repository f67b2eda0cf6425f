"""No file of a room includes one of a room above it, no files include each other in a circle, and the names and files that
the READMEs of the rooms tell of are there; none of our files has more than 400 lines.

structure_test.py SOURCE_DIR
"""

import glob
import os
import re
import sys

# From the bottom; rooms of one level may not include each other, with the exceptions below.
LEVELS = [
    ["src/include", "src/base"],
    ["parser"],
    ["src/job", "kb"],
    ["rules"],
    ["src/read"],
    ["src/analyze"],
    ["src/store", "src/report"],
    ["src/api", "src/history", "src/run", "src/collect"],
    ["src/cli", "src/serve"],
]
# What a room of the same level may be asked for, and why.
SIDEWAYS = {
    ("src/base", "src/include"),  # Status is in the public headers
    ("src/cli", "src/serve"),  # `ncclwhy serve` runs the server
}
MOST_LINES = 400
OTHERS = ("src/serve/httplib/",)  # not ours
ROOTS = ("", "src", "src/include")
LEVEL_OF = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}


def room_of(path):
    return next((room for room in LEVEL_OF if path.startswith(room + "/")), None)


def sources(root):
    for room in LEVEL_OF:
        for folder, _, names in os.walk(os.path.join(root, room)):
            for name in names:
                if name.endswith((".h", ".cc", ".def", ".in")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def includes(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        for target in re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read(), re.M):
            for base in ROOTS:
                found = os.path.normpath(os.path.join(base, target))
                if os.path.exists(os.path.join(root, found)):
                    yield found
                    break


def circle(graph):
    """A list of files that include each other, or None."""
    done, open_ = set(), []

    def visit(path):
        if path in open_:
            return open_[open_.index(path) :] + [path]
        if path in done:
            return None
        open_.append(path)
        for target in graph.get(path, ()):
            found = visit(target)
            if found:
                return found
        open_.pop()
        done.add(path)
        return None

    return next(filter(None, map(visit, sorted(graph))), None)


def stale_names(root, texts):
    """What a document of a room puts between backticks and looks like a name or file of ours, but is none."""
    code = "\n".join(texts)
    for folder in ["src", "parser/fast", *LEVEL_OF]:
        for document in sorted(glob.glob(os.path.join(root, folder, "*.md"))):
            with open(document, encoding="utf-8") as file:
                text = re.sub(r"^```.*?^```", "", file.read(), flags=re.M | re.S)
            for wrong in stale_names_of(root, folder, text, code):
                yield "%s: there is no %s" % (os.path.relpath(document, root), wrong)


def stale_names_of(root, folder, text, code):
    for name in re.findall(r"`((?:[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(?:::[A-Z][A-Za-z0-9]+)*)`", text):
        if not all(re.search(r"\b%s\b" % part, code) for part in name.split("::")):
            yield name
    text = "\n".join(line for line in text.split("\n") if " NCCL " not in line and " WARN " not in line)  # NCCL's own files
    around = (folder, os.path.dirname(folder), folder + "/engine", "tests", "src/base", "src/include", "src", "")
    for name in re.findall(r"(?:^|[\s`(,])([a-z_/]+\.(?:h|cc|def|sql))\b", text):
        if not any(os.path.exists(os.path.join(root, place, name)) for place in around):
            yield name


def main():
    root = sys.argv[1]
    graph = {path: set(includes(root, path)) for path in sources(root)}
    wrong = []
    for path, targets in sorted(graph.items()):
        for target in sorted(targets):
            here, there = room_of(path), room_of(target)
            if there is None or here == there or (here, there) in SIDEWAYS:
                continue
            if LEVEL_OF[there] >= LEVEL_OF[here]:
                wrong.append("%s includes %s of %s" % (path, target, "a higher room" if LEVEL_OF[there] > LEVEL_OF[here] else "its neighbour"))
    texts = []
    for path in graph:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            texts.append(file.read())
    wrong += stale_names(root, texts)
    for path, text in zip(graph, texts):
        if text.count("\n") > MOST_LINES and path.endswith((".h", ".cc")) and not path.startswith(OTHERS):
            wrong.append("%s has %d lines" % (path, text.count("\n")))
        if path.startswith("src/include/"):
            for name in re.findall(r"\b(?:base|kb|job|analyze|report|store|api|parser|rules)/[a-z_.]+", text):
                wrong.append("%s is installed and speaks of %s, which is not" % (path, name))
    found = circle(graph)
    if found:
        wrong.append("includes in a circle: " + " -> ".join(found))
    print("\n".join(wrong) or "%d files, %d includes" % (len(graph), sum(map(len, graph.values()))))
    # A scan that finds nothing to check proves nothing.
    return 1 if wrong or sum(map(len, graph.values())) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
