"""check_questions.py GRIDCAST SOURCE [all]: every question of a batch queue, for each described program on one of five
machines in turn (all: on five): what mode 4 chooses is what a look at all grids, predicted one by one in mode 3,
chooses."""
import csv
import json
import math
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

gridcast, source = sys.argv[1], Path(sys.argv[2])
configs = source / "configs"
# Sizes of the nodes in the order in which processors are taken.
NODES = {"mvs": [2] * 512, "cluster128x64": [64] * 128, "cluster3level": [64] * 256,
         "heterogeneous": [16] * 8 + [8] * 16, "workstations": [1] * 16}
# Prices of nodes, in the order of NODES' sizes where there are two kinds.
PRICES = {"mvs": {"mvsP2": 0.75}, "cluster128x64": {"node": 4.0}, "cluster3level": {"node": 2.5},
          "heterogeneous": {"new_node": 2.5, "old_node": 0.5}, "workstations": {"workstation": 0.125}}
# Small sizes: the number of grids decides, not the work in them.
SIZES = {3: 40, 2: 100, 1: 200}
PROCESSORS = {3: 64, 2: 64, 1: 128}


def run(*words, expected=0):
    result = subprocess.run([gridcast, *map(str, words)], capture_output=True, text=True, check=False)
    assert result.returncode == expected, (words, result.returncode, result.stderr)
    return result.stdout


def nodes(machine, processors):
    """Nodes in use, and whether the last one is full."""
    count = 0
    for size in NODES[machine]:
        if processors <= 0:
            break
        processors -= size
        count += 1
    return count, processors == 0


def price(machine, processors):
    """What the nodes in use cost per hour."""
    prices = list(PRICES[machine].values())
    sum_of_prices = 0.0
    for size in NODES[machine]:
        if processors <= 0:
            break
        processors -= size
        sum_of_prices += prices[0] if size == NODES[machine][0] else prices[-1]
    return sum_of_prices


class Row:
    def __init__(self, record, rank):
        self.grid = tuple(int(record[f"p{i}"]) for i in range(1, rank + 1))
        self.processors = math.prod(self.grid)
        self.time = float(record["execution_time"])
        self.efficiency = float(record["efficiency"])


def choose(rows, exact_cost, within=None):
    def cost(row):
        """Values are compared after rounding to 11 significant digits (docs/model.md §7)."""
        return float(f"{exact_cost(row):.10e}")

    best = min(rows, key=lambda row: (cost(row), row.processors, row.grid))
    if within is None:
        return best
    near = [row for row in rows if cost(row) <= (1.0 + within) * cost(best)]
    return min(near, key=lambda row: (row.processors, cost(row), row.grid))


def check_front(front, rows, machine, where):
    """Each line against a look at all rows, by execution time whatever is asked for."""
    def rounded(number):
        return float(f"{number:.10e}")

    best = min(rounded(row.time) for row in rows)
    shares = [0, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1]
    assert [(line["within"], line["by"]) for line in front] == \
        [(share, by) for share in shares for by in ("processors", "nodes")], where
    for line in front:
        near = [row for row in rows if rounded(row.time) <= rounded((1 + line["within"]) * best)]
        by_nodes = line["by"] == "nodes"
        expected = min(near, key=lambda row: (nodes(machine, row.processors)[0] if by_nodes else row.processors,
                                              rounded(row.time), row.processors, row.grid))
        count = nodes(machine, expected.processors)[0]
        assert tuple(line["grid"]) == expected.grid, (where, line, expected.grid)
        assert (line["processors"], line["nodes"]) == (expected.processors, count), (where, line)
        assert line["execution_time"] == expected.time, (where, line)
        assert line["proven"] and line["at_least"] == line[line["by"]], (where, line)


