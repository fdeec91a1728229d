"""check_hostile_stores.py GRIDCAST SOURCE SANITIZE: stores whose seal is right and whose contents no writer makes. Every command that
reads a store refuses each of them with one line, in little memory and time, and no byte of another file comes out."""
import os
import shutil
import subprocess
import sys
import tempfile
import zlib

import h5py
import numpy as np

gridcast, source = map(os.path.abspath, sys.argv[1:3])
sys.path.insert(0, os.path.join(source, "tests", "support"))
from sealed import changed, seal, unseal  # noqa: E402

SECRET = b"the secret of another file " * 4096
MOST_BYTES = 3 << 30
MOST_SECONDS = 60
TRACE = f"{source}/configs/programs/gauss.toml"
SWEEP = ["sweep", TRACE, "--machine", f"{source}/configs/mvs.par", "--max-processors", "24"]


# Sanitizers reserve terabytes.
LIMITED = ["prlimit", f"--cpu={MOST_SECONDS}", *([f"--as={MOST_BYTES}"] if sys.argv[3] == "OFF" else [])]


def run(*words):
    return subprocess.run([*LIMITED, gridcast, "--quiet", *words], cwd=folder, capture_output=True, text=True,
                          errors="replace", check=False)


def path(name):
    return os.path.join(folder, name)


def rows(file):
    return file["results/p1"].shape[0]


def replaced(group, name, **how):
    """A dataset in the place of another one, with the attributes of that."""
    old = dict(group[name].attrs)
    del group[name]
    made = group.create_dataset(name, **how)
    for key in ("units", "long_name", "type"):
        if key in old:
            made.attrs[key] = old[key]
    return made


# --- what is not the file's own


def external_dataset(file):
    count = rows(file)
    replaced(file["results"], "execution_time", shape=(count,), dtype="<f8", external=[(path("secret"), 0, 8 * count)])


def external_link(file):
    del file["results/execution_time"]
    file["results/execution_time"] = h5py.ExternalLink(path("other.h5"), "/numbers")


def soft_link(file):
    del file["results/execution_time"]
    file["results/execution_time"] = h5py.SoftLink("/results/efficiency")


def external_group(file):
    del file["failures"]
    file["failures"] = h5py.ExternalLink(path("other.h5"), "/failures")


def virtual_dataset(file):
    count = rows(file)
    layout = h5py.VirtualLayout(shape=(count,), dtype="<f8")
    layout[:] = h5py.VirtualSource(path("other.h5"), "numbers", shape=(4096,))[:count]
    del file["results/execution_time"]
    file["results"].create_virtual_dataset("execution_time", layout)


def added(name, what):
    def change(file):
        file[name] = what(file)
    return change


def groups_in_groups(file):
    group = file
    for _ in range(2000):
        group = group.create_group("g")


# --- more than the file can hold


def endless_rows(file):
    for name in file["results"]:
        file["results"][name].resize((1 << 40,))


def endless_failures(file):
    file["failures/config"].resize((1 << 40,))


def endless_texts(file):
    file["failures/reason"].resize((1 << 33,))


def one_text_many_times(file):
    """All elements refer to one text: HDF5 would allocate it once for each."""
    count = 60000
    replaced(file["failures"], "config", data=np.full(count, -1), chunks=(1024,), maxshape=(None,))
    for name in ("grid", "cause"):
        replaced(file["failures"], name, shape=(count,), dtype=h5py.string_dtype())
    reasons = replaced(file["failures"], "reason", shape=(count,), dtype=h5py.string_dtype())
    reasons[0] = "x" * (1 << 20)
    file.flush()
    place = reasons.id.get_offset()

    def alias(name):
        with open(name, "rb+") as patched:
            patched.seek(place)
            reference = patched.read(16)
            assert int.from_bytes(reference[:4], "little") >> 20 == 1, reference
            patched.seek(place)
            patched.write(reference * count)
    return alias


