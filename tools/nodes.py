"""Several nodes on one machine, for tests of what runs on a cluster.

Each node has a network namespace whose one link goes to a private bridge, and mount and UTS namespaces with a
/tmp, a /dev/shm and a host name of its own; a head that stands for the login node has the bridge. All of them see
the folder of the nodes and the rest of the file system. Needs root and iproute2; the machine's own network is
neither used nor changed. Processes have the machine's numbers, so that a test can kill them.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

HEAD = "head"
NAMESPACES = ("--net", "--mount", "--uts")

# What mpirun calls in the place of ssh.
AGENT = """#!/bin/sh
while case "$1" in -*) true ;; *) false ;; esac; do shift; done
pid=$(cat "{directory}/$1.pid") || exit 255
shift
exec nsenter --target "$pid" --net --mount --uts -- /bin/sh -c "$*"
"""

# A /tmp of the node's own, but for the shared folder if that is below it.
MOUNTS = """set -e
mount -t tmpfs tmpfs {own}
chmod 1777 {own}
case {shared}/ in
  /tmp/*) mkdir -p {own}/{below}; mount --bind {shared} {own}/{below} ;;
esac
mount --move {own} /tmp
mount -t tmpfs tmpfs /dev/shm
mount --bind {directory}/hosts /etc/hosts
hostname {name}
ip link set lo up
"""


class NodesError(Exception):
    """Why there are no nodes."""


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NodesError(f"{' '.join(map(str, command))}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def obstacle():
    """Why nodes cannot be made here; nothing if they can."""
    if os.geteuid() != 0:
        return "several nodes on one machine need root"
    path = "/usr/sbin:/sbin:/usr/bin:/bin"
    missing = [name for name in ("ip", "nsenter", "unshare") if not shutil.which(name, path=path)]
    if missing:
        return f"no {', '.join(missing)}; tools/setup --tests installs them"
    try:
        run("unshare", *NAMESPACES, "sh", "-c", "mount -t tmpfs none /tmp && ip link add name b type bridge && "
            "ip link add x type veth peer name y && ip link set x master b")
    except NodesError as error:
        return f"no rights to make namespaces ({error})"
    return None


def namespace(pid):
    with contextlib.suppress(OSError):
        return os.readlink(f"/proc/{pid}/ns/net")
    return None


class Nodes:
    """Nodes node1, node2, … and their head; `shared` is the folder of /tmp that all see, with theirs in it."""

    def __init__(self, directory, count=3, shared=None):
        self.directory = Path(directory).absolute()
        self.shared = Path(shared or directory).absolute()
        self.names = [f"node{i + 1}" for i in range(count)]
        self.holders = []

    def address(self, name):
        return "10.77.0.254" if name == HEAD else f"10.77.0.{1 + self.names.index(name)}"

    def pid(self, name):
        """The process that holds the namespaces of a node; nothing if there is none."""
        with contextlib.suppress(OSError, ValueError):
            pid = int((self.directory / f"{name}.pid").read_text())
            if b"infinity" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return pid
        return None

    def start(self):
        self.directory.mkdir(parents=True, exist_ok=True)
        lines = ["127.0.0.1 localhost"] + [f"{self.address(name)} {name}" for name in (HEAD, *self.names)]
        (self.directory / "hosts").write_text("\n".join(lines) + "\n")
        agent = self.directory / "agent"
        agent.write_text(AGENT.format(directory=self.directory))
        agent.chmod(0o755)
        try:
            for name in (HEAD, *self.names):
                self.make(name)
        except BaseException:
            self.stop()
            raise

    def make(self, name):
        process = subprocess.Popen(["unshare", *NAMESPACES, "--propagation", "private", "sleep", "infinity"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        self.holders.append(process)
        while b"infinity" not in Path(f"/proc/{process.pid}/cmdline").read_bytes().split(b"\0")[1:2]:
            if process.poll() is not None:
                raise NodesError(f"{name}: namespaces cannot be made")
            time.sleep(0.01)
        (self.directory / f"{name}.pid").write_text(f"{process.pid}\n")
        own = self.directory / f"tmp-{name}"
        own.mkdir(exist_ok=True)
        mounts = MOUNTS.format(own=own, directory=self.directory, shared=self.shared, name=name,
                               below=os.path.relpath(self.shared, "/tmp"))
        run("nsenter", "--target", process.pid, *NAMESPACES, "--", "sh", "-c", mounts)
        if name == HEAD:
            self.run(HEAD, "ip", "link", "add", "name", "bridge", "type", "bridge")
            end = "bridge"
        else:
            self.run(HEAD, "ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", process.pid)
            self.run(HEAD, "ip", "link", "set", name, "master", "bridge", "up")
            end = "eth0"
        self.run(name, "ip", "address", "add", f"{self.address(name)}/24", "dev", end)
        self.run(name, "ip", "link", "set", end, "up")

    def command(self, name, *command):
        """The words that run a command on a node, in the same folder."""
        return ["nsenter", "--target", str(self.pid(name)), *NAMESPACES, f"--wdns={os.getcwd()}", "--", *map(str, command)]

    def run(self, name, *command):
        return run(*self.command(name, *command))

    def mpirun(self, ranks, *options):
        """Words in front of a program, to be run on the first node: mpirun with so many ranks per node."""
        return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                "--mca", "plm_rsh_agent", str(self.directory / "agent"),
                "--host", ",".join(f"{name}:{ranks}" for name in self.names), *options]

    def link(self, name, state):
        """Pulls out the cable of a node ("down") or puts it back ("up")."""
        self.run(HEAD, "ip", "link", "set", name, state)

    def processes(self, name):
        """Numbers of the processes on a node."""
        holder = self.pid(name)
        space = namespace(holder)
        numbers = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
        return [pid for pid in numbers if pid != holder and space is not None and namespace(pid) == space]

    def kill(self, name):
        """Ends all processes of a node, as a loss of power does."""
        for pid in self.processes(name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def stop(self):
        for name in (*self.names, HEAD):
            pid = self.pid(name)
            if pid:
                self.kill(name)
                os.kill(pid, signal.SIGKILL)
            (self.directory / f"{name}.pid").unlink(missing_ok=True)
        for process in self.holders:
            process.wait()
