"""The job scripts when ranks are lost, on this machine and on several nodes (tools/nodes.py), with the real gridcast.

usage: GRIDCAST=PATH START_PROGRAM=PATH test_lost.py [-v] [Starts|Nodes]. Exits with 77 if nodes cannot be made here, and
with 1 if GRIDCAST_NEEDS_NODES is set.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from accidents import InSlurm, ranks_of  # noqa: E402
from nodes import Nodes as NodesHere, obstacle  # noqa: E402
from test_jobs import (GRIDCAST, JOBS, MACHINE, SKIPPED, STEPWISE, TRACE, JobsTest, candidates, environment,  # noqa: E402
                       missing_daemons, run, table)

PROCESSORS = 300
SWEEP = {"TRACE": TRACE, "MACHINE": MACHINE, "MODE": 3, "EXTRA": f"--max-processors {PROCESSORS} --start-limit 5"}
DESIGN = """traces = ["{trace}"]
machines = ["{machine}"]
grids = ["1x1", "2x2", "4x4"]
design = {{kind = "latin-hypercube", runs = 20}}

[parameters]
node.TStart = {{log = [0.2, 2]}}
"""


class Starts(JobsTest):
    def test_a_rank_killed_at_the_start_costs_a_start(self):
        for rank, delay in ((1, 0.1), (2, 0.3), (0, 0.6)):
            with self.subTest(rank=rank, delay=delay):
                store = self.folder / f"{rank}.h5"
                with open(self.folder / "errors", "w+", encoding="utf-8") as errors:
                    with subprocess.Popen([JOBS / "local.sh"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=errors,
                                          env=environment(STORE=store, RANKS=3, **SWEEP)) as process:
                        while len(ranks_of(store)) < 3:
                            time.sleep(0.01)
                        time.sleep(delay)
                        with contextlib.suppress(KeyError, ProcessLookupError):  # it was faster
                            os.kill(ranks_of(store)[rank], signal.SIGKILL)
                    errors.seek(0)
                    self.assertEqual(process.returncode, 0, errors.read())
                self.assertEqual(len(table(store).splitlines()), candidates(PROCESSORS) + 1)
                self.assertFalse(Path(f"{store}.signs").exists())

    def test_lost_ranks_are_no_lack_of_time_but_for_three_times(self):
        done = run(JOBS / "local.sh", check=False, cwd=self.folder, env=environment(
            **self.stepwise(ROWS=3, STEPS=0, KILLED=1, DESIGN="d.toml", STORE="d.h5")))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(self.called()), 4)
        self.assertIn("ranks were lost in 4 starts before the first new result", done.stderr)
        self.assertNotIn("More time", done.stderr)

    def test_a_launcher_that_hangs_is_ended(self):
        launcher = self.folder / "mpirun"
        launcher.write_text("#!/bin/bash\nexec sleep 600\n")
        launcher.chmod(0o755)
        settings = self.stepwise(ROWS=3, DESIGN="d.toml", STORE="d.h5", LAUNCHER="mpirun", RANKS=2, START_SECONDS=1)
        done = run(JOBS / "local.sh", check=False, cwd=self.folder,
                   env=environment(**settings) | {"PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("no rank runs 1 seconds after the start"), 4)

    def test_a_launcher_that_outlives_rank_0_is_ended(self):
        launcher = self.folder / "mpirun"
        launcher.write_text("#!/bin/bash\nwhile [ ${1##*/} != rank.sh ]; do shift; done\n\"$@\" &\nsleep 1\n"
                            "trap '' TERM\nexec sleep 600\n")
        # The first start loses the script of rank 0, which then leaves no exit code; the second one goes through.
        program = self.folder / "gridcast"
        program.write_text(f"#!/bin/bash\nif [ $1 != status ] && [ ! -e {self.folder}/once ]; then\n"
                           f"  touch {self.folder}/once\n  kill -KILL $PPID\nfi\nexec {STEPWISE} \"$@\"\n")
        for file in (launcher, program):
            file.chmod(0o755)
        settings = self.stepwise(ROWS=2, DESIGN="d.toml", STORE="d.h5", LAUNCHER="mpirun", RANKS=2, END_SECONDS=1,
                                 GRIDCAST=program)
        done = run(JOBS / "local.sh", cwd=self.folder,
                   env=environment(**settings) | {"PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.assertEqual(done.stderr.count("rank 0 ended 1 seconds ago: the launcher hangs"), 2, done.stderr)
        self.assertEqual(done.stderr.count("exit code 137"), 1, done.stderr)
        self.assertEqual(len(self.called()), 2)


class Nodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="nodes-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        os.environ.pop("TMPDIR", None)
        cls.nodes = NodesHere(cls.folder, 3)
        cls.nodes.start()
        cls.addClassCleanup(cls.nodes.stop)

    def mpirun(self, ranks, *program, options=(), check=True):
        words = self.nodes.mpirun(ranks, "--map-by", "node", "-n", str(ranks), *options)
        return run(*self.nodes.command("node1", *words, *program), check=check)

    def check_shared(self, output):
        lines = [line for line in output.splitlines() if line.startswith("rank=")]
        got = [dict(word.split("=") for word in line.split()) for line in lines]
        self.assertEqual(sorted(each["rank"] for each in got), [str(rank) for rank in range(6)])
        self.assertEqual({each["wrong"] for each in got}, {"0"})
        memories = {(each["host"].strip("\0"), each["memory"]) for each in got}
        self.assertEqual(sorted(host for host, _ in memories), ["node1", "node2", "node3"])

    def test_inputs_are_shared_once_per_node(self):
        self.check_shared(self.mpirun(6, os.environ["START_PROGRAM"]).stdout)

    @unittest.skipIf(missing_daemons(), "no Slurm")
    def test_inputs_are_shared_once_per_node_under_srun(self):
        with tempfile.TemporaryDirectory(prefix="slurm-") as folder:
            slurm = InSlurm(folder, 3)
            try:
                self.check_shared(slurm.slurm("srun", "--nodes=3", "--ntasks=6", os.environ["START_PROGRAM"]))
            finally:
                slurm.close()

    def test_tables_are_those_of_one_process(self):
        design = self.folder / "d.toml"
        design.write_text(DESIGN.format(trace=TRACE, machine=ROOT / "configs" / "cluster3level.par"))
        for words in (["sweep", TRACE, "--machine", MACHINE, "--max-processors", "200", "--mode", "3"],
                      ["dataset", design]):
            one, six = (self.folder / f"{words[0]}{ranks}.h5" for ranks in (1, 6))
            run(GRIDCAST, *words, "--store", one)
            self.mpirun(6, GRIDCAST, *words, "--store", six)
            self.assertEqual(table(six), table(one))

    def test_recovery_is_refused_on_several_nodes(self):
        store = self.folder / "r.h5"
        done = self.mpirun(3, GRIDCAST, "sweep", TRACE, "--machine", MACHINE, "--store", store,
                           options=["--enable-recovery"], check=False)
        self.assertEqual(done.stderr.count("gridcast: mpirun --enable-recovery on several nodes"), 1, done.stderr)
        self.assertFalse(store.exists())

    def test_a_node_without_a_sign_of_life_ends_the_others(self):
        done = self.mpirun(3, os.environ["START_PROGRAM"], "stage=work", "how=stop", "victim=1", "peer=3", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("rank 1 gives no sign of life for 3 s (--peer-limit)", done.stderr)


def main():
    if "Nodes" in sys.argv:
        reason = obstacle()
        if reason:
            print(f"skipped: {reason}")
            return 1 if os.environ.get("GRIDCAST_NEEDS_NODES") else SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    unittest.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
