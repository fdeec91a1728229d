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


with tempfile.TemporaryDirectory() as folder:
    for program, grid, place in (("configs/programs/heat3d.toml", "2x2x2", "heat3d.toml:37"),
                                 ("configs/examples/jacobi2d_10000x10.ptr.gz", "3x2", None),
                                 ("tests/data/c_tsk_8.ptr.gz", "4", None)):
        files = {name: os.path.join(folder, name) for name in ("p.json", "events.json", "run.paje")}
        subprocess.run([gridcast, "predict", os.path.join(source, program), "--machine",
                        os.path.join(source, "configs/mvs15k.par"), "--grid", grid, "--processors",
                        "--json", files["p.json"], "--trace-events", files["events.json"], "--paje", files["run.paje"]],
                       check=True)
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
    refused = subprocess.run([gridcast, "predict", os.path.join(source, "configs/programs/heat3d.toml"), "--machine",
                              os.path.join(source, "configs/mvs15k.par"), "--json", "-", "--paje", "-"],
                             capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1, refused.stderr
