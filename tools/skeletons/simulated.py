"""The skeletons of this folder under SimGrid's SMPI, and how well gridcast predicts what they take."""
import concurrent.futures
import hashlib
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
from typing import NamedTuple

from machines import MACHINES, OVERHEAD, leaves, machine_file, platform
from programs import PROGRAMS

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

TELLS = 0.005  # grids whose times differ by more, relatively, have an order
HEADER = 16    # bytes: what SMPI adds to a message, and the least that it sends
# The most processes of programs that run together, and free, on each.
TOGETHER = {"flat": 256, "nodes of 8": 64, "nodes of 16": 256, "nodes of 2 x 8": 64}
FREE = {"flat": 64, "nodes of 8": 64}
SHORT_TOGETHER = {"flat": 16, "nodes of 8": 16, "nodes of 2 x 8": 64}
SHORT_FREE = {"nodes of 8": 16}
PLACEMENTS = {"column": "nodes of 8", "blocked:4x2": "nodes of 8", "blocked:2x8": "nodes of 16"}
SHORT = ["jacobi2d, trees", "reductions", "nine"]
SHORT_MESSAGES = ["cg_doubling", "wavefront"]
# Bytes below which messages are sent at once.
EAGER = {"none": 0, "4 KB": 4096, "all": 1000000000}
# Where messages wait for each other's ports small gaps grow: the usual precision of 1e-9 s makes up to 2 % of a time.
SMPI = ["surf/precision:1e-12", "network/model:CM02", "network/optim:Full", "network/crosstraffic:0", "network/TCP-gamma:0",
        "network/weight-S:0", "network/latency-factor:1", "network/bandwidth-factor:1",
        "smpi/cpu-threshold:1000000", "smpi/allreduce:rdb", "smpi/gather:ompi_binomial",
        "smpi/alltoallv:ompi_basic_linear",
        "smpi/host-speed:1e9f", *(f"smpi/{side}:0:{OVERHEAD * 1e-6:g}:0" for side in ("os", "ois", "or"))]


def eager_below(limit):
    """Settings of the simulator for messages that are sent at once; it compares without the header."""
    return [f"smpi/{name}:{max(0, limit - HEADER)}" for name in ("async-small-thresh", "send-is-detached-thresh")]


def with_headers(description):
    """Statements over blocks whose messages are as long as those of the simulator; what no message is stays none."""
    def longer(found):
        text = found[1] or found[2]
        some = re.fullmatch(r"(\(.* (?:==|<) .*?\)\*)\((.*)\)", text)
        return f'bytes = "{some[1]}({some[2]} + {HEADER})"' if some else f'bytes = "{text} + {HEADER}"'
    return re.sub(r'\bbytes = (?:"([^"]*)"|(\d+))', longer, description)


def percent(part):
    return f"{100 * part:.1f} %"


def exact(part):
    return f"{100 * part:.2f} %"


def number(tau):
    return "–" if tau is None else f"{tau:.2f}"


class Agreement(NamedTuple):
    """How well predicted times of grids agree with simulated ones."""
    median: float
    worst: float
    tau: float      # Kendall's, over pairs of grids that differ enough; None: there are none
    regret: float   # how much longer the chosen grid takes than the fastest
    of: tuple       # the grids: of the worst error, chosen, fastest


def agreement(grids, simulated, predicted, tells=TELLS):
    errors = [abs(guess / time - 1) for guess, time in zip(predicted, simulated)]
    rounded = [float(f"{guess:.10e}") for guess in predicted]
    chosen, fastest = (times.index(min(times)) for times in (rounded, simulated))
    order = 0
    pairs = [(one, other) for one, other in itertools.permutations(range(len(grids)), 2)
             if simulated[other] / simulated[one] - 1 > tells]
    for one, other in pairs:
        order += (rounded[other] > rounded[one]) - (rounded[other] < rounded[one])
    return Agreement(statistics.median(errors), max(errors), order / len(pairs) if pairs else None,
                     simulated[chosen] / simulated[fastest] - 1,
                     tuple("x".join(map(str, grids[at])) for at in (errors.index(max(errors)), chosen, fastest)))


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


class Case(NamedTuple):
    """A row of the table."""
    name: str
    processors: int
    machine: str
    placement: str
    together: bool
    eager: str = "all"

    def title(self):
        return self.name if self.placement == "row" else f"{self.name}, {self.placement}"


