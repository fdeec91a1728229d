"""check_search_page.py GRIDCAST SOURCE: a browser opens the pages of searches and does what a person does: points, sorts,
filters, zooms, chooses a grid, follows links, saves. What it shows is what `export --csv` and `status --json` say."""
import csv
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import h5py

gridcast, source = map(os.path.abspath, sys.argv[1:])
sys.path.insert(0, os.path.join(source, "tests", "support"))
from browser import Browser  # noqa: E402

UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


def run(*arguments, codes=(0,)):
    result = subprocess.run([gridcast, "--quiet", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode in codes, (arguments, result.returncode, result.stderr)
    return result.stdout


def rows_of(store):
    rows = []
    for row in csv.DictReader(io.StringIO(run("export", store, "--csv", "-"))):
        extents = [int(row[f"p{d}"]) for d in range(1, int(row["rank"]) + 1)]
        rows.append({"grid": "×".join(map(str, extents)), "extents": extents, "processors": int(row["processors"]),
                     "time": float(row["execution_time"]), "efficiency": float(row["efficiency"]),
                     "empty": float(row["evenness"]) <= 0.0, "row": row})
    return rows


def search(store, page, program, machine, *more, codes=(0,)):
    run("sweep", os.path.join(source, "configs/programs", program), "--machine", os.path.join(source, "configs", machine),
        "--processes", "together", "--store", store, *more, codes=codes)
    run("report", store, "--html", page)
    return rows_of(store)


def seconds(text):
    number, unit = re.match(r"([\d.]+) (s|ms|µs|ns)\b", text).groups()
    return float(number) * UNITS[unit]


def close(shown, exact, tolerance):
    return abs(shown - exact) <= tolerance * abs(exact)


def whole(text):
    return int(text.replace("\u202f", ""))


def facts(browser):
    """What the first screen says, by name; a name may have several lines."""
    return dict(browser.value("Array.from(document.querySelectorAll('#decision dt'), e => [e.textContent, "
                              "e.nextElementSibling.textContent.trim()])"))


def place(browser, extents):
    """Where a grid of two dimensions is on the heat map, in parts of its width and height."""
    x0, x1, y0, y1 = browser.value("document.getElementById('heat').dataset.domain.split(',').map(Number)")
    width, height = browser.value("(e => [e.clientWidth, e.clientHeight])(document.getElementById('heat'))")
    left, top, right, bottom = browser.value("document.getElementById('heat').dataset.plot.split(',').map(Number)")
    part = lambda value, low, high: math.log(value / low) / math.log(high / low)
    return ((left + part(extents[0], x0, x1) * (right - left)) / width,
            (bottom - part(extents[1], y0, y1) * (bottom - top)) / height)


def check_hover(browser, rows, fastest):
    for row in [row for row in rows if max(row["extents"]) <= 9][::5]:  # cells of several pixels
        browser.hover("#heat", *place(browser, row["extents"]))
        text = browser.text("#heat-text")
        assert text.startswith(f"{row['grid']}, {row['processors']} processors: "), (row, text)
        assert browser.text("#tip") == text
        assert close(seconds(text.split(": ")[1]), row["time"], 0.0011), (row, text)
        slower = float(re.search(r"([\d.]+) % slower", text).group(1))
        assert abs(slower - 100 * (row["time"] / fastest - 1)) < 0.06 + 0.0011 * (100 + slower), (row, text)
        assert abs(float(re.search(r"efficiency ([\d.]+)", text).group(1)) - row["efficiency"]) < 0.0022, (row, text)
        assert ("leaves processors empty" in text) == row["empty"], (row, text)


def check_table(browser, rows):
    """All columns sort as the table of the store does, page by page; the CSV has every row that is shown."""
    assert browser.value("getComputedStyle(document.querySelector('#grid-table')).display") == "table"
    by = {"efficiency": lambda r: -r["efficiency"], "processors": lambda r: r["processors"], "time": lambda r: r["time"]}
    for name, key in by.items():
        browser.click(f"#grid-table [data-sort={name}]")
        ordered = sorted(rows, key=key)
        column = {"efficiency": 6, "processors": 3, "time": 4}[name]
        for page in range(3):
            shown = browser.texts(f"#grid-table tbody tr > :nth-child({column})")
            for text, row in zip(shown, ordered[20 * page:]):
                if name == "processors":
                    assert whole(text) == row["processors"], (name, text, row)
                elif name == "time":
                    assert close(seconds(text), row["time"], 0.0016), (name, text, row)
                else:
                    assert abs(float(text) - row["efficiency"]) < 0.0022, (name, text, row)
            if len(ordered) > 20 * (page + 1):
                browser.click("#table-later")
    assert browser.value("document.querySelector('#grid-table [data-sort=time]').parentElement.ariaSort") == "ascending"
    saved = list(csv.DictReader(io.StringIO(browser.download("#csv"))))
    assert len(saved) == len(rows), (len(saved), len(rows))
    known = {tuple(row["extents"]): row for row in rows}
    exact = 0
    for line in saved:
        row = known[tuple(int(line[f"p{d + 1}"]) for d in range(len(rows[0]["extents"])))]
        tolerance = 1e-15 if line["exact"] == "1" else 0.0012
        exact += line["exact"] == "1"
        assert close(float(line["execution_time"]), row["time"], tolerance), (line, row)
        assert close(float(line["efficiency"]), row["efficiency"], 2 * tolerance), (line, row)
        if line["exact"] == "1":
            assert float(line["idle"]) == float(row["row"]["idle"]), (line, row)
        total = row["time"] * row["processors"]
        for name in ("insufficient_parallelism", "communication", "idle"):
            assert abs(float(line[name]) - float(row["row"][name])) <= 0.004 * total, (name, line, row["row"][name])
        assert (line["leaves_empty"] == "1") == row["empty"]
    times = [float(line["execution_time"]) for line in saved]
    assert times == sorted(times)
    assert exact >= min(1000, len(rows)), exact


def count_shown(browser):
    return whole(re.match("[\\d\u202f]+", browser.text("#shown-text")).group(0))


def check_filters(browser, rows):
    fastest = min(row["time"] for row in rows)
    full = [row for row in rows if not row["empty"]]
    assert count_shown(browser) == len(full)
    browser.click("#show-empty")
    assert count_shown(browser) == len(rows)
    browser.fill("#from", "16")
    browser.fill("#to", "64")
    assert count_shown(browser) == sum(16 <= row["processors"] <= 64 for row in rows)
    browser.fill("#fix-p1", "4")
    assert count_shown(browser) == sum(16 <= row["processors"] <= 64 and row["extents"][0] == 4 for row in rows)
    assert "processors=16-64" in browser.value("location.hash") and "p1=4" in browser.value("location.hash")
    browser.click("#filters [type=reset]")
    browser.wait("!location.hash.includes('p1')")
    browser.fill("#slower", "50")
    quick = [row for row in full if row["time"] <= fastest * 1.5]
    assert abs(count_shown(browser) - len(quick)) <= sum(close(row["time"], fastest * 1.5, 0.001) for row in full)
    browser.fill("#slower", "")
    browser.fill("#least", "50")
    efficient = [row for row in full if row["efficiency"] >= 0.5]
    assert abs(count_shown(browser) - len(efficient)) <= sum(close(row["efficiency"], 0.5, 0.002) for row in full)
    browser.fill("#least", "")


def fewest(rows, tolerance):
    limit = min(row["time"] for row in rows) * (1 + tolerance)
    return min(row["processors"] for row in rows if row["time"] <= limit)


def check_charts(browser, rows):
    text = browser.text("#time-text")
    for tolerance in (1, 5, 10):
        found = whole(re.search(f"{tolerance} %: ([\\d\u202f]+) ", text).group(1))
        assert found == fewest(rows, tolerance / 100), (tolerance, text)
    front, best = 0, math.inf
    for p in sorted({row["processors"] for row in rows}):
        least = min(row["time"] for row in rows if row["processors"] == p)
        if least < best * (1 - 1e-12):
            front, best = front + 1, least
    path = browser.value("document.querySelector('#time-plot path.curve').getAttribute('d')")
    assert len(re.findall("[ML]", path)) == 2 * front - 1, (front, path)
    assert len(browser.texts("#time-plot path.ideal")) == 5
    # Point at the place of one processor, whatever is there must be told as the store has it.
    told = 0
    for across in (0.2, 0.4, 0.6, 0.8):
        for down in (0.2, 0.35, 0.5, 0.65, 0.8):
            browser.hover("#time-plot", across, down)
            match = re.match("([\\d\u202f]+) processors: ([\\d×]+), ([\\d.]+ \\S+), efficiency ([\\d.]+)", browser.text("#time-text"))
            if match:
                row = next(row for row in rows if row["grid"] == match.group(2))
                same = [r for r in rows if r["processors"] == row["processors"]]
                assert whole(match.group(1)) == row["processors"]
                assert close(row["time"], min(r["time"] for r in same), 0.0011)
                assert close(seconds(match.group(3)), row["time"], 0.0011)
                told += 1
    assert told > 0
    for name, axis in (("time-plot", "#time"), ("efficiency-plot", "#efficiency"), ("heat", "#heat")):
        domain = f"document.getElementById('{name}').dataset.domain"
        before = browser.value(domain)
        browser.click(f"{axis}-in")
        browser.wait(f"{domain} !== '{before}'")
        browser.click(f"{axis}-all")
        browser.wait(f"{domain} === '{before}'")
        browser.key(f"#{name}", "+")
        browser.wait(f"{domain} !== '{before}'")
        browser.key(f"#{name}", "Home")
        browser.wait(f"{domain} === '{before}'")


def check_choice(browser, page, rows):
    best = min(rows, key=lambda row: (row["empty"], row["time"]))
    for row in (best, rows[len(rows) // 3]):
        browser.open(page, "#grid=" + "x".join(map(str, row["extents"])))
        assert browser.text("#grid-title") == f"Grid {row['grid']}"
        cards = dict(zip(browser.texts("#grid-cards dt"), browser.texts("#grid-cards dd")))
        assert close(seconds(cards["Execution time"]), row["time"], 0.0011), (cards, row)
        assert abs(float(cards["Efficiency"]) - row["efficiency"]) < 0.0022, (cards, row)
        assert whole(cards["Processors"]) == row["processors"]
    browser.open(page, "#grid=" + "x".join(map(str, best["extents"])))
    names = [name.replace(" ", "_") for name in browser.texts("#grid-rows th")]
    values = browser.value("Array.from(document.querySelectorAll('#grid-rows td'), each => each.title)")
    assert len(names) > 30
    for name, value in zip(names, values):
        assert float(value) == float(best["row"][name]), (name, value, best["row"][name])
    browser.click("#grid-close")
    assert browser.value("document.getElementById('grid-panel').hidden")
    assert "grid=" not in browser.value("location.hash")


def check_keyboard(browser, page, rows):
    browser.open(page, "#grid=2x2&empty=1")
    for key, grid in (("ArrowRight", "3×2"), ("ArrowUp", "3×3"), ("ArrowLeft", "2×3"), ("ArrowDown", "2×2")):
        browser.key("#heat", key)
        assert browser.text("#heat-text").startswith(f"{grid}, "), (key, browser.text("#heat-text"))
    browser.key("#heat", "ArrowRight")
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="Enter")
    assert browser.text("#grid-title") == "Grid 3×2"
    assert "grid=3x2" in browser.value("location.hash")


def check_plane(browser):
    rows = search("two.h5", "two.html", "jacobi2d.toml", "mvs.par", "--mode", "3", "--max-processors", "512")
    page = os.path.join(folder, "two.html")
    browser.open(page)
    assert json.loads(browser.text("#search-data"))["layout"] == "all"
    check_filters(browser, rows)
    browser.open(page, "#empty=1")
    check_hover(browser, rows, min(row["time"] for row in rows))
    check_charts(browser, rows)
    browser.open(page, "#empty=1")
    check_table(browser, rows)
    check_choice(browser, page, rows)
    check_keyboard(browser, page, rows)
    browser.open(page, "#empty=1&processors=10-20&sort=-efficiency&show=efficiency&slower=1000")
    assert browser.value("document.getElementById('metric').value") == "efficiency"
    some = [row for row in rows if 10 <= row["processors"] <= 20]
    assert count_shown(browser) == sum(row["time"] <= 11 * min(r["time"] for r in rows) for row in some)
    first = float(browser.text("#grid-table tbody tr > :nth-child(6)"))
    assert abs(first - max(row["efficiency"] for row in some)) < 0.0022
    browser.no_errors()


def check_space(browser):
    """Three dimensions: the map shows the fastest of each P1 and P2, or a slice."""
    rows = search("three.h5", "three.html", "jacobi3d.toml", "mvs.par", "--mode", "3", "--max-processors", "64", "--intervals")
    page = os.path.join(folder, "three.html")
    for fragment, fits in (("#empty=1", lambda row: True), ("#empty=1&p3=3", lambda row: row["extents"][2] == 3)):
        browser.open(page, fragment)
        chosen = [row for row in rows if fits(row)]
        assert count_shown(browser) == len(chosen)
        for p1, p2 in ((1, 1), (2, 3), (4, 2), (3, 5)):
            browser.hover("#heat", *place(browser, (p1, p2)))
            least = min(row["time"] for row in chosen if row["extents"][:2] == [p1, p2])
            text = browser.text("#heat-text")
            assert text.startswith(f"{p1}×{p2}×") and close(seconds(text.split(": ")[1]), least, 0.0011), text
    assert "interval-1" in browser.value("document.querySelector('section.iv').id")


def check_proof(browser):
    rows = search("exact.h5", "exact.html", "sor.toml", "mvs15k.par", "--mode", "4", "--max-processors", "512")
    status = json.loads(run("status", "exact.h5", "--json", "-"))
    browser.open(os.path.join(folder, "exact.html"))
    counts = [whole(text) for text in browser.texts("#proof .num:not(.mute)")]
    assert counts == [status["evaluated"], status["candidates"] - status["evaluated"]], (counts, status)
    assert "proved to be the best: gap 0" in facts(browser)["Proof"]
    check_all_shown(browser, rows)


def check_listed(browser):
    """Few grids of many: a heuristic search, whose number of evaluations does not depend on bounds."""
    rows = search("few.h5", "few.html", "sor.toml", "mvs15k.par", "--mode", "1", "--max-processors", "512")
    browser.open(os.path.join(folder, "few.html"))
    assert json.loads(browser.text("#search-data"))["layout"] == "listed"
    check_all_shown(browser, rows)


def check_all_shown(browser, rows):
    assert count_shown(browser) == sum(not row["empty"] for row in rows)
    names = browser.texts("#grid-table tbody td:nth-child(2)")
    times = {row["grid"]: row["time"] for row in rows if not row["empty"]}
    assert close(times[names[0]], min(times.values()), 1e-9), names


def check_stopped(browser):
    rows = search("part.h5", "part.html", "jacobi2d.toml", "mvs15k.par", "--mode", "3", "--max-processors", "512",
                  "--time-limit", "0.3", codes=(0, 3))
    status = json.loads(run("status", "part.h5", "--json", "-"))
    browser.open(os.path.join(folder, "part.html"))
    if status["state"] == "complete":
        assert "Every candidate was evaluated" in facts(browser)["Proof"]
        return
    assert "stopped early" in facts(browser)["Proof"] and "Best grid so far" in facts(browser)
    counts = [whole(text) for text in browser.texts("#proof .num:not(.mute)")]
    assert sum(counts) == status["candidates"] and counts[-1] == status["candidates"] - len(rows), (counts, status)


def check_open(browser):
    """Mode 4 that was stopped: the map tells open grids from excluded ones as /proof has them."""
    for limit in ("0.02", "0.04", "0.08", "0.15", "0.3", "0.6", "1.2", "2.4"):  # until both kinds are there
        if os.path.exists(os.path.join(folder, "open.h5")):
            os.remove(os.path.join(folder, "open.h5"))
        rows = search("open.h5", "open.html", "panels.toml", "mvs15k.par", "--set", "mvs15k.Count=4096", "--mode", "4",
                      "--time-limit", limit, codes=(0, 3))
        status = json.loads(run("status", "open.h5", "--json", "-"))
        proof = status["proof"]
        if proof["open"] == 0 or proof["excluded"] > 0:
            break
    known = {tuple(row["extents"]) for row in rows}
    with h5py.File(os.path.join(folder, "open.h5")) as store:
        part = store["proof"]
        boxes = list(zip(part["first"][:, :2].tolist(), part["last"][:, :2].tolist(), part["bound"][:].tolist()))
        most = int(part.attrs["max_processors"])
    holding = lambda p, q: [box for box in boxes if box[0][0] <= p <= box[1][0] and box[0][1] <= q <= box[1][1]]
    unknown = [(p, q) for p in range(1, most + 1) for q in range(1, most // p + 1) if (p, q) not in known]
    assert len(unknown) == proof["open"] + proof["excluded"]
    assert sum(len(holding(*grid)) for grid in unknown if max(grid) < 300) <= proof["open"]
    if boxes:
        assert proof["least"] == min(box[2] for box in boxes)
        best = min(row["time"] for row in rows)
        assert abs(proof["gap"] - max(0.0, (best - proof["least"]) / best)) < 1e-9, (proof, best)
    browser.open(os.path.join(folder, "open.html"), "#empty=1")
    shown = json.loads(browser.text("#search-data"))["proof"]
    # Only free processes leave grids by a margin.
    assert (proof.pop("left"), proof.pop("margin")) == (0, None), proof
    assert {name: shown[name] for name in proof} == proof, (shown, proof)
    counts = [whole(text) for text in browser.texts("#proof .num:not(.mute)")]
    assert counts == [count for count in (len(rows), proof["excluded"], proof["open"]) if count], (counts, proof)
    told = {"open": 0, "excluded": 0, "known": 0}
    for p, q in [(p, q) for p in (1, 2, 3, 5, 8) for q in (1, 2, 3, 4, 6, 9)] + [(1, most), (most // 2, 2)]:
        browser.hover("#heat", *place(browser, (p, q)))
        text, found = browser.text("#heat-text"), holding(p, q)
        assert text.startswith(f"{p}×{q}, {p * q} processors: "), text
        kind = "known" if (p, q) in known else "open" if found else "excluded"
        told[kind] += 1
        assert ("open when the search was stopped" in text) == (kind == "open"), (text, kind)
        assert ("excluded by a bound" in text) == (kind == "excluded"), (text, kind)
        if kind == "open" and found[0][2] > 0:
            assert close(seconds(text.split("not below ")[1]), found[0][2], 1e-3), (text, found)
    assert told["known"] + told["open"] > 0
    browser.key("#heat", "Home")
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowUp", modifiers=8)
    p, q = status["best"]["grid"]
    assert browser.text("#heat-text").startswith(f"{p}×{q + 1}, "), (p, q, browser.text("#heat-text"))


WEATHER = """
[[array]]
name = "t"
extents = [425, 300]
shadow = 1
distribute = ["block", "block"]
[[do]]
repeat = 5
interval = "sequential"
[[do.do]]
exchange = ["t"]
[[do.do]]
loop = ["i = 1 : 423", "j = 1 : 298"]
on = "t[i, j]"
time = 1e-5
"""


def pixels(browser, extents, size=9):
    """Red, green, blue, opacity of some pixels in the middle of the place of a grid on the map."""
    across, down = place(browser, extents)
    found = browser.value(f"(e => Array.from(e.getContext('2d').getImageData(e.width * {across} - {size} / 2, "
                          f"e.height * {down} - {size} / 2, {size}, {size}).data))(document.getElementById('heat'))")
    return [tuple(found[i:i + 4]) for i in range(0, len(found), 4)]


def check_scale(browser):
    """The colours go from bright for the best to dark for the worst, over the whole scale; no label of the map covers another
    or is cut, on a large screen and on a phone."""
    rows = search("scale.h5", "scale.html", "jacobi2d.toml", "mvs.par", "--mode", "3")
    large = [row for row in rows if max(row["extents"]) <= 8 or row["extents"] in ([1, 64], [1, 512], [64, 1])]
    by = {"time": lambda row: row["time"], "efficiency": lambda row: -row["efficiency"],
          "communication": lambda row: float(row["row"]["communication"]) / float(row["row"]["total_time"])}
    for width, phone in ((1280, False), (390, True)):
        browser.size(width, 900, phone)
        for metric, value in by.items():
            browser.open(os.path.join(folder, "scale.html"), f"#empty=1&lines=0&show={metric}")
            labels = json.loads(browser.value("document.getElementById('heat').dataset.labels"))
            canvas = browser.value("document.getElementById('heat').clientWidth")
            assert len(labels) > 8, labels
            for text, left, right, top in labels:
                assert left >= -0.01 and right <= canvas + 0.01, (text, left, right, canvas)
                assert not any(left < other[2] and other[1] < right for other in labels if other[3] == top and other[0] != text)
            if phone:
                continue
            shades = []
            for row in sorted(large, key=value):
                red, green, blue, _ = pixels(browser, row["extents"], 1)[0]
                shades.append((0.2126 * red + 0.7152 * green + 0.0722 * blue, row["grid"]))
            assert all(a[0] >= b[0] - 4 for a, b in zip(shades, shades[1:])), (metric, shades)
            assert shades[0][0] > 150 and shades[-1][0] < 60, (metric, shades)
    browser.size(1280, 900)


def check_looks(browser):
    """What conditions exclude looks other than what bounds exclude, and both are told."""
    for name, more, meets in (
            ("ten", ("--mode", "4", "--divides", "1000"), lambda p, q: 1000 % p == 0 and 1000 % q == 0),
            ("some", ("--mode", "4", "--processors", "4:256:4,6"), lambda p, q: p * q == 6 or p * q % 4 == 0 and p * q <= 256),
            ("whole", ("--mode", "4", "--whole-nodes"), lambda p, q: p * q % 2 == 0),
            ("row", ("--mode", "3", "--max-processors", "64", "--fix", "p2=3"), lambda p, q: q == 3)):
        rows = search(f"{name}.h5", f"{name}.html", "jacobi2d.toml", "mvs.par", *more)
        known = {tuple(row["extents"]) for row in rows}
        browser.open(os.path.join(folder, f"{name}.html"), "#empty=1")
        kinds = {"evaluated": 0, "conditions": 0, "bound": 0}
        for p, q in [(p, q) for p in (1, 2, 3, 4, 6) for q in (1, 2, 3, 5, 6, 7, 8)] + [(1, 47), (2, 31)]:
            kind = "evaluated" if (p, q) in known else "bound" if meets(p, q) else "conditions"
            browser.hover("#heat", *place(browser, (p, q)))
            text, look = browser.text("#heat-text"), {pixel[3] for pixel in pixels(browser, (p, q))}
            assert ("excluded by the conditions" in text) == (kind == "conditions"), (name, p, q, text)
            assert ("excluded by a bound, no better" in text) == (kind == "bound"), (name, p, q, text)
            if max(p, q) <= 4:
                assert look == ({255} if kind == "evaluated" else {0, 255} if kind == "conditions" else {96}), (name, p, q, look)
            kinds[kind] += 1
        assert kinds["evaluated"] and kinds["conditions"], (name, kinds)
        legend = " ".join(browser.texts("#heat-legend li"))
        assert ("excluded by the conditions " + json.loads(run("status", f"{name}.h5", "--json", "-"))["conditions"]) in legend
        assert ("bounds" in legend) == (name != "row"), legend


def check_left_empty(browser):
    """425 x 300 in blocks of equal size. On 1,024 processors every grid leaves some empty. Along one dimension 33 processors
    have 13 rows each (the last 9), and of 38 the first 36 have 12: the best leaves two empty."""
    with open(os.path.join(folder, "weather.toml"), "w", encoding="utf-8") as file:
        file.write(WEATHER)
    for name, more in (("all", ["--processors", "1024"]), ("best", ["--fix", "p2=1", "--processors", "33,38", "--mode", "3"])):
        rows = search(f"{name}_empty.h5", f"{name}_empty.html", os.path.join(folder, "weather.toml"), "mvs.par",
                      "--block-rule=ceil", *more)
        status = json.loads(run("status", f"{name}_empty.h5", "--json", "-"))
        best = status["best"]
        busy = math.prod(-(-extent // -(-extent // p)) for extent, p in zip((425, 300), best["grid"]))
        idle = best["processors"] - busy
        assert best["idle_processors"] == idle > 0, (best, busy)
        full = [row for row in rows if not row["empty"]]
        assert (status["none_empty"] is None) == (not full) == (name == "all"), status["none_empty"]
        if full:
            least = min(full, key=lambda row: (float(f"{row['time']:.10e}"), row["processors"], row["extents"]))
            assert status["none_empty"]["grid"] == least["extents"], (status["none_empty"], least)
            assert status["none_empty"]["idle_processors"] == 0
        assert f"Left empty     {idle} of its processors get no elements\nNone empty     " in \
            run("status", f"{name}_empty.h5")
        browser.open(os.path.join(folder, f"{name}_empty.html"))
        cards = facts(browser)
        card = next(text for title, text in cards.items() if title.startswith("Best grid"))
        assert card.startswith("×".join(map(str, best["grid"]))) and f"{idle} of its processors get no elements" in card, card
        beside = cards["Best that leaves no processor empty"]
        assert beside.startswith("×".join(map(str, status["none_empty"]["grid"])) if full else "none among"), beside
        assert browser.text("#shown-text") == f"{len(rows)} of {len(rows)} evaluated grids shown."
        assert browser.text("#table-text").endswith(" grids"), browser.text("#table-text")
        assert browser.text("#grid-table tbody td").startswith("×".join(map(str, best["grid"])))
        # Folding them away is what one asks for, and stands in the address.
        browser.click("#show-empty")
        assert browser.value("location.hash") == "#empty=0", browser.value("location.hash")
        browser.open(os.path.join(folder, f"{name}_empty.html"), "#empty=0")
        assert browser.text("#shown-text").startswith(f"{len(full)} of {len(rows)} "), browser.text("#shown-text")


UNTIL = "document.querySelector({!r}).getBoundingClientRect().bottom"


def front_rows(front, by):
    """Rows of a front that say the same are one: number, grid, time."""
    rows = []
    for line in front:
        row = (line[by], "×".join(map(str, line["grid"])), line["execution_time"])
        if line["by"] == by and (not rows or rows[-1] != row):
            rows.append(row)
    return rows


def check_front(browser, front):
    """Nodes, or processors if each is a node: the table and the chart say what the store says."""
    by = "nodes" if any(line["by"] == "nodes" and line["nodes"] != line["processors"] for line in front) else "processors"
    rows = front_rows(front, by)
    shown = browser.value("Array.from(document.querySelectorAll('#good-enough .two tbody tr'), r => "
                          "Array.from(r.cells, c => c.title || c.textContent))")
    assert len(shown) == len(rows), (shown, rows)
    for cells, (number, grid, time) in zip(shown, rows):
        assert whole(re.search("(?:at most )?([\\d\u202f]+)", cells[1]).group(1)) == number, (cells, number)
        assert cells[2] == grid and float(cells[-1].split()[0]) == time, (cells, grid, time)
    circles = browser.value("Array.from(document.querySelectorAll('#front-chart circle'), c => [+c.getAttribute('cx'), "
                            "+c.getAttribute('cy'), c.textContent])")
    assert len(circles) == (len(rows) if len(rows) > 1 else 0), (circles, rows)
    if len(rows) == 1:
        return
    (x0, y0, _), (x1, y1, _) = circles[0], circles[-1]
    rows.reverse()
    (n0, _, t0), (n1, _, t1) = rows[0], rows[-1]
    circle = {text.split(" ")[0]: (x, y) for x, y, text in circles}
    for number, _, time in rows:  # to scale: numbers on a log scale, times from zero
        x, y = circle[f"{number:,}".replace(",", "\u202f")]
        assert abs((x - x0) / (x1 - x0) - math.log(number / n0) / math.log(n1 / n0)) < 1e-6, (number, circles)
        assert abs((y - y0) / (y1 - y0) - (time - t0) / (t1 - t0)) < 1e-6, (time, circles)


LOST = {"insufficient_parallelism": "Insufficient parallelism", "io_communication": "I/O communication",
        "reduction_communication": "Reduction", "shadow_communication": "Shadow edges",
        "remote_access_communication": "Remote access", "redistribution_communication": "Redistribution", "idle": "Idle"}


def check_decision(browser):
    """On the first 900 pixels: grid, nodes, gap, proof, top cause, a job line to copy, and the front as table and chart, or
    the grids if all have the same number of processors."""
    flat = os.path.join(folder, "flat.par")
    with open(os.path.join(source, "configs/workstations.par"), encoding="utf-8") as file, open(flat, "w", encoding="utf-8") as copy:
        copy.write("".join(line for line in file if "IsNode" not in line))
    for name, program, machine, proof, *more in (
            ("decide", "jacobi2d.toml", "mvs.par", "Every candidate was evaluated: gap 0.", "--mode", "3", "--max-processors", "128"),
            ("number", "jacobi2d.toml", "cluster128x64.par", "The chosen grid is proved to be the best: gap 0.", "--processors",
             "4096"),
            ("halted", "panels.toml", "mvs15k.par", "The search was stopped early; --resume goes on.", "--mode", "3"),
            ("cube", "jacobi3d.toml", "mvs.par", "Every candidate was evaluated: gap 0.", "--mode", "3", "--max-processors", "64"),
            ("flat", "jacobi2d.toml", flat, "Every candidate was evaluated: gap 0.", "--mode", "3")):
        for limit in ("0.3", "1", "3", "9") if name == "halted" else ("600",):
            rows = search(f"{name}.h5", f"{name}.html", program, machine, *more, "--time-limit", limit, codes=(0, 3))
            if len(rows) > 1:
                break
            os.remove(os.path.join(folder, f"{name}.h5"))
        status = json.loads(run("status", f"{name}.h5", "--json", "-"))
        browser.size(1280, 900)
        browser.open(os.path.join(folder, f"{name}.html"))
        told, best = facts(browser), status["best"]
        grid = "×".join(map(str, best["grid"]))
        answer = next(text for title, text in told.items() if title.startswith("Best grid"))
        assert answer.startswith(f"{grid} {best['processors']} processors on {best['nodes']} node"), (answer, best)
        assert close(seconds(answer.split(", ")[1]), best["execution_time"], 1e-3), (answer, best)
        runner, gap = status["runner_up"]["grid"], 100 * status["runner_up_gap"]
        assert told["Runner-up"].startswith("×".join(map(str, runner)) + " worse by "), (told, runner)
        assert (f"by {gap:.1f} %" if gap >= 0.1 else "by <0.1 %" if gap > 0 else "by 0 %") in told["Runner-up"], (told, gap)
        assert told["Proof"] == proof, (name, told["Proof"])
        row = next(row["row"] for row in rows if row["extents"] == best["grid"])
        cause = max(LOST, key=lambda each: float(row[each]))
        share = 100 * float(row[cause]) / float(row["total_time"])
        assert told["Limited by"].startswith(f"{LOST[cause]} {share:.1f} %"), (told, cause, share)
        assert (told["Slurm"].removesuffix(" copy"), told["Open MPI"].removesuffix(" copy")) == (
            status["job"]["srun"], status["job"]["mpirun"]), (told, status["job"])
        seen = ["#decision", "#causes" if name == "number" else "#good-enough .two"]
        assert all(browser.value(UNTIL.format(part)) <= 900 for part in seen), (name, [browser.value(UNTIL.format(p)) for p in seen])
        if name == "number":
            assert not browser.value("document.getElementById('good-enough') !== null")
            listed = dict(zip(browser.texts("#causes tbody th"), browser.value(
                "Array.from(document.querySelectorAll('#causes tbody td:nth-child(3)'), e => e.title)")))
            known = {row["grid"]: row["time"] for row in rows}
            assert list(listed) == sorted(listed, key=known.get) and grid == next(iter(listed)), listed
            assert all(float(time.split()[0]) == known[each] for each, time in listed.items()), listed
        else:
            check_front(browser, status["front"])
        browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        browser.click("#decision .copy")
        browser.wait("document.querySelector('#decision .copy').textContent === 'copied'")
        assert browser.value("navigator.clipboard.readText()") == status["job"]["srun"]
        assert not browser.value("document.getElementById('proof').open")
        assert f"mode {status['mode']}" in browser.text("#proof")


def check_groups(browser):
    search("other.h5", "other.html", "jacobi2d.toml", "workstations.par", "--mode", "3", "--max-processors", "8")
    search("more.h5", "more.html", "adi.toml", "mvs.par", "--mode", "3", "--max-processors", "8")
    run("merge", "other.h5", "more.h5", "--store", "merged.h5")
    run("report", "merged.h5", "--html", "merged.html")
    browser.open(os.path.join(folder, "merged.html"))
    assert "Predictions of several variants" in browser.text("h1")
    rows = browser.texts("#variants tbody tr")
    assert len(rows) == 2, rows
    browser.fill("#variants input[type=search]", "adi")
    assert browser.value("document.querySelectorAll('#variants tbody tr:not([hidden])').length") == 1
    saved = list(csv.reader(io.StringIO(browser.download("#variants .tools button"))))
    assert len(saved) == 2 and "adi" in saved[1][0], saved
    least = min(row["time"] for row in rows_of("more.h5"))
    assert close(float(saved[1][4].split()[0]), least, 1e-12), (saved, least)
    browser.fill("#variants input[type=search]", "")
    browser.click("#variants thead th:nth-child(5) button")
    times = [float(text.split()[0]) for text in
             browser.value("Array.from(document.querySelectorAll('#variants tbody td:nth-child(5)'), each => each.title)")]
    assert times == sorted(times) and len(times) == 2, times


def check_dataset(browser):
    """A data set of five start times, three times per byte and two grids: a row for each variant, the faster grid in it."""
    with open(os.path.join(folder, "set.toml"), "w", encoding="utf-8") as file:
        file.write(f"""traces = ["{source}/configs/examples/jacobi2d_10000x10.ptr.gz"]
machines = ["{source}/configs/mvs.par"]
grids = ["4x2", "8x1"]
design = {{kind = "full-factorial"}}
[parameters]
mvs.TStart = {{values = [10, 20, 30, 40, 50]}}
mvs.TByte = {{values = [0.002, 0.004, 0.008]}}
""")
    run("dataset", "set.toml", "--store", "set.h5")
    run("report", "set.h5", "--html", "set.html")
    best = {}
    for row in rows_of("set.h5"):
        key = row["row"]["variant"]
        best[key] = min(best.get(key, row), row, key=lambda each: each["time"])
    assert len(best) == 15, len(best)
    browser.open(os.path.join(folder, "set.html"))
    cards = dict(zip(browser.texts(".cards dt"), browser.texts(".cards dd")))
    assert whole(cards["Variants"]) == 15 and whole(cards["Predictions"]) == 30, cards
    browser.click("#variants thead th:nth-child(5) button")
    shown = browser.value("Array.from(document.querySelectorAll('#variants tbody tr'), r => [r.cells[0].textContent, "
                          "r.cells[3].textContent, r.cells[4].title])")
    times = [float(time.split()[0]) for _, _, time in shown]
    assert times == sorted(times) and len(times) == 15, times
    for label, grid, time in shown:
        row = best[re.match(r"variant (\d+)", label).group(1)]
        assert grid == row["grid"] and close(float(time.split()[0]), row["time"], 1e-12), (label, grid, time, row)
    browser.fill("#variants input[type=search]", "TStart 30")
    assert browser.value("document.querySelectorAll('#variants tbody tr:not([hidden])').length") == 3
    assert len(list(csv.reader(io.StringIO(browser.download("#variants .tools button"))))) == 4


with tempfile.TemporaryDirectory() as folder, Browser() as browser:
    for check in (check_plane, check_space, check_proof, check_listed, check_stopped, check_open, check_scale, check_looks,
                  check_left_empty, check_decision, check_groups, check_dataset):
        check(browser)
        browser.no_errors()