def text_with_filter(file):
    replaced(file["failures"], "grid", shape=(0,), maxshape=(None,), chunks=(64,), dtype=h5py.string_dtype(),
             compression="gzip")


def short_chunk(name):
    """Inflates to four bytes where HDF5 takes as many as the chunk is long, whatever lies behind."""
    def change(file):
        place = (0,) * len(file[name].shape)
        file[name].id.write_direct_chunk(place, zlib.compress(bytes(4)), filter_mask=0b101)
    return change


def short_raw_chunk(file):
    file["results/idle"].id.write_direct_chunk((0,), bytes(8), filter_mask=0b111)


def unknown_filter(file):
    count = rows(file)
    replaced(file["results"], "idle", data=np.zeros(count), compression="lzf", chunks=(count,))


# --- numbers and texts that cannot be


def setting(place, value, at=0):
    def change(file):
        file[place][at] = value
    return change


def attribute(name, value):
    def change(file):
        file.attrs[name] = value
    return change


def wide_extent(file):
    count = rows(file)
    for name in ("p1", "processors"):
        replaced(file["results"], name, data=np.full(count, 1 << 62), dtype="<i8", chunks=(count,), maxshape=(None,))


def two_dimensions(file):
    count = rows(file)
    replaced(file["results"], "idle", data=np.zeros((count, 64)), chunks=(count, 64))


def other_width(file):
    count, width = file["interval_results/idle"].shape
    for name in file["interval_results"]:
        if name not in ("config", "interval"):
            kind = file["interval_results"][name].dtype
            replaced(file["interval_results"], name, data=np.zeros((count, 50 * width), dtype=kind),
                     chunks=(1, width), maxshape=(None, 50 * width))


def short_column(file):
    file["results/idle"].resize((rows(file) - 1,))


def texts_for_numbers(file):
    replaced(file["results"], "idle", data=["a"] * rows(file), dtype=h5py.string_dtype(), chunks=(8,), maxshape=(None,))


def scalar(file):
    replaced(file["results"], "idle", data=1.0)


def failure(config, grid, cause):
    def change(file):
        for name, value in (("config", config), ("grid", grid), ("reason", "why"), ("cause", cause)):
            file["failures"][name].resize((1,))
            file["failures"][name][0] = value
    return change


def odd_failures(file):
    file["failures/config"].resize((2,))
    file["failures/grid"].resize((1,))


def other_lengths(group, length):
    def change(file):
        for name in file[group]:
            if name != "reach_precision_gap":
                file[group][name].resize((length,))
    return change


def columns_named(*names):
    def change(file):
        file["results"].attrs["extra_columns"] = np.array(names, dtype=object)
    return change


