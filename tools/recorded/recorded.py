"""Programs of tests/apps, recorded on at most six processes, inferred, predicted on many, and simulated."""
import itertools
import json
import math
import re
import shutil
import subprocess
from typing import NamedTuple

from machines import MACHINES, machine_file, platform
from simulated import EAGER, ROOT, SMPI, agreement, eager_below, grouped, there, with_headers

HERE = ROOT / "tools/recorded"
APPS = ROOT / "tests/apps"
TELLS = 0.01      # grids whose times differ by more, relatively, have an order
RECORDED = 6      # iterations
APART = 1         # iterations that are taken off: what comes before and after the loop
# As descriptions have them (docs/model.md §10).
ALGORITHMS = ("smpi/reduce:ompi_binomial", "smpi/barrier:ompi_bruck")
PLANE = ("2x1", "1x2", "3x1", "1x3", "2x2", "3x2", "2x3")
SIZES = ("240x240", "120x240", "60x120", "180x60")  # on one process


class App(NamedTuple):
    """A program: what it is recorded on and what is predicted."""
    name: str
    rank: int
    runs: tuple        # (grid, extents)
    sizes: dict        # processes: extents
    words: str = "{extents} {grid} {iterations}"
    source: str = ""   # if it is not name.c
    iterations: int = 10
    placement: str = "row"  # the order of its ranks on the grid

    def path(self):
        """Of the source."""
        return APPS / (self.source or f"{self.name}.c")

    def is_fortran(self):
        return self.path().suffix == ".F90"


def both(extents, sizes=SIZES, grids=PLANE):
    """Runs on these grids, and of these sizes on one process."""
    alone = "x".join("1" * (grids[0].count("x") + 1))
    return (*((grid, extents) for grid in grids), *((alone, size) for size in sizes))


CUBES = ("3x1x1", "1x3x1", "1x1x3", "3x2x1", "1x3x2", "2x1x3", "2x2x1")
JACOBI = App("jacobi2d", 2, both("100x71"), {16: (1000, 1100), 64: (2020, 2230), 256: (4090, 4090)})
ALL = [
    JACOBI,
    App("cg", 2, both("100x71"), {16: (1000, 1100), 64: (2000, 2200), 256: (4000, 4400)}),
    App("heat3d", 3, both("24x24x24", ("12x12x12", "24x24x24", "36x36x36", "48x48x48"), CUBES),
        {16: (96, 96, 96), 64: (192, 192, 192)}, "{extent} {grid} {iterations}"),
    App("pencils", 2, both("16x20x25", ("16x20x25", "32x20x25", "32x40x25", "40x40x50")),
        {16: (96, 80, 64), 64: (128, 96, 80)}),
    App("wavefront", 2, (*both("24x36x10", ("24x36x10", "48x36x20", "48x96x30", "96x96x20")), ("2x2", "24x36x15")),
        {16: (480, 640, 20), 64: (960, 1280, 20), 256: (1920, 2560, 20)}),
    App("four corners", 2, (*both("24x36x40", ("24x36x40", "48x36x80", "48x96x120", "96x96x80")), ("2x2", "24x36x60")),
        {16: (480, 640, 80), 64: (960, 1280, 80)}, "{extents} {grid} {iterations} 4", "wavefront.c"),
    App("handgrid", 2, both("50x50", ()), {16: (64, 64), 64: (64, 64)}, "{grid} {iterations}", "handgrid.F90", 60,
        "column"),
    App("persistent", 2, both("60x60", (), ("3x1", "1x3", "2x2", "3x2", "2x3")), {16: (64, 64), 64: (64, 64)},
        "{grid} {iterations}", iterations=60),
]


class Outcome(NamedTuple):
    """What became of a program on all grids of a number of processes."""
    name: str
    processors: int
    machine: str
    agreement: tuple


