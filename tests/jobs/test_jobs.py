"""The scripts in jobs/ with the real gridcast: locally, and as jobs of the one-machine Slurm.

usage: GRIDCAST=PATH test_jobs.py [-v] [Local|Slurm]. Exits with 77 if Slurm cannot be tried here.
"""

import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
JOBS = ROOT / "jobs"
SANDBOX = ROOT / "tools" / "slurm-sandbox"
STEPWISE = Path(__file__).resolve().parent / "stepwise_gridcast"
GRIDCAST = os.environ.get("GRIDCAST", str(ROOT / "build" / "release" / "gridcast"))
TRACE = ROOT / "configs" / "examples" / "jacobi2d_10000x10.ptr.gz"
OTHER_TRACE = ROOT / "configs" / "examples" / "sor_1000x10.ptr.gz"
MACHINE = ROOT / "configs" / "cluster128x64.par"
SKIPPED = 77
SLURM_SECONDS = 600.0  # for all jobs together; fails before ctest kills the test and leaves the daemons

SETTINGS = ("TRACE", "MACHINE", "STORE", "MODE", "EXTRA", "RANKS", "LAUNCHER", "DESIGN", "LIST", "OUT", "STEP")


def environment(**settings):
    """Environment of a job script with these settings only."""
    kept = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    return kept | {"GRIDCAST": GRIDCAST} | {name: str(value) for name, value in settings.items()}


