"""Drives a headless Chromium by the DevTools protocol over two pipes: JSON messages ended by zero bytes.

    with Browser() as page:
        page.open("report.html")
        page.evaluate("document.title")

Needs the browser only: no driver, no library, no port. Protocol: chromedevtools.github.io/devtools-protocol.
"""
import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-extensions",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--remote-debugging-pipe"]


class Browser:
    def __init__(self, width=1280, height=900, timeout=60):
        self.timeout, self.size, self.number, self.buffer = timeout, (width, height), 0, b""
        self.console = []  # errors and warnings, exceptions among them
        self.requests = []  # everything but the page itself
        self.session = None

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="bmf-browser-")
        from_us, self.out = os.pipe()
        self.inward, to_us = os.pipe()
        # The browser reads descriptor 3 and writes descriptor 4. Bash, because sh takes no descriptor beyond 9.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{from_us} 4>&{to_us}', "bash", "chromium", *FLAGS,
             f"--user-data-dir={self.folder}", "about:blank"],
            pass_fds=(from_us, to_us), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(from_us)
        os.close(to_us)
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.resize(*self.size)
        return self

    def __exit__(self, *_):
        os.close(self.out)
        os.close(self.inward)
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- messages ----

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        end = time.monotonic() + self.timeout
        while True:
            answer = self.next_message(end)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def next_message(self, end):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.inward], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.inward, 1 << 16)
            if not data:
                raise EOFError("the browser has ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, method, parameters):
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.console.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.console.append(" ".join(str(a.get("value", a.get("description"))) for a in parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.console.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent" and parameters["type"] != "Document":
            self.requests.append(parameters["request"]["url"])

    # ---- the page ----

    def resize(self, width, height, sharp=1):
        self.size = (width, height)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=sharp, mobile=False)

    def prefer(self, scheme, media=""):
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path):
        """Opens a file and waits until the report says that it is ready; returns the milliseconds it took."""
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        return float(self.wait("document.documentElement?.dataset.ready"))

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def wait(self, expression):
        """Until the expression is true; returns its value."""
        end = time.monotonic() + self.timeout
        while time.monotonic() < end:
            value = self.evaluate(expression)
            if value:
                return value
            if self.console:
                raise RuntimeError(self.console[0])
            time.sleep(0.02)
        raise TimeoutError(expression)

    def settle(self):
        """Two frames later everything is drawn."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30))))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.settle()

    def drag(self, x0, y0, x1, y1):
        self.mouse("mousePressed", x0, y0, button="left", clickCount=1)
        self.mouse("mouseMoved", (x0 + x1) / 2, (y0 + y1) / 2, button="left", buttons=1)
        self.mouse("mouseMoved", x1, y1, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)
        self.settle()

    def wheel(self, x, y, delta, modifiers=0):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=delta, modifiers=modifiers)
        self.settle()

    def key(self, name, modifiers=0):
        codes = {"Enter": 13, "Tab": 9, "Escape": 27, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        same = dict(key=name, code=name, windowsVirtualKeyCode=codes.get(name, ord(name.upper()[0])), modifiers=modifiers)
        if len(name) == 1:
            same["text"] = name
        self.call("Input.dispatchKeyEvent", type="keyDown", **same)
        self.call("Input.dispatchKeyEvent", type="keyUp", **same)
        self.settle()

    def picture(self, path, whole=True):
        self.settle()
        more = {}
        if whole:
            # As tall as the page, so that everything is drawn.
            height = self.evaluate("document.documentElement.scrollHeight")
            width = self.size[0]
            more = {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}
        data = self.call("Page.captureScreenshot", format="png", **more)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def pdf(self, path):
        data = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=False, paperWidth=8.27, paperHeight=11.69)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
