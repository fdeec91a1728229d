"""Ranks of gridcast on this machine, on the nodes of tools/nodes.py and in the Slurm of tools/slurm-sandbox, and what
can happen to them there. For tools/kill-sweep and tests/jobs."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

from nodes import Nodes

ROOT = pathlib.Path(__file__).resolve().parent.parent
HANG_SECONDS = 180.0
END_SECONDS = 60.0
LINK_DOWN = {"link down 2 s": 2.0, "link down 20 s": 20.0}


class Hang(Exception):
    """A run neither ended nor went on after an accident."""


def words_of(pid, what):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/{what}").read_bytes().split(b"\0")
    return []


def alive(pid):
    """Whether there is such a process; one that has ended and that nobody has waited for does not count."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][:1] not in "ZX"
    except OSError:
        return False


def ranks_of(store):
    """Rank and process of each that works on the store."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        words = words_of(folder.name, "cmdline")
        if os.path.basename(words[0] if words else b"") != b"gridcast" or os.fsencode(store) not in words:
            continue
        environment = dict(word.partition(b"=")[::2] for word in words_of(folder.name, "environ"))
        rank = environment.get(b"OMPI_COMM_WORLD_RANK") or environment.get(b"PMIX_RANK")
        if rank is not None and alive(int(folder.name)):
            found[int(rank)] = int(folder.name)
    return found


def kill(pid):
    with contextlib.suppress(ProcessLookupError):  # it was just ending
        os.kill(pid, signal.SIGKILL)


def wait_until(condition, what, seen=lambda: ""):
    end = time.monotonic() + HANG_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise Hang(f"{what} for {HANG_SECONDS:g} s\n{seen()}")
        time.sleep(0.02)


def descendants(pid):
    """Processes that this one started, and theirs."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(OSError):
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *descendants(child)]
    return found


def picture(pids):
    """What processes are and wait for, one line each: for the report of a hang."""
    lines = []
    for pid in pids:
        with contextlib.suppress(OSError):
            threads = sorted(pathlib.Path(f"/proc/{pid}/task").glob("*"))
            waits = ", ".join((thread / "stat").read_text().rpartition(") ")[2][:1] + " " +
                              ((thread / "wchan").read_text().strip("0") or "-") for thread in threads)
            words = b" ".join(words_of(pid, "cmdline")).decode(errors="replace")
            lines.append(f"  {pid} [{waits}] {words[:160]}")
    return "\n".join(lines)


class Here:
    """mpirun on this machine."""

    targets = ("rank 0", "worker", "mpirun")
    on_nodes = False

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.run = self.store = None
        self.struck = []  # ranks at the time of the accident
        self.ranks_seen = self.next_look = 0.0

    def close(self):
        if self.run and self.run.poll() is None:
            self.run.kill()
        for pid in ranks_of(self.store or "").values():
            kill(pid)

    def mpirun(self, ranks):
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        return ["mpirun", "--oversubscribe", *root, "-n", str(ranks)]

    def start(self, kind):
        self.store = kind.store
        self.ranks_seen = self.next_look = time.monotonic()
        with open(kind.log, "w", encoding="utf-8") as out:
            self.run = subprocess.Popen([*self.mpirun(kind.ranks), *map(str, kind.command(kind.store))],
                                        stdout=out, stderr=out)

    def code(self):
        """Its exit code if it has ended."""
        return self.run.poll()

    def strike(self, target, generator):
        ranks = ranks_of(self.store)
        self.struck = list(ranks.values())
        if target == "rank 0" and 0 in ranks:
            kill(ranks[0])
        elif target == "worker" and len(ranks) > 1:
            kill(ranks[generator.choice([rank for rank in ranks if rank > 0])])
        elif self.run:
            kill(self.run.pid)

    def settle(self):
        """The run ends; ranks whose launcher is gone end by themselves."""
        wait_until(self.launcher_ended, "the launcher runs on", self.picture)
        wait_until(lambda: not any(alive(pid) for pid in self.struck), "ranks run on", self.picture)

    def launcher_ended(self):
        """Whether it has. One that outlives all of its ranks is ended, as jobs/common.sh does: the mpirun of Open MPI 4.1
        may hang if a rank is lost while it connects."""
        if self.run.poll() is not None:
            return True
        now = time.monotonic()
        if now >= self.next_look:
            self.next_look = now + 1.0
            if ranks_of(self.store):
                self.ranks_seen = now
            elif now > self.ranks_seen + END_SECONDS:
                print(f"the launcher outlived its ranks for {END_SECONDS:g} s and is ended", flush=True)
                self.run.kill()
        return False

    def picture(self):
        """The launcher and the ranks that are there."""
        started = [self.run.pid, *descendants(self.run.pid)] if self.run else []
        return picture(dict.fromkeys([*started, *ranks_of(self.store).values(), *self.struck]))


