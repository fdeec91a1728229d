"""check_brute_force.py GRIDCAST SOURCE [--descriptions 1] [--machines flat,tiers,kinds] [--seed 1] [--jobs 2]: random
descriptions on small machines; every question and every line of the front in mode 4 against a look at all rows of mode 3,
which is told nothing but to predict all grids. Which grids --min-block leaves is worked out here from the descriptions.

The long run: check_brute_force.py build/release/gridcast . --descriptions 20 --machines all
"""
import argparse
import csv
import json
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check_questions
import h5py
from check_questions import Row, check_front, choose, nodes, questions, run

MOST = 48
PORTS = "{0}.CommType = ports; {0}.TStart = {1}; {0}.TByte = {2}; {0}.TSend = {3}; {0}.TRecv = {3};"
# Text, sizes of the nodes in the order in which processors are taken, prices.
MACHINES = {
    "flat": ("cluster = c; c = {48 x p}; p = 1; p.IsNode = yes;" + PORTS.format("c", 5, 0.001, 1),
             [1] * 48, {"p": 0.5}),
    "tiers": ("cluster = c; c = {6 x n}; n = {8 x p}; p = 1;" + PORTS.format("c", 20, 0.002, 3) +
              PORTS.format("n", 0.5, 0.0002, 0.1), [8] * 6, {"n": 2.0}),
    "three": ("cluster = c; c = {4 x n}; n = {2 x s}; s = {6 x p}; p = 1; n.IsNode = yes;" + PORTS.format("c", 8, 0.001, 2) +
              PORTS.format("n", 1, 0.0003, 0.3) + PORTS.format("s", 0.3, 0.0001, 0.1), [12] * 4, {"n": 3.0}),
    "kinds": ("cluster = c; c = {2 x n, 6 x m}; n = {12 x p}; m = {4 x p}; p = 1; n.IsNode = yes; m.IsNode = yes;" +
              PORTS.format("c", 15, 0.003, 1) + PORTS.format("n", 0.5, 0.0002, 0.1) + PORTS.format("m", 0.9, 0.0004, 0.2),
              [12] * 2 + [4] * 6, {"n": 2.5, "m": 0.5}),
    "channels": ("cluster = c; c = {6 x n}; n = {8 x p}; p = 1; c.CommType = myrinet (3); c.TStart = 9; c.TByte = 0.004;"
                 "n.CommType = myrinet (2); n.TStart = 1; n.TByte = 0.001;", [8] * 6, {"n": 1.5}),
    "bus": ("cluster = c; c = {48 x p}; p = 1; p.IsNode = yes; c.CommType = ethernet; c.TStart = 3; c.TByte = 0.002;",
            [1] * 48, {"p": 0.25}),
}
DURABILITIES = ["second", "process", "none"]


