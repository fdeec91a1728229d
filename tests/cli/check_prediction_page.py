"""check_prediction_page.py GRIDCAST SOURCE: a browser opens the page of a prediction, points at processors and times, zooms,
follows links and reads the tables; what it shows is what the JSON of the same prediction says."""
import itertools
import json
import math
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


# Two islands of four nodes with four processors, and nodes of two: what is on a node is worked out here.
NODES = [4] * 8 + [2] * 8
MACHINE = """cluster = c; c = {2 x i, 8 x small}; c.CommType = ethernet; c.TStart = 9; c.TByte = 0.1;
i = {4 x n}; i.CommType = ethernet; i.TStart = 5; i.TByte = 0.05;
n = {4 x p}; n.CommType = ethernet; n.TStart = 1; n.TByte = 0.01; small = {2 x p}; small.CommType = n.CommType; p = 1; n.IsNode = yes;
"""


def leaves(grid, placement):
    """The number in the machine of every coordinate."""
    kind, _, extents = placement.partition(":")
    block = [int(each) for each in extents.split("x")] if extents else None

    def key(point):
        if kind == "blocked":
            return tuple(a // b for a, b in zip(point, block)), tuple(a % b for a, b in zip(point, block))
        return point[::-1] if kind == "column" else point
    return {point: number for number, point in enumerate(sorted(itertools.product(*map(range, grid)), key=key))}


def shown_map(browser, points):
    """What the page says of each coordinate, and the colour in the middle of its cell."""
    page = browser.value("location.href").split("#")[0]
    told = {}
    for point in points:
        browser.load("about:blank")
        browser.load(page + "#coordinate=" + ",".join(map(str, point)))
        told[point] = [int(each) for each in re.fullmatch(
            r"\(([\d,]+)\): node (\d+) of (\d+), place (\d+) of (\d+)", browser.text("#placement-text")).groups()[1:]]
    return told


def check_one_placement(browser, page, grid, placement, note):
    browser.open(page)
    assert note in browser.text(".cards"), (note, browser.text(".cards"))
    of_leaf = [number for number, size in enumerate(NODES) for _ in range(size)]
    place = [at for size in NODES for at in range(size)]
    where = leaves(grid, placement)
    used = of_leaf[math.prod(grid) - 1] + 1
    assert browser.text("#placement-text") == f"{used} nodes", browser.text("#placement-text")
    rows = browser.value("Array.from(document.querySelectorAll('#placement tbody tr'), r => Array.from(r.cells, c => c.textContent))")
    assert len(rows) == len(grid)
    for dim, row in enumerate(rows):
        pairs = [(p, p[:dim] + (p[dim] + 1,) + p[dim + 1:]) for p in where if p[dim] + 1 < grid[dim]]
        shared = sum(of_leaf[where[a]] == of_leaf[where[b]] for a, b in pairs)
        assert row[:3] == [f"P{dim + 1}", str(grid[dim]), str(shared)], (row, shared)
    points = sorted(where)[::5]
    for point, told in shown_map(browser, points).items():
        leaf = where[point]
        assert told == [of_leaf[leaf], used, place[leaf], NODES[of_leaf[leaf]]], (placement, point, told)
    # Pointing at the first cell and moving on with the keys tells the same.
    browser.open(page)
    width, height = browser.value("(m => [m.width, m.height])(document.getElementById('placement-map'))")
    browser.hover("#placement-map", 3 / width, 3 / height)
    assert browser.text("#placement-text").startswith("(" + ",".join("0" * len(grid)) + "): node 0 of "), browser.text("#placement-text")
    browser.key("#placement-map", "ArrowRight")
    moved = (0,) * (len(grid) - 1) + (1,)
    assert browser.text("#placement-text").startswith(f"({','.join(map(str, moved))}): node {of_leaf[where[moved]]} of ")
    # Cells of one node have one colour, and neighbouring nodes another.
    browser.hover("h1")
    if len(grid) == 2:
        colours = {point: tuple(browser.value(
            "(([x, y]) => Array.from(document.getElementById('placement-map').getContext('2d').getImageData(x, y, 1, 1).data))"
            f"([{int((point[1] + 0.4) * width / grid[1])}, {int((point[0] + 0.4) * height / grid[0])}])")) for point in where}
        for a, b in itertools.combinations(where, 2):
            if abs(of_leaf[where[a]] - of_leaf[where[b]]) < 2:
                assert (colours[a] == colours[b]) == (of_leaf[where[a]] == of_leaf[where[b]]), (a, b, colours[a], colours[b])


def check_placements(browser):
    machine = os.path.join(folder, "nodes.par")
    with open(machine, "w", encoding="utf-8") as file:
        file.write(MACHINE)
    page = os.path.join(folder, "placed.html")
    plane = os.path.join(source, "configs/programs/jacobi2d.toml")
    space = os.path.join(source, "configs/programs/heat3d.toml")
    for program, grid, wish, note in ((plane, (6, 6), "row", "placed by row"), (plane, (6, 6), "column", "placed by column"),
                                      (plane, (4, 8), "blocked:2x2", "placed by blocks of 2×2"),
                                      (space, (2, 4, 3), "column", "placed by column"),
                                      (space, (4, 2, 4), "blocked:2x1x2", "placed by blocks of 2×1×2"),
                                      (plane, (36,), "row", "placed by row")):
        subprocess.run([gridcast, "--quiet", "predict", program, "--machine", machine, "--grid", "x".join(map(str, grid)),
                        "--placement", wish, "--html", page], check=True)
        check_one_placement(browser, page, grid, wish, note)
    # The page of the best grid of a search says which placement is the best; one node needs none.
    store = os.path.join(folder, "placed.h5")
    subprocess.run([gridcast, "--quiet", "sweep", plane, "--machine", machine, "--placement", "search", "--processors", "32",
                    "--store", store, "--best-html", page], check=True)
    status = subprocess.run([gridcast, "status", store, "--json", "-"], check=True, capture_output=True, text=True)
    best = json.loads(status.stdout)["best"]
    kind, _, extents = best["placement"].partition(":")
    note = f"placed by blocks of {extents.replace('x', '×')}" if kind == "blocked" else f"placed by {kind}"
    check_one_placement(browser, page, tuple(best["grid"]), best["placement"], note)
    subprocess.run([gridcast, "--quiet", "predict", plane, "--machine", machine, "--grid", "2x2", "--html", page], check=True)
    browser.open(page)
    assert browser.value("document.getElementById('placement') === null")


with tempfile.TemporaryDirectory() as folder, Browser() as browser:
    made, where = predict()
    browser.open(where)
    check_tables(browser, made)
    check_icicle(browser, made)
    check_run(browser, where, made)
    check_depth(browser)
    check_placements(browser)
    browser.no_errors()