class Simulated:
    """Programs simulated and predicted; `run` runs gridcast with words."""

    def __init__(self, run, scratch, short, kept):
        for program in PROGRAMS.values():  # all are there, also those that a short run leaves out
            if program.description.endswith(".toml"):
                (ROOT / "configs" / program.description).stat()
        self.run, self.scratch, self.short, self.kept = run, scratch, short, kept
        self.sources = sorted((ROOT / "tools/skeletons").glob("*.[ch]"))
        self.simulator = [path.read_bytes() for path in self.sources] + [repr(SMPI).encode()]
        sources = (path for path in self.sources if path.suffix == ".c")
        subprocess.run(["smpicc", "-O1", *sources, "-o", scratch / "programs", "-lm"], check=True, capture_output=True)
        self.pool = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)))

    def write(self, name, text):
        path = self.scratch / name
        path.write_text(text, encoding="utf-8")
        return path

    def simulate(self, case, grid):
        """Seconds of a grid."""
        program, tiers = PROGRAMS[case.name], MACHINES[case.machine]
        hosts = "".join(f"n{leaf}\n" for leaf in leaves(case.placement, grid))
        networks = ",".join(f"{tier.processes or case.processors}:{tier.per_byte * 1e-6:g}" for tier in tiers)
        words = [program.skeleton, program.reductions, "together" if case.together else "free", networks,
                 "x".join(map(str, program.sizes[case.processors])), str(program.iterations), repr(program.point),
                 *map(str, grid)]
        machine = platform(tiers, case.processors)
        return self.simulated(machine, hosts, words, EAGER[case.eager])

    def simulated(self, machine, hosts, words, eager=EAGER["all"]):
        """Seconds of a program with these words, on a platform, with its processes on these hosts."""
        question = [*self.simulator, machine.encode(), hosts.encode(), f"{eager} {' '.join(words)}".encode()]
        return float(self.kept.answer(question, lambda: self.simulate_now(machine, hosts, words, eager)))

    def closed_forms(self):
        """Of each machine: simulated seconds and the closed form of one message per network, and of an all-to-all."""
        result, words = {}, ["linear", "together", "2:1e-9"]
        for name, tiers in MACHINES.items():
            largest = [*(tier.processes for tier in tiers[1:]), 1]  # members of each network
            processors = 2 * max(8, largest[0])
            machine, hosts = platform(tiers, processors), [f"n{i}\n" for i in range(processors)]
            result[name] = found = []
            for tier, member in zip(tiers, largest):
                alone = self.simulated(machine, hosts[0] + hosts[member],
                                       ["stencil", *words, "100000", "1", "0", "2", "1"])
                found.append((alone, 1e-6 * (2 * OVERHEAD + tier.latency + 8e5 * tier.per_byte)))
            # A transposition in which nothing moves, one of pieces of 16x16x16 elements, and both back.
            extents = f"16x{16 * processors}x{16 * processors}"
            every = self.simulated(machine, "".join(hosts), ["pencils", *words, extents, "1", "0", "1", str(processors)])
            busiest = max(tier.latency + member * ((tier.processes or processors) - member) * 16 ** 4 * tier.per_byte
                          for tier, member in zip(tiers, largest))
            found.append((every, 2e-6 * (busiest + OVERHEAD * processors)))
        return result

    def simulate_now(self, machine, hosts, words, eager):
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            for name, text in (("platform.xml", machine), ("hosts", hosts)):
                pathlib.Path(folder, name).write_text(text, encoding="utf-8")
            done = subprocess.run(
                ["smpirun", "-np", str(hosts.count("\n")), "-platform", "platform.xml", "-hostfile", "hosts",
                 *(f"--cfg={setting}" for setting in (*SMPI, *eager_below(eager))), "--log=root.thres:error", self.scratch / "programs",
                 *words], capture_output=True, text=True, check=True, cwd=folder)
        return done.stdout.split()[-1]

    def input_of(self, name, processors):
        """Words of gridcast for the program: a trace, or a description by messages and its parameters."""
        program = PROGRAMS[name]
        text, size = program.description, program.sizes[processors]
        values = [setting.format(n=size, point=repr(program.point), iterations=program.iterations,
                                 log=size[0].bit_length() - 1) for setting in program.settings]
        if text.endswith(".toml"):
            text = (ROOT / "configs" / text).read_text(encoding="utf-8")
        if program.by_messages():
            return [self.write("program.toml", with_headers(text)),
                    *itertools.chain.from_iterable(("--param", value) for value in values)]
        # The skeletons spend no time in a run-time library, set no initial values and write no results.
        parts = [part for part in text.split("\n\n") if not re.search(r"^\[\[do\]\]\n(loop|io) =", part, re.M)]
        text = "\n\n".join(["overhead = 0.0", *parts])
        text = re.sub(r'({ operation = "\w+"(?:, type = "(\w+)")?) }',
                      lambda found: f"{found[1]}, extra = {HEADER - (4 if found[2] == 'float' else 8)} }}", text)
        description = self.write("program.toml", text)
        trace = self.scratch / f"{name.replace(', ', '_')}_{processors}.ptr"
        sets = itertools.chain.from_iterable(("--set", value) for value in values)
        self.run("trace", "generate", "-q", description, *sets, "--output", trace)
        return [trace]

    def predict(self, case, program, machine, grid):
        """Seconds of a grid."""
        words = ["predict", "-q", *program, "--machine", machine, "--grid", "x".join(map(str, grid)), "--placement",
                 case.placement, "--processes", "together" if case.together else "free", "--reduction",
                 PROGRAMS[case.name].reductions, "--json", "-"]
        return json.loads(self.run(*words))["execution_time"]

    def cases(self):
        together, free = (SHORT_TOGETHER, SHORT_FREE) if self.short else (TOGETHER, FREE)
        for name in SHORT + SHORT_MESSAGES if self.short else PROGRAMS:
            program = PROGRAMS[name]
            for processors, machine in itertools.product(program.sizes, together):
                node = max(tier.processes for tier in MACHINES[machine])
                if processors <= node or processors > (program.wide if node == 16 else 256):
                    continue
                if program.together and processors <= together[machine]:
                    yield Case(name, processors, machine, "row", True)
                if processors <= min(free.get(machine, 0), program.free):
                    yield from (Case(name, processors, machine, "row", False, eager) for eager in EAGER)
                if program.placed and processors == 64 and not self.short:
                    yield from (Case(name, processors, machine, placement, True)
                                for placement, on in PLACEMENTS.items() if on == machine)

    def compare(self, case):
        processors, program = case.processors, PROGRAMS[case.name]
        divisors = [d for d in range(1, processors + 1) if processors % d == 0]
        grids = [grid for grid in itertools.product(divisors, repeat=program.rank) if math.prod(grid) == processors]
        words = self.input_of(case.name, processors)
        machine = self.write("simulated.par", machine_file(MACHINES[case.machine], processors, EAGER[case.eager]))
        simulated = list(self.pool.map(lambda grid: self.simulate(case, grid), grids))
        predicted = list(self.pool.map(lambda grid: self.predict(case, words, machine, grid), grids))
        return agreement(grids, simulated, predicted)

    def compared(self, together):
        """How well each case agrees, of processes that wait for each other or that run free."""
        return {case: self.compare(case) for case in self.cases() if case.together == together}