def run(*command, check=True, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def table(store):
    """What `gridcast export` prints for the store."""
    return run(GRIDCAST, "export", store, "--csv", "-").stdout


def rows(store):
    return len(table(store).splitlines()) - 1


def state(store):
    return re.search(r'"state":"(\w+)"', run(GRIDCAST, "status", store, "--json", "-").stdout).group(1)


def candidates(processors):
    """Grids p1 x p2 of at most so many processors: the sum of N // p1."""
    return sum(processors // p1 for p1 in range(1, processors + 1))


class Workload:
    """How large a sweep is here that takes a given time; measured once."""

    measured = None

    @classmethod
    def processors(cls, seconds):
        if cls.measured is None:
            cls.measured = cls.measure()
        processors, took, exponent = cls.measured
        wanted = int(processors * (seconds / took) ** (1.0 / exponent))
        return min(wanted, 8192)  # those of the machine

    @staticmethod
    def measure():
        """A size, its seconds on one rank, and the exponent with which time grows."""
        previous = None
        with tempfile.TemporaryDirectory() as folder:
            for processors in (256, 512, 1024, 2048, 4096):
                start = time.monotonic()
                run(GRIDCAST, "sweep", TRACE, "--machine", MACHINE, "--mode", 3, "--max-processors", processors,
                    "--store", Path(folder) / f"{processors}.h5")
                took = time.monotonic() - start
                if took > 3.0:
                    break
                previous = took
        exponent = math.log2(took / previous) if previous else 2.0
        return processors, took, min(max(exponent, 1.0), 3.0)


class JobsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.calls = self.folder / "calls"

    def stepwise(self, **settings):
        """Settings that put the stepwise executable in gridcast's place."""
        return {"GRIDCAST": STEPWISE, "CALLS": self.calls, "LAUNCHER": "none"} | settings

    def called(self):
        return self.calls.read_text().splitlines()


class Local(JobsTest):
    def local(self, check=True, **settings):
        return run(JOBS / "local.sh", check=check, env=environment(**settings), cwd=self.folder)

    def test_rounds_give_the_table_of_one_run(self):
        processors = Workload.processors(6.0)
        search = ("--mode", 3, "--max-processors", processors)
        once = self.folder / "once.h5"
        run(GRIDCAST, "sweep", TRACE, "--machine", MACHINE, *search, "--store", once)
        store = self.folder / "rounds.h5"
        done = self.local(TRACE=TRACE, MACHINE=MACHINE, STORE=store, MODE=3, RANKS=3, ROUND_SECONDS=2,
                          EXTRA=f"--max-processors {processors}")
        self.assertIn("stopped by --time-limit", done.stderr)
        self.assertEqual(rows(store), candidates(processors))
        self.assertEqual(table(store), table(once))

    def test_termination_stores_and_the_same_command_goes_on(self):
        processors = Workload.processors(8.0)
        store = self.folder / "s.h5"
        settings = environment(TRACE=TRACE, MACHINE=MACHINE, STORE=store, MODE=3, RANKS=2,
                               EXTRA=f"--max-processors {processors}")
        for number in (signal.SIGTERM, signal.SIGINT):
            with subprocess.Popen([JOBS / "local.sh"], env=settings, cwd=self.folder, stderr=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL) as process:
                time.sleep(2.0)
                process.send_signal(number)
                self.assertEqual(process.wait(30), 3)
            self.assertEqual(state(store), "stopped")
        stored = rows(store)
        self.assertGreater(stored, 0)
        self.assertLess(stored, candidates(processors))
        run(JOBS / "local.sh", env=settings, cwd=self.folder)
        self.assertEqual(state(store), "complete")
        self.assertEqual(rows(store), candidates(processors))

    def test_goes_on_after_rank_0_was_killed(self):
        processors = Workload.processors(8.0)
        store = self.folder / "s.h5"
        settings = environment(TRACE=TRACE, MACHINE=MACHINE, STORE=store, MODE=3, RANKS=3,
                               EXTRA=f"--max-processors {processors}")
        with subprocess.Popen([JOBS / "local.sh"], env=settings, cwd=self.folder, stderr=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, text=True) as process:
            time.sleep(3.0)
            writer = re.search(r'"pid":(\d+)', run(GRIDCAST, "status", store, "--json", "-").stdout).group(1)
            os.kill(int(writer), signal.SIGKILL)
            errors = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 0, errors)
        self.assertIn("exit code 137", errors)
        self.assertEqual(state(store), "complete")
        self.assertEqual(rows(store), candidates(processors))

    def test_starts_with_one_command_line_until_complete(self):
        self.local(**self.stepwise(ROWS=3, DESIGN="d.toml", STORE="d.h5", EXTRA="--quiet"))
        start = "dataset d.toml --quiet --store d.h5 --resume=auto"
        self.assertEqual(self.called(), [start] * 3)

    def test_goes_on_after_lost_ranks(self):
        self.local(**self.stepwise(ROWS=3, KILLED=1, DESIGN="d.toml", STORE="d.h5"))
        self.assertEqual(len(self.called()), 3)

    def test_gives_up_if_nothing_is_gained(self):
        done = self.local(check=False, **self.stepwise(ROWS=3, STEPS=0, DESIGN="d.toml", STORE="d.h5"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("stopped before the first new result", done.stderr)
        self.assertEqual(len(self.called()), 1)

    def test_missing_settings_and_bad_input(self):
        done = self.local(check=False, TRACE="t.ptr", STORE="s.h5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("MACHINE is not set", done.stderr)
        done = self.local(check=False, TRACE=self.folder / "none.ptr", MACHINE=MACHINE, STORE="s.h5", RANKS=2)
        self.assertEqual(done.returncode, 2)


class Slurm(JobsTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="slurm-")
        cls.addClassCleanup(folder.cleanup)
        cls.sandbox = folder.name
        cls.deadline = time.monotonic() + SLURM_SECONDS
        cls.addClassCleanup(run, SANDBOX, "stop", cls.sandbox, check=False)
        run(SANDBOX, "start", cls.sandbox, "--cpus", 4)

    def slurm(self, *command, **settings):
        return run(SANDBOX, "run", self.sandbox, "--", *command, cwd=self.folder, env=environment(**settings)).stdout

    def submit(self, script, *options, **settings):
        """Number of the new job; its output goes to NUMBER.log."""
        return self.slurm("sbatch", "--parsable", "--output=%j.log", *options, JOBS / script, **settings).strip()

    def job(self, number):
        """The fields that Slurm shows of a job."""
        text = self.slurm("scontrol", "--oneliner", "show", "job", number)
        return dict(word.split("=", 1) for word in text.splitlines()[0].split() if "=" in word)

    def wait_for(self, number, states, seconds):
        end = min(time.monotonic() + seconds, self.deadline)
        while True:
            job = self.job(number)
            if job["JobState"] in states:
                return job
            if time.monotonic() > end:
                logs = "".join(f"== {log.name}\n{log.read_text()}" for log in sorted(self.folder.glob("**/*.log")))
                self.fail(f"job {number} is {job['JobState']}, expected {states}\n{logs}")
            time.sleep(0.5)

    def wait_for_end(self, number, seconds):
        return self.wait_for(number, ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL"), seconds)

    def test_time_limit_requeue_resume_complete(self):
        # Slurm looks at time limits every 30 seconds: USR1 comes 20 to 50 seconds after the start.
        processors = Workload.processors(70.0)
        search = {"TRACE": TRACE, "MACHINE": MACHINE, "MODE": 3, "EXTRA": f"--max-processors {processors}"}
        whole = self.folder / "whole.h5"
        limited = self.folder / "limited.h5"
        whole_job = self.submit("sweep.sbatch", "--ntasks=2", "--time=20", STORE=whole, LAUNCHER="srun", **search)
        limited_job = self.submit("sweep.sbatch", "--ntasks=2", "--time=1", "--signal=B:USR1@10", STORE=limited,
                                  **search)

        job = self.wait_for_end(whole_job, 400)
        self.assertEqual((job["JobState"], job["Restarts"]), ("COMPLETED", "0"))
        self.assertEqual(state(whole), "complete")
        self.assertEqual(rows(whole), candidates(processors))

        job = self.wait_for_end(limited_job, 400)
        log = (self.folder / f"{limited_job}.log").read_text()
        self.assertEqual(job["JobState"], "COMPLETED", log)
        self.assertGreaterEqual(int(job["Restarts"]), 1, log)
        self.assertEqual(log.count("SIGUSR1: storing what there is"), int(job["Restarts"]), log)
        self.assertEqual(log.count("is to be queued again and will resume"), int(job["Restarts"]), log)
        self.assertEqual(state(limited), "complete")
        self.assertEqual(table(limited), table(whole))

    def test_array_and_merge(self):
        processors = Workload.processors(5.0)
        (self.folder / "list.txt").write_text(
            "# trace machine options\n\n"
            f"{TRACE} {MACHINE} --max-processors {processors} --time-limit 2\n"
            f"{OTHER_TRACE} {MACHINE} --max-processors 16\n")
        out = self.folder / "out"
        settings = {"LIST": "list.txt", "OUT": out, "MODE": 3}
        text = run(SANDBOX, "run", self.sandbox, "--", "bash", JOBS / "array.sbatch", "--ntasks=2",
                   cwd=self.folder, env=environment(**settings)).stdout
        merge_job = re.search(r"Submitted batch job (\d+)", text).group(1)
        array = re.search(r"job array (\d+) with 2 tasks", text).group(1)
        job = self.wait_for_end(merge_job, 200)
        log = "".join(path.read_text() for path in sorted(out.glob("*.log")))
        self.assertEqual(job["JobState"], "COMPLETED", log)
        self.assertGreaterEqual(int(self.job(f"{array}_1")["Restarts"]), 1, log)
        self.assertEqual(self.job(f"{array}_2")["Restarts"], "0", log)

        self.assertEqual(rows(out / "0001_jacobi2d_10000x10_cluster128x64.h5"), candidates(processors))
        self.assertEqual(rows(out / "0002_sor_1000x10_cluster128x64.h5"), candidates(16))
        self.assertEqual(rows(out / "all.h5"), candidates(processors) + candidates(16))
        self.assertEqual([path.name for path in out.glob("all.*")], ["all.h5"])

        (self.folder / "list.txt").write_text(f"{OTHER_TRACE} {MACHINE}\n")
        done = run(SANDBOX, "run", self.sandbox, "--", "bash", JOBS / "array.sbatch", cwd=self.folder,
                   env=environment(**settings), check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("stores of another list", done.stderr)

    def test_dataset_is_requeued_until_complete(self):
        number = self.submit("dataset.sbatch", **self.stepwise(ROWS=3, DESIGN="d.toml", STORE="d.h5"))
        job = self.wait_for_end(number, 60)
        self.assertEqual((job["JobState"], job["Restarts"]), ("COMPLETED", "2"))
        start = "dataset d.toml --store d.h5 --resume=auto"
        self.assertEqual(self.called(), [start] * 3)

    def test_cancelled_job_stays_cancelled_and_its_store_can_be_resumed(self):
        processors = Workload.processors(12.0)
        store = self.folder / "s.h5"
        settings = {"TRACE": TRACE, "MACHINE": MACHINE, "STORE": store, "MODE": 3,
                    "EXTRA": f"--max-processors {processors}"}
        number = self.submit("sweep.sbatch", "--ntasks=2", **settings)
        self.wait_for(number, ("RUNNING",), 30)
        time.sleep(4.0)
        self.slurm("scancel", number)
        self.assertEqual(self.wait_for_end(number, 30)["JobState"], "CANCELLED")
        time.sleep(7.0)  # KillWait and the delay of a requeued job
        self.assertEqual(self.job(number)["JobState"], "CANCELLED")
        self.assertIn(state(store), ("stopped", "killed"))
        number = self.submit("sweep.sbatch", "--ntasks=2", **settings)
        self.assertEqual(self.wait_for_end(number, 90)["JobState"], "COMPLETED")
        self.assertEqual(rows(store), candidates(processors))

    def test_missing_settings_fail_at_once(self):
        number = self.submit("sweep.sbatch", TRACE=TRACE, STORE="s.h5")
        job = self.wait_for_end(number, 30)
        self.assertEqual((job["JobState"], job["ExitCode"]), ("FAILED", "2:0"))
        self.assertIn("MACHINE is not set", (self.folder / f"{number}.log").read_text())


class SlurmSandbox(unittest.TestCase):
    def test_starts_runs_and_leaves_no_process(self):
        with tempfile.TemporaryDirectory(prefix="slurm-") as folder:
            try:
                run(SANDBOX, "start", folder)
                self.assertEqual(run(SANDBOX, "start", folder, check=False).returncode, 1)
                self.assertEqual(run(SANDBOX, "run", folder, "--", "srun", "echo", "seen").stdout, "seen\n")
                run(SANDBOX, "run", folder, "--", "sbatch", "--output=/dev/null", "--wrap", "sleep 600")
                self.assertEqual(run(SANDBOX, "status", folder).returncode, 0)
            finally:
                run(SANDBOX, "stop", folder)
            left = []
            for process in Path("/proc").glob("[0-9]*"):
                try:
                    if folder.encode() in (process / "cmdline").read_bytes() + (process / "environ").read_bytes():
                        left.append(process)
                except OSError:
                    pass  # it ended meanwhile
            self.assertEqual(left, [])
            self.assertEqual(run(SANDBOX, "status", folder, check=False).returncode, 1)
            self.assertIn("start it first", run(SANDBOX, "run", folder, "--", "true", check=False).stderr)




def main():
    if "Slurm" in sys.argv:
        if os.geteuid() != 0:
            print("skipped: the one-machine Slurm needs root")
            return SKIPPED
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(name, path=path)]
        if missing:
            print(f"skipped: no {', '.join(missing)}; tools/setup --tests installs them")
            return SKIPPED
        sys.argv.append("SlurmSandbox")
    # So that a test that is told to end still stops its Slurm.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    unittest.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
