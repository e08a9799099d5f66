# SPDX-License-Identifier: Apache-2.0
# A headless Chromium for tests of pages, by its DevTools protocol over a pipe: no port, no further package.
"""with Browser() as browser:
    page = browser.open(path, width=400, dark=True)
    page.evaluate("document.title")

https://chromedevtools.github.io/devtools-protocol describes the methods.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def program():
    """The browser, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """One process. It resolves no name, so that a page can reach nothing but files."""

    DEADLINE_S = 60

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self._out = os.pipe()
        self._in, answers = os.pipe()

        def at_3_and_4():
            # By way of high numbers: either may be 3 or 4 already.
            os.dup2(commands, 103)
            os.dup2(answers, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        self._process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={self._folder.name}", "about:blank"],
            preexec_fn=at_3_and_4, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self._number = 0
        self._text = b""
        self.events = []  # (session, method, parameters), oldest first

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._out)  # at the end of its pipe a browser ends itself
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        self._folder.cleanup()

    def call(self, method, session=None, **parameters):
        """The result of a method; events that come before it are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def wait_for(self, session, method):
        """Returns when an event of a session has come."""
        while not any(event[:2] == (session, method) for event in self.events):
            self._next()

    def _next(self):
        end = time.monotonic() + self.DEADLINE_S
        while b"\0" not in self._text:
            ready, _, _ = select.select([self._in], [], [], max(0, end - time.monotonic()))
            piece = os.read(self._in, 1 << 20) if ready else b""
            if not piece:
                raise RuntimeError("the browser does not answer")
            self._text += piece
        text, self._text = self._text.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message:
            self.events.append((message.get("sessionId"), message["method"], message["params"]))
        return message

    def open(self, path, width=1200, dark=False, scripts=True):
        """The page of a file, when it has loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        page.colours(dark)
        page.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        page.call("Page.navigate", url=f"file://{path}")
        self.wait_for(session, "Page.loadEventFired")
        return page


class Page:
    """A tab."""

    def __init__(self, browser, session):
        self._browser = browser
        self._session = session

    def call(self, method, **parameters):
        return self._browser.call(method, self._session, **parameters)

    def colours(self, dark, media=""):
        """What the system prefers, and for what medium the page is drawn."""
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def evaluate(self, expression):
        """The value of JavaScript, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def complaints(self):
        """What the page has written to its console, and exceptions that nobody caught."""
        methods = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [event for event in self._browser.events if event[0] == self._session and event[1] in methods]

    def requests(self):
        """The addresses that it has asked for."""
        return [parameters["request"]["url"] for session, method, parameters in self._browser.events
                if session == self._session and method == "Network.requestWillBeSent"]
