"""Holds a sweep where a test wants it, however fast or slow the machine is."""

import fcntl
import os
import select
import signal
import threading
import time
from pathlib import Path

PIPE_BYTES = 4096


class Gate:
    """A pipe in the place of a sweep's file of events. Rank 0 waits while it is full: some 30 events."""

    def __init__(self, path):
        os.mkfifo(path)
        # Opened before there is a writer, which would wait for a reader otherwise.
        self.pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(self.pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self.reader = None
        self.closing = threading.Event()

    def read(self, most):
        """Waits a little for bytes; none if there are none or nobody writes."""
        select.select([self.pipe], [], [], 0.05)
        try:
            data = os.read(self.pipe, most)
        except BlockingIOError:
            return b""
        if not data:
            time.sleep(0.01)  # nobody writes: select does not wait then
        return data

    def pass_until(self, condition, ended):
        """Lets events pass one by one, slowly, until the condition holds after one. Fails if the sweep ended before."""
        while True:
            line = b""
            while not line.endswith(b"\n"):
                gone = ended()
                byte = self.read(1)
                if not byte and gone:
                    raise AssertionError("the sweep ended before the test interrupted it")
                line += byte
            if condition():
                return
            time.sleep(0.001)

    def open(self):
        """From now on all events pass, those of later starts too."""
        self.reader = threading.Thread(target=self.drain, daemon=True)
        self.reader.start()

    def drain(self):
        while not self.closing.is_set():
            self.read(PIPE_BYTES)

    def close(self):
        """When no sweep writes any more."""
        self.closing.set()
        if self.reader:
            self.reader.join()
        os.close(self.pipe)


def state_of(folder):
    """Letter of a process or thread in /proc; nothing if there is none."""
    try:
        return (folder / "stat").read_text().rpartition(") ")[2][:1]
    except OSError:
        return ""


def wait_until_gone(pid):
    """A zombie counts as gone."""
    while state_of(Path(f"/proc/{pid}")) not in ("", "Z", "X"):
        time.sleep(0.01)


def stop(pid):
    """Stops a process; signals that are sent to it from now on stay pending."""
    os.kill(pid, signal.SIGSTOP)
    for thread in Path(f"/proc/{pid}/task").iterdir():
        while state_of(thread) != "T":
            time.sleep(0.01)


def go_on_when_sent(pid, number):
    """Lets a stopped process go on as soon as it has been sent the signal."""
    while True:
        status = Path(f"/proc/{pid}/status").read_text().splitlines()
        pending = next(int(line.split()[1], 16) for line in status if line.startswith("ShdPnd:"))
        if pending >> (number - 1) & 1:
            break
        time.sleep(0.01)
    os.kill(pid, signal.SIGCONT)
