"""What a power cut may leave of recorded calls (calls.c): whatever fsync(2) permits, not what one file system does."""
import collections
import os
import struct

CREATED, WRITTEN, RESIZED, SYNCED, NAMED, UNNAMED, MOVED, STARTED = range(8)
FOLDER = (0, 0)
HEAD = struct.Struct("<d4Q")
BLOCK = 512
Record = collections.namedtuple("Record", "time kind file offset data")


class Recorder:
    """Records the calls of programs that are started one after the other with this environment."""

    def __init__(self, interposer, folder, log):
        self.interposer, self.folder, self.log = interposer, folder, log

    def environment(self):
        return {**os.environ, "LD_PRELOAD": str(self.interposer), "POWERCUT_FOLDER": str(self.folder),
                "POWERCUT_LOG": str(self.log), "ASAN_OPTIONS": "verify_asan_link_order=0"}

    def read(self):
        """As the disk's log: (time, ...) with None in the second place for a sync."""
        stream, place, records = self.log.read_bytes(), 0, []
        lives = collections.Counter()  # numbers of deleted files are given again
        begin = 0
        while place < len(stream):
            at, kind, inode, offset, length = HEAD.unpack_from(stream, place)
            place += HEAD.size
            data = stream[place:place + length]
            place += length
            if kind == STARTED:
                begin = len(records)  # every program counts its own
                continue
            if kind == CREATED:
                lives[inode] += 1
            if kind == SYNCED:
                offset += begin
            records.append(Record(at, None if kind == SYNCED else kind, (inode, lives[inode]), offset, data))
        return records


def synced(records, cut):
    """Per file, and for the folder, how many records a completed sync covers."""
    covered = collections.defaultdict(int)
    for record in records[:cut]:
        if record.kind is None:
            covered[record.file] = max(covered[record.file], record.offset)
    return covered


def contents(records, cut, covered, generator):
    """Of every file what was synced, and of what came later any blocks, zeros or nothing."""
    files = collections.defaultdict(bytearray)
    kept = collections.defaultdict(lambda: generator.choice([0.0, 0.5, 1.0]))
    for index, record in enumerate(records[:cut]):
        data = files[record.file]
        sure = index < covered[record.file]
        if record.kind == RESIZED and (sure or generator.random() < kept[record.file]):
            resize(data, record.offset)
        elif record.kind == WRITTEN:
            share = 1.0 if sure else kept[record.file]
            end = record.offset + len(record.data)
            if share > 0.0 and len(data) < end:
                resize(data, end)  # the size may be there before the bytes
            for place in range(0, len(record.data) if share > 0.0 else 0, BLOCK):
                if generator.random() < share:
                    part = record.data[place:place + BLOCK]
                    data[record.offset + place:record.offset + place + len(part)] = part
    return files


def resize(data, size):
    if size < len(data):
        del data[size:]
    else:
        data.extend(bytes(size - len(data)))


def names(records, cut, covered, generator):
    """Which file every name stands for: what was synced, and of what came later any steps in their order, or all up
    to some moment."""
    entries, until = {}, generator.randint(0, cut)
    orderly = generator.random() < 0.5
    for index, record in enumerate(records[:cut]):
        if record.kind not in (NAMED, UNNAMED, MOVED):
            continue
        done = index < until if orderly else generator.random() < 0.5
        if index >= covered[FOLDER] and not done:
            continue
        words = [word.decode() for word in record.data.split(b"\0")[:-1]]
        if record.kind == UNNAMED:
            entries.pop(words[0], None)
            continue
        if record.kind == MOVED and entries.get(words[0]) == record.file:
            del entries[words[0]]
        entries[words[-1]] = record.file
    return entries


def materialise(records, cut, folder, generator):
    """Writes into the new folder what may be left if the power fails before record `cut`."""
    covered = synced(records, cut)
    files = contents(records, cut, covered, generator)
    folder.mkdir()
    for name, file in names(records, cut, covered, generator).items():
        (folder / name).write_bytes(files[file])


def longest_wait(records):
    """The longest sync; its begin is not recorded, so the time since the record before it."""
    return max((b.time - a.time for a, b in zip(records, records[1:]) if b.kind is None), default=0.0)