def there():
    return shutil.which("smpicc") and shutil.which("smpirun")


# What is behind the figures that stand out in the comparison with the simulator.
REASONS = [
    "What explains the largest differences:",
    "",
    "- Ports: an end comes from sums over the messages of a port (docs/model.md §4). In the simulator, a message "
    "that is held up at one port leaves its share of the other port to other messages (max-min): upwind placed "
    "by columns, pencils on 1x64.",
    "- Trees: a message begins at the later of its two processors' clocks (docs/model.md §5). In the simulator a "
    "message that is sent early has arrived by then: 2 to 5 µs less per reduction where the number of members is "
    "no power of two. The order of the grids is the same.",
    "- Sizes: the simulator sends at least 16 bytes; gauss sends back elements of 4.",
    "",
]


def figures_of(fits):
    """Cells of a table for several sets of grids."""
    orders = [fit.tau for fit in fits if fit.tau is not None]
    return (f"{exact(max(fit.median for fit in fits))} | {exact(max(fit.worst for fit in fits))} | "
            f"{number(min(orders, default=None))} | {exact(max(fit.regret for fit in fits))}")


FIGURES = "largest median | worst grid | least τ | largest regret"


def by_key(compared, key):
    """The fits of all cases of a key, by its first appearance."""
    groups = {}
    for case, fit in compared.items():
        groups.setdefault(key(case), []).append(fit)
    return groups


