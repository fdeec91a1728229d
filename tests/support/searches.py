"""Searches and their pages, for tests that a browser opens them in; the arguments of a test are GRIDCAST SOURCE. Files are in
`folder`, which is gone when the test ends."""
import csv
import io
import math
import os
import re
import subprocess
import sys
import tempfile

gridcast, source = map(os.path.abspath, sys.argv[1:])
_kept = tempfile.TemporaryDirectory()
folder = _kept.name
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


def count_shown(browser):
    return whole(re.match("[\\d\u202f]+", browser.text("#shown-text")).group(0))


def check_all_shown(browser, rows):
    assert count_shown(browser) == sum(not row["empty"] for row in rows)
    names = browser.texts("#grid-table tbody td:nth-child(2)")
    times = {row["grid"]: row["time"] for row in rows if not row["empty"]}
    assert close(times[names[0]], min(times.values()), 1e-9), names
