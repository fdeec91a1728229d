"""check_timeline.py GRIDCAST SOURCE: the files of `predict --trace-events` and `--paje` against the JSON of the same
prediction: valid, without gaps, and per processor the times of its characteristics."""
import json
import os
import re
import subprocess
import sys
import tempfile

gridcast, source = sys.argv[1:]
BUSY = {"cpu_time": "computing", "sys_time": "library", "io_time": "io"}
STATES = ["computing", "library", "io", "communicating", "pipeline", "waiting", "idle"]


def close(a, b, whole, tolerance=1e-9):
    return abs(a - b) <= tolerance * whole


def check_sums(sums, rows, whole, tolerance):
    for p, (own, row) in enumerate(zip(sums, rows)):
        for figure, state in BUSY.items():
            assert close(own.get(state, 0.0), row[figure], whole, tolerance), (p, state, own, row[figure])
        waits = sum(own.get(state, 0.0) for state in ("communicating", "pipeline", "waiting"))
        assert close(waits, row["communication"], whole, tolerance), (p, own, row["communication"])
        assert close(own.get("idle", 0.0), row["idle"], whole, tolerance), (p, own)
        assert close(sum(own.values()), whole, whole, tolerance), (p, own)


def check_events(path, main, rows):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    whole = main["execution_time"]
    assert close(document["otherData"]["execution_time"], whole, whole)
    names = {}
    clocks = [0.0] * len(rows)
    sums = [{} for _ in rows]
    for event in document["traceEvents"]:
        if event["ph"] == "M":
            names[(event["name"], event["tid"])] = event["args"]["name"]
            continue
        assert event["ph"] == "X" and event["pid"] == 0, event
        p = event["tid"]
        assert close(event["ts"] * 1e-6, clocks[p], whole), event
        assert event["dur"] >= 0.0 and event["cat"] in STATES, event
        clocks[p] = (event["ts"] + event["dur"]) * 1e-6
        sums[p][event["cat"]] = sums[p].get(event["cat"], 0.0) + event["dur"] * 1e-6
    assert all(("thread_name", p) in names for p in range(len(rows)))
    check_sums(sums, rows, whole, 1e-9)
    return {event["args"]["place"] for event in document["traceEvents"] if event["ph"] == "X"}


def paje_definitions(lines):
    """The events that the header defines: name and fields by number; then the rest of the lines."""
    events = {}
    while lines and lines[0].startswith("%"):
        match = re.fullmatch(r"%EventDef (Paje\w+) (\d+)", lines.pop(0))
        assert match, "a definition begins with %EventDef NAME NUMBER"
        fields = []
        while lines[0] != "%EndEventDef":
            field = re.fullmatch(r"%\s+(\w+) (string|date|double|int|hex|color)", lines.pop(0))
            assert field, "a field is %  NAME TYPE"
            fields.append(field.groups())
        lines.pop(0)
        events[match.group(2)] = (match.group(1), fields)
    return events


def check_paje(path, main, rows):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    events = paje_definitions(lines)
    whole = main["execution_time"]
    containers, states, last_time = {}, {}, 0.0
    sums = [{} for _ in rows]
    open_states = {}
    for line in lines:
        words = re.findall(r'"[^"]*"|\S+', line)
        name, fields = events[words[0]]
        assert len(words) == len(fields) + 1, line
        event = dict(zip((field for field, _ in fields), (word.strip('"') for word in words[1:])))
        if "Time" in event:
            assert float(event["Time"]) >= last_time, line
            last_time = float(event["Time"])
        if name == "PajeDefineEntityValue":
            states[event["Alias"]] = [float(part) for part in event["Color"].split()]
        elif name == "PajeCreateContainer":
            containers[event["Alias"]] = event["Name"]
        elif name in ("PajeSetState", "PajeDestroyContainer"):
            alias = event["Container"] if name == "PajeSetState" else event["Name"]
            assert alias in containers, line
            if alias in open_states:
                state, begin = open_states.pop(alias)
                own = sums[int(alias[1:])]
                own[state] = own.get(state, 0.0) + last_time - begin
            if name == "PajeSetState":
                assert event["Value"] in states, line
                open_states[alias] = (event["Value"], last_time)
    assert sorted(states) == sorted(STATES) and len(containers) == len(rows) + 1
    # Times have twelve decimals.
    check_sums(sums, rows, whole, 1e-9 + len(lines) * 1e-12 / whole)