class Program:
    """A random description, and what --min-block has to know of it."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        between = self.random.randint
        self.rank = between(1, 3)
        sizes = {1: (40, 300), 2: (10, 70), 3: (7, 28)}[self.rank]
        self.extents = [between(*sizes) for _ in range(self.rank)]
        self.cut = [self.random.random() < 0.85 for _ in self.extents]
        if not any(self.cut):
            self.cut[0] = True
        self.dims = [dim for dim in range(self.rank) if self.cut[dim]]  # of the grid
        self.ceil = self.random.random() < 0.25
        inset = between(0, 2)
        self.shadows = {name: [between(0, 3) for _ in self.extents] for name in "AB"}
        # Where an array lies on A, and its widest edges that are sent.
        self.places = {"A": [(0, extent) for extent in self.extents],
                       "B": [(inset, extent - 2 * inset) for extent in self.extents]}
        self.sent = {name: [0] * self.rank for name in "AB"}
        self.text = self.write(inset)

    def write(self, inset):
        periodic = ", ".join(self.random.choice(["true", "false"]) for _ in self.extents)
        blocks = ", ".join('"block"' if cut else '"*"' for cut in self.cut)
        indices = "ijk"[:self.rank]
        lines = ['block_rule = "ceil"'] if self.ceil else []
        if self.random.random() < 0.25:
            lines.append('reduction = "linear"')
        lines += ["[[array]]", 'name = "A"', f"extents = {self.extents}", f"shadow = {self.shadows['A']}",
                  f"distribute = [{blocks}]", f"periodic = [{periodic}]",
                  "[[array]]", 'name = "B"', f"extents = {[extent for _, extent in self.places['B']]}",
                  f"shadow = {self.shadows['B']}", f"index = {list(indices)}",
                  f'align = "A[{", ".join(f"{i} + {inset}" for i in indices)}]"']
        lines += ["[[do]]", f"repeat = {self.random.randint(1, 4)}"]
        for _ in range(self.random.randint(2, 5)):
            lines += ["[[do.do]]", *self.statement(indices)]
        return "\n".join(lines) + "\n"

    def statement(self, indices):
        kind = self.random.choice(["loop", "loop", "exchange", "exchange", "across", "serial"])
        name = self.random.choice("AB")
        widths = self.shadows[name]
        if kind == "serial":
            return [f"compute = {self.random.randint(1, 300)}e-6"]
        if kind == "exchange" and any(widths):
            self.sent[name] = [max(pair) for pair in zip(self.sent[name], widths)]
            return [f'exchange = ["{name}"]', f"corners = {self.random.choice(['true', 'false'])}"]
        ranges = [f'"{i} = 0 : {extent - 1}"' for i, (_, extent) in zip(indices, self.places[name])]
        lines = [f"loop = [{', '.join(ranges)}]", f'on = "{name}[{", ".join(indices)}]"',
                 f"time = {self.random.randint(1, 900)}e-{self.random.randint(8, 9)}"]
        if kind == "across" and any(widths):
            dim = self.random.choice([dim for dim in range(self.rank) if widths[dim]])
            self.sent[name][dim] = max(self.sent[name][dim], 1)
            lines.append(f'across = [{{ array = "{name}", new = {[1 if at == dim else 0 for at in range(self.rank)]} }}]')
        elif self.random.random() < 0.5:
            lines.append('reduce = [{ operation = "max" }]')
        return lines

    def blocks(self, dim, count):
        """First and last element of A in each block along a dimension, those that are empty left out."""
        extent = self.extents[dim]
        if self.ceil:
            width = -(-extent // count)
            starts = [min(extent, at * width) for at in range(count + 1)]
        else:
            starts = [extent * at // count for at in range(count + 1)]
        return [(a, b - 1) for a, b in zip(starts, starts[1:]) if b > a]

    def admits(self, grid, least):
        """Whether no block is shorter than `least`: "edge", or a number per dimension of the grid."""
        for at, (dim, count) in enumerate(zip(self.dims, grid)):
            for name in "AB":
                wanted = self.sent[name][dim] if least == "edge" else least[at] if self.sent[name][dim] else 0
                low, extent = self.places[name][dim]
                for first, last in self.blocks(dim, count) if count > 1 else []:
                    length = min(last, low + extent - 1) - max(first, low) + 1
                    if 0 < length < wanted:
                        return False
        return True


def more_questions(program):
    """Options, which of all grids they leave beside what is too short, shortest blocks, cost, --within. A question about
    anything else that makes candidates (--threads) is a line here, with rows that tell it."""
    def time(row):
        return row.time

    rank = len(program.dims)
    for text in ("0", "edge", "2", "4", "5,3,2"[:2 * rank - 1]):
        least = "edge" if text == "edge" else [int(word) for word in text.split(",")]
        least = least * rank if len(least) == 1 else least
        yield ["--min-block", text], lambda row: True, least, time, None
        yield ["--min-block", text, "--processors", "6:40:2", "--within", "10%"], \
            lambda row: row.processors % 2 == 0 and 6 <= row.processors <= 40, least, time, 10 / 100


class Search:
    """The questions about one program on one machine."""

    def __init__(self, program, where, machine, folder):
        self.program, self.where, self.machine, self.folder = program, where, machine, folder
        self.asked = self.lines = 0

    def words(self, *options):
        store = self.folder / "s.h5"
        store.unlink(missing_ok=True)
        return ["sweep", self.folder / "p.toml", "-m", self.folder / "m.par", "--max-processors", MOST, "--store", store, "-q",
                *options]

    def rows(self, *options):
        run(*self.words("--mode", 3, "--min-block", 0, "--front", "none", *options))
        text = run("export", self.folder / "s.h5", "--csv", "-")
        return [Row(record, len(self.program.dims)) for record in csv.DictReader(text.splitlines())]

    def ask(self, options, left, cost, within):
        """What mode 4 answers; what it has to answer is chosen from the rows that are left."""
        durability = DURABILITIES[self.asked % 3]
        words = self.words("--mode", 4, "--durability", durability, *options)
        where = (self.where, self.machine, options, durability)
        self.asked += 1
        if not left:
            run(*words, expected=2)
            return
        status = json.loads(run(*words, "--json", "-"))
        expected = choose(left, cost, within)
        assert tuple(status["best"]["grid"]) == expected.grid, (where, status["best"], expected.grid)
        assert status["best"]["execution_time"] == expected.time, (where, status["best"], expected.time)
        assert status["best"]["nodes"] == nodes(self.machine, expected.processors)[0], where
        assert status["candidates"] == len(left), (where, status["candidates"], len(left))
        check_front(status["front"], left, self.machine, where)
        self.check_stored(status["front"], where)
        self.lines += len(status["front"])

    def check_stored(self, front, where):
        """What h5py reads in /front is what was said."""
        with h5py.File(self.folder / "s.h5") as file:
            group = file["front"]
            for name in ("within", "processors", "nodes", "execution_time", "at_least"):
                assert group[name][:].tolist() == [line[name] for line in front], (where, name)
            assert group["by"][:].tolist() == [["processors", "nodes"].index(line["by"]) for line in front], where
            assert group["proven"][:].tolist() == [int(line["proven"]) for line in front], where
            grids = zip(*(group[f"p{dim}"][:].tolist() for dim in range(1, 5)))
            assert list(grids) == [tuple(line["grid"] + [1] * (4 - len(line["grid"]))) for line in front], where

    def check(self):
        rows = self.rows()
        long_enough = [row for row in rows if self.program.admits(row.grid, "edge")]
        for options, condition, cost, within in questions(self.machine, None):
            self.ask(options, [row for row in long_enough if condition(row)], cost, within)
        for options, condition, least, cost, within in more_questions(self.program):
            self.ask(options, [row for row in rows if condition(row) and self.program.admits(row.grid, least)], cost, within)
        placed = [row for row in self.rows("--placement", "search") if self.program.admits(row.grid, "edge")]
        for options, condition in (([], lambda row: True),
                                   (["--whole-nodes"], lambda row: nodes(self.machine, row.processors)[1])):
            self.ask(["--placement", "search", *options], [row for row in placed if condition(row)], lambda row: row.time, None)
        self.ask(["--placement", "search", "--objective", "node-hours", "--within", "20%"], placed,
                 lambda row: row.time * nodes(self.machine, row.processors)[0], 20 / 100)


def check(seed, machine):
    program = Program(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "p.toml").write_text(program.text)
        (folder / "m.par").write_text(MACHINES[machine][0])
        search = Search(program, f"seed {seed}", machine, folder)
        try:
            search.check()
        except AssertionError as error:
            raise AssertionError(f"{error}\n{program.text}") from error
    return search.asked, search.lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gridcast")
    parser.add_argument("source")
    parser.add_argument("--descriptions", type=int, default=1)
    parser.add_argument("--machines", default="flat,tiers,kinds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    machines = list(MACHINES) if options.machines == "all" else options.machines.split(",")
    for machine in machines:
        _, check_questions.NODES[machine], check_questions.PRICES[machine] = MACHINES[machine]
    cases = [(options.seed + i, machine) for i in range(options.descriptions) for machine in machines]
    with ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(lambda case: check(*case), cases))
    print(f"{options.descriptions} descriptions on {len(machines)} machines: {sum(asked for asked, _ in done)} questions, "
          f"{sum(lines for _, lines in done)} lines of fronts")
    assert all(asked > 20 for asked, _ in done), done


if __name__ == "__main__":
    main()
