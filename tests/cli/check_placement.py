"""check_placement.py GRIDCAST SOURCE [all]: searched placements (docs/model.md, "Rank placement") against one prediction of each
grid with each placement; which placements there are is worked out here from the coordinates."""
import csv
import itertools
import json
import math
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

gridcast, source = sys.argv[1], Path(sys.argv[2])
programs = source / "configs" / "programs"
# Each: the statements of the machine, and the sizes of its parts, the lowest level first.
MACHINES = {
    "nodes": ("""cluster = c; c = {4 x n}; c.CommType = myrinet (2); c.TStart = 30; c.TByte = 0.05;
                 n = {4 x p}; n.CommType = myrinet (4); n.TStart = 1; n.TByte = 0.001; p = 1;""", [4]),
    "sockets": ("""cluster = c; c = {2 x n}; c.CommType = ports; c.TStart = 5; c.TByte = 0.01; c.TSend = 2; c.TRecv = 3;
                   n = {2 x s}; n.CommType = myrinet (1); n.TStart = 3; n.TByte = 0.004;
                   s = {3 x p}; s.CommType = ethernet; s.TStart = 1; s.TByte = 0.001; p = 1;""", [3, 6]),
}
PROGRAMS = {"jacobi2d": ("n=60", 2), "sor": ("n=60", 2), "adi": ("n=60", 2), "jacobi3d": ("n=24", 3)}


def run(*words):
    result = subprocess.run([gridcast, *map(str, words)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, (words, result.returncode, result.stderr)
    return result.stdout


def order(grid, placement, block=None):
    """The processors of a grid in the order in which they get those of the machine."""
    def key(point):
        if placement == "column":
            return point[::-1]
        if placement == "blocked":
            return tuple(a // b for a, b in zip(point, block)), tuple(a % b for a, b in zip(point, block))
        return point
    return tuple(sorted(itertools.product(*map(range, grid)), key=key))


def placements(grid, sizes):
    """Row first, then what differs from everything before: column, blocks that fill parts which the grid uses whole."""
    found = {order(grid, "row"): "row"}
    processors = math.prod(grid)
    if processors > sizes[0]:
        found.setdefault(order(grid, "column"), "column")
    for size in sizes:
        if processors % size != 0 or processors == size:
            continue
        for block in itertools.product(*[[d for d in range(1, p + 1) if p % d == 0] for p in grid]):
            if math.prod(block) == size:
                found.setdefault(order(grid, "blocked", block), "blocked:" + "x".join(map(str, block)))
    return list(found.values())


def rounded(time):
    return float(f"{time:.10e}")


def predicted(trace, machine, grid, placement):
    result = json.loads(run("predict", trace, "-m", machine, "--grid", "x".join(map(str, grid)), "--placement",
                            placement, "--losses=never", "--json", "-", "-q"))
    return result["intervals"][0]["execution_time"], result["placement"]


def stored_placement(record, rank):
    kind = ("row", "column", "blocked")[int(record["placement"])]
    return kind + (":" + "x".join(record[f"block{i + 1}"] for i in range(rank)) if kind == "blocked" else "")


def check_rows(store, trace, machine, sizes, rank):
    """Every row of a store of all grids; returns what is the best, and how many are not by row."""
    best = None
    moved = 0
    for record in csv.DictReader(run("export", store, "--csv", "-").splitlines()):
        grid = tuple(int(record[f"p{i + 1}"]) for i in range(rank))
        times = {each: predicted(trace, machine, grid, each)[0] for each in placements(grid, sizes)}
        expected = min(times, key=lambda each: rounded(times[each]))  # the first of equal ones
        where = (trace.name, machine.name, grid, times)
        assert stored_placement(record, rank) == expected, (where, stored_placement(record, rank))
        assert math.isclose(float(record["execution_time"]), times[expected], rel_tol=1e-12), where
        moved += expected != "row"
        cost = (rounded(times[expected]), math.prod(grid), grid)
        if best is None or cost < best[0]:
            best = (cost, grid, expected)
    return best, moved


def check(name, machine_name):
    size, rank = PROGRAMS[name]
    text, sizes = MACHINES[machine_name]
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        machine = folder / f"{machine_name}.par"
        machine.write_text(text)
        trace = folder / f"{name}.ptr"
        run("trace", "generate", programs / f"{name}.toml", "-o", trace, "-q", "--set", size, "--set", "iterations=2")
        search = ["sweep", trace, "-m", machine, "--placement", "search", "-q"]
        run(*search, "--mode", 3, "--store", folder / "all.h5")
        best, moved = check_rows(folder / "all.h5", trace, machine, sizes, rank)
        run(*search, "--store", folder / "exact.h5")
        for store in ("all.h5", "exact.h5"):
            status = json.loads(run("status", folder / store, "--json", "-"))
            where = (name, machine_name, store, status)
            assert status["placement"] == "search", where
            assert (tuple(status["best"]["grid"]), status["best"]["placement"]) == best[1:], (where, best)
        time, placement = predicted(trace, machine, best[1], "search")
        assert (rounded(time), placement) == (best[0][0], best[2])
        return moved


def main():
    # Each program on one of the machines in turn; all: on each.
    cases = list(itertools.product(PROGRAMS, MACHINES) if sys.argv[3:] == ["all"] else
                 zip(PROGRAMS, itertools.cycle(MACHINES)))
    with ThreadPoolExecutor(2) as pool:
        moved = sum(pool.map(lambda case: check(*case), cases))
    print(f"{len(cases)} searches, {moved} grids are better off by column or by blocks")
    assert moved > 0


if __name__ == "__main__":
    main()