class OnNodes(Here):
    """mpirun on the first of several nodes."""

    targets = ("rank 0", "worker", "node", *LINK_DOWN)
    on_nodes = True

    def __init__(self, folder, count):
        super().__init__(folder)
        self.nodes = Nodes(self.folder / "net", count, self.folder)
        self.nodes.start()
        os.environ.pop("TMPDIR", None)

    def close(self):
        super().close()
        self.nodes.stop()

    def mpirun(self, ranks):
        # As many on each node, dealt out in turn: rank 0 on the first.
        return self.nodes.command(self.nodes.names[0], *self.nodes.mpirun(ranks, "--map-by", "node", "-n", str(ranks)))

    def strike(self, target, generator):
        name = generator.choice(self.nodes.names)
        if target in LINK_DOWN:
            self.cut(name, LINK_DOWN[target])
        elif target == "node":
            self.struck = list(ranks_of(self.store).values())
            self.nodes.kill(name)
        else:
            super().strike(target, generator)

    def cut(self, name, seconds):
        self.struck = []
        self.nodes.link(name, "down")
        time.sleep(seconds)
        self.nodes.link(name, "up")


class InSlurm(OnNodes):
    """Jobs of jobs/sweep.sbatch and jobs/dataset.sbatch, with srun, that are requeued until they are complete."""

    def __init__(self, folder, count, cpus=4):  # pylint: disable=super-init-not-called
        Here.__init__(self, folder)
        self.sandbox = str(ROOT / "tools" / "slurm-sandbox")
        # A step daemon that cannot report the end of a job's script to a busy controller reports it again after 15 s:
        # if the job has been started again by then, it counts as complete. (Slurm itself waits for 120 s.)
        subprocess.run([self.sandbox, "start", self.folder, "--nodes", str(count), "--cpus", str(cpus),
                        "--requeue-delay", "20"], check=True)
        self.nodes = Nodes(self.folder / "net", count, self.folder)
        self.job = None
        self.seen = 0

    def close(self):
        subprocess.run([self.sandbox, "stop", self.folder], check=False)

    def slurm(self, *command, **settings):
        kept = {name: value for name, value in os.environ.items() if name not in ("MODE", "EXTRA", "RANKS", "LAUNCHER")}
        try:
            return subprocess.run([self.sandbox, "run", str(self.folder), "--", *map(str, command)], check=True,
                                  cwd=self.folder, capture_output=True, text=True,
                                  env=kept | {name: str(value) for name, value in settings.items()}).stdout
        except subprocess.CalledProcessError as error:
            error.add_note(error.stderr)
            raise

    def start(self, kind):
        self.store = kind.store
        if self.job and self.code() is None:
            return  # requeued
        script, settings = kind.settings()
        self.job = self.slurm("sbatch", "--parsable", f"--nodes={len(self.nodes.names)}", f"--ntasks={kind.ranks}",
                              f"--output={kind.log}", ROOT / "jobs" / script, **settings).strip()
        self.seen = 0

    def fields(self):
        """What the controller says of the job; one that is too busy to answer is asked again."""
        said = []

        def answered():
            with contextlib.suppress(subprocess.CalledProcessError):
                said.append(self.slurm("scontrol", "--oneliner", "show", "job", self.job))
            return said

        wait_until(answered, "the controller does not answer")
        return dict(word.split("=", 1) for word in said[0].split() if "=" in word)

    def code(self):
        fields = self.fields()
        state = fields["JobState"]
        return {"COMPLETED": 0, "FAILED": 1, "CANCELLED": 1, "TIMEOUT": 1, "NODE_FAIL": 1}.get(state)

    def strike(self, target, generator):
        self.seen = int(self.fields()["Restarts"])
        if target != "node":
            super().strike(target, generator)
            return
        # Power is not lost, but ranks and the daemon of their step are: slurmd says that the node is there.
        name = generator.choice(self.nodes.names[1:])
        self.struck = list(ranks_of(self.store).values())
        for pid in self.nodes.processes(name):
            if (words_of(pid, "cmdline") or [b""])[0].rpartition(b"/")[2] != b"slurmd":
                kill(pid)

    def settle(self):
        """The job ends or is requeued."""
        wait_until(lambda: self.code() is not None or int(self.fields()["Restarts"]) > self.seen, "the job runs on",
                   self.picture)
        wait_until(lambda: not any(alive(pid) for pid in self.struck), "ranks run on", self.picture)
