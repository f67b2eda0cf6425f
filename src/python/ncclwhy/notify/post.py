"""HTTP that waits, tries again and gives no secret away."""
import json
import time
import urllib.error
import urllib.parse
import urllib.request

ATTEMPTS = 3
SECONDS = 20
LONGEST_WAIT = 30
LARGEST_ANSWER = 4 << 20


class Failed(Exception):
    """Final: a sentence for people."""


class TryAgain(Exception):
    """The network or the server failed; `seconds` until the next attempt, where the server said so."""

    def __init__(self, why, seconds=None):
        super().__init__(why)
        self.seconds = seconds


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    # The next server would get the token as well.
    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def base_url(url):
    parts = urllib.parse.urlsplit(url)
    local = parts.hostname in ("127.0.0.1", "::1", "localhost")
    if not parts.hostname or (parts.scheme != "https" and not (parts.scheme == "http" and local)):
        raise Failed(f"{url.split('?')[0]} is no https address")
    return url.rstrip("/")


def call(method, url, body=None, headers=None):
    """The answer as an object, {} when it is none. Raises Failed (4xx) or TryAgain."""
    head = {"User-Agent": "ncclwhy-notify", "Accept": "application/json", **(headers or {})}
    data = None
    if body is not None:
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        head.setdefault("Content-Type", "application/json; charset=utf-8")
    place = url.split("?")[0]
    try:
        request = urllib.request.Request(url, data=data, headers=head, method=method)
        with _opener.open(request, timeout=SECONDS) as response:
            answer = response.read(LARGEST_ANSWER)
    except urllib.error.HTTPError as error:
        with error:
            detail = " ".join(error.read(300).decode("utf-8", "replace").split())
        if error.code == 429 or error.code >= 500:
            wait = error.headers.get("Retry-After", "")
            raise TryAgain(f"{place} answered {error.code}", int(wait) if wait.isdigit() else None) from error
        problem = Failed(f"{place} answered {error.code}: {detail}")
        problem.status = error.code
        raise problem from error
    except OSError as error:
        raise TryAgain(f"{place} cannot be reached: {getattr(error, 'reason', error)}") from error
    try:
        return json.loads(answer) if answer else {}
    except ValueError:
        return {}


def persistently(action, sleep=time.sleep):
    """`action` looks for what is there before it makes something, so doing it again doubles nothing."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return action()
        except TryAgain as problem:
            if attempt == ATTEMPTS:
                raise Failed(str(problem)) from problem
            sleep(min(LONGEST_WAIT, problem.seconds if problem.seconds is not None else 0.5 * 2 ** attempt))