HOSTILE = {
    "a dataset with its values in another file": external_dataset,
    "a link to a dataset of another file": external_link,
    "a link to another dataset": soft_link,
    "a link to a group of another file": external_group,
    "a link to another file beside the groups": added("notes", lambda _: h5py.ExternalLink(path("other.h5"), "/numbers")),
    "a virtual dataset": virtual_dataset,
    "a dataset with two names": added("results/again", lambda file: file["results/execution_time"]),
    "a group in itself": added("results/results", lambda file: file["results"]),
    "the root in itself": added("root", lambda file: file["/"]),
    "a named type": added("kind", lambda _: np.dtype("<f8")),
    "groups in groups": groups_in_groups,
    "2^40 rows": endless_rows,
    "2^40 failures": endless_failures,
    "2^33 texts": endless_texts,
    "one text 60,000 times": one_text_many_times,
    "texts with a filter": text_with_filter,
    "a filter of another program": unknown_filter,
    "a chunk that unpacks to less": short_chunk("results/idle"),
    "a chunk of intervals that unpacks to less": short_chunk("interval_results/idle"),
    "a chunk of a tree that unpacks to less": short_chunk("intervals/parent"),
    "a chunk of bounds that unpacks to less": short_chunk("proof/bound"),
    "a chunk without filters that is short": short_raw_chunk,
    "a time that is not a number": setting("results/execution_time", np.nan),
    "an endless time": setting("results/execution_time", -np.inf),
    "an endless evenness": setting("results/evenness", np.inf),
    "an operation count below 0": setting("results/io_operations", -5),
    "2^62 processors along a dimension": wide_extent,
    "an extent of 0": setting("results/p1", 0),
    "an extent below 0": setting("results/p2", -4),
    "another number of processors": setting("results/processors", 77),
    "a rank of 7": setting("results/rank", 7),
    "a rank of 0": setting("results/rank", 0),
    "a third extent of a grid with two": setting("results/p3", 2),
    "an unknown status": setting("results/status", 9),
    "a column of two dimensions": two_dimensions,
    "a short column": short_column,
    "a column of texts": texts_for_numbers,
    "a column of one value": scalar,
    "results per interval for more intervals": other_width,
    "a result per interval that is no number": setting("interval_results/idle", np.nan, (0, 0)),
    "an interval in itself": setting("intervals/parent", 2, 1),
    "intervals in each other": setting("intervals/parent", 3, 1),
    "an interval in one far away": setting("intervals/parent", 1 << 62, 1),
    "a program in an interval": setting("intervals/parent", 1, 0),
    "an interval at another level": setting("intervals/level", 9, 1),
    "an interval of an unknown type": setting("intervals/type", "<b>", 1),
    "a best grid of no time": setting("best/execution_time", np.nan),
    "a best grid that cannot be": setting("best/p1", 0),
    "an unknown choice": setting("best/choice", "dearest"),
    "a box of open grids that is empty": setting("proof/last", 0, (0, 0)),
    "an endless bound": setting("proof/bound", np.inf),
    "a line of the front of no time": setting("front/execution_time", np.nan),
    "a line of the front on more nodes than processors": setting("front/nodes", 1 << 40),
    "a line of the front with another number of processors": setting("front/processors", 77),
    "a line of the front that proves another number": setting("front/at_least", 0),
    "a share of the front below 0": setting("front/within", -0.5),
    "a short column of the front": lambda file: file["front/nodes"].resize((1,)),
    "a front of 2^40 lines": other_lengths("front", 1 << 40),
    "an interval without the value of the machine": setting("robust/low", 1e9),
    "an interval that ends before the value": setting("robust/high", -1.0),
    "a value that is no number": setting("robust/value", np.nan),
    "an endless tolerance": setting("robust/times", np.inf),
    "a short column of values": lambda file: file["robust/high"].resize((1,)),
    "2^40 numbers of a machine": other_lengths("robust", 1 << 40),
    "a reach below 1": setting("robust/reach_precision_gap", 0.25),
    "a precision of 0": setting("robust/reach_precision_gap", 0.0, 1),
    "no grid that is robust": lambda file: file["robust"].attrs.modify("best", ""),
    "a script as objective": attribute("objective", '"}</script><script>alert(1)</script>'),
    "an unknown objective": attribute("objective", "beauty"),
    "an unknown mode": attribute("mode", 17),
    "an identity of no store": attribute("store_id", "*"),
    "a list of modes": attribute("mode", np.array([4, 4])),
    "a number of candidates below -1": attribute("candidates", -7),
    "chunks of no rows": attribute("chunk_rows", 0),
    "chunks of 2^40 rows": attribute("chunk_rows", 1 << 40),
    "an epoch near the end of numbers": attribute("epoch", (1 << 63) - 1),
    "a failure of a row that cannot be": failure(-9, "2x2", "prediction"),
    "a failure of no grid": failure(-1, "<script>", "lost"),
    "a failure of an unknown cause": failure(-1, "2x2", "sabotage"),
    "failures without grids": odd_failures,
    "an input column that is not there": columns_named("nowhere"),
    "an input column of another group": columns_named("/best/idle"),
    "an input column twice": columns_named("idle", "idle"),
}

