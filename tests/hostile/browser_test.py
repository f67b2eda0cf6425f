#!/usr/bin/env python3
"""Pages whose every text attacks the browser (payloads.cc, every_text.h), in Chromium: what a page shows is the text, no
script runs but ours, nothing is loaded, nothing leads away, and ours still works. Exit status 77 without Chromium.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["NCCLWHY_SOURCE_DIR"])
HOSTILE_TEST = os.environ["NCCLWHY_HOSTILE_TEST"]
sys.path.insert(0, str(SOURCE / "tests/outputs"))
import chromium  # noqa: E402

# What the page became. Every button is pressed, every part opened and the search used before.
STATE = """(() => {
  document.querySelectorAll('summary, button').forEach(e => e.click());
  document.querySelectorAll('details').forEach(e => { e.open = true; });
  const box = document.getElementById('q');
  if (box) { box.value = '<img src=x onerror=stolen=1>'; box.dispatchEvent(new Event('input')); box.value = '';
             box.dispatchEvent(new Event('input')); }
  const all = Array.from(document.querySelectorAll('*'));
  const count = css => document.querySelectorAll(css).length;
  return {
    stolen: String(window.stolen), scripts: document.scripts.length, styles: count('style'),
    foreign: count('img,iframe,object,embed,base,link,form,audio,video,image,animate,set,foreignObject,math,textarea,select'),
    metas: count('meta[http-equiv=refresh]'),
    handlers: all.filter(e => Array.from(e.attributes).some(a => a.name.startsWith('on'))).length,
    links: Array.from(document.querySelectorAll('a,area,use')).map(e => e.getAttribute('href') || e.getAttribute('xlink:href') || '')
      .filter(h => !/^(https:\\/\\/|#|$)/.test(h)),
    shown: document.body.textContent.split('begin ').length - 1, visible: document.body.getBoundingClientRect().height > 50,
    hidden: getComputedStyle(document.body).display, place: location.href.split('#')[0], title: document.title.length > 0,
  }; })()"""


def wrong(state, page):
    expected = {"stolen": "undefined", "scripts": 1, "styles": 1, "foreign": 0, "metas": 0, "handlers": 0, "links": [],
                "visible": True, "hidden": "block", "place": page.as_uri(), "title": True}
    return {name: state[name] for name, value in expected.items() if state[name] != value}


def main():
    if chromium.BINARY is None:
        print("Chromium is not installed")
        return 77
    tried = failed = shown = 0
    with tempfile.TemporaryDirectory(prefix="ncclwhy pages ") as folder, chromium.Chromium() as browser:
        subprocess.run([HOSTILE_TEST, "nor as any text of a report"], env=dict(os.environ, NCCLWHY_PAGES=folder), check=True,
                       stdout=subprocess.DEVNULL)
        for page in sorted(pathlib.Path(folder).glob("*.html")):
            browser.open(page)
            state = browser.evaluate(STATE)
            problems = wrong(state, page)
            if browser.complaints():
                problems["complaints"] = json.dumps(browser.complaints())[:300]
            if browser.requests() != [page.as_uri()]:
                problems["requests"] = browser.requests()
            tried += 1
            shown += state["shown"]
            if problems:
                failed += 1
                print(page.name, problems)
    print(f"{shown} texts shown")
    print(f"hostile: browser tried {tried} failed {failed}")
    return failed > 0 or tried < 500 or shown < 20 * tried


if __name__ == "__main__":
    sys.exit(main())
