"""check_dataset_page.py GRIDCAST SOURCE: a browser opens the page of a data set, points at bars and dots, chooses, goes on with
keys, follows links and saves. What it shows is what `export --csv` says."""
import csv
import io
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

import h5py

gridcast, source = map(os.path.abspath, sys.argv[1:])
sys.path.insert(0, os.path.join(source, "tests", "support"))
from browser import Browser  # noqa: E402

UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
DESIGN = f"""traces = ["{source}/configs/examples/jacobi2d_10000x10.ptr.gz"]
machines = ["{source}/configs/mvs.par"]
grids = ["4x2", "8x1", "16x4"]
design = {{kind = "latin-hypercube", runs = 60, seed = 3}}
[parameters]
mvs.TStart = {{log = [1, 1000]}}
mvs.TByte = {{values = [0.002, 0.004, 0.008]}}
mvsP2.TStart = {{values = [1]}}
"""


def run(*arguments):
    return subprocess.run([gridcast, "--quiet", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


def number(text):
    """A number as the page writes it: 1 234, 0.25, 12.34 ms."""
    match = re.match(r"([\d\u202f]+(?:\.\d+)?(?:e[+-]?\d+)?)(?: (s|ms|µs|ns)\b)?", text)
    return float(match.group(1).replace("\u202f", "")) * UNITS[match.group(2) or "s"]


def near(shown, exact):
    return abs(shown - exact) <= 6e-4 * abs(exact)


def quantile(values, share):
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def spearman(a, b):
    places = lambda of: [sum(x < y for x in of) + (sum(x == y for x in of) - 1) / 2 for y in of]
    x, y, mean = places(a), places(b), (len(a) - 1) / 2
    product = lambda u, v: sum((p - mean) * (q - mean) for p, q in zip(u, v))
    return product(x, y) / (product(x, x) * product(y, y)) ** 0.5


def check_bars(browser, values):
    shares = [number(text) for text in re.findall(r"(?:Least|below|median|above|most) ([\d.]+(?: \S?s\b)?)", browser.text("#spread-text"))]
    assert len(shares) == 5, browser.text("#spread-text")
    for shown, share in zip(shares, (0, 0.1, 0.5, 0.9, 1)):
        assert near(shown, quantile(values, share)), (share, shown)
    total = 0
    browser.key("#spread-plot", "ArrowRight")
    bars = len(browser.texts("#spread-plot rect.bar"))
    for k in range(bars):
        text = browser.text("#spread-text")
        count, low, high = re.match("([\\d\u202f]+) of .* from (.+) to (.+)", text).groups()
        total += int(number(count))
        low, high = number(low), number(high)
        # The edges are rounded to four digits.
        surely = sum(low * 1.001 < value < high * 0.999 for value in values)
        perhaps = sum(low * 0.999 <= value <= high * 1.001 for value in values)
        assert surely <= number(count) <= perhaps, (text, surely, perhaps)
        browser.key("#spread-plot", "ArrowRight")
    assert total == len(values), total
    browser.key("#spread-plot", "Escape")


def check_choice(browser, rows, name):
    """A click on a bar chooses its predictions; another takes that back."""
    told = set()
    for across in (0.15, 0.3, 0.5, 0.7):
        browser.hover("#spread-plot", across, 0.8)
        told.add(browser.text("#tip"))
    assert len(told) > 2, told
    k = max(range(len(rows)), key=lambda i: rows[i][name])
    browser.key("#spread-plot", "ArrowLeft")  # the last bar has the greatest value
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="Enter")
    low, high = (number(text) for text in re.search("from (.+) to (.+)", browser.text("#runs-text")).groups())
    saved = list(csv.DictReader(io.StringIO(browser.download("#runs-csv"))))
    assert f"{len(saved)} of {len(rows)} predictions" in browser.text("#runs-text")
    assert {line["variant"] for line in saved} <= {row["variant"] for row in rows}
    assert str(rows[k][name]) in {str(float(line[name])) for line in saved}
    assert all(low * 0.999 <= float(line[name]) <= high * 1.001 for line in saved)
    assert "from=" in browser.value("location.hash")
    browser.click("#runs-reset")
    assert browser.text("#runs-text") == f"All {len(rows)} predictions."


def check_parts(browser, rows, over, name):
    """Along the line: each distinct value, or twelve parts; counts add up, quantiles are those of the rows."""
    values = sorted({row[over] for row in rows})
    browser.key("#over-plot", "ArrowRight")
    marks, total, before = len(browser.texts("#over-plot circle.mark")), 0, None
    assert marks == len(values) if len(values) <= 16 else marks <= 13, (over, marks)
    for _ in range(marks):
        text = browser.text("#over-text")
        assert text != before and text.startswith(over + " "), text
        before = text
        count = int(number(re.search("([\\d\u202f]+) predictions", text).group(1)))
        if len(values) <= 16:
            part = [row[name] for row in rows if near(number(text[len(over) + 1:]), row[over])]
            assert count == len(part), (text, len(part))
            for word, share in (("tenth below", 0.1), ("median", 0.5), ("tenth above", 0.9)):
                assert near(number(re.search(f"{word} (.+?)(?:,|$)", text).group(1)), quantile(part, share)), (text, word)
        total += count
        browser.key("#over-plot", "ArrowRight")
    assert total == len(rows), (over, total)


def check_dots(browser, rows):
    found = 0
    for across in (0.2, 0.35, 0.5, 0.65, 0.8):
        for down in (0.3, 0.45, 0.6, 0.75):
            browser.hover("#over-plot", across, down)
            match = re.match(r"variant (\d+), .*; grid ([\d×]+): execution time (.+), efficiency ([\d.]+)", browser.text("#over-text"))
            if match:
                assert browser.text("#tip") == browser.text("#over-text")
                row = next(r for r in rows if r["variant"] == match.group(1) and r["grid"] == match.group(2))
                assert near(number(match.group(3)), row["execution_time"]) and near(float(match.group(4)), row["efficiency"]), row
                found += 1
    assert found > 3, found


def check_page(browser, page, rows):
    browser.open(page)
    assert browser.texts("#runs-show option")[:2] == ["execution time", "efficiency"]
    names = browser.value("Array.from(document.querySelectorAll('#runs-over option'), each => each.value)")
    assert set(names) == {"mvs.TStart", "mvs.TByte", "p1", "p2", "processors"}, names  # what does not vary is no axis
    strength = {over: abs(spearman([row[over] for row in rows], [row["execution_time"] for row in rows])) for over in names}
    assert [strength[over] for over in names] == sorted(strength.values(), reverse=True), strength
    assert browser.value("document.getElementById('runs-over').value") == names[0]
    for name in ("execution_time", "efficiency"):
        browser.fill("#runs-show", name)
        values = [row[name] for row in rows]
        check_bars(browser, values)
        correlations = dict(zip(browser.texts("#with-rows th"), browser.texts("#with-rows td")))
        for over in names:
            shown = float(correlations[over].replace("−", "-"))
            assert abs(shown - spearman([row[over] for row in rows], values)) < 0.0006, (over, shown)
        sizes = [abs(float(text.replace("−", "-"))) for text in correlations.values()]
        assert sizes == sorted(sizes, reverse=True)
        for over in ("mvs.TByte", "processors", "mvs.TStart"):
            browser.fill("#runs-over", over)
            check_parts(browser, rows, over, name)
    browser.fill("#runs-show", "execution_time")
    check_choice(browser, rows, "execution_time")
    check_dots(browser, rows)
    saved = list(csv.DictReader(io.StringIO(browser.download("#runs-csv"))))
    columns = [name for name in saved[0] if name not in ("p3", "p4")]
    assert len(columns) == 14, columns
    assert sorted([float(line[name]) for name in columns] for line in saved) == \
        sorted([float(row["row"][name]) for name in columns] for row in rows)
    assert json.loads(browser.download("#runs-json")) == [{name: float(line[name]) for name in line} for line in saved]
    assert sorted(browser.texts("#variants thead th")[6:]) == ["mvs.TByte", "mvs.TStart"]  # what does not vary has no column
    browser.open(page, "#show=idle&over=p1")
    assert browser.value("[document.getElementById('runs-show').value, document.getElementById('runs-over').value]") == ["idle", "p1"]
    browser.click("#with-rows a[data-over='mvs.TByte']")
    assert "over=mvs.TByte" in browser.value("location.hash")
    assert browser.value("document.getElementById('runs-over').value") == "mvs.TByte"


SALTELLI = """traces = ["{source}/configs/examples/jacobi2d_10000x10.ptr.gz"]
machines = ["{source}/configs/mvs.par"]
grids = ["4x4", "8x8"]
design = {{kind = "saltelli", runs = 64}}
[parameters]
mvs.TByte = {{log = [1e-3, 10]}}
mvs.TStart = {{log = [1, 100]}}
mvsP1 = {{linear = [0.7, 1]}}
"""


def total_indices(path, response, factors):
    """Jansen's estimate from the runs of the design, base point by base point (A, A with each factor from B, B); the mean of
    the grids. Variances are those of A and B together."""
    with h5py.File(path) as store:
        results = {name: column[:] for name, column in store["results"].items()}
    totals = dict.fromkeys(factors, 0.0)
    grids = sorted(set(zip(results["p1"], results["p2"])))
    for grid in grids:
        of = {int(variant): value for variant, *extents, value in
              zip(results["variant"], results["p1"], results["p2"], results[response]) if tuple(extents) == grid}
        width = len(factors) + 2
        runs = [[of[base + i] for i in range(width)] for base in range(0, len(of), width)]
        both = [value for run in runs for value in (run[0], run[-1])]
        variance = statistics.pvariance(both)
        for i, name in enumerate(factors, 1):
            jansen = sum((run[i] - run[0]) ** 2 for run in runs) / (2 * len(runs))
            totals[name] += jansen / variance / len(grids)
    return totals


def check_indices(browser):
    """A Saltelli design: numbers stand by total Sobol' index, which tells of rare great changes what ranks do not."""
    factors = ("mvs.TByte", "mvs.TStart", "mvsP1")
    with open(os.path.join(folder, "saltelli.toml"), "w", encoding="utf-8") as file:
        file.write(SALTELLI.format(source=source))
    run("dataset", "saltelli.toml", "--store", "saltelli.h5")
    run("report", "saltelli.h5", "--html", "saltelli.html")
    browser.open(os.path.join(folder, "saltelli.html"))
    for response in ("execution_time", "efficiency"):
        browser.fill("#runs-show", response)
        totals = total_indices(os.path.join(folder, "saltelli.h5"), response, factors)
        names, indices, ranks = (browser.texts(f"#with-rows {cell}") for cell in ("th", "td:nth-child(2)", "td:nth-child(3)"))
        assert set(factors) < set(names) and names[:3] == sorted(factors, key=totals.get, reverse=True), (names, totals)
        for name, index in zip(names, indices):
            assert index == "none" if name not in totals else abs(float(index) - totals[name]) < 0.0006, (name, index, totals)
        if response == "execution_time":
            assert browser.value("Array.from(document.querySelectorAll('#runs-over option'), each => each.value)") == names
    browser.fill("#runs-show", "execution_time")
    assert "in the order of their total Sobol’ index" in browser.text("#over-figure"), browser.text("#over-figure")
    browser.open(os.path.join(folder, "set.html"))
    assert "in the order of the size of their rank correlation" in browser.text("#over-figure")
    assert "Sobol" not in browser.text("#over-figure")


def check_many(browser):
    """More predictions than a page takes: every second one, and the page says so."""
    with open(os.path.join(folder, "many.toml"), "w", encoding="utf-8") as file:
        file.write(DESIGN.replace("runs = 60", "runs = 7000"))
    run("dataset", "many.toml", "--store", "many.h5")
    run("report", "many.h5", "--html", "many.html")
    browser.open(os.path.join(folder, "many.html"))
    assert "10\u202f500 of 21\u202f000 predictions" in browser.text("#runs"), browser.text("#runs")
    assert "All 10\u202f500 predictions" in browser.text("#runs-text")
    count = sum(1 for _ in csv.reader(io.StringIO(browser.download("#runs-csv"))))
    assert count == 10501, count
    assert os.path.getsize(os.path.join(folder, "many.html")) < 3_000_000


with tempfile.TemporaryDirectory() as folder, Browser() as browser:
    with open(os.path.join(folder, "set.toml"), "w", encoding="utf-8") as file:
        file.write(DESIGN)
    run("dataset", "set.toml", "--store", "set.h5")
    run("report", "set.h5", "--html", "set.html")
    rows = []
    for row in csv.DictReader(io.StringIO(run("export", "set.h5", "--csv", "-"))):
        names = ("mvs.TStart", "mvs.TByte", "p1", "p2", "processors", "execution_time", "efficiency")
        rows.append({"variant": row["variant"], "grid": f"{row['p1']}×{row['p2']}", "row": row,
                     **{name: float(row[name]) for name in names}})
    assert len(rows) == 180
    page = os.path.join(folder, "set.html")
    check_page(browser, page, rows)
    assert json.loads(browser.text("#runs-data"))["predictions"] == 180
    check_indices(browser)
    check_many(browser)
    browser.no_errors()