class Recorded:
    """`run` runs gridcast with words."""

    def __init__(self, run, scratch, kept):
        self.run, self.scratch, self.kept = run, scratch, kept
        self.explained = {}  # per program: messages of the recorded runs; infer explains all or refuses

    def compile(self, compiler, app, program, *options):
        include = [] if app.is_fortran() else ["-include", HERE / "known_time.h"]
        subprocess.run([compiler, "-g", "-O1", *include, *options, app.path(), "-o", program, "-lm"], check=True,
                       capture_output=True)
        return program

    def words(self, app, extents, grid, iterations):
        return app.words.format(extents=" ".join(map(str, extents)), extent=extents[0], grid=" ".join(map(str, grid)),
                                iterations=iterations).split()

    def describe(self, app):
        """The inferred description, with messages as long as the simulator's."""
        program = self.compile("mpifort" if app.is_fortran() else "mpicc", app, self.scratch / app.name)
        folders = []
        for number, (grid, extents) in enumerate(app.runs):
            shape, sizes = ([int(word) for word in text.split("x")] for text in (grid, extents))
            folders.append(self.scratch / f"{app.name}_{number}")
            self.run("record", "-q", "-o", folders[-1], "--grid", grid, "--extents", extents, "--", "mpirun",
                     "--allow-run-as-root", "--oversubscribe", "-n", math.prod(shape), program, *self.words(app, sizes, shape, RECORDED))
        text = self.scratch / f"{app.name}.toml"
        self.run("infer", "-q", *folders, "-o", text)
        description = text.read_text(encoding="utf-8")
        self.explained[app.name] = re.search(r"All (\d+) messages", description)[1]
        text.write_text(with_headers(description), encoding="utf-8")
        return text

    def simulate(self, app, processors, machine, grid, iterations):
        """Seconds of the whole run."""
        tiers = MACHINES[machine]
        words = self.words(app, app.sizes[processors], grid, iterations)
        sources = [path.read_bytes() for path in (app.path(), *sorted(HERE.glob("*.[ch]")))]
        question = [*sources, repr((SMPI, ALGORITHMS, platform(tiers, processors), words)).encode()]
        return float(self.kept.answer(question, lambda: self.simulate_now(app, processors, tiers, grid, words)))

    def simulate_now(self, app, processors, tiers, grid, words):
        program = self.scratch / f"simulated_{app.name}"
        together = self.scratch / "together.o"
        if not together.exists():
            subprocess.run(["smpicc", "-O1", "-c", HERE / "together.c", "-o", together], check=True, capture_output=True)
        if app.is_fortran():  # the simulator passes no arguments to Fortran programs
            names = [f"-D{name}={value}" for name, value in zip(("P1", "P2", "ITERATIONS"), words)]
            self.compile("smpif90", app, program, *names, together)
        elif not program.exists():
            self.compile("smpicc", app, program, "-DSIMULATED", "-include", HERE / "neighbours.h", together)
        for name, text in (("platform.xml", platform(tiers, processors)),
                           ("hosts", "".join(f"n{i}\n" for i in range(processors)))):
            (self.scratch / name).write_text(text, encoding="utf-8")
        done = subprocess.run(
            ["smpirun", "-np", str(processors), "-platform", "platform.xml", "-hostfile", "hosts",
             *(f"--cfg={setting}" for setting in (*SMPI, *ALGORITHMS, *eager_below(EAGER["4 KB"]), "smpi/display-timing:1")),
             "--log=root.thres:error", "--log=smpi_utils.thres:info", program, *words],
            capture_output=True, text=True, check=True, cwd=self.scratch)
        return re.search(r"Simulated time: ([\d.e-]+)", done.stdout + done.stderr)[1]

    def predict(self, app, description, machine, grid, processors, iterations):
        names = [f"--param={name}={extent}" for name, extent in zip(("nx", "ny", "nz"), app.sizes[processors])]
        answer = json.loads(self.run("predict", "-q", description, "--machine", machine, "--grid",
                                     "x".join(map(str, grid)), *names, f"--param=iterations={iterations}",
                                     "--placement", app.placement, "--reduction", "auto", "--json", "-"))
        return answer["execution_time"]

    def compare(self, app):
        description = self.describe(app)
        for processors, name in itertools.product(app.sizes, ("flat", "nodes of 8")):
            divisors = [d for d in range(1, processors + 1) if processors % d == 0]
            grids = [grid for grid in itertools.product(divisors, repeat=app.rank) if math.prod(grid) == processors]
            machine = self.scratch / "recorded.par"
            machine.write_text(machine_file(MACHINES[name], processors, EAGER["4 KB"]), encoding="utf-8")

            def loop(seconds):
                return seconds(app.iterations + APART) - seconds(APART)
            simulated = [loop(lambda n, grid=grid: self.simulate(app, processors, name, grid, n)) for grid in grids]
            predicted = [loop(lambda n, grid=grid: self.predict(app, description, machine, grid, processors, n))
                         for grid in grids]
            yield Outcome(app.name, processors, name, agreement(grids, simulated, predicted, TELLS))


def section(run, scratch, short, kept):
    """Lines of the page and what tests look at."""
    text = ["## Recorded programs against SimGrid", "",
            "Programs of `tests/apps` are recorded on at most 6 processes with Open MPI, described by "
            "`gridcast infer`, and predicted on all grids of 16, 64 and (three of them) 256 processes, on the machines flat and nodes "
            "of 8. The simulator runs the same programs. Computing takes a microsecond and 5 ns a point, which the recorded process waits and the "
            "simulator adds (`tools/recorded/known_time.h`); handgrid and persistent compute nothing. Figures are of 10 iterations, "
            f"of these two 60. Messages below 4 KB are eager. τ is over grids that differ by more than {100 * TELLS:.0f} %.", ""]
    if not there() or not shutil.which("mpicc"):
        return [*text[:4], "SimGrid or Open MPI was not there when this page was written.", ""], []
    found, explained = [], {}
    for app in [JACOBI._replace(sizes={16: JACOBI.sizes[16]})] if short else ALL:
        recorded = Recorded(run, scratch, kept)
        found += recorded.compare(app)
        messages = recorded.explained[app.name]
        explained[app.name] = f"all of {messages}" if messages != "0" else "collectives"
    table = grouped({outcome: outcome.agreement for outcome in found}, ["program", "messages explained"],
                    lambda outcome: (outcome.name, explained[outcome.name]))
    return [*text, *table,
            "Simulated processes go on together when they have made a communicator (`tools/recorded/together.c`), as "
            "predicted ones begin.", "",
            "LAMMPS of Debian (`lmp`, a Lennard-Jones melt with `processors`, [your-mpi-program.md](your-mpi-program.md)) is "
            "described by `gridcast infer` from 6 runs of 3 or 4 processes and 4 of one, 40 steps each. The ghosts of all "
            "8,424 messages of three other runs (2x2x2 of 20x16x28 cells, 3x2x1 of 27x22x18, 3x3x1 of 24x24x12; 40 steps) are "
            "within 0.06 %. On 2 real processes (2x1x1, the machine file of `gridcast-measure --quick` there, two cores that "
            "others used, too) a step of 24x12x12 cells takes 1.11 ms, predicted 1.09 ms, of 24x16x12 1.47 ms, predicted "
            "1.45 ms: the least of 400 steps in the best of four runs. In two of the four, all steps took at least 1.4 times "
            "as long.", "",
            "`infer` refuses HPCC of Debian (`hpcc`, N = 200) at an `MPI_Isend` after calls of `MPI_Test`: messages are posted "
            "while earlier ones are not complete.", ""], \
        [outcome._asdict() | outcome.agreement._asdict() for outcome in found]
