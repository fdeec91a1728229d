"""check_robust.py GRIDCAST SOURCE: what `robust` says of a program on a machine against looks at all grids (mode 3) on
machines with other numbers, and against predictions with longer start times."""
import itertools
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py

gridcast, source = sys.argv[1], Path(sys.argv[2])
configs = source / "configs"
# Program, its size, machine, words for both commands, and how far and how exactly to look.
CASES = [
    ("jacobi2d", "n=200", "mvs", ["--max-processors", 24], 16, 0.01),
    ("sor", "n=300", "cluster128x64", ["--max-processors", 32], 8, 0.02),
    ("adi", "n=200", "heterogeneous", ["--processors", "4:24:4"], 8, 0.02),
    ("jacobi1d", "n=1000000", "workstations", ["--objective", "efficiency", "--min-efficiency", 0.2], 16, 0.01),
    ("cg", "n=2000", "hdr128x2x32", ["--max-processors", 32], 8, 0.02),
    ("jacobi2d", "n=100", "mvs", ["--processors", 8, "--placement", "search"], 8, 0.02),
]


def run(*words):
    result = subprocess.run([gridcast, *map(str, words)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, (words, result.returncode, result.stderr)
    return result.stdout


def setting(number, value):
    return ["--set", f"{number['name']}={int(value) if value == int(value) else repr(value)}"]


def inside(number):
    """Values at which the grid must be the best: the ends, and what lies on the way by steps of four."""
    low, value, high = number["low"], number["value"], number["high"]
    values = {low, high}
    step = 4.0
    while value / step > low or value * step < high:
        values |= {each for each in (value / step, value * step) if low <= each <= high and
                   (not number["name"].endswith(".Channels") or each == int(each))}
        step *= 4.0
    return sorted(values)


def outside(number, precision):
    """Values just beyond the ends at which it must not be."""
    channels = number["name"].endswith(".Channels")
    if number["below"]:
        yield number["low"] - 1 if channels else number["low"] * (1.0 - precision), number["below"]
    if number["above"]:
        yield number["high"] + 1 if channels else number["high"] / (1.0 - precision), number["above"]


def check(case):
    name, size, machine, words, reach, precision = case
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        trace = folder / f"{name}.ptr"
        run("trace", "generate", configs / "programs" / f"{name}.toml", "-o", trace, "-q", "--set", size, "--set",
            "iterations=3")
        base = [trace, "-m", configs / f"{machine}.par", "-q", *words]
        found = json.loads(run("robust", *base, "--reach", reach, "--precision", precision, "--json", "-"))
        check_stored(found, folder, base, ["--reach", reach, "--precision", precision])
        counter = itertools.count()

        def best(changes, keep=1):
            store = folder / f"{next(counter)}.h5"
            return json.loads(run("sweep", *base, *changes, "--mode", 3, "--store", store, "--best", keep, "--json", "-"))["best"]

        own = best([])
        assert found["best"]["grid"] == own["grid"], (case, found["best"], own)
        assert found["best"]["execution_time"] == own["execution_time"], (case, found["best"], own)
        assert found["best"]["placement"] == own["placement"], (case, found["best"], own)
        checked = 0
        for number in found["numbers"]:
            for value in inside(number):
                there = best(setting(number, value))
                assert there["grid"] == own["grid"], (case, number, value, there)
                checked += 1
            for value, winner in outside(number, precision):
                there = best(setting(number, value))
                assert there["grid"] != own["grid"], (case, number, value, there, winner)
                checked += 1
        check_latency(found, base, case)
        return checked, sum(1 for number in found["numbers"] for side in ("below", "above") if number[side])


def check_stored(found, folder, base, words):
    """What h5py reads in /robust is what was said, and `status` shows it."""
    store = folder / "robust.h5"
    run("sweep", *base, "--store", store)
    said = json.loads(run("robust", *base, *words, "--store", store, "--json", "-"))
    assert said == found, (said, found)

    def grid(one):
        """A grid as the store writes it."""
        if one is None:
            return ""
        return "x".join(map(str, one["grid"])) + (f" {one['placement']}" if one["placement"] != "row" else "")

    def texts(group, name):
        return [text.decode() for text in group[name][:]]

    with h5py.File(store) as file:
        group = file["robust"]
        assert (group.attrs["best"], group.attrs["runner_up"]) == (grid(found["best"]), grid(found["runner_up"])), found
        assert group["reach_precision_gap"][:].tolist() == [found["reach"], found["precision"], found["gap"] or 0.0]
        numbers = found["numbers"]
        assert texts(group, "number") == [number["name"] for number in numbers]
        for name in ("value", "low", "high"):
            assert group[name][:].tolist() == [number[name] for number in numbers], (name, found)
        for name in ("below", "above"):
            assert [text == "" for text in texts(group, name)] == [not number[name] for number in numbers], (name, found)
        latency = found["latency"]
        assert texts(group, "network") == [each["network"] or "" for each in latency]
        assert group["share"][:].tolist() == [each["share"] for each in latency]
        assert [None if times < 0 else times for times in group["times"][:]] == [each["times"] for each in latency]
    assert "Robust" in run("status", store)
    assert "sound" in run("store", "check", store)


def check_latency(found, base, case):
    """With the start times so many times as long the grid takes as much longer as is said."""
    grid = "x".join(map(str, found["best"]["grid"]))
    conditions = {"--max-processors", "--processors", "--objective", "--min-efficiency"}
    words = [word for i, word in enumerate(base) if word not in conditions and base[i - 1] not in conditions]
    starts = {number["name"]: number["value"] for number in found["numbers"] if number["name"].endswith(".TStart")}
    for each in found["latency"]:
        if each["times"] is None:
            continue
        changes = []
        for name, value in starts.items():
            if each["network"] is None or name == f"{each['network']}.TStart":
                changes += ["--set", f"{name}={value * each['times']!r}"]
        time = json.loads(run("predict", *words, *changes, "--grid", grid, "--losses=never", "--json",
                              "-"))["intervals"][0]["execution_time"]
        longer = time / found["best"]["execution_time"] - 1.0
        # The last factor before it is more, within 1e-4 of the factor that makes it so.
        assert longer <= each["share"] * (1.0 + 1e-9), (case, each, longer)
        assert longer >= each["share"] - 2e-4, (case, each, longer)


def main():
    with ThreadPoolExecutor(2) as pool:
        counts = list(pool.map(check, CASES))
    checked, edges = (sum(column) for column in zip(*counts))
    print(f"{len(CASES)} studies, {checked} machines, {edges} edges of intervals")
    assert edges >= 10, edges


if __name__ == "__main__":
    main()
