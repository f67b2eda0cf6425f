"""Which message tells of which trouble, for services that cannot be asked: a small JSON file."""
import contextlib
import fcntl
import json
import os
import tempfile

MOST = 1000


@contextlib.contextmanager
def remembered(path):
    """The file's object, to be changed; others wait meanwhile. Written when the block ends well."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path + ".lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            with open(path, encoding="utf-8") as file:
                known = json.load(file)
        except (FileNotFoundError, ValueError):
            known = {}
        if not isinstance(known, dict):
            known = {}
        yield known
        while len(known) > MOST:
            del known[next(iter(known))]
        handle, part = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(path)))
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(known, file)
        os.replace(part, path)
