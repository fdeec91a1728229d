"""The scripts in jobs/ with the real gridcast: locally, and as jobs of the one-machine Slurm.

usage: GRIDCAST=PATH test_jobs.py [-v] [Local|Slurm]. Exits with 77 if Slurm cannot be tried here.
"""

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

from gate import Gate, go_on_when_sent, stop, wait_until_gone

ROOT = Path(__file__).resolve().parents[2]
JOBS = ROOT / "jobs"
SANDBOX = ROOT / "tools" / "slurm-sandbox"
STEPWISE = Path(__file__).resolve().parent / "stepwise_gridcast"
LIMITED_ONCE = Path(__file__).resolve().parent / "limited_once"
GRIDCAST = os.environ.get("GRIDCAST", str(ROOT / "build" / "release" / "gridcast"))
TRACE = ROOT / "configs" / "examples" / "jacobi2d_10000x10.ptr.gz"
OTHER_TRACE = ROOT / "configs" / "examples" / "sor_1000x10.ptr.gz"
MACHINE = ROOT / "configs" / "cluster128x64.par"
SKIPPED = 77
SLURM_SECONDS = 3000.0  # for all jobs together; fails before ctest kills the test and leaves the daemons

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


def writer_of(store):
    """Process that writes the store."""
    return int(re.search(r'"pid":(\d+)', run(GRIDCAST, "status", store, "--json", "-").stdout).group(1))


def has_rows(store):
    """Whether rows of a running sweep are stored, so that it can be resumed."""
    journal = Path(f"{store}.journal")
    return journal.exists() and journal.stat().st_size > 2000


class Workload:
    """A sweep with so many events that it can be held long before its end, and its table."""

    EVENTS = 100
    made = None

    @classmethod
    def get(cls):
        """Its --max-processors, and what `gridcast export` prints."""
        if cls.made is None:
            with tempfile.TemporaryDirectory() as folder:
                cls.made = cls.make(Path(folder))
        return cls.made

    @classmethod
    def make(cls, folder):
        for processors in (512, 724, 1024, 1448, 2048, 2896, 4096, 5792, 8192):  # those of the machine
            store, events = folder / f"{processors}.h5", folder / f"{processors}"
            run(JOBS / "local.sh", env=environment(
                TRACE=TRACE, MACHINE=MACHINE, STORE=store, MODE=3, RANKS=2,
                EXTRA=f"--max-processors {processors} --events {events}"))
            if events.read_text().count('"batch"') >= cls.EVENTS:
                break
        expected = table(store)
        assert len(expected.splitlines()) == candidates(processors) + 1
        return processors, expected


def missing_daemons():
    """Programs of Slurm that are not there."""
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    return [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(name, path=path)]


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

    def gate(self):
        """A new gate and the option with which a sweep uses it."""
        path = self.folder / f"events{len(list(self.folder.glob('events*')))}"
        gate = Gate(path)
        self.addCleanup(gate.close)
        return gate, f"--events {path}"