COMMANDS = {
    "store check": ["store", "check", "S.h5"],
    "status": ["status", "S.h5"],
    "report": ["report", "S.h5", "--html", "page.html"],
    "export": ["export", "S.h5", "--csv", "table.csv"],
    "export --intervals": ["export", "S.h5", "--intervals", "--csv", "table.csv"],
    "merge": ["merge", "sound.h5", "S.h5", "--store", "merged.h5"],
    "compare": ["compare", "S.h5", "sound.h5", "--html", "compared.html"],
    "resume": [*SWEEP, "--mode", "4", "--intervals", "--store", "S.h5", "--resume"],
}


def made():
    """A sound store: stopped mode 4 with results per interval, so that every group has contents."""
    done = run(*SWEEP, "--mode", "4", "--intervals", "--store", "sound.h5", "--json", "j.json")
    assert done.returncode == 0, done.stderr
    done = run("robust", *SWEEP[1:], "--store", "sound.h5", "--reach", "2", "--precision", "0.2")
    assert done.returncode == 0, done.stderr
    with changed(path("sound.h5")) as file:
        # As mode 4 leaves it when it was stopped: a box of open grids.
        for name, value in (("first", 1), ("last", 2)):
            file["proof"][name].resize((1, 4))
            file["proof"][name][0] = value
        file["proof/bound"].resize((1,))
        file["proof/bound"][0] = 1e-9
    with open(path("secret"), "wb") as file:
        file.write(SECRET)
    with h5py.File(path("other.h5"), "w") as file:
        file["numbers"] = np.frombuffer(SECRET[: 8 * 4096], dtype="<f8")
        group = file.create_group("failures")
        for name in ("grid", "reason", "cause"):
            group.create_dataset(name, data=["the secret"], dtype=h5py.string_dtype())
        group["config"] = np.array([-1])


def check_refused(name, command, words):
    for left in ("S.h5.journal", "S.h5.next", "S.h5.lock", "merged.h5", "table.csv", "page.html", "compared.html"):
        if os.path.exists(path(left)):
            os.remove(path(left))
    done = run(*words)
    told = (name, command, done.returncode, done.stdout[-300:], done.stderr[-600:])
    lines = done.stderr.strip().splitlines()
    if command == "store check" and done.returncode == 1 and not lines:
        lines = done.stdout.splitlines()[:1]  # what it finds is its answer; then what can be saved
    assert done.returncode in (1, 2) and len(lines) == 1, told
    assert "S.h5" in lines[0], told
    for made in ("table.csv", "page.html", "compared.html", "merged.h5"):
        assert not os.path.exists(path(made)), (told, made)


def check_hostile():
    for name, change in HOSTILE.items():
        shutil.copy(path("sound.h5"), path("crafted.h5"))
        unseal(path("crafted.h5"))
        with h5py.File(path("crafted.h5"), "r+") as file:
            afterwards = change(file)
        if afterwards:
            afterwards(path("crafted.h5"))
        seal(path("crafted.h5"))
        for command, words in COMMANDS.items():
            shutil.copy(path("crafted.h5"), path("S.h5"))
            check_refused(name, command, words)
    print(f"{len(HOSTILE)} stores refused by {len(COMMANDS)} commands each")


def check_sound():
    """A store that was only unsealed and sealed again is read as before: it is the contents that are refused."""
    before = run("export", "sound.h5", "--csv", "-")
    with changed(path("sound.h5")):
        pass
    assert run("export", "sound.h5", "--csv", "-").stdout == before.stdout and before.returncode == 0, before.stderr
    assert run("store", "check", "sound.h5").returncode == 0
    assert "the secret" not in before.stdout


with tempfile.TemporaryDirectory() as folder:
    made()
    check_sound()
    check_hostile()
