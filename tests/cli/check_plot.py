"""check_plot.py GRIDCAST SOURCE: `gridcast plot` of every kind: its numbers against the JSON of other commands, the files as
other programs read them, and as they were drawn before (STORE_PICTURES=1 stores them anew in tests/cli/pictures), what it says of wrong inputs and without gnuplot, names that gnuplot must not run."""
import csv
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path

gridcast, source = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
folder = Path(tempfile.mkdtemp(prefix="plot-"))
MACHINE = source / "configs/mvs15k.par"


def run(*words, code=0, environment=None):
    done = subprocess.run([gridcast, *map(str, words)], cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, **(environment or {})})
    assert done.returncode == code, (words, done.returncode, done.stderr)
    if code:
        assert done.stderr.count("\n") == 1 and done.stderr.startswith("gridcast: "), done.stderr
    return done.stdout if code == 0 else done.stderr


def load(*words):
    return json.loads(run(*words, "--json", "-"))


def numbers(kind, given):
    run("plot", given, "--kind", kind, "-o", f"{kind}.svg", "--data", f"{kind}.csv")
    run("plot", given, "--kind", kind, "-o", "again.csv")
    assert (folder / "again.csv").read_bytes() == (folder / f"{kind}.csv").read_bytes()
    with open(folder / f"{kind}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def close(a, b):
    return abs(float(a) - b) <= 1e-12 * max(1.0, abs(b))


def texts_of(kind):
    tree = ElementTree.parse(folder / f"{kind}.svg")
    return " ".join("".join(text.itertext()).strip() for text in tree.iter("{http://www.w3.org/2000/svg}text"))


def check_front(status):
    rows = numbers("front", "s.h5")
    by = {(round(100 * each["within"], 9), each["by"]): each for each in status["front"]}
    assert len(rows) == len(by) / 2 > 3
    for row in rows:
        share = round(float(row["within_percent"]), 9)
        first, second = by[share, "processors"], by[share, "nodes"]
        assert int(row["processors"]) == first["cores"] and row["grid_by_processors"] == text_of(first), row
        assert int(row["nodes"]) == second["nodes"] and row["grid_by_nodes"] == text_of(second), row
        assert f"{first['cores']}: {text_of(first)}" in texts_of("front")


def text_of(entry):
    return "x".join(map(str, entry["grid"]))


def check_map(rows, best):
    shown = numbers("map", "s.h5")
    assert {(int(row["p1"]), int(row["p2"])): float(row["execution_time"]) for row in shown} == {
        (row["p1"], row["p2"]): row["execution_time"] for row in rows}
    assert len(shown) == len(rows)
    assert "(log scale)" in texts_of("map") and f"best: {best}" in texts_of("map")
    fills = set(re.findall(r"rgb\( *\d+, *\d+, *\d+\)", (folder / "map.svg").read_text(encoding="utf-8")))
    assert len(fills) > 50, fills


def check_scaling(rows):
    fastest = {}
    for row in rows:
        if row["processors"] not in fastest or row["execution_time"] < fastest[row["processors"]]["execution_time"]:
            fastest[row["processors"]] = row
    shown = numbers("scaling", "s.h5")
    assert [int(row["processors"]) for row in shown] == sorted(fastest)
    for row in shown:
        expected = fastest[int(row["processors"])]
        assert float(row["execution_time"]) == expected["execution_time"] and float(row["efficiency"]) == expected["efficiency"]


def check_losses(rows):
    best = sorted(rows, key=lambda row: row["execution_time"])[:10]
    shown = numbers("losses", "s.h5")
    assert [row["grid"] for row in shown] == [f"{row['p1']}x{row['p2']}" for row in best]
    for row, expected in zip(shown, best):
        for name in ("insufficient_parallelism", "communication", "idle"):
            assert close(row[name], 100 * expected[name] / expected["total_time"]), (row, expected)
        lost = sum(float(row[name]) for name in ("insufficient_parallelism", "communication", "idle"))
        assert abs(lost - 100 * (1 - expected["efficiency"])) < 1e-6, row
    shown = numbers("losses", "p.json")
    places = json.loads((folder / "p.json").read_text())["losses"]["places"]
    assert len(places) > 10 and [float(row["seconds"]) for row in shown[:10]] == [place["seconds"] for place in places[:10]]
    for row, place in zip(shown, places[:10]):
        assert row["place"] == f"{Path(place['file']).name}:{place['line']} {place['cause'].replace('_', ' ')}", row
    assert close(shown[10]["seconds"], sum(place["seconds"] for place in places[10:])) and len(shown) == 11


def check_factors():
    for store, design in (("screening.h5", "effects"), ("variance.h5", "indices")):
        run("-q", "dataset", source / "configs/designs" / store.replace(".h5", ".toml"), "--store", store)
        said = load("analyse", "factors", store)
        shown = {row["factor"]: float(row["share_percent"]) for row in numbers("factors", store)}
        if design == "effects":
            expected = {each["factor"]: each["influence"] for each in said["effects"]}
        else:
            cases = said["cases"]
            expected = {}
            for case in cases:
                for each in case["indices"]:
                    expected[each["factor"]] = expected.get(each["factor"], 0) + each["total"] / len(cases)
        assert len(expected) > 2 and shown.keys() == expected.keys()
        assert all(close(shown[name] / 100, expected[name]) for name in expected), (shown, expected)
        assert list(shown.values()) == sorted(shown.values(), reverse=True)


def check_timeline():
    events = json.loads((folder / "t.json").read_text())["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event.get("name") == "thread_name"}
    phases = [event for event in events if event["ph"] == "X"]
    shown = numbers("timeline", "t.json")
    assert len(shown) == len(phases) > 10
    for row, event in zip(shown, phases):
        assert row["track"] == names[event["tid"]] and row["doing"] == event["cat"], (row, event)
        assert close(row["begin"], event["ts"] * 1e-6) and close(row["end"], (event["ts"] + event["dur"]) * 1e-6)
    # A prediction with its run, track by track, has the same phases.
    predicted = json.loads((folder / "run.json").read_text())
    assert json.loads((folder / "p.json").read_text()) == {key: predicted[key] for key in predicted if key != "timeline"}
    assert sum(track["processors"] for track in predicted["timeline"]) == 8
    assert all(abs(track["phases"][-1]["end"] - predicted["execution_time"]) < 1e-12 for track in predicted["timeline"])
    key = lambda row: (row["track"], float(row["begin"]), float(row["end"]))
    for row, other in zip(sorted(shown, key=key), sorted(numbers("timeline", "run.json"), key=key), strict=True):
        assert (row["track"], row["doing"]) == (other["track"], other["doing"]), (row, other)
        assert close(row["begin"], float(other["begin"])) and close(row["end"], float(other["end"])), (row, other)
    # What is drawn: after the box of the legend, boxes as wide as the phases are long.
    widths, order = {}, []
    for fill, points in re.findall(r"<polygon fill = '(rgb\([^']*\))' points = '([^']*)'",
                                   (folder / "timeline.svg").read_text(encoding="utf-8")):
        columns = [float(point.split(",")[0]) for point in points.split()]
        if fill not in widths:
            widths[fill] = 0.0
            order.append(fill)
        else:
            widths[fill] += max(columns) - min(columns)
    doings = ["computing", "library", "io", "communicating", "pipeline", "waiting", "idle"]
    assert len(order) == len(doings) and all(name in texts_of("timeline") for name in doings)
    long = sum(event["dur"] for event in phases)
    for fill, doing in zip(order, doings):
        expected = sum(event["dur"] for event in phases if event["cat"] == doing) / long
        assert abs(widths[fill] / sum(widths.values()) - expected) < 0.02, (doing, expected, widths)


def check_files():
    for kind, given in (("front", "s.h5"), ("map", "s.h5"), ("scaling", "s.h5"), ("losses", "s.h5"), ("losses", "p.json"),
                        ("factors", "screening.h5"), ("timeline", "t.json"), ("timeline", "run.json")):
        run("plot", given, "--kind", kind, "-o", "f.png", "--size", "12.7x7.62", "--font", "8")
        data = (folder / "f.png").read_bytes()
        assert struct.unpack(">II", data[16:24]) == (960, 576), kind  # 192 pixels per inch
        packed, at = b"", 8
        while at < len(data):
            length, name = struct.unpack(">I4s", data[at:at + 8])
            packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
            at += length + 12
        plain = zlib.decompress(packed)
        width = len(plain) // 576
        assert len({plain[row * width:(row + 1) * width] for row in range(576)}) > 100, kind
        run("plot", given, "--kind", kind, "-o", "f.pdf")
        box = re.search(rb"/MediaBox \[ *0 0 ([\d.]+) ([\d.]+)", (folder / "f.pdf").read_bytes())
        assert abs(float(box[1]) - 16 / 2.54 * 72) < 2 and abs(float(box[2]) - 10 / 2.54 * 72) < 2, box.groups()
        run("plot", given, "--kind", kind, "-o", "f.svg", "--size", "20x15")
        root = ElementTree.parse(folder / "f.svg").getroot()
        assert root.get("viewBox").split()[2:] == ["756", "567"], root.attrib  # 96 pixels per inch
        assert all(len(group) > 0 for group in root.iter("{http://www.w3.org/2000/svg}g")), kind  # none that draws nothing


def pixels(file):
    """Size and bytes of a PNG of 8 bits without palette."""
    data, packed, at = file.read_bytes(), b"", 8
    width, height, depth, colour = struct.unpack(">IIBB", data[16:26])
    assert depth == 8 and colour in (2, 6), (file, depth, colour)
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    plain, step = zlib.decompress(packed), 3 if colour == 2 else 4
    line, above, result = width * step, bytearray(width * step), bytearray()
    for row in range(height):
        kind, now = plain[row * (line + 1)], bytearray(plain[row * (line + 1) + 1:(row + 1) * (line + 1)])
        for i in range(line):
            left, up, corner = (now[i - step], above[i], above[i - step]) if i >= step else (0, above[i], 0)
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda each: abs(guess - each))
            now[i] = (now[i] + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
        result += now
        above = now
    return (width, height), result


def check_pictures():
    """Each kind looks as before: fonts and rounding may move an edge, not a bar."""
    version = subprocess.run(["gnuplot", "--version"], capture_output=True, text=True, check=True).stdout
    if "5.4 patchlevel 4" not in version:
        print(f"pictures are those of Debian 12, not of {version.strip()}: not compared")
        return
    for kind, given in (("front", "s.h5"), ("map", "s.h5"), ("scaling", "s.h5"), ("losses", "s.h5"), ("factors", "screening.h5"),
                        ("timeline", "t.json")):
        run("plot", given, "--kind", kind, "-o", f"{kind}.png", "--size", "8x6", "--font", "6")
        stored = source / f"tests/cli/pictures/{kind}.png"
        if os.environ.get("STORE_PICTURES"):
            shutil.copy(folder / f"{kind}.png", stored)
        (size, now), (before, then) = pixels(folder / f"{kind}.png"), pixels(stored)
        assert size == before and len(now) == len(then), (kind, size, before)
        other = sum(abs(a - b) > 48 for a, b in zip(now, then)) / len(now)
        assert other < 0.005, (kind, other)


def check_errors():
    assert "gnuplot-nox" in run("plot", "s.h5", "--kind", "map", "-o", "n.svg", code=1, environment={"GRIDCAST_GNUPLOT": "/none"})
    assert "gnuplot-nox" in run("plot", "s.h5", "--kind", "map", "-o", "n.svg", code=1, environment={"PATH": str(folder)})
    assert "exit code 1" in run("plot", "s.h5", "--kind", "map", "-o", "n.svg", code=1, environment={"GRIDCAST_GNUPLOT": "false"})
    for kind, given, expected in (("map", "screening.h5", "the store of one sweep"), ("front", "screening.h5", "one sweep"),
                                  ("timeline", "p.json", "--timeline"), ("timeline", "s.h5", "--trace-events"),
                                  ("losses", "t.json", "predict --json"), ("factors", "p.json", ""), ("scaling", "p.json", ""),
                                  ("losses", "none", "none"), ("cake", "s.h5", "front|map")):
        assert expected in run("plot", given, "--kind", kind, "-o", "n.svg", code=2), kind
    assert "--json" in run("predict", "j.ptr", "-m", MACHINE, "--timeline", code=2)
    for words in (("-o", "n.gif"), ("-o", "n.svg", "--size", "16"), ("-o", "n.svg", "--size", "0x3"), ("-o", "n.svg", "--font", "1"),
                  ("-o", "n.svg", "--size", "16x10cm"), ("-o", "s.h5"), ("-o", "n.svg", "--data", "n.svg")):
        run("plot", "s.h5", "--kind", "map", *words, code=2)
    assert not (folder / "n.svg").exists()


def check_names():
    """Names from outside are text."""
    for name in ("a`touch bad`.ptr", "a'; system('touch bad'); '.ptr", 'a".ptr', "@a$x\\n\n____\nsystem 'touch bad'.ptr"):
        store = folder / "named.h5"
        store.unlink(missing_ok=True)
        shutil.copy(folder / "j.ptr", folder / name)
        run("-q", "sweep", name, "-m", MACHINE, "--max-processors", "8", "--store", store)
        run("predict", name, "-m", MACHINE, "--grid", "2x2", "--json", "named.json")
        for given, kind in ((store, "map"), ("named.json", "losses")):
            run("plot", given, "--kind", kind, "-o", "named.svg")
            ElementTree.parse(folder / "named.svg")
    assert not (folder / "bad").exists()


try:
    run("trace", "generate", source / "configs/programs/jacobi2d.toml", "--set", "n=400", "-o", "j.ptr")
    run("-q", "sweep", "j.ptr", "-m", MACHINE, "--max-processors", "64", "--mode", "3", "--store", "s.h5")
    run("predict", "j.ptr", "-m", MACHINE, "--grid", "4x2", "--json", "p.json", "--trace-events", "t.json")
    run("predict", "j.ptr", "-m", MACHINE, "--grid", "4x2", "--json", "run.json", "--timeline")
    table = [json.loads(line) for line in run("export", "s.h5", "--jsonl", "-").splitlines()]
    state = load("status", "s.h5")
    check_front(state)
    check_map(table, text_of(state["best"]))
    check_scaling(table)
    check_losses(table)
    check_factors()
    check_timeline()
    check_files()
    check_pictures()
    check_errors()
    check_names()
finally:
    shutil.rmtree(folder)