class Local(JobsTest):
    def local(self, check=True, **settings):
        return run(JOBS / "local.sh", check=check, env=environment(**settings), cwd=self.folder)

    def start(self, store, option, **settings):
        """local.sh with the workload; its messages go to the file `errors`."""
        processors, _ = Workload.get()
        settings = {"TRACE": TRACE, "MACHINE": MACHINE, "STORE": store, "MODE": 3} | settings
        with open(self.folder / "errors", "a", encoding="utf-8") as errors:
            return subprocess.Popen(
                [JOBS / "local.sh"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=errors,
                env=environment(EXTRA=f"--max-processors {processors} {option}", **settings))

    def errors(self):
        return (self.folder / "errors").read_text()

    def test_rounds_give_the_table_of_one_run(self):
        store, round_seconds = self.folder / "rounds.h5", 5
        gate, option = self.gate()
        with self.start(store, option, RANKS=3, ROUND_SECONDS=round_seconds, GRIDCAST=LIMITED_ONCE,
                        REAL_GRIDCAST=GRIDCAST) as process:
            gate.pass_until(lambda: has_rows(store), lambda: process.poll() is not None)
            time.sleep(round_seconds)  # since the first event: the limit is over then
            gate.open()
        self.assertEqual(process.returncode, 0, self.errors())
        self.assertIn("stopped by --time-limit", self.errors())
        self.assertEqual(table(store), Workload.get()[1])

    def test_termination_stores_and_the_same_command_goes_on(self):
        store = self.folder / "s.h5"
        for number in (signal.SIGTERM, signal.SIGINT):
            gate, option = self.gate()
            with self.start(store, option, RANKS=2) as process:
                gate.pass_until(lambda: has_rows(store), lambda: process.poll() is not None)
                writer = writer_of(store)
                stop(writer)
                process.send_signal(number)
                go_on_when_sent(writer, signal.SIGUSR1)
                gate.open()
            self.assertEqual(process.returncode, 3, self.errors())
            self.assertEqual(state(store), "stopped")
            self.assertGreater(rows(store), 0)
        with self.start(store, "", RANKS=2) as process:
            pass
        self.assertEqual(process.returncode, 0, self.errors())
        self.assertEqual(state(store), "complete")
        self.assertEqual(table(store), Workload.get()[1])

    def test_goes_on_after_rank_0_was_killed(self):
        store = self.folder / "s.h5"
        gate, option = self.gate()
        with self.start(store, option, RANKS=3) as process:
            gate.pass_until(lambda: has_rows(store), lambda: process.poll() is not None)
            os.kill(writer_of(store), signal.SIGKILL)
            gate.open()
        self.assertEqual(process.returncode, 0, self.errors())
        self.assertIn("exit code 137", self.errors())
        self.assertEqual(state(store), "complete")
        self.assertEqual(table(store), Workload.get()[1])

    def test_starts_with_one_command_line_until_complete(self):
        self.local(**self.stepwise(ROWS=3, DESIGN="d.toml", STORE="d.h5", EXTRA="--quiet"))
        start = "dataset d.toml --quiet --store d.h5 --resume=auto"
        self.assertEqual(self.called(), [start] * 3)

    def test_goes_on_after_lost_ranks(self):
        self.local(**self.stepwise(ROWS=3, KILLED=1, DESIGN="d.toml", STORE="d.h5"))
        self.assertEqual(len(self.called()), 3)

    def test_goes_on_after_a_launcher_that_says_done_too_early(self):
        self.local(**self.stepwise(ROWS=3, INCOMPLETE_CODE=0, DESIGN="d.toml", STORE="d.h5"))
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

    def overdue(self):
        return time.monotonic() > self.deadline

    def wait_for_end(self, number):
        while True:
            job = self.job(number)
            if job["JobState"] in ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL"):
                return job
            if self.overdue():
                logs = "".join(f"== {log.name}\n{log.read_text()}" for log in sorted(self.folder.glob("**/*.log")))
                self.fail(f"job {number} is {job['JobState']}\n{logs}")
            time.sleep(0.5)

    def hold(self, gate, store):
        """Until the sweep of a job has stored rows; the process that writes them."""
        gate.pass_until(lambda: has_rows(store), self.overdue)
        return writer_of(store)

    def test_time_limit_requeue_resume_complete(self):
        processors, expected = Workload.get()
        search = {"TRACE": TRACE, "MACHINE": MACHINE, "MODE": 3}
        size = f"--max-processors {processors}"
        whole = self.folder / "whole.h5"
        whole_job = self.submit("sweep.sbatch", "--ntasks=2", "--time=60", STORE=whole, LAUNCHER="srun", EXTRA=size,
                                **search)
        job = self.wait_for_end(whole_job)
        self.assertEqual((job["JobState"], job["Restarts"]), ("COMPLETED", "0"))
        self.assertEqual(state(whole), "complete")
        self.assertEqual(table(whole), expected)

        # Slurm looks at time limits every 30 seconds: USR1 comes 40 to 70 seconds after the start, and the end
        # of the job much later.
        limited = self.folder / "limited.h5"
        gate, option = self.gate()
        limited_job = self.submit("sweep.sbatch", "--ntasks=2", "--time=20", "--signal=B:USR1@1130", STORE=limited,
                                  EXTRA=f"{size} {option}", **search)
        writer = self.hold(gate, limited)
        stop(writer)
        go_on_when_sent(writer, signal.SIGUSR1)
        gate.open()
        job = self.wait_for_end(limited_job)
        log = (self.folder / f"{limited_job}.log").read_text()
        self.assertEqual(job["JobState"], "COMPLETED", log)
        self.assertGreaterEqual(int(job["Restarts"]), 1, log)
        self.assertEqual(log.count("SIGUSR1: storing what there is"), int(job["Restarts"]), log)
        self.assertEqual(log.count("is to be queued again and will resume"), int(job["Restarts"]), log)
        self.assertEqual(state(limited), "complete")
        self.assertEqual(table(limited), expected)

    def test_array_and_merge(self):
        processors, expected = Workload.get()
        gate, option = self.gate()
        limit = 10
        (self.folder / "list.txt").write_text(
            "# trace machine options\n\n"
            f"{TRACE} {MACHINE} --max-processors {processors} --time-limit {limit} {option}\n"
            f"{OTHER_TRACE} {MACHINE} --max-processors 16\n")
        out = self.folder / "out"
        settings = {"LIST": "list.txt", "OUT": out, "MODE": 3, "GRIDCAST": LIMITED_ONCE, "REAL_GRIDCAST": GRIDCAST}
        text = run(SANDBOX, "run", self.sandbox, "--", "bash", JOBS / "array.sbatch", "--ntasks=2",
                   cwd=self.folder, env=environment(**settings)).stdout
        merge_job = re.search(r"Submitted batch job (\d+)", text).group(1)
        array = re.search(r"job array (\d+) with 2 tasks", text).group(1)
        first, second = (out / f"000{i}_{name}_cluster128x64.h5"
                         for i, name in ((1, "jacobi2d_10000x10"), (2, "sor_1000x10")))
        self.hold(gate, first)
        time.sleep(limit)  # since the first event: the limit is over then
        gate.open()
        job = self.wait_for_end(merge_job)
        log = "".join(path.read_text() for path in sorted(out.glob("*.log")))
        self.assertEqual(job["JobState"], "COMPLETED", log)
        self.assertGreaterEqual(int(self.job(f"{array}_1")["Restarts"]), 1, log)
        self.assertEqual(self.job(f"{array}_2")["Restarts"], "0", log)

        self.assertEqual(table(first), expected)
        self.assertEqual(rows(second), candidates(16))
        self.assertEqual(rows(out / "all.h5"), candidates(processors) + candidates(16))
        self.assertEqual([path.name for path in out.glob("all.*")], ["all.h5"])

        (self.folder / "list.txt").write_text(f"{OTHER_TRACE} {MACHINE}\n")
        done = run(SANDBOX, "run", self.sandbox, "--", "bash", JOBS / "array.sbatch", cwd=self.folder,
                   env=environment(**settings), check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("stores of another list", done.stderr)

    def test_dataset_is_requeued_until_complete(self):
        number = self.submit("dataset.sbatch", **self.stepwise(ROWS=3, DESIGN="d.toml", STORE="d.h5"))
        job = self.wait_for_end(number)
        self.assertEqual((job["JobState"], job["Restarts"]), ("COMPLETED", "2"))
        start = "dataset d.toml --store d.h5 --resume=auto"
        self.assertEqual(self.called(), [start] * 3)

    def test_cancelled_job_stays_cancelled_and_its_store_can_be_resumed(self):
        processors, expected = Workload.get()
        store = self.folder / "s.h5"
        gate, option = self.gate()
        settings = {"TRACE": TRACE, "MACHINE": MACHINE, "STORE": store, "MODE": 3}
        size = f"--max-processors {processors}"
        number = self.submit("sweep.sbatch", "--ntasks=2", EXTRA=f"{size} {option}", **settings)
        writer = self.hold(gate, store)
        self.slurm("scancel", number)
        gate.open()
        wait_until_gone(writer)
        while self.slurm("squeue", "--noheader", f"--jobs={number}").strip():
            time.sleep(0.5)
        time.sleep(7.0)  # longer than the delay of a requeued job
        self.assertEqual(self.job(number)["JobState"], "CANCELLED")
        self.assertIn(state(store), ("stopped", "killed"))
        number = self.submit("sweep.sbatch", "--ntasks=2", EXTRA=size, **settings)
        self.assertEqual(self.wait_for_end(number)["JobState"], "COMPLETED")
        self.assertEqual(table(store), expected)

    def test_missing_settings_fail_at_once(self):
        number = self.submit("sweep.sbatch", TRACE=TRACE, STORE="s.h5")
        job = self.wait_for_end(number)
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
        missing = missing_daemons()
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
