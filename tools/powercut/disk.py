"""A disk that records every write and every flush, in their order: a file in a FUSE file system, with a loop device
on it. A file system on that device shows what it hands to a disk, and what it waits for.

The FUSE protocol is spoken directly (linux/fuse.h), by a process of its own: one file, no cache of writes."""
import contextlib
import ctypes
import os
import pathlib
import pickle
import stat
import struct
import subprocess
import time

LOOKUP, FORGET, GETATTR, SETATTR, OPEN, READ, WRITE, STATFS, RELEASE = 1, 2, 3, 4, 14, 15, 16, 17, 18
FSYNC, FLUSH, INIT, OPENDIR, RELEASEDIR, INTERRUPT, BATCH_FORGET = 20, 25, 26, 27, 29, 36, 42
ROOT, FILE = 1, 2
ENOENT, ENOSYS = 2, 38
NAME = b"disk"
LARGEST_WRITE = 1 << 17
SECTOR = 4096  # what disks write whole; ext4 relies on it for its superblock


class Forbidden(Exception):
    """This machine does not let us."""


def attributes(node, size):
    mode = stat.S_IFDIR | 0o755 if node == ROOT else stat.S_IFREG | 0o600
    return struct.pack("<6Q10I", node, size, size // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


class Server:
    """Answers the kernel until the file system is unmounted."""

    def __init__(self, device, size, log):
        self.device, self.data, self.log = device, bytearray(size), log

    def size_of(self, node):
        return len(self.data) if node == FILE else 0

    def note(self, *record):
        pickle.dump((time.time(), *record), self.log)
        self.log.flush()

    def answer(self, opcode, node, body):
        """Bytes of the answer, or an error number."""
        if opcode == INIT:
            return struct.pack("<IIIIHHIIHHI7I", 7, 31, 1 << 17, 0, 16, 12, LARGEST_WRITE, 1, 32, 0, 0, *[0] * 7)
        if opcode == LOOKUP:
            if body.rstrip(b"\0") != NAME:
                return ENOENT
            return struct.pack("<4Q2I", FILE, 0, 3600, 3600, 0, 0) + attributes(FILE, self.size_of(FILE))
        if opcode in (GETATTR, SETATTR):
            return struct.pack("<QII", 3600, 0, 0) + attributes(node, self.size_of(node))
        if opcode in (OPEN, OPENDIR):
            return struct.pack("<QII", 0, 0, 0)
        if opcode == READ:
            _, offset, size = struct.unpack_from("<QQI", body)
            return bytes(self.data[offset:offset + size])
        if opcode == WRITE:
            _, offset, size = struct.unpack_from("<QQI", body)
            data = body[40:40 + size]
            self.data[offset:offset + size] = data
            self.note(offset, data)
            return struct.pack("<II", size, 0)
        if opcode == FSYNC:
            self.note(None, None)
            return b""
        if opcode == STATFS:
            return struct.pack("<5Q4I6I", 1 << 20, 0, 0, 10, 0, 4096, 255, 4096, 0, *[0] * 6)
        if opcode in (FLUSH, RELEASE, RELEASEDIR):
            return b""
        return ENOSYS

    def run(self):
        while True:
            try:
                request = os.read(self.device, LARGEST_WRITE + (1 << 14))
            except OSError:
                return  # unmounted
            _, opcode, unique, node = struct.unpack_from("<IIQQ", request)
            if opcode in (FORGET, BATCH_FORGET, INTERRUPT):
                continue
            answer = self.answer(opcode, node, request[40:])
            error, payload = (-answer, b"") if isinstance(answer, int) else (0, answer)
            with contextlib.suppress(FileNotFoundError):  # the request was interrupted
                os.write(self.device, struct.pack("<IiQ", 16 + len(payload), error, unique) + payload)


def command(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Forbidden(f"{' '.join(str(word) for word in words)}: {done.stderr.strip()}")
    return done.stdout.strip()


@contextlib.contextmanager
def recorded_device(folder, size):
    """A loop device of `size` bytes whose writes and flushes go to FOLDER/log; its path."""
    place, log = pathlib.Path(folder) / "fuse", pathlib.Path(folder) / "log"
    place.mkdir()
    try:
        device = os.open("/dev/fuse", os.O_RDWR)
    except OSError as error:
        raise Forbidden(f"/dev/fuse: {error}") from error
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0".encode()
    if libc.mount(b"powercut", str(place).encode(), b"fuse", 0, options) != 0:
        raise Forbidden(f"mount of a FUSE file system: {os.strerror(ctypes.get_errno())}")
    server = os.fork()
    if server == 0:
        with open(log, "wb") as stream:
            Server(device, size, stream).run()
        os._exit(0)
    os.close(device)
    try:
        with loop_device(place / NAME.decode()) as loop:
            yield loop
    finally:
        command("umount", place)
        os.waitpid(server, 0)


@contextlib.contextmanager
def loop_device(image):
    loop = command("losetup", "--find", "--show", image)
    try:
        yield loop
    finally:
        command("losetup", "--detach", loop)


@contextlib.contextmanager
def mounted(device, place, options):
    pathlib.Path(place).mkdir(exist_ok=True)
    command("mount", "-t", "ext4", "-o", options, device, place)
    try:
        yield pathlib.Path(place)
    finally:
        command("umount", place)


def read_log(folder):
    """(time, offset, data) of every write, (time, None, None) of every flush."""
    records = []
    with open(pathlib.Path(folder) / "log", "rb") as stream:
        with contextlib.suppress(EOFError):
            while True:
                records.append(pickle.load(stream))
    return records


def image_after(records, begin, cut, size, generator):
    """The disk if the power fails before record `cut`: what was written before the last flush, or before record
    `begin`, is there; of what came later any sectors may be."""
    flushed = max((i for i in range(begin, cut) if records[i][1] is None), default=begin)
    kept = generator.choice([0.0, 0.3, 0.7, 1.0])
    data = bytearray(size)
    for i in range(cut):
        _, offset, written = records[i]
        if offset is None:
            continue
        if i < flushed:
            data[offset:offset + len(written)] = written
            continue
        for place in range(0, len(written), SECTOR):
            if generator.random() < kept:
                part = written[place:place + SECTOR]
                data[offset + place:offset + place + len(part)] = part
    return data


def longest_wait(records):
    """The longest time in which the disk was busy without a pause: no wait for it was longer."""
    pause, longest, begin = 0.1, 0.0, None
    for before, after in zip(records, records[1:]):
        begin = before[0] if begin is None else begin
        longest = max(longest, before[0] - begin)
        if after[0] - before[0] > pause:
            begin = None
    return longest
