"""check_prediction_page.py GRIDCAST SOURCE: a browser opens the page of a prediction, points at processors and times, zooms,
follows links and reads the tables; what it shows is what the JSON of the same prediction says."""
import json
import os
import re
import subprocess
import sys
import tempfile

gridcast, source = map(os.path.abspath, sys.argv[1:])
sys.path.insert(0, os.path.join(source, "tests", "support"))
from browser import Browser  # noqa: E402

UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


def predict(*more):
    files = {name: os.path.join(folder, name) for name in ("p.json", "p.html")}
    for option, name in (("--json", "p.json"), ("--html", "p.html")):
        subprocess.run([gridcast, "--quiet", "predict", os.path.join(source, "configs/programs/heat3d.toml"), "--machine",
                        os.path.join(source, "configs/mvs15k.par"), "--grid", "2x2x2", "--processors", option,
                        files[name], *more], check=True)
    with open(files["p.json"], encoding="utf-8") as file:
        return json.load(file), files["p.html"]


def seconds(text):
    number, unit = re.match(r"([\d.]+) (s|ms|µs|ns)\b", text).groups()
    return float(number) * UNITS[unit]


def check_tables(browser, prediction):
    """Every characteristic of every interval, in full precision where the page points at it."""
    for number, interval in enumerate(prediction["intervals"], start=1):
        cell = f"#interval-{number} [data-field="
        for field, name in (("exec", "execution_time"), ("total", "total_time"), ("ptime", "productive_time"),
                            ("lost", "lost_time"), ("comm", "communication"), ("idle", "idle"), ("vary", "time_variation")):
            title = browser.value(f"document.querySelector('{cell}{field}]').title")
            assert float(title.split()[0] if title else 0) == interval[name], (number, name, title)
        assert abs(float(browser.text(f"{cell}effic]")) - interval["efficiency"]) <= 0.00005001
    losses = prediction["losses"]
    rows = browser.texts("#losses tbody tr")
    shown = min(10, len(losses["places"]))
    assert len(rows) == shown + 1
    for row, place in zip(rows[:shown], losses["places"]):
        assert row.startswith(f"{place['file']}:{place['line']}"), (row, place)
    titles = browser.value("Array.from(document.querySelectorAll('#losses tbody tr td:nth-child(3)'), each => each.title)")
    for title, place in zip(titles[:shown], losses["places"]):
        assert float(title.split()[0]) == place["seconds"]


def check_icicle(browser, prediction):
    intervals = prediction["intervals"]
    whole = intervals[0]["total_time"]
    boxes = browser.value("Array.from(document.querySelectorAll('#icicle a'), a => [a.hash, a.offsetLeft, a.offsetWidth, "
                          "a.parentElement.clientWidth])")
    assert boxes[0][0] == "#interval-1" and boxes[0][2] == boxes[0][3]
    for link, left, width, room in boxes:
        interval = intervals[int(link.split("-")[1]) - 1]
        assert abs(width / room - interval["total_time"] / whole) < 2 / room, (link, width, room)
        if interval["parent"]:
            own = next(each for each in boxes if each[0] == f"#interval-{interval['parent']}")
            assert own[1] <= left + 1 and left + width <= own[1] + own[2] + 2, (link, own)
    lost = {}
    for place in prediction["losses"]["places"]:
        name = f"{place['file']}:{place['line']}"
        lost[name] = lost.get(name, 0.0) + place["seconds"]
    shown = browser.value("Array.from(document.querySelectorAll('#icicle .places span'), s => [s.title, s.offsetWidth, s.parentElement.clientWidth])")
    assert shown[0][0].startswith("productive: ")
    largest = max(lost, key=lost.get)
    assert shown[1][0].startswith(f"lost at {largest}: "), (shown[1], largest)
    assert abs(shown[1][1] / shown[1][2] - lost[largest] / whole) < 2 / shown[1][2]
    browser.click("#icicle a")
    assert browser.value("location.hash") == "#interval-1"


def check_run(browser, page, prediction):
    rows = prediction["intervals"][0]["per_processor"]
    whole = prediction["intervals"][0]["execution_time"]
    for p, row in enumerate(rows):
        browser.open(page, f"#processor={p}")
        text = browser.text("#map-text")
        busy = (row["cpu_time"] + row["sys_time"] + row["io_time"]) / whole
        match = re.match(rf"processor {p} \((\d),(\d),(\d)\): busy ([\d.]+) %, waiting ([\d.]+) %, idle ([\d.]+) %", text)
        assert match and [int(match.group(k)) for k in (1, 2, 3)] == [p >> 2, p >> 1 & 1, p & 1], text
        assert abs(float(match.group(4)) - 100 * busy) < 0.2, (text, busy)
        assert abs(float(match.group(6)) - 100 * row["idle"] / whole) < 0.2, (text, row["idle"])
    browser.hover("#map", 0.02, 0.1)
    assert browser.text("#map-text").startswith("processor 0 (0,0,0)")
    browser.fill("#map-what", "idle")
    idle = sum(row["idle"] for row in rows) / len(rows) / whole
    assert abs(float(re.match(r"idle: ([\d.]+) %", browser.text("#map-text")).group(1)) - 100 * idle) < 0.2
    browser.hover("#line", 0.5, 0.1)
    text = browser.text("#line-text")
    assert re.match(r"processor 0( and \d+ more)?, \S+ \S+ to \S+ \S+: \S", text), text
    shown = lambda: [seconds(each) for each in re.fullmatch(r"(\S+ \S+) to (\S+ \S+) of (?:\S+ \S+)", browser.text("#line-text")).groups()]
    browser.hover("h1")
    browser.click("#line-in")
    browser.hover("h1")
    begin, end = shown()
    assert abs((end - begin) / whole - 0.5) < 0.01 and abs((begin + end) / whole - 1.0) < 0.01, (begin, end)
    browser.key("#line", "ArrowRight")
    assert shown()[0] > begin
    browser.click("#line-all")
    browser.hover("h1")
    assert abs(shown()[1] / whole - 1.0) < 0.001


def check_depth(browser):
    full, _ = predict()
    for depth in (0, 1):
        limited, page = predict("--depth", str(depth))
        kept = [each for each in full["intervals"] if each["level"] <= depth]
        assert len(limited["intervals"]) == len(kept)
        for got, want in zip(limited["intervals"], kept):
            assert {**got, "id": 0, "parent": 0} == {**want, "id": 0, "parent": 0}
        browser.open(page)
        assert len(browser.texts("section.iv")) == len(kept)
    assert max(each["level"] for each in full["intervals"]) > 0


with tempfile.TemporaryDirectory() as folder, Browser() as browser:
    made, where = predict()
    browser.open(where)
    check_tables(browser, made)
    check_icicle(browser, made)
    check_run(browser, where, made)
    check_depth(browser)
    browser.no_errors()