def grouped(compared, titles, key):
    """A table with a row for all cases of a key."""
    groups = by_key(compared, key)
    return [f"| {' | '.join(titles)} | sets of grids | {FIGURES} |", "|---" * (len(titles) + 5) + "|",
            *(f"| {' | '.join(names)} | {len(fits)} | {figures_of(fits)} |" for names, fits in groups.items()), ""]


def by_program(compared):
    """A table with the errors of each program; orders and regrets are in those by machine."""
    return ["| program | largest median | worst grid |", "|---|---|---|",
            *(f"| {name} | {exact(max(fit.median for fit in fits))} | {exact(max(fit.worst for fit in fits))} |"
              for name, fits in by_key(compared, lambda case: case.name).items()), ""]


def place_of(case):
    return "flat" if case.machine == "flat" else "nodes", "256" if case.processors > 64 else "16 to 64"


def together_section(run, scratch, short, kept):
    """Lines of the page and what tests look at."""
    text = ["## Against SimGrid", "",
            "SimGrid's SMPI runs MPI programs on a simulated machine. Those of `tools/skeletons` compute and send as "
            "the programs of `configs/programs` do, without their data; five more are in "
            "`tools/skeletons/programs.py`: stencil (edges), nine (nine points, edges two wide, corners), "
            "upwind (widths that differ per side, reductions), overlap3d (edges in three dimensions behind "
            "computing), pencils (transpositions). The simulator takes `network/optim:Full`; its default is "
            "itself off by up to 14 %. The 16 bytes that SMPI adds to a message are left out.", "",
            "| machine | networks, from the outermost: latency, per byte |", "|---|---|"]
    text += [f"| {name} | {'; '.join(f'{tier.latency} µs, {tier.per_byte} µs' for tier in tiers)} |"
             for name, tiers in MACHINES.items()]
    text += ["", f"Sender and receiver have {OVERHEAD} µs overhead each in all networks; a node, a socket and a "
             "process have a port out and a port in (docs/model.md §4). Machine files and platforms are made of the "
             "same numbers. Processes wait for each other before they communicate, at no cost, as predicted (docs/model.md "
             "§2.3).", "",
             "A set is all grids of a number of processors, one to ten iterations. τ: Kendall's, over the pairs of grids "
             f"that differ by more than {percent(TELLS)}; – if there are none. Regret: how much longer the chosen grid "
             "takes than the fastest.", ""]
    if not there():
        return [*text, "SimGrid was not there when this page was written.", ""], {}
    found = Simulated(run, scratch, short, kept)
    compared = found.compared(True)
    figures = {"closed forms": found.closed_forms(),
               "simulated": [case._asdict() | fit._asdict() for case, fit in compared.items()]}
    ordered = dict(sorted(compared.items(), key=lambda item: place_of(item[0])[::-1]))
    return [*text, *grouped(ordered, ["machines", "processors"], place_of), *REASONS,
            "Over all sets of a program (`--figures` writes each set):", "",
            *by_program(compared)], figures


def free_section(run, scratch, short, kept):
    """The same for processes that run free."""
    text = ["## Free processes against SimGrid", "",
            "The same programs without waiting for each other, predicted with `--processes=free` (docs/model.md §10), "
            "and the programs of `configs/messages` (§11), written by hand in `tools/skeletons/messages.c`. Messages of "
            "fewer bytes than *eager* are sent at once; of the simulator these are `smpi/async-small-thresh` and "
            "`smpi/send-is-detached-thresh`, of the machine EagerLimit. Its collective operations are `rdb`, "
            "`ompi_binomial` and `ompi_basic_linear`; the 16 bytes of each message are in the descriptions.", "",
            "The simulator's precision is 10⁻¹² s. With its default of 10⁻⁹ s gauss without eager messages is 2.1 % off: "
            "where k messages share a port, a gap of rounding between the first two of them grows k − 1 times in each "
            "step.", ""]
    if not there():
        return [*text, "SimGrid was not there when this page was written.", ""], []
    compared = Simulated(run, scratch, short, kept).compared(False)

    def group(case):
        kind = "messages" if PROGRAMS[case.name].by_messages() else "arrays"
        return kind, case.eager
    ordered = dict(sorted(compared.items(), key=lambda item: (group(item[0])[0], item[0].processors)))
    return [*text, "On 16 and 64 processes, flat and in nodes:", "", *grouped(ordered, ["programs", "eager"], group),
            *by_program(compared)], \
        [case._asdict() | fit._asdict() for case, fit in compared.items()]
