"""check_search_charts.py GRIDCAST SOURCE: a browser opens the pages of searches and does what a person does: points, sorts,
filters, zooms, chooses a grid, follows links, saves. Charts and tables show what `export --csv` says."""
import csv
import io
import json
import math
import os
import re
import sys

import h5py

sys.path.insert(0, os.path.join(sys.argv[2], "tests", "support"))
from browser import Browser  # noqa: E402
from searches import check_all_shown, close, count_shown, folder, place, run, search, seconds, whole  # noqa: E402


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


def check_listed(browser):
    """Few grids of many: a heuristic search, whose number of evaluations does not depend on bounds."""
    rows = search("few.h5", "few.html", "sor.toml", "mvs15k.par", "--mode", "1", "--max-processors", "512")
    browser.open(os.path.join(folder, "few.html"))
    assert json.loads(browser.text("#search-data"))["layout"] == "listed"
    check_all_shown(browser, rows)


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


CUBE = """
[[array]]
name = "t"
extents = [24, 18, 12, 10]
shadow = 1
distribute = ["block", "block", "block", "block"]
[[do]]
repeat = 5
interval = "sequential"
[[do.do]]
exchange = ["t"]
[[do.do]]
loop = ["i = 1 : 22", "j = 1 : 16", "k = 1 : 10", "l = 1 : 8"]
on = "t[i, j, k, l]"
time = 1e-7
"""


def numbers_of(store, rank):
    """The columns of a store that have axes, as they are in the file."""
    with h5py.File(os.path.join(folder, store)) as file:
        results = file["results"]
        return {**{f"p{d}": results[f"p{d}"][:] for d in range(1, rank + 1)}, "processors": results["processors"][:],
                "time": results["execution_time"][:], "efficiency": results["efficiency"][:]}


def check_importance(browser, numbers, rank):
    """Correlation ratios: the variance between groups over all variance, of logarithms of times."""
    times = [math.log(time) for time in numbers["time"]]
    mean = math.fsum(times) / len(times)
    shown = dict(zip(browser.texts("#importance tbody th"),
                     browser.value("Array.from(document.querySelectorAll('#importance [title]'), e => Number(e.title))")))
    assert list(shown) == [f"P{d}" for d in range(1, rank + 1)] + ["processors"], shown
    for name, ratio in shown.items():
        groups = {}
        for number, time in zip(numbers[name.lower()], times):
            groups.setdefault(number, []).append(time)
        between = math.fsum(len(group) * (math.fsum(group) / len(group) - mean) ** 2 for group in groups.values())
        assert close(ratio, between / math.fsum((time - mean) ** 2 for time in times), 1e-9), (name, ratio)


def check_inside(browser, numbers, **intervals):
    """The text under the lines says how many grids are in the intervals, and the best of them."""
    text = browser.text("#parallel-text")
    inside, shown = (whole(number) for number in re.match("([\\d\u202f]+) of ([\\d\u202f]+) ", text).groups())
    expected = [i for i in range(len(numbers["time"]))
                if all(low <= numbers[name][i] <= high for name, (low, high) in intervals.items())]
    assert (inside, shown) == (len(expected), len(numbers["time"])), (text, intervals, len(expected))
    best = min(numbers["time"][expected])
    assert close(seconds(re.search("processors?, ([^,]+),", text).group(1)), best, 0.0011), (text, best)
    grid = tuple(map(int, re.search("them: ([\\d×]+),", text).group(1).split("×")))
    at = next(i for i in expected if grid == tuple(numbers[f"p{d + 1}"][i] for d in range(len(grid))))
    assert close(numbers["time"][at], best, 0.0011), (grid, best)


def line_colour(browser, axis, down):
    """Mean red, green and blue of the lines on an axis there, on paper of any colour."""
    return browser.value(f"""(() => {{ const canvas = document.querySelector('#parallel-plot canvas');
      const scale = canvas.width / canvas.clientWidth, strip = document.querySelectorAll('#parallel-plot .strip')[{axis}];
      const data = canvas.getContext('2d').getImageData(Math.round((strip.offsetLeft + 12) * scale), Math.round({down} * scale) - 1, 1, 3).data;
      return [data[0] + data[4] + data[8], data[1] + data[5] + data[9], data[2] + data[6] + data[10]]; }})()""")


