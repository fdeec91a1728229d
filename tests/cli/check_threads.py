"""check_threads.py GRIDCAST SOURCE MPIEXEC: searches of grids and threads. What modes 3 and 4 choose, the runner-up and every
number of the front are what a look at all grids, each predicted by itself with `predict --threads`, chooses; stores
tell threads, go on, merge and run on several ranks."""
import csv
import itertools
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py

gridcast, source, mpiexec = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
FRONT = [0.0, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0]
COSTS = "{0}.CommType = ports; {0}.TStart = {1}; {0}.TByte = {2};\n"
TWO = ("cluster = c; c = {3 x node}; node = {6 x core}; core = 1;\n" + COSTS.format("c", 3, 0.001) +
       COSTS.format("node", 0.5, 0.0002) + "core.Threads = {1 (1), 2 (0.97), 3 (0.93), 4 (0.85)};\n")
THREE = ("cluster = c; c = {2 x node}; node = {2 x socket}; socket = {5 x core}; core = 1; node.IsNode = yes;\n" +
         COSTS.format("c", 2, 0.0004) + COSTS.format("node", 0.5, 0.0002) + COSTS.format("socket", 0.2, 0.0001) +
         "core.Threads = {1 (1), 2 (0.97), 3 (0.93), 4 (0.9), 5 (0.8)};\n")
MIXED = ("cluster = c; c = {1 x fat, 2 x thin}; fat = {8 x core}; thin = {4 x slow}; core = 1.5; slow = 1;\n"
         "fat.Price = 5; thin.Price = 2;\n" + COSTS.format("c", 3, 0.001) + COSTS.format("fat", 0.5, 0.0002) +
         "thin.CommType = myrinet(2); thin.TStart = 0.5; thin.TByte = 0.0002;\n"
         "core.Threads = {1 (1), 2 (0.97), 4 (0.85)}; slow.Threads = {1 (1), 2 (0.9), 4 (0.95)};\n")
