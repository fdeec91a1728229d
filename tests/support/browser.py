"""A headless Chromium that tests drive through its debugging pipe: open pages, act as a user, read what is shown."""
import base64
import json
import os
import shutil
import subprocess
import tempfile


class Browser:
    """with Browser() as browser: browser.open(path, "#grid=2x2"); browser.text("#id")"""

    def __enter__(self):
        self.profile = tempfile.mkdtemp()
        read_commands, self.commands = os.pipe()
        self.answers, write_answers = os.pipe()
        # Chromium reads commands from descriptor 3 and answers on 4.
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", f"exec chromium --headless --no-sandbox --disable-gpu --remote-debugging-pipe "
             f"--hide-scrollbars --user-data-dir='{self.profile}' about:blank 3<&{read_commands} 4>&{write_answers}"],
            pass_fds=(read_commands, write_answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_commands)
        os.close(write_answers)
        self.buffer, self.number, self.session, self.errors, self.loads = b"", 0, None, [], 0
        pages = []
        while not pages:  # it may still be starting
            pages = [each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page"]
        target = pages[0]["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "DOM", "Log"):
            self.call(f"{domain}.enable")
        self.size(1280, 900)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self):
        while b"\0" not in self.buffer:
            got = os.read(self.answers, 1 << 20)
            assert got, "the browser has ended"
            self.buffer += got
        text, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(text)
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(message["params"]["exceptionDetails"])
        self.loads += message.get("method") == "Page.loadEventFired"
        return message

    def call(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                assert "error" not in message, (method, message["error"])
                return message["result"]

    def load(self, address):
        before = self.loads
        self.call("Page.navigate", url=address)
        while self.loads == before:
            self.message()

    def size(self, width, height, phone=False, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=phone)

    def media(self, kind="", dark=False):
        self.call("Emulation.setEmulatedMedia", media=kind,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path, fragment=""):
        """Opens a page as if for the first time, and waits until its scripts are done."""
        self.load("about:blank")
        self.load(f"file://{os.path.abspath(path)}{fragment}")
        if self.value("document.getElementById('explore') !== null"):
            self.wait("document.body.dataset.opened !== undefined || "
                      "document.getElementById('explore-note').textContent !== ''")
            assert self.value("document.body.dataset.opened !== undefined"), self.text("#explore-note")
        self.no_errors()

    def no_errors(self):
        assert not self.errors, json.dumps(self.errors, indent=1)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, (expression, result["exceptionDetails"])
        return result["result"].get("value")

    def wait(self, condition):
        """Until it holds; a test that hangs here ends by the time limit of all tests."""
        self.value(f"new Promise(done => {{ const ask = () => {condition} ? done(true) : setTimeout(ask, 20); ask(); }})")

    def text(self, selector):
        return self.value(f"document.querySelector({json.dumps(selector)}).textContent")

    def texts(self, selector):
        return self.value(f"Array.from(document.querySelectorAll({json.dumps(selector)}), each => each.textContent)")

    def box(self, selector):
        return self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}});"
            "const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def hover(self, selector, across=0.5, down=0.5):
        left, top, width, height = self.box(selector)
        at = left + across * width, top + down * height
        self.mouse("mouseMoved", *at)
        return at

    def click(self, selector, across=0.5, down=0.5):
        x, y = self.hover(selector, across, down)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def key(self, selector, key):
        self.value(f"document.querySelector({json.dumps(selector)}).focus()")
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def fill(self, selector, value):
        """As if typed into a field, or chosen in a list."""
        self.value(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)};"
                   "e.dispatchEvent(new Event('input', {bubbles: true}));"
                   "e.dispatchEvent(new Event('change', {bubbles: true})); })()")

    def download(self, selector):
        """The text of the file that a click on this saves."""
        self.value("window.savedTexts = []; URL.createObjectURL = (of => blob => {"
                   "blob.text().then(text => savedTexts.push(text)); return of(blob); })(URL.createObjectURL.bind(URL))")
        self.click(selector)
        self.wait("savedTexts.length > 0")
        return self.value("savedTexts[0]")

    def screenshot(self, path, whole=True):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole,
                         **({"clip": {**self.page_size(), "scale": 1}} if whole else {}))
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def page_size(self):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000)}

    def pdf(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"]))