MACHINE = "cluster = c; c = {8192 x p}; c.CommType = ports; c.TStart = 1; c.TByte = 0.0001; p = 1;"
EXCHANGES = """overhead = 0
[[array]]
name = "A"
extents = [960, 960]
shadow = 1
distribute = ["block", "block"]
[[do]]
repeat = 40
interval = "sequential"
  [[do.do]]
  exchange = ["A"]
  [[do.do]]
  loop = ["i = 1 : 958", "j = 1 : 958"]
  on = "A[i, j]"
  time = 1e-8
"""


def on_grid(folder, grid, *words):
    """Exchanges of edges on a flat machine with ports, and what is said on standard error."""
    for name, text in (("flat.par", MACHINE), ("exchanges.toml", EXCHANGES)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    return subprocess.run([gridcast, "predict", os.path.join(folder, "exchanges.toml"), "--machine",
                           os.path.join(folder, "flat.par"), "--grid", grid, *words],
                          check=True, capture_output=True, text=True).stderr


def check_classes(path):
    """One track per class: it has the times of its processor, and the classes have all processors."""
    on_grid(os.path.dirname(path), "8x8", "--processors", "--json", path, "--trace-events", path + ".events")
    with open(path, encoding="utf-8") as file:
        main = json.load(file)["intervals"][0]
    with open(path + ".events", encoding="utf-8") as file:
        document = json.load(file)
    members, computing = {}, {}
    for event in document["traceEvents"]:
        if event["name"] == "thread_name":
            more = re.fullmatch(r"processor (\d+) \([\d,]+\)(?: and (\d+) like it)?", event["args"]["name"])
            assert more and int(more.group(1)) == event["tid"], event
            members[event["tid"]] = 1 + int(more.group(2) or 0)
        elif event["ph"] == "X" and event["cat"] == "computing":
            computing[event["tid"]] = computing.get(event["tid"], 0.0) + event["dur"] * 1e-6
    assert sum(members.values()) == 64 == document["otherData"]["processors"], members
    # Corners, edges and inner processors of 8x8.
    assert 2 <= len(members) <= 25, members
    whole = sum(row["cpu_time"] for row in main["per_processor"])
    assert close(sum(members[p] * computing[p] for p in members), whole, whole, 1e-2), (members, computing)
    for p, seconds in computing.items():
        assert close(seconds, main["per_processor"][p]["cpu_time"], whole), p


def check_announced(path):
    """Sizes above 50 MB are told before, to a tenth; smaller ones are not."""
    folder = os.path.dirname(path)
    assert on_grid(folder, "8x8", "--trace-events", path) == ""
    said = on_grid(folder, "64x64", "--trace-events", path, "--every-processor")
    size = os.stat(path).st_size
    told = re.search(r"will have about ([\d.]+) ([MG])B", said)
    assert size > 50e6 and told, (size, said)
    assert abs(float(told.group(1)) * {"M": 1e6, "G": 1e9}[told.group(2)] - size) < 0.1 * size, (said, size)


with tempfile.TemporaryDirectory() as folder:
    for program, grid, place in (("configs/programs/heat3d.toml", "2x2x2", "heat3d.toml:37"),
                                 ("configs/examples/jacobi2d_10000x10.ptr.gz", "3x2", None),
                                 ("tests/data/c_tsk_8.ptr.gz", "4", None)):
        files = {name: os.path.join(folder, name) for name in ("p.json", "events.json", "run.paje")}
        subprocess.run([gridcast, "predict", os.path.join(source, program), "--machine",
                        os.path.join(source, "configs/mvs15k.par"), "--grid", grid, "--processors",
                        "--json", files["p.json"], "--trace-events", files["events.json"], "--paje", files["run.paje"],
                        "--every-processor"], check=True)
        with open(files["p.json"], encoding="utf-8") as file:
            prediction = json.load(file)
        main = prediction["intervals"][0]
        losses = prediction["losses"]
        assert losses["omitted"] is None
        lost = sum(each["seconds"] for each in losses["places"])
        assert close(lost, main["lost_time"], main["lost_time"]), (lost, main["lost_time"])
        for each in losses["places"]:
            assert len(each["instead"]) == len(losses["alternatives"]), each
        assert [each["seconds"] for each in losses["places"]] == sorted(
            (each["seconds"] for each in losses["places"]), reverse=True)
        places = check_events(files["events.json"], main, main["per_processor"])
        assert place is None or place in places, places
        check_paje(files["run.paje"], main, main["per_processor"])
    check_classes(os.path.join(folder, "classes.json"))
    check_announced(os.path.join(folder, "much.json"))
    refused = subprocess.run([gridcast, "predict", os.path.join(source, "configs/programs/heat3d.toml"), "--machine",
                              os.path.join(source, "configs/mvs15k.par"), "--json", "-", "--paje", "-"],
                             capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1, refused.stderr