def questions(machine, memory):
    """Options, which grids they leave, and how one is chosen."""
    def everything(_row):
        return True

    def time(row):
        return row.time

    def hours(row):
        return row.time * nodes(machine, row.processors)[0]

    def money(row):
        return row.time * price(machine, row.processors)

    def inefficiency(row):
        return -row.efficiency if row.processors > 1 else 1.0

    prices = [word for node, cost in PRICES[machine].items() for word in ("--set", f"{node}.Price={cost}")]
    limit = sorted(memory.values())[len(memory) // 3] if memory else 0
    yield [], everything, time, None
    yield ["--processors", "16"], lambda row: row.processors == 16, time, None
    yield ["--processors", "12,15"], lambda row: row.processors in (12, 15), time, None
    yield ["--processors", "4:128:4"], lambda row: row.processors % 4 == 0 and row.processors <= 128, time, None
    yield ["--fix", "p1=2"], lambda row: row.grid[0] == 2, time, None
    yield ["--divides", "360"], lambda row: all(360 % p == 0 for p in row.grid), time, None
    yield ["--objective", "node-hours"], everything, hours, None
    yield ["--within", "5%"], everything, time, 5 / 100
    yield ["--within", "20%", "--divides", "1000"], lambda row: all(1000 % p == 0 for p in row.grid), time, 20 / 100
    yield ["--objective", "node-hours", *prices], everything, money, None
    yield ["--objective", "node-hours", "--within", "30%", *prices], everything, money, 30 / 100
    yield ["--objective", "efficiency", "--processors", "8:64:8"], \
        lambda row: row.processors % 8 == 0 and row.processors in range(8, 65), inefficiency, None
    yield ["--processors", "16", "--fix", "p1=2"], \
        lambda row: row.processors == 16 and row.grid[0] == 2, time, None
    yield ["--whole-nodes", "--divides", "360"], \
        lambda row: nodes(machine, row.processors)[1] and all(360 % p == 0 for p in row.grid), time, None
    yield ["--whole-nodes"], lambda row: nodes(machine, row.processors)[1], time, None
    yield ["--whole-nodes", "--objective", "node-hours", "--within", "50%"], \
        lambda row: nodes(machine, row.processors)[1], hours, 50 / 100
    if memory:
        yield ["--memory-per-processor", repr(limit)], lambda row: memory[row.grid] <= limit, time, None


def memory_of(trace, machine, rows):
    """What `predict` says about the memory of each grid."""
    return {row.grid: json.loads(run("predict", trace, "-m", machine, "--grid", "x".join(map(str, row.grid)),
                                     "--json", "-", "-q"))["memory_per_processor"] for row in rows}


def mode_words(mode):
    return [] if mode is None else ["--mode", mode]


def check(trace, rank, machine, folder, look_at_memory):
    path = configs / f"{machine}.par"
    most = PROCESSORS[rank] if not look_at_memory else 12
    store = folder / "all.h5"
    store.unlink(missing_ok=True)
    run("sweep", trace, "-m", path, "--mode", 3, "--max-processors", most, "--store", store, "-q")
    rows = [Row(record, rank) for record in csv.DictReader(run("export", store, "--csv", "-").splitlines())]
    memory = memory_of(trace, path, rows) if look_at_memory else None
    asked = 0
    for options, condition, cost, within in questions(machine, memory):
        if look_at_memory and "--memory-per-processor" not in options:
            continue
        left = [row for row in rows if condition(row)]
        store = folder / "one.h5"
        store.unlink(missing_ok=True)
        words = ["sweep", trace, "-m", path, "--max-processors", most, "--store", store, "-q", *options]
        # Mode 4 for all of them, by number or because nothing else was asked for; mode 3 for some.
        modes = [[4, 3], [4], [None]][asked % 3]
        for mode in modes:
            store.unlink(missing_ok=True)
            if not left:
                run(*words, *mode_words(mode), expected=2)
                assert not store.exists()
                continue
            # `sweep --json` writes what `status --json` does.
            status = json.loads(run(*words, *mode_words(mode), "--json", "-"))
            if mode == 3:
                assert status == json.loads(run("status", store, "--json", "-")), (options, status)
            expected = choose(left, cost, within)
            where = (trace.name, machine, options, mode)
            assert tuple(status["best"]["grid"]) == expected.grid, (where, status["best"], expected.grid)
            assert status["best"]["execution_time"] == expected.time, where
            check_front(status["front"], left, machine, where)
            assert status["mode"] == (mode or 4), where
            assert status["candidates"] == len(left), (where, status["candidates"], len(left))
        asked += 1
    return asked


def machines_of(number):
    """Of the program of this number."""
    names = list(NODES)
    return names if sys.argv[3:] == ["all"] else [names[number % 5]]


def check_program(number, description):
    """All questions about one program."""
    asked = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trace = folder / f"{description.stem}.ptr"
        run("trace", "generate", description, "-o", trace, "-q")
        rank = len(json.loads(run("plan", trace, "-m", configs / "mvs.par", "--json", "-"))["reference_extents"])
        run("trace", "generate", description, "-o", trace, "-q", "--set", f"n={SIZES[rank]}")
        for machine in machines_of(number):
            asked += check(trace, rank, machine, folder, False)
        return asked + check(trace, rank, machines_of(number)[0], folder, True)


def main():
    descriptions = sorted((configs / "programs").glob("*.toml"))
    with ThreadPoolExecutor(2) as pool:
        asked = sum(pool.map(check_program, *zip(*enumerate(descriptions))))
    print(f"{len(descriptions)} programs, {asked} questions")
    assert asked == len(descriptions) * (len(machines_of(0)) * 16 + 1), asked


if __name__ == "__main__":
    main()
