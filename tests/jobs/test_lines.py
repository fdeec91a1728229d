"""The lines of jobs that gridcast prints, run as they are printed: by srun on three nodes of the one-machine Slurm, and
by Open MPI's mpirun inside its jobs. Each rank lands on the node that the rank file says, with the coordinates that
the answer's order of ranks says.

usage: GRIDCAST=PATH CART_PROGRAM=PATH test_lines.py [-v]. Exits with 77 if nodes or Slurm cannot be had here, and with 1 if
GRIDCAST_NEEDS_NODES is set.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from accidents import InSlurm  # noqa: E402
from nodes import obstacle  # noqa: E402
from test_jobs import GRIDCAST, SKIPPED, missing_daemons, run  # noqa: E402

PROGRAM = os.environ["CART_PROGRAM"]
NODES, CORES = 3, 8
CRASHED = 128 + signal.SIGSEGV
HUNG = (-signal.SIGKILL, 128 + signal.SIGKILL)
LINE_SECONDS = 60  # only what hangs takes so long
# Program, machine, how the machine is made one of three nodes of at most eight cores, what is asked for.
EXAMPLES = (
    ("README", "README", {"6 x node": "3 x node", "32 x core": "8 x core"}, "--whole-nodes --fix p1=2"),
    ("heat3d", "cluster128x64", {"128 x node": "3 x node", "64 x core": "8 x core"}, "--processors 20"),
    ("jacobi3d", "cluster3level", {"256 x node": "3 x node", "4 x domain": "2 x domain", "16 x core": "4 x core"},
     "--processors 24 --fix p1=2,p2=4 --placement blocked:2x4x1"),
    ("adi", "heterogeneous", {"8 x new_node": "1 x new_node", "16 x old_node": "2 x old_node", "16 x fast": "8 x fast",
                              "8 x slow": "4 x slow"}, "--processors 16 --fix p1=4"),
    ("jacobi2d", "mvs", {"512 x mvsP2": "3 x mvsP2"}, "--processors 6 --fix p1=3 --placement column"),
)


def readme():
    """Description and machine of README's example."""
    blocks = re.findall(r"<<'END'\n(.*?)^END$", (ROOT / "README.md").read_text(), re.M | re.S)
    return blocks[:2]


def coordinates(rank, dims):
    """Of a rank: numbered along the rows of the grid."""
    found = []
    for extent in reversed(dims):
        rank, at = divmod(rank, extent)
        found.insert(0, at)
    return found


class Lines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lines-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.slurm = InSlurm(cls.folder, NODES, cpus=CORES)
        cls.addClassCleanup(cls.slurm.close)

    def inputs(self, program, machine, changes):
        if program == "README":
            description, text = readme()
            (self.folder / "readme.toml").write_text(description)
            program = self.folder / "readme.toml"
        else:
            text = (ROOT / "configs" / f"{machine}.par").read_text()
            program = ROOT / "configs" / "programs" / f"{program}.toml"
        for old, new in changes.items():
            self.assertEqual(text.count("{" + old) + text.count(", " + old), 1, old)
            text = text.replace(old, new)
        path = self.folder / f"{machine}.par"
        path.write_text(text)
        return program, path

    def output(self, line, *words):
        """What the line prints."""
        root = {"OMPI_ALLOW_RUN_AS_ROOT": 1, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": 1}
        for attempt in range(3):
            try:
                return self.slurm.slurm(*words, **root)
            except subprocess.CalledProcessError as error:
                # Open MPI 4.1.4 now and then crashes within MPI_Init when another node is faster. Slurm 22.05's srun
                # now and then does not notice that both parts of a heterogeneous job have ended.
                if error.returncode not in (CRASHED, *HUNG) or attempt == 2:
                    self.fail(f"{line}: exit code {error.returncode}\n{error.stdout}{error.stderr}")
                self.slurm.slurm("scancel", "--user=root")  # a killed srun leaves its job behind
        return None

    def landed(self, line, dims, allocated):
        """The node of each rank that the line starts, inside a job of all nodes or where users are."""
        line = line.replace("PROGRAM", f"{PROGRAM} {' '.join(map(str, dims))}")
        # Each job is alone, as the nodes of an answer are.
        words = ["salloc", "-N", NODES, "--exclusive", "--quiet"] if allocated else []
        out = self.output(line, *words, "timeout", "-s", "KILL", LINE_SECONDS, "sh", "-c", line)
        ranks = {}
        for each in re.finditer(r"^rank=(\d+) host=(\S+) at=(\S+)$", out, re.M):
            ranks[int(each[1])] = each[2]
            self.assertEqual([int(at) for at in each[3].split(",")], coordinates(int(each[1]), dims), line)
        self.assertEqual(sorted(ranks), list(range(len(ranks))), out)
        return [ranks[rank] for rank in range(len(ranks))]

    @staticmethod
    def can_run(line, ranks):
        """Whether mpirun can do here what the line says: the nodes of this Slurm have one size, and few cores."""
        return "slot=*:*" in ranks if "--rankfile" in line else "--map-by slot" not in line

    def check(self, program, machine, changes, asked):
        program, machine = self.inputs(program, machine, changes)
        store, ranks = self.folder / "s.h5", self.folder / "ranks"
        store.unlink(missing_ok=True)
        run(GRIDCAST, "sweep", program, "--machine", machine, "--store", store, "-q", *asked.split(), "--rankfile", ranks)
        said = [int(node) for node in re.findall(r"^rank \d+=\+n(\d+)", ranks.read_text(), re.M)]
        hosts = [self.slurm.nodes.names[node] for node in said]
        self.assertGreater(len(set(hosts)), 1)
        found = []
        for options in ([], ["--rankfile", ranks]):
            printed = " ".join(run(GRIDCAST, "status", store, *options).stdout.split())
            job = json.loads(run(GRIDCAST, "status", store, *options, "--json", "-").stdout)["job"]
            for launcher in ("srun", "mpirun"):
                line = job[launcher]
                if line is None:
                    continue  # no plain line makes this order
                if launcher == "mpirun" and not self.can_run(line, ranks.read_text()):
                    continue
                self.assertIn(line, printed)
                # The plain line of srun makes a job of its own.
                allocated = bool(options) or launcher == "mpirun"
                with self.subTest(line=line):
                    self.assertEqual(self.landed(line, job["dims"], allocated), hosts)
                found.append(line.split()[0])
        return found

    def test_ranks_land_where_the_rank_file_says(self):
        started = []
        for example in EXAMPLES:
            with self.subTest(example=example[:2]):
                started += self.check(*example)
        # Rank files for all, plain lines for those in the order of rows.
        self.assertEqual([started.count(word) for word in ("sh", "srun", "mpirun")], [5, 3, 6])


def main():
    daemons = missing_daemons()
    reason = obstacle() or (f"no {', '.join(daemons)}" if daemons else None)
    if reason:
        print(f"skipped: {reason}")
        return 1 if os.environ.get("GRIDCAST_NEEDS_NODES") else SKIPPED
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # which no test catches
    unittest.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
