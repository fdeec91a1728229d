"""The skeletons of this folder under SimGrid's SMPI, and how well gridcast predicts what they take."""
import concurrent.futures
import hashlib
import itertools
import json
import math
import os
import pathlib
import shutil
import subprocess
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# The simulated machine: microseconds and microseconds per byte.
LATENCY, OVERHEAD, PER_BYTE = 1.5, 0.5, 0.001
SHORT_MOST = 64      # processes in the short form
SAME = 1e-10         # times that differ by less, relatively, are the same
GROWING = {16: 2000, 64: 4000, 256: 8000, 1024: 16000}


def same(size, *counts):
    return dict.fromkeys(counts or GROWING, size)


def up_to(most):
    return {count: size for count, size in GROWING.items() if count <= most}


class Program(NamedTuple):
    """A skeleton and the description of the same program."""
    skeleton: str
    description: str  # a file of configs/programs, or the text of one
    rank: int         # dimensions of the grids
    sizes: dict       # number of processors: n
    point: float      # seconds
    iterations: int = 10
    settings: tuple = ("point={point}", "iterations={iterations}")  # of parameters of the description
    reductions: str = "linear"
    together: int = 64    # most processes that also run together
    turned: int = 0       # most processes that also post edges, or take values of reductions, in another order


STENCIL = """[parameters]
n = 1000
iterations = 10
point = 1.5e-9

[[array]]
name = "A"
extents = ["n", "n"]
shadow = 1
distribute = ["block", "block"]

[[do]]
repeat = "iterations"
interval = "user"

  [[do.do]]
  exchange = ["A"]

  [[do.do]]
  loop = ["i = 1 : n-2", "j = 1 : n-2"]
  on = "A[i, j]"
  time = "point"
"""
REDUCTIONS = """[parameters]
n = 1000
iterations = 10
point = 1.5e-9

[[array]]
name = "A"
extents = ["n", "n"]
distribute = ["block", "block"]

[[do]]
repeat = "iterations"
interval = "user"

  [[do.do]]
  loop = ["i = 1 : n-2", "j = 1 : n-2"]
  on = "A[i, j]"
  time = "point"
  reduce = [{ operation = "max" }]
"""
PROGRAMS = {
    "stencil": Program("stencil", STENCIL, 2, GROWING, 1.5e-9, together=1024, turned=256),
    "jacobi2d": Program("jacobi2d", "jacobi2d.toml", 2, GROWING, 1.5e-9, together=1024, turned=256),
    "jacobi2d, trees": Program("jacobi2d", "jacobi2d.toml", 2, GROWING, 1.5e-9, reductions="tree", together=1024,
                               turned=256),
    "redblack": Program("redblack", "redblack.toml", 2, up_to(256), 3e-9, together=256, turned=256),
    "torus": Program("torus", "torus.toml", 2, up_to(256), 2e-9, settings=("point={point}", "steps={iterations}"),
                     together=256, turned=256),
    "jacobi1d": Program("jacobi1d", "jacobi1d.toml", 1, same(100000), 2e-9, together=1024),
    "reductions": Program("reductions", REDUCTIONS, 2, same(86), 4e-6, together=1024, turned=256),
    "reductions, trees": Program("reductions", REDUCTIONS, 2, same(86), 4e-6, reductions="tree", together=1024),
    "jacobi3d": Program("jacobi3d", "jacobi3d.toml", 3, {16: 200, 64: 200, 256: 400}, 2e-9, turned=64),
    "heat3d": Program("heat3d", "heat3d.toml", 3, {16: 192, 64: 256, 256: 384}, 4e-9, 2,
                      settings=("point={point}", "solve={point} / 2", "steps={iterations}")),
    "cg": Program("cg", "cg.toml", 2, up_to(256), 1e-9,
                  settings=("update={point}", "product=3 * {point}", "iterations={iterations}"), together=256,
                  turned=256),
    "sor": Program("sor", "sor.toml", 2, {16: 2000, 64: 4000, 256: 4000}, 6e-9, 2),
    "adi": Program("adi", "adi.toml", 2, {16: 2000, 64: 4000, 256: 4000}, 4e-9, 2),
    "gauss": Program("gauss", "gauss.toml", 1, same(1000, 16, 64, 256), 1.5e-9, 1, ("operation={point}",)),
    "fft3d": Program("fft3d", "fft3d.toml", 2, same(128, 16, 64), 2e-10, 2,
                     ("operation={point}", "log_n={log}", "steps={iterations}")),
    "multigrid": Program("multigrid", "multigrid.toml", 2, up_to(256), 2e-9, 2,
                         ("point={point}", "cycles={iterations}")),
    "panels": Program("panels", "panels.toml", 2, same(60, 16, 64, 256), 1e-10, 1, ("operation={point}",)),
    "taskjacobi": Program("taskjacobi", "taskjacobi.toml", 1, up_to(256), 1.5e-9, together=256),
}
SHORT = ["stencil", "jacobi2d, trees", "reductions"]
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" bw="{bandwidth}Bps" lat="{latency}us"
           sharing_policy="SPLITDUPLEX"/>
