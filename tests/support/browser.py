"""A headless Chromium that tests drive through its debugging pipe: open pages, act as a user, read what is shown.
Nothing waits for ever: the end of the browser or a crash of its page ends the test at once, silence after PATIENCE."""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

# Far longer than any answer takes, however busy the machine is: who waits so long waits for nothing. Seconds.
PATIENCE = 600
# Shared memory may be small or missing in a container, and there may be no network: ask for neither.
FLAGS = ("--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --no-first-run --disable-sync "
         "--disable-extensions --disable-default-apps --disable-component-update --disable-background-networking "
         "--disable-background-timer-throttling --disable-renderer-backgrounding --disable-backgrounding-occluded-windows "
         "--disable-crash-reporter --remote-debugging-pipe")
GONE = ("Inspector.targetCrashed", "Target.targetCrashed", "Target.targetDestroyed", "Target.detachedFromTarget")


class Browser:
    """with Browser() as browser: browser.open(path, "#grid=2x2"); browser.text("#id")"""

    def __enter__(self):
        self.profile = tempfile.mkdtemp()
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        self.process, self.commands, self.answers = None, None, None
        read_commands, self.commands = os.pipe()
        self.answers, write_answers = os.pipe()
        # A home of its own: the account that runs the tests may have none it can write to.
        home = {name: self.profile for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")}
        # Chromium reads commands from descriptor 3 and answers on 4; it is not to outlive the test, even a killed one.
        with open(os.path.join(self.profile, "stderr"), "wb") as stderr:
            self.process = subprocess.Popen(
                ["/bin/sh", "-c", f"exec setpriv --pdeathsig KILL chromium {FLAGS} --user-data-dir='{self.profile}/data' "
                 f"about:blank 3<&{read_commands} 4>&{write_answers}"],
                pass_fds=(read_commands, write_answers), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
                env={**os.environ, **home}, start_new_session=True)
        os.close(read_commands)
        os.close(write_answers)
        self.buffer, self.number, self.session, self.target, self.errors = b"", 0, None, None, []
        self.pages, self.loaded = [], set()
        self.call("Target.setDiscoverTargets", discover=True)
        self.until(lambda: self.pages, "its first page")
        self.target = self.pages[0]
        self.session = self.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "DOM", "Log", "Inspector"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        self.size(1280, 900)

    def __exit__(self, *_):
        if self.process is not None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
        for descriptor in (self.commands, self.answers):
            if descriptor is not None:
                os.close(descriptor)
        shutil.rmtree(self.profile, ignore_errors=True)

    def said(self):
        """The last of what Chromium wrote, for the report of a failure."""
        with open(os.path.join(self.profile, "stderr"), encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:]

    def message(self, deadline, what):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], 1.0)
            if not ready:
                # A helper process may hold the pipe open after the browser itself has ended.
                assert self.process.poll() is None, f"the browser has ended, waiting for {what}: {self.said()}"
                assert time.monotonic() < deadline, f"no answer for {PATIENCE} s, waiting for {what}: {self.said()}"
                continue
            got = os.read(self.answers, 1 << 20)
            assert got, f"the browser has ended, waiting for {what}: {self.said()}"
            self.buffer += got
        text, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(text)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, event, about):
        if event == "Runtime.exceptionThrown":
            self.errors.append(about["exceptionDetails"])
        elif event == "Page.lifecycleEvent" and about["name"] == "load":
            self.loaded.add(about["loaderId"])
        elif event == "Target.targetCreated" and about["targetInfo"]["type"] == "page":
            self.pages.append(about["targetInfo"]["targetId"])
        elif event in GONE:
            assert about.get("targetId", self.target) != self.target, f"the page is lost, {event}: {self.said()}"

    def until(self, condition, what):
        """Takes messages until the condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            self.message(deadline, what)

    def call(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            message = self.message(deadline, method)
            if message.get("id") == self.number:
                assert "error" not in message, (method, parameters, message["error"])
                return message["result"]

    def load(self, address):
        answer = self.call("Page.navigate", url=address)
        assert "errorText" not in answer, (address, answer)
        self.until(lambda: answer["loaderId"] in self.loaded, address)

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
        if self.value("document.getElementById('runs-data') !== null"):
            self.wait("document.body.dataset.opened !== undefined || "
                      "document.getElementById('runs-note').textContent !== ''")
            assert self.value("document.body.dataset.opened !== undefined"), self.text("#runs-note")
        self.no_errors()

    def no_errors(self):
        assert not self.errors, json.dumps(self.errors, indent=1)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, (expression, result["exceptionDetails"])
        return result["result"].get("value")

    def wait(self, condition):
        """Until it holds."""
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
