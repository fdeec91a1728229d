"""Runs tools/accuracy in its short form and checks what it found against figures from outside.

usage: check_accuracy.py ACCURACY GRIDCAST
"""
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile


def check(condition, what):
    if not condition:
        sys.exit(f"check_accuracy: {what}")


def close(value, expected, within):
    return abs(value - expected) <= within


def check_loop(source, folder):
    """The program that measured tests/data/shapes runs alone and as a pipeline."""
    program = folder / "sor"
    subprocess.run(["mpicc", "-O2", "-Wall", "-Wextra", "-Werror", source, "-o", program, "-lm"], check=True)
    for processes, grid in ((1, "1x1"), (2, "2x1"), (2, "1x2")):
        done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(processes), program, "60",
                               "40", grid, "7", "5"], check=True, capture_output=True, text=True)
        least, median = map(float, done.stdout.split(","))
        check(0 < least <= median, f"sor on {grid}: {done.stdout}")


def main():
    accuracy, gridcast = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "accuracy.md"
        figures_file = pathlib.Path(folder) / "figures.json"
        subprocess.run([accuracy, "--short", "--output", page, "--figures", figures_file, "--gridcast", gridcast],
                       check=True)
        check_loop(pathlib.Path(accuracy).parent / "shapes/sor.c", pathlib.Path(folder))
        text = page.read_text(encoding="utf-8")
        figures = json.loads(figures_file.read_text(encoding="utf-8"))
    # Least squares of the relative errors of [Forecasting section 4.1], worked out by hand.
    for name, start, byte, error in (("table 1, inside a node", 1.643, 0.000894, 0.110),
                                     ("table 2, between nodes", 3.201, 0.004024, 0.161)):
        found = figures[name]
        check(close(found[0], start, 0.0005) and close(found[1], byte, 5e-7) and close(found[2], error, 5e-4),
              f"{name}: {found}")
    # 3807.52 s times the product of ceil(100 / P) / 100.
    for rank, processors, side in ((1, 8, [8]), (2, 8, [4, 2]), (3, 8, [2, 2, 2]), (1, 64, [64]), (2, 64, [8, 8]),
                                   (3, 64, [4, 4, 4])):
        seconds = 3807.52 * math.prod(math.ceil(100 / extent) / 100 for extent in side)
        check(close(figures[f"cube {rank} {processors}"], seconds, 1e-3), f"cube {rank} {processors}")
    found = figures["measured ports"]
    check(found["count"] == 14, "five programs have 14 runs")
    check(found["median"] < 0.05, f"measured on ports: {found}")
    # Half the points in short inner loops take less than half the time; what two processes took is in the table.
    alone, shapes, others = figures["shapes 2x1"]
    check(alone > 0.3 and abs(shapes) < 0.1 and abs(others) < 0.2, f"shapes on 2x1: {alone}, {shapes}, {others}")
    alone, shapes, others = figures["shapes 1x2"]
    check(max(abs(alone), abs(shapes), abs(others)) < 0.1, f"shapes on 1x2: {alone}, {shapes}, {others}")
    if shutil.which("smpirun"):
        check_simulated(text, figures)


def check_simulated(text, figures):
    """Ports against the simulator: what the page promises, and that the simulated machines are what they should be."""
    check(len(figures["closed forms"]) == 4, "machines without nodes, with nodes of two sizes, with sockets")
    for machine, times in figures["closed forms"].items():
        for found, expected in times:
            check(close(found / expected, 1, 0.01), f"{machine}: {found} s instead of {expected}")
    check(len(figures["simulated"]) == 9,
          f"three programs on 16 flat processors, 2 nodes of 8, 4 of 2 sockets: {len(figures['simulated'])} sets")
    check_sets(text, figures["simulated"], 0.005, 0.03, 0.95, 0.003)
    check(len(figures["free"]) == 15, f"five programs on 16 processes of nodes, three eager limits: {len(figures['free'])} sets")
    check_sets(text, figures["free"], 0.005, 0.02, 0.98, 0.004)
    # Recorded, inferred and predicted: the gaps of a recording are within 0.4 %, its calls cost some 0.1 µs each.
    check(len(figures["recorded"]) == 2, f"Jacobi on 16 processes, flat and of nodes: {len(figures['recorded'])} sets")
    for fit in figures["recorded"]:
        check(fit["median"] <= 0.05 and fit["worst"] <= 0.12 and fit["regret"] <= 0.01, f"recorded: {fit}")


def check_sets(text, fits, median, worst, tau, regret):
    """What the page promises of sets of grids."""
    for fit in fits:
        name = f"{fit['name']} on {fit['processors']}, {fit['machine']}, eager {fit['eager']}"
        check(f"| {fit['name']} | " in text, f"the page has no row of {name}")
        check(fit["median"] <= median, f"{name}: median error {fit['median']}")
        check(fit["worst"] <= worst, f"{name}: worst error {fit['worst']}")
        check(fit["tau"] is None or fit["tau"] >= tau, f"{name}: tau {fit['tau']}")
        check(fit["regret"] <= regret, f"{name}: regret {fit['regret']}")


if __name__ == "__main__":
    main()