</platform>
"""
SMPI = ["network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "network/weight-S:0",
        "network/latency-factor:1", "network/bandwidth-factor:1", "smpi/async-small-thresh:1000000000",
        "smpi/send-is-detached-thresh:1000000000", "smpi/cpu-threshold:1000000", "smpi/host-speed:1e9f",
        *(f"smpi/{side}:0:{OVERHEAD * 1e-6:g}:0" for side in ("os", "ois", "or"))]


def percent(part):
    return f"{100 * part:.1f} %"


def number(tau):
    return "–" if tau is None else f"{tau:.2f}"


def in_wrong_order(rows):
    """Pairs of grids that are predicted in the wrong order: how many, of how many that differ, and the largest
    difference of the measured times of one of them."""
    differ, wrong = 0, []
    for one, other in itertools.combinations(rows, 2):
        measured = other["measured"] / one["measured"] - 1
        predicted = other["predicted"] / one["predicted"] - 1
        if abs(measured) > SAME and abs(predicted) > SAME:
            differ += 1
            if measured * predicted < 0:
                wrong.append(max(one["measured"], other["measured"]) / min(one["measured"], other["measured"]) - 1)
    return len(wrong), differ, max(wrong, default=0.0)


def machines(processors):
    """Descriptions of the simulated machine with each type of network."""
    head = f"cluster = c;\nc = {{{processors} x p}};\nc.TByte = {PER_BYTE};\np = 1;\n"
    whole = LATENCY + 2 * OVERHEAD
    return {"ports": head + f"c.CommType = ports;\nc.TStart = {LATENCY};\nc.TSend = {OVERHEAD};\n"
                            f"c.TRecv = {OVERHEAD};\n",
            "P/2 channels": head + f"c.CommType = myrinet ({processors // 2});\nc.TStart = {whole};\n",
            "one channel": head + f"c.CommType = ethernet;\nc.TStart = {whole};\n"}


class Kept:
    """Answers that take long, in a folder for the next run; without a folder nothing is kept."""

    def __init__(self, folder):
        self.folder = folder

    def answer(self, question, find):
        """What find() returns, a text that depends on the parts of the question (bytes) only."""
        if not self.folder:
            return find()
        path = self.folder / hashlib.sha256(b"".join(question)).hexdigest()
        if not path.exists():
            unfinished = path.with_suffix(".new")
            unfinished.write_text(find(), encoding="utf-8")
            unfinished.rename(path)
        return path.read_text(encoding="utf-8")


class Simulated:
    """Programs simulated and predicted; `run` runs gridcast with words, `figures` gets what tests look at."""

    def __init__(self, run, scratch, short, figures, kept):
        self.run, self.scratch, self.short, self.figures, self.kept = run, scratch, short, figures, kept
        self.sources = sorted((ROOT / "tools/skeletons").glob("*.[ch]"))
        self.simulator = [path.read_bytes() for path in self.sources] + [repr(SMPI).encode(), PLATFORM.encode()]

    def write(self, name, text):
        path = self.scratch / name
        path.write_text(text, encoding="utf-8")
        return path

    def simulate(self, program, mode, size, grid):
        words = [program.skeleton, program.reductions, mode, str(size),
                 str(program.iterations), repr(program.point), *map(str, grid)]
        return float(self.kept.answer([*self.simulator, " ".join(words).encode()],
                                      lambda: self.simulate_now(math.prod(grid), words)))

    def simulate_now(self, processes, words):
        words = ["smpirun", "-np", processes, "-platform", self.scratch / "platform.xml", "-hostfile",
                 self.scratch / "hosts", *(f"--cfg={setting}" for setting in SMPI), "--log=root.thres:error",
                 self.scratch / "programs", *words]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True, cwd=self.scratch)
        return done.stdout.split()[-1]

    def trace_of(self, program, size):
        text = program.description
        if text.endswith(".toml"):
            text = (ROOT / "configs/programs" / text).read_text(encoding="utf-8")
        # The skeletons spend no time in a run-time library, and are no more than the loop that is an interval.
        one_interval = text.count('"sequential"') == 1
        text = "overhead = 0.0\n" + (text.replace('"sequential"', '"user"') if one_interval else text)
        description = self.write("program.toml", text)
        trace = self.scratch / "program.ptr"
        values = (setting.format(point=repr(program.point), iterations=program.iterations, log=size.bit_length() - 1)
                  for setting in program.settings)
        sets = itertools.chain.from_iterable(("--set", value) for value in (f"n={size}", *values))
        self.run("trace", "generate", "-q", description, *sets, "--output", trace)
        return trace

    def prepare(self):
        """What all simulations use: the platform, its hosts and the program."""
        last = max(size for name in self.programs() for size in self.sizes(name)) - 1
        self.write("hosts", "".join(f"n{i}\n" for i in range(last + 1)))
        self.write("platform.xml", PLATFORM.format(last=last, bandwidth=round(1e6 / PER_BYTE), latency=LATENCY / 2))
        sources = (path for path in self.sources if path.suffix == ".c")
        subprocess.run(["smpicc", "-O1", *sources, "-o", self.scratch / "programs", "-lm"], check=True,
                       capture_output=True)

    def programs(self):
        return SHORT if self.short else PROGRAMS

    def sizes(self, name):
        return [count for count in PROGRAMS[name].sizes if not self.short or count <= SHORT_MOST]

    def rows(self):
        """Lines of the table."""
        self.prepare()
        return [row for name in self.programs() for processors in self.sizes(name)
                for row in self.rows_of(name, processors)]

    def rows_of(self, name, processors):
        program = PROGRAMS[name]
        trace = self.trace_of(program, program.sizes[processors])
        divisors = [d for d in range(1, processors + 1) if processors % d == 0]
        grids = [grid for grid in itertools.product(divisors, repeat=program.rank) if math.prod(grid) == processors]
        return [row for mode in (("free", "together") if processors <= PROGRAMS[name].together else ("free",))
                for row in self.compared_rows(name, processors, mode, trace, grids)]

    def simulate_all(self, name, processors, mode, grids):
        """Seconds of each grid."""
        program = PROGRAMS[name]
        size = program.sizes[processors]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda grid: self.simulate(program, mode, size, grid), grids))

    def write_times(self, file, grids, seconds):
        lines = [f"{'x'.join(map(str, grid))},{time!r}\n" for grid, time in zip(grids, seconds)]
        return self.write(file, "grid,seconds\n" + "".join(lines))

    def compare(self, *words):
        return json.loads(self.run("compare", "-q", *words, "--json", "-"))

    def turned_tau(self, name, processors, grids, measured):
        """How well the simulator agrees with itself on the order of grids when messages are posted in another."""
        if processors > PROGRAMS[name].turned or self.short or len(grids) < 2:
            return None
        turned = self.write_times("turned.csv", grids, self.simulate_all(name, processors, "turned", grids))
        return self.compare(turned, measured)["groups"][-1]["tau"]

    def compared_rows(self, name, processors, mode, trace, grids):
        program = PROGRAMS[name]
        seconds = self.simulate_all(name, processors, mode, grids)
        measured = self.write_times("simulated.csv", grids, seconds)
        spread = max(seconds) / min(seconds) - 1
        itself = number(self.turned_tau(name, processors, grids, measured)) if mode == "free" else ""
        networks = machines(processors)
        rows = []
        for network in networks if mode == "free" else ["ports"]:
            compared = self.compare(trace, measured, "--reduction", program.reductions, "--machine",
                                    self.write("simulated.par", networks[network]))
            group = compared["groups"][-1]
            wrong, pairs, most = in_wrong_order(compared["rows"])
            self.figures[f"{name}|{processors}|{mode}|{network}"] = group | {"spread": spread, "wrong_by": most}
            order = f"{wrong} of {pairs}" + (f", up to {100 * most:.2g} %" if wrong else "") if pairs else "–"
            rows.append(f"| {name} | {processors} | {program.sizes[processors]} | {mode} | {percent(spread)} | "
                        f"{network} | {percent(group['median_error'])} | {percent(group['worst_error'])} | "
                        f"{number(group['tau'])} | {order} | {itself if network == 'ports' else ''} | "
                        f"{percent(group['regret'])} | {group['chosen']} | {group['fastest']} |")
        return rows


def there():
    return shutil.which("smpicc") and shutil.which("smpirun")
