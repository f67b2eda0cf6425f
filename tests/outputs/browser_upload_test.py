"""The page of `ncclwhy serve` in a real browser: paste, drop an archive, read, copy. No script of the page is needed."""
import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from programs import KILLED, NCCLWHY, SHM_FULL  # noqa: E402
import chromium  # noqa: E402

PICTURES = os.environ.get("NCCLWHY_SCREENSHOTS")


class Url(str):
    def as_uri(self):
        return self


class UploadTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        cls.dir = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ncclwhy-upload-")))
        (cls.dir / "token").write_text("correct-horse-battery\n")
        cls.address = cls.serve(stack)
        cls.guarded = cls.serve(stack, "--token", cls.dir / "token")
        cls.browser = stack.enter_context(chromium.Chromium())

    @staticmethod
    def serve(stack, *options):
        server = subprocess.Popen([NCCLWHY, "serve", "-q", "--listen", "127.0.0.1:0", *map(str, options)],
                                  stdout=subprocess.PIPE)
        stack.callback(server.wait)
        stack.callback(server.terminate)
        stack.callback(server.stdout.close)
        return re.fullmatch(r"listening on (\S+)\n", server.stdout.readline().decode()).group(1) + "/"

    def open(self, address=None, picture=None, **how):
        self.browser.open(Url(address or self.address), **how)
        # Chromium would like a user's name beside every password.
        self.assertEqual([said for said in self.browser.complaints()
                          if said.get("entry", {}).get("source") != "recommendation"], [])
        # Chromium asks for an icon sooner or later, and is told that there is none.
        self.assertEqual([url for url in self.browser.requests() if not url.endswith("/favicon.ico")],
                         [address or self.address])
        self.assertEqual(self.browser.evaluate("document.scripts.length"), 0)
        self.picture(picture)

    def picture(self, name):
        if name and PICTURES:
            os.makedirs(PICTURES, exist_ok=True)
            self.browser.screenshot(pathlib.Path(PICTURES) / (name + ".png"))

    def element(self, css):
        root = self.browser.call("DOM.getDocument")["root"]["nodeId"]
        return self.browser.call("DOM.querySelector", nodeId=root, selector=css)["nodeId"]

    def submit(self):
        """Presses the button and waits for the next page."""
        self.browser.events = []
        self.browser.evaluate("document.querySelector('button').click()")
        while not any(event["method"] == "Page.loadEventFired" for event in self.browser.events):
            self.browser.receive(60)
        return self.browser.evaluate("document.body.innerText")

    def paste(self, text, css="#text"):
        self.browser.call("DOM.focus", nodeId=self.element(css))
        self.browser.call("Input.insertText", text=text)

    def test_paste_read_copy(self):
        self.open(picture="page")
        self.paste(SHM_FULL.read_text())
        self.picture("page-pasted")
        answer = self.submit()
        self.picture("page-answer")
        self.assertIn("shm.too-small", answer)
        self.assertIn("h100-39", answer)
        self.assertEqual(self.browser.complaints(), [])
        # Its copy buttons work although it came from a server: what they copy is what they promise.
        wanted = self.browser.evaluate("document.querySelector('.top [data-copy]').getAttribute('data-copy')")
        self.assertTrue(wanted)
        self.browser.evaluate("(() => { window.copied = []; document.addEventListener('copy', () => {"
                              "window.copied.push(document.activeElement.value || String(getSelection())); }); })()")
        self.browser.call("Runtime.evaluate", expression="document.querySelector('.top [data-copy]').click()", userGesture=True)
        self.assertEqual(self.browser.evaluate("window.copied[0].trim()"), wanted.strip())

    def test_drop_an_archive(self):
        archive = self.dir / "logs.tar.gz"
        with tarfile.open(archive, "w:gz") as out:
            for log in sorted(KILLED.glob("*.log")):
                out.add(log, log.name)
        self.open()
        # As a browser does it when a file is dropped on the field.
        place = self.browser.evaluate("(() => { const b = document.querySelector('#logs').getBoundingClientRect();"
                                      "return {x: b.left + 90, y: b.top + b.height / 2}; })()")
        data = {"items": [], "files": [str(archive)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.browser.call("Input.dispatchDragEvent", type=kind, data=data, **place)
        self.assertEqual(self.browser.evaluate("document.querySelector('#logs').files[0].name"), "logs.tar.gz")
        self.picture("page-dropped")
        answer = self.submit()
        self.assertIn("app.rank-crashed", answer)
        self.assertIn("worker-20", answer)

    def test_without_script(self):
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.browser.events = []
            self.browser.call("Page.navigate", url=self.address)
            while not any(event["method"] == "Page.loadEventFired" for event in self.browser.events):
                self.browser.receive(60)
            self.paste(SHM_FULL.read_text())
            # The button, by the keyboard.
            self.browser.call("DOM.focus", nodeId=self.element("button"))
            self.browser.events = []
            for kind in ("keyDown", "keyUp"):
                self.browser.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
            while not any(event["method"] == "Page.loadEventFired" for event in self.browser.events):
                self.browser.receive(60)
        finally:
            self.browser.call("Emulation.setScriptExecutionDisabled", value=False)
        self.assertIn("shm.too-small", self.browser.evaluate("document.body.innerText"))

    def test_token(self):
        self.open(self.guarded, "page-token")
        self.paste(SHM_FULL.read_text())
        self.paste("wrong-horse-battery", "#token")
        self.assertIn("not the one", self.submit())
        self.picture("page-wrong-token")
        self.paste("correct-horse-battery", "#token")
        self.paste(SHM_FULL.read_text())
        self.assertIn("shm.too-small", self.submit())

    def test_narrow_and_dark(self):
        self.open(picture="page-phone", width=400, height=800, dark=True)
        self.assertLessEqual(self.browser.evaluate("document.body.scrollWidth"), 400)

    def test_a_page_of_another_server(self):
        """Its form reaches us, as any may, and is refused; it cannot frame us either."""
        other = self.dir / "evil.html"
        other.write_text(f"<form method=post enctype=multipart/form-data action={self.address}><textarea name=text>x</textarea>"
                         f"<button>go</button></form>")
        self.browser.open(other)
        self.assertIn("a page of another server asked", self.submit())


if __name__ == "__main__":
    if chromium.BINARY is None:
        print("no Chromium")
        sys.exit(77)
    unittest.main()
