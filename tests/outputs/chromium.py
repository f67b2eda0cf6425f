"""Chromium over the pipe of its DevTools protocol: enough to open a file and ask what became of it."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

BINARY = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--no-default-browser-check",
           "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
           "--disable-default-apps", "--disable-dev-shm-usage", "--mute-audio", "--hide-scrollbars",
           "--remote-debugging-pipe"]


class Chromium:
    """One browser with one page. `with Chromium() as browser: page = browser.open(path)`."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="ncclwhy-chromium-", ignore_cleanup_errors=True)
        theirs_in, self.to = os.pipe()
        self.answers, theirs_out = os.pipe()

        def wire():  # the browser reads file descriptor 3 and writes 4
            kept = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        environment = dict(os.environ, HOME=self.profile.name)
        self.process = subprocess.Popen([BINARY, *OPTIONS, f"--user-data-dir={self.profile.name}/profile"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        close_fds=False, preexec_fn=wire, env=environment, start_new_session=True)
        os.close(theirs_in)
        os.close(theirs_out)
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close", timeout=10)
            self.process.wait(timeout=10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        self.profile.cleanup()

    def receive(self, timeout):
        """The next message; kept as an event when it answers nothing."""
        deadline = time.monotonic() + timeout
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise RuntimeError("the browser does not answer")
            data = os.read(self.answers, 1 << 20)
            if not data:
                raise RuntimeError("the browser is gone")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message:
            self.events.append(message)
        return message

    def call(self, method, timeout=60, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            message = self.receive(timeout)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]

    def open(self, path, width=1280, height=800, dark=False):
        """Loads the file and waits until it is drawn. `events` then holds what it did."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events = []
        self.call("Page.navigate", url=path.as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.receive(60)
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def complaints(self):
        """What a person would see in the console."""
        kinds = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")
        return [event["params"] for event in self.events if event["method"] in kinds]

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
