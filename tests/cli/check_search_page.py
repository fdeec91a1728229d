"""check_search_page.py GRIDCAST SOURCE: the first screen of a page of a search in a browser, from which one decides, and what
is proved; pages of several variants. They say what `status --json` and `export --csv` say."""
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
from searches import check_all_shown, close, facts, folder, place, rows_of, run, search, seconds, source, whole  # noqa: E402


def check_proof(browser):
    rows = search("exact.h5", "exact.html", "sor.toml", "mvs15k.par", "--mode", "4", "--max-processors", "512")
    status = json.loads(run("status", "exact.h5", "--json", "-"))
    browser.open(os.path.join(folder, "exact.html"))
    counts = [whole(text) for text in browser.texts("#proof .num:not(.mute)")]
    assert counts == [status["evaluated"], status["candidates"] - status["evaluated"]], (counts, status)
    assert "proved to be the best: gap 0" in facts(browser)["Proof"]
    check_all_shown(browser, rows)


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
    heads = browser.texts("#variants thead th")
    assert sorted(heads[6:]) == ["mvs.TByte", "mvs.TStart"], heads
    starts = browser.texts(f"#variants tbody td:nth-child({heads.index('mvs.TStart') + 1})")
    assert sorted(starts) == sorted(["10", "20", "30", "40", "50"] * 3), starts
    browser.fill("#variants input[type=search]", "0.004")
    assert browser.value("document.querySelectorAll('#variants tbody tr:not([hidden])').length") == 5
    assert len(list(csv.reader(io.StringIO(browser.download("#variants .tools button"))))) == 1 + 5


with Browser() as browser:
    for check in (check_proof, check_stopped, check_open, check_left_empty, check_decision, check_groups, check_dataset):
        check(browser)
        browser.no_errors()