# Numbers of threads; per number the processes of each node; prices of the nodes.
MACHINES = {"two": (TWO, [1, 2, 3, 4], lambda t: [6 // t] * 3, [1] * 3),
            "three": (THREE, [1, 2, 3, 4, 5], lambda t: [2 * (5 // t)] * 2, [1] * 2),
            "mixed": (MIXED, [1, 2, 4], lambda t: [8 // t, 4 // t, 4 // t], [5, 2, 2])}


def run(*words, expected=0, launcher=()):
    result = subprocess.run([*launcher, gridcast, *map(str, words)], capture_output=True, text=True, check=False)
    assert result.returncode == expected, (words, result.returncode, result.stdout, result.stderr)
    return result


def rounded(number):
    return float(f"{number:.10e}")


class Candidate:
    def __init__(self, extents, threads, sizes, prices, result):
        self.grid, self.threads = extents, threads
        self.cores = math.prod(extents) * threads
        self.time, self.efficiency = result["execution_time"], result["efficiency"]
        left, self.nodes = math.prod(extents), 0
        while left > 0:
            left -= sizes[self.nodes]
            self.nodes += 1
        self.full = left == 0
        self.hours = self.time * sum(prices[:self.nodes])
        self.order = (self.cores, threads, extents)

    def same(self, found):
        return (tuple(found["grid"]), found["threads"], found["cores"], found["execution_time"], found["nodes"]) == (
            self.grid, self.threads, self.cores, self.time, self.nodes)


def all_candidates(program, machine, name):
    _, numbers, sizes_of, prices = MACHINES[name]
    rank = json.loads(run("plan", program, "-m", machine, "--json", "-").stdout)["rank"]
    result = []
    for threads in numbers:
        most = sum(sizes_of(threads))
        for extents in itertools.product(range(1, most + 1), repeat=rank):
            if math.prod(extents) <= most:
                predicted = json.loads(run("predict", program, "-m", machine, "--grid", "x".join(map(str, extents)),
                                           "--threads", threads, "--min-block", 0, "--json", "-", "-q").stdout)
                result.append(Candidate(extents, threads, sizes_of(threads), prices, predicted["intervals"][0]))
    return result


def expected_front(rows):
    shortest = min(rounded(row.time) for row in rows)
    for share in FRONT:
        good = [row for row in rows if rounded(row.time) <= rounded(shortest * (1 + share))]
        yield min(good, key=lambda row: (row.cores, rounded(row.time), row.order))
        yield min(good, key=lambda row: (row.nodes, rounded(row.time), row.order))


def searched(program, machine, numbers, store, *more):
    store.unlink(missing_ok=True)
    run("sweep", program, "-m", machine, "--threads", ",".join(map(str, numbers)), "--store", store, "--min-block", 0,
        "-q", *more)
    assert "sound" in run("store", "check", store).stdout
    return json.loads(run("status", store, "--json", "-").stdout)


def check_questions(name, program, folder):
    machine, store = folder / f"{name}.par", folder / "s.h5"
    machine.write_text(MACHINES[name][0])
    rows = all_candidates(program, machine, name)
    keep_all, by_time = (lambda row: True), (lambda row: row.time)
    questions = [([], keep_all, by_time), (["--whole-nodes"], lambda row: row.full, by_time),
                 (["--objective", "node-hours"], keep_all, lambda row: row.hours),
                 (["--whole-nodes", "--objective", "node-hours"], lambda row: row.full, lambda row: row.hours),
                 (["--max-processors", 13], lambda row: row.cores <= 13, by_time),
                 (["--processors", "6:18:3"], lambda row: row.cores in range(6, 19, 3), by_time),
                 (["--min-efficiency", 0.6], lambda row: rounded(row.efficiency) >= 0.6, by_time)]
    for options, keeps, cost in questions:
        kept = sorted((row for row in rows if keeps(row)), key=lambda row: (rounded(cost(row)), row.order))
        for mode in (3, 4):
            found = searched(program, machine, MACHINES[name][1], store, "--mode", mode, *options)
            what = (name, str(program), options, mode)
            assert kept[0].same(found["best"]), (what, found["best"], vars(kept[0]))
            assert kept[1].same(found["runner_up"]), (what, found["runner_up"], vars(kept[1]))
            for line, row in zip(found["front"], expected_front(kept), strict=True):
                number = row.nodes if line["by"] == "nodes" else row.cores
                assert row.same(line) and line["proven"] and line["at_least"] == number, (what, line, vars(row))
            if mode == 3 and options != ["--min-efficiency", 0.6]:
                assert found["candidates"] == found["evaluated"] == len(kept), (what, found["candidates"])
    heuristic = searched(program, machine, MACHINES[name][1], store, "--mode", 5)
    best = min((row for row in rows), key=lambda row: (rounded(row.time), row.order))
    assert heuristic["best"]["execution_time"] >= best.time
    # --within: fewest processors of the machine.
    found = searched(program, machine, MACHINES[name][1], store, "--within", "10%")
    near = [row for row in rows if rounded(row.time) <= rounded(1.1 * best.time)]
    assert min(near, key=lambda row: (row.cores, rounded(row.time), row.order)).same(found["best"])
    return rows


def columns(store):
    with h5py.File(store) as file:
        results = file["results"]
        return list(zip(*(results[name][:].tolist() for name in
                          ("p1", "p2", "threads", "cores", "processors", "execution_time"))))


def check_store(program, rows, folder):
    machine, numbers = folder / "two.par", MACHINES["two"][1]
    whole, part, merged = folder / "whole.h5", folder / "part.h5", folder / "merged.h5"
    searched(program, machine, numbers, whole, "--mode", 3)
    expected = sorted((*row.grid, row.threads, row.cores, math.prod(row.grid), row.time) for row in rows)
    assert sorted(columns(whole)) == expected
    with h5py.File(whole) as file:
        best = min(rows, key=lambda row: (rounded(row.time), row.order))
        assert file["best/threads"][0] == best.threads and file["best/p1"][0] == best.grid[0]
        assert file["front/threads"].shape == file["front/within"].shape
        assert (file["front/cores"][:] == file["front/threads"][:] * file["front/processors"][:]).all()
    # Stopped and resumed, on three ranks: the same rows. Other threads are refused.
    words = ["sweep", program, "-m", machine, "--mode", 3, "--min-block", 0, "-q", "--threads"]
    run(*words, "1,2,3,4", "--store", part, "--time-limit", 0, expected=3)
    run(*words, "1,2", "--store", part, "--resume", expected=2)
    run(*words, "1,2,3,4", "--store", part, "--resume",
        launcher=[mpiexec, "-n", "3", "--oversubscribe", "--allow-run-as-root"])
    assert sorted(columns(part)) == expected
    run("merge", whole, part, "--store", merged)
    assert sorted(columns(merged)) == expected
    exported = list(csv.DictReader(run("export", merged, "--csv", "-").stdout.splitlines()))
    order = [tuple(int(row[key]) for key in ("processors", "p1", "p2", "threads")) for row in exported]
    assert order == sorted(order) and len(order) == len(expected)
    status = json.loads(run("status", merged, "--json", "-").stdout)
    assert best.same(status["best"]) and status["threads"] == numbers
    # Without the option nothing tells of threads.
    run("sweep", program, "-m", machine, "--store", folder / "plain.h5", "-q")
    with h5py.File(folder / "plain.h5") as file:
        assert "threads" not in file["results"] and "threads" not in file["best"] and "cores" not in file["front"]
        assert "threads" not in file.attrs["options"]


def check_ties(folder):
    """A loop without messages. Equal times: fewer cores first, then fewer threads."""
    machine, program = folder / "ideal.par", folder / "loop.toml"
    program.write_text('[[array]]\nname = "A"\nextents = [60]\nelement = 8\ndistribute = ["block"]\n'
                       '[[do]]\nloop = ["i = 0 : 59"]\non = "A[i]"\ntime = 1e-3\n')
    # Two threads are no faster than one, three are as fast as one and a half.
    machine.write_text("cluster = c; c = {2 x node}; node = {6 x core}; core = 1; core.Threads = {2 (0.5), 3 (0.5)};\n" +
                       COSTS.format("c", 1, 1) + COSTS.format("node", 1, 1))
    for mode in (3, 4):
        found = searched(program, machine, [1, 2, 3], folder / "ties.h5", "--mode", mode, "--fix", "p1=2")
        # 2 processes: 30 ms with one or two threads, 20 with three.
        assert (found["best"]["threads"], found["best"]["cores"]) == (3, 6)
        assert (found["runner_up"]["threads"], found["runner_up"]["cores"]) == (1, 2)
    # Threads as fast as processors: 6 of them are 6 processes, 3 of two or 2 of three threads.
    machine.write_text(machine.read_text().replace("(0.5)", "(1)"))
    for mode in (3, 4):
        found = searched(program, machine, [1, 2, 3], folder / "ties.h5", "--mode", mode, "--processors", 6)
        assert found["best"]["grid"] == [6] and found["runner_up"]["grid"] == [3]
        assert [(each["grid"], each["threads"]) for each in found["near_best"]][0] == ([3], 2)


def check_job(folder):
    found = searched(source / "configs/programs/jacobi2d.toml", folder / "two.par", [3], folder / "job.h5",
                     "--whole-nodes", "--processors", 18)
    job = found["job"]
    assert (job["nodes"], job["processes"], job["processes_per_node"], job["threads"]) == (3, 6, 2, 3), job
    assert job["srun"] == "OMP_NUM_THREADS=3 srun -N 3 --ntasks-per-node=2 --cpus-per-task=3 -m block:block PROGRAM"
    assert job["mpirun"] == ("mpirun -n 6 -x OMP_NUM_THREADS=3 --map-by ppr:2:node:pe=3 "
                             "--bind-to core:overload-allowed PROGRAM")
    text = run("status", folder / "job.h5").stdout
    assert "6 processes of 3 threads, 18 cores on 3 nodes of 2" in " ".join(text.split()), text
    page = folder / "job.html"
    run("report", folder / "job.h5", "--html", page)
    assert "3 threads" in page.read_text()


def check_together(folder):
    """With searched placements: each grid with its best one; and how robust the best is."""
    machine, program = folder / "three.par", source / "configs/programs/jacobi2d.toml"
    options = ["--placement=search", "--max-processors", 12]
    found = {mode: searched(program, machine, [1, 2, 3], folder / "placed.h5", "--mode", mode, *options)
             for mode in (3, 4)}
    for key in ("best", "runner_up", "front"):
        assert found[3][key] == found[4][key], (key, found)
    words = ["robust", program, "-m", machine, "--threads", "1,2,3", "--min-block", 0, "--precision", 0.3, "--reach", 2,
             "-q", *options]
    run(*words, "--store", folder / "placed.h5")
    assert json.loads(run("status", folder / "placed.h5", "--json", "-").stdout)["robust"] is not None
    best = json.loads(run(*words, "--json", "-").stdout)["best"]
    assert (best["grid"], best["threads"]) == (found[3]["best"]["grid"], found[3]["best"]["threads"])
    plan = json.loads(run("plan", program, "-m", machine, "--threads", "1,2,3", "--min-block", 0, "--max-processors", 12,
                          "--json", "-").stdout)
    assert plan["candidates"] == found[3]["candidates"] and plan["processors"] == 12


def main():
    programs = source / "configs/programs"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        rows = check_questions("two", programs / "jacobi2d.toml", folder)
        check_questions("three", programs / "jacobi1d.toml", folder)
        check_questions("mixed", programs / "jacobi1d.toml", folder)
        check_store(programs / "jacobi2d.toml", rows, folder)
        check_ties(folder)
        check_job(folder)
        check_together(folder)


main()
