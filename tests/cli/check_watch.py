"""check_watch.py GRIDCAST SOURCE MPIEXEC: `gridcast watch` beside real sweeps of three ranks: what it shows against the events
of the sweep and the store that is left, on a pipe and on a terminal; how it ends when the sweep is complete, stopped, killed."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

gridcast, source, mpiexec = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}
HEAT = [source / "configs/programs/heat3d.toml", "--param", "n=96", "--machine", source / "configs/cluster128x64.par"]


class Sweep:
    """A sweep that stands still while nobody reads its events."""

    def __init__(self, folder, *words):
        self.store, pipe = Path(folder) / "S.h5", Path(folder) / "events"
        os.mkfifo(pipe)
        self.pipe = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(self.pipe, fcntl.F_SETPIPE_SZ, 4096)
        self.rest, self.events = b"", []
        self.process = subprocess.Popen([mpiexec, "-n", "3", gridcast, "-q", "sweep", *map(str, words), "--store", str(self.store),
                                         "--events", str(pipe)], env=ENVIRONMENT, stdout=subprocess.DEVNULL)
        while not self.events:
            self.step()

    def step(self, most=100):
        """Lets a few events pass; false if there will be none any more."""
        select.select([self.pipe], [], [], 0.02)
        try:
            got = os.read(self.pipe, most)
        except BlockingIOError:
            return True
        self.rest += got
        *lines, self.rest = self.rest.split(b"\n")
        self.events += map(json.loads, lines)
        return bool(got) or self.process.poll() is None

    def drain(self):
        while self.step(65536):
            pass
        os.close(self.pipe)
        return self.process.wait()

    def rank_zero(self):
        return json.loads(subprocess.check_output([gridcast, "status", self.store, "--json", "-"]))["writer"]["pid"]


class Watch:
    def __init__(self, store, terminal=None):
        self.process = subprocess.Popen([gridcast, "watch", str(store), "--every", "0.1"], stderr=subprocess.PIPE,
                                        stdout=subprocess.PIPE if terminal is None else terminal)
        self.out = self.process.stdout.fileno() if terminal is None else None
        self.text = ""

    def take(self):
        if select.select([self.out], [], [], 0)[0]:
            try:
                self.text += os.read(self.out, 65536).decode()
            except OSError:  # a terminal without writers
                pass

    def pass_until(self, sweep, pattern):
        """Lets the sweep go on until this is shown."""
        while not re.search(pattern, self.text):
            assert self.process.poll() is None and sweep.step(), self.text
            self.take()

    def end(self):
        code = self.process.wait()
        while select.select([self.out], [], [], 0)[0]:
            before = len(self.text)
            self.take()
            if len(self.text) == before:
                break
        return code


def seconds_of(text):
    number, unit = text.split()
    return float(number) * {"s": 1.0, "ms": 1e-3, "µs": 1e-6}[unit]


def state_of(store):
    return subprocess.check_output([gridcast, "status", store], text=True)


def check_complete(folder):
    sweep = Sweep(folder, *HEAT, "--max-processors", "64", "--mode", "3")
    watch = Watch(sweep.store)
    watch.pass_until(sweep, r"best \S+: ")
    assert sweep.drain() == 0
    assert watch.end() == 0, watch.text
    status = state_of(sweep.store)
    assert watch.text.endswith(status) and "complete" in status, watch.text
    rows = [json.loads(line) for line in subprocess.check_output([gridcast, "export", sweep.store, "--jsonl", "-"], text=True)
            .splitlines()]
    times = {"x".join(str(row[f"p{axis}"]) for axis in (1, 2, 3)): row["execution_time"] for row in rows}
    lines = watch.text[:-len(status)].splitlines()
    assert len(lines) == len(set(lines)) and lines, lines
    done = []
    for line in lines:
        shown = re.fullmatch(r"(\d+) of (\d+) grids \((\d+) %\)(?:, [\d.e+]+/s)?(?:, [\w ]+ left)?(?:, best (\S+): (.*))?", line)
        assert shown and int(shown[2]) == len(rows), line
        done.append(int(shown[1]))
        assert abs(int(shown[3]) - 100 * done[-1] / len(rows)) <= 0.5001, line
        if shown[4]:
            assert abs(seconds_of(shown[5]) / times[shown[4]] - 1) < 1e-3, line
            assert times[shown[4]] >= min(times.values()), line
    assert done == sorted(done) and done[-1] <= len(rows), done


def check_stopped(folder):
    """Mode 4: gap and open grids are those of an event, and the bound holds for all that comes later."""
    sweep = Sweep(folder, *HEAT, "--max-processors", "512", "--mode", "4")
    watch = Watch(sweep.store)
    watch.pass_until(sweep, r"gap .*\n")
    sweep.process.send_signal(signal.SIGTERM)
    sweep.drain()
    assert watch.end() == 3, watch.text
    status = json.loads(subprocess.check_output([gridcast, "status", sweep.store, "--json", "-"]))
    assert status["state"] == "stopped"
    proofs = {(f"{100 * event['gap']:.2f}", event["open"]) for event in sweep.events if event["event"] == "proof" and event["gap"]}
    shown = re.findall(r"^\d+ grids.*best (\S+): (.*?), gap ([\d.]+) %, (\d+) grids? open$", watch.text, re.MULTILINE)
    assert shown, watch.text
    for _, time, gap, left in shown:
        assert (gap, int(left)) in proofs, (gap, left, proofs)
        assert seconds_of(time) * (1 - float(gap) / 100) <= status["best"]["execution_time"] * 1.001
        assert seconds_of(time) >= status["best"]["execution_time"] * 0.999


def check_killed(folder):
    """On a terminal of 50 columns."""
    sweep = Sweep(folder, *HEAT, "--max-processors", "64", "--mode", "3")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 50, 0, 0))
    watch = Watch(sweep.store, theirs)
    os.close(theirs)
    watch.out = ours
    watch.pass_until(sweep, r"(?s)\[#*-+\] \d+ %.*\033\[4A.*best")
    os.kill(sweep.rank_zero(), signal.SIGKILL)
    sweep.drain()
    assert watch.end() == 1, watch.text
    told = watch.process.stderr.read().decode()
    assert re.fullmatch(r"gridcast: \S+S\.h5: its writer is gone: process \d+ on \S+ \(start it again with --resume\)\n", told), told
    drawn, end = watch.text.rsplit("\033[J", 1)
    assert "killed" in end, end
    for line in re.sub(r"\033\[\d*[A-Z]", "", drawn).replace("\r", "").split("\n"):
        assert len(line) <= 50, line
    bars = re.findall(r"\[(#*)(-*)\] (\d+) %", drawn)
    assert bars and all(len(full) == int(int(percent) / 100 * 44) or abs(len(full) / len(full + rest) - int(percent) / 100) < 0.04
                        for full, rest, percent in bars), bars


def check_others(folder):
    store = Path(folder) / "set.h5"
    subprocess.run([gridcast, "-q", "dataset", source / "configs/designs/screening.toml", "--store", store], check=True,
                   stdout=subprocess.DEVNULL)
    for path, code, text in ((store, 0, state_of(store)), (source / "README.md", 2, ""), (Path(folder) / "none.h5", 2, "")):
        done = subprocess.run([gridcast, "watch", path], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (code, text), done
        assert done.stderr.count("\n") == (0 if code == 0 else 1), done.stderr


for check in (check_complete, check_stopped, check_killed, check_others):
    with tempfile.TemporaryDirectory() as place:
        check(place)
    print(check.__name__, "ok")