def check_parallel(browser):
    """Lines over parallel axes in three dimensions: intervals by mouse, by keyboard and of the address."""
    search("lines.h5", "lines.html", "jacobi3d.toml", "mvs.par", "--mode", "3", "--max-processors", "64")
    page, numbers = os.path.join(folder, "lines.html"), numbers_of("lines.h5", 3)
    browser.open(page, "#empty=1")
    check_importance(browser, numbers, 3)
    check_inside(browser, numbers)
    axes = browser.texts("#parallel-plot svg > text")
    assert axes == ["P1", "P2", "P3", "processors", "time", "efficiency"], axes
    height = browser.value("document.querySelector('#parallel-plot svg').clientHeight")
    down = lambda extent: height - 20 - math.log(extent) / math.log(64) * (height - 62)
    strip = "#parallel-plot .strip"
    left, top, width, _ = browser.box(strip)
    for kind, at in (("mousePressed", down(2) + 4), ("mouseMoved", down(3)), ("mouseMoved", down(4) - 4), ("mouseReleased", down(4) - 4)):
        browser.mouse(kind, left + width / 2, top + at, button="left", buttons=1, clickCount=1)
    check_inside(browser, numbers, p1=(2, 4))
    grey, blue = line_colour(browser, 0, down(8)), line_colour(browser, 0, down(3))
    assert max(grey) - min(grey) < 90 < max(blue) - min(blue), (grey, blue)
    browser.key(f"{strip}:nth-of-type(4) .grip", "ArrowUp")  # the first div has the picture
    assert browser.value(f"document.querySelector('{strip}:nth-of-type(4) .grip').ariaValueNow") == "2"
    check_inside(browser, numbers, p1=(2, 4), p3=(2, 64))
    assert browser.value("decodeURIComponent(location.hash)").endswith("brush=p1:2:4,p3:2:64"), browser.value("location.hash")
    browser.click("#parallel-text a")
    assert browser.text("#grid-title") == "Grid " + browser.text("#parallel-text a")
    browser.click(strip, 0.5, down(3) / height)
    check_inside(browser, numbers, p3=(2, 64))
    browser.click("#parallel-all")
    check_inside(browser, numbers)
    browser.open(page, "#empty=1&brush=efficiency:0.2:0.4,processors:4:12")
    check_inside(browser, numbers, efficiency=(0.2, 0.4), processors=(4, 12))
    assert not browser.value("document.getElementById('parallel-text').textContent.includes('Drawn')")


def check_many_lines(browser):
    """Four dimensions, and more grids than lines: a filter leaves fewer."""
    with open(os.path.join(folder, "cube.toml"), "w", encoding="utf-8") as file:
        file.write(CUBE)
    search("cube.h5", "cube.html", os.path.join(folder, "cube.toml"), "mvs.par", "--mode", "3", "--max-processors", "160")
    numbers = numbers_of("cube.h5", 4)
    assert len(numbers["time"]) > 5000, len(numbers["time"])
    browser.open(os.path.join(folder, "cube.html"), "#empty=1")
    check_importance(browser, numbers, 4)
    check_inside(browser, numbers)
    assert "Drawn are the lines of 5\u202f000 grids, evenly chosen." in browser.text("#parallel-text"), browser.text("#parallel-text")
    assert browser.texts("#parallel-plot svg > text")[:4] == ["P1", "P2", "P3", "P4"]
    browser.fill("#fix-p4", "2")
    some = [p4 == 2 for p4 in numbers["p4"]]
    check_inside(browser, {name: values[some] for name, values in numbers.items()})
    assert "Drawn" not in browser.text("#parallel-text")


with Browser() as browser:
    for check in (check_plane, check_space, check_parallel, check_many_lines, check_listed, check_scale, check_looks):
        check(browser)
        browser.no_errors()
