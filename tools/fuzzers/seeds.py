"""Inputs from which the fuzzers of tools/fuzz begin, made of what is in the tree.

usage: seeds.py FOLDER

FOLDER/NAME gets those of fuzz_NAME. Traces are shortened to the first two executions of each line: all kinds of calls are
left, and an input takes milliseconds instead of a tenth of a second.
"""
import collections
import gzip
import itertools
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EVENT = re.compile(rb"(?m)^(?=(?:call_|ret_|Event_)\S+\s+TIME=\S+\s+LINE=)")
NAME = re.compile(rb"(\S+)\s+TIME=\S+\s+LINE=(\S+)")
LONGEST = 60000  # bytes of a trace


def text_of(path):
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def shortened(text):
    """The first two of equal blocks: calls one after the other on the same line."""
    head, *events = EVENT.split(text)
    blocks = itertools.groupby(events, key=lambda event: NAME.match(event)[2])
    times, kept = collections.Counter(), []
    for _, block in blocks:
        block = list(block)
        names = tuple(NAME.match(event).groups() for event in block)
        times[names] += 1
        if times[names] <= 2:
            kept += block
    return re.sub(rb"[ \t]*\n(?:[ \t]*\n)*", b"\n", head + b"".join(kept))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    out = pathlib.Path(sys.argv[1])
    names = ("analyse", "command", "design", "machine", "measured", "packed", "predict", "program", "recording", "retrace",
             "sealed", "store", "trace")
    for name in names:
        shutil.rmtree(out / name, ignore_errors=True)
        (out / name).mkdir(parents=True)
    data = ROOT / "tests/data"
    for path in sorted([*data.glob("*.ptr*"), *(data / "variants").glob("*.ptr*")]):
        text = shortened(text_of(path))
        if len(text) > LONGEST:
            continue
        for name in ("trace", "predict"):
            (out / name / path.stem).write_bytes(text)
        (out / "retrace" / f"average {path.stem}").write_bytes(b"a" + text + b"\n=====\n" + text)
        (out / "retrace" / f"interpolate {path.stem}").write_bytes(b"i" + text + b"\n=====\n" + text)
    for folder in sorted((data / "processes").iterdir()):
        members = [shortened(text_of(path)) for path in sorted(folder.iterdir())]
        (out / "retrace" / folder.name).write_bytes(b"m" + b"\n=====\n".join(members))
    (out / "trace/packed").write_bytes(gzip.compress(shortened(text_of(data / "c_acopy_100.ptr")), mtime=0))
    # "*" and a letter: so often, as a power of two. Bombs of empty lines, of one call, of a long line.
    text = shortened(text_of(data / "c_acopy_100.ptr"))
    for number, piece in enumerate((b"\n", text, text[:400], b"x")):
        for letter in b"BMgz":
            (out / "packed" / f"{number} {letter}").write_bytes(piece + b"\n*" + bytes((letter,)) + b"\n" + text)
    # Kinds of changes to a sound store: values, lengths, attributes, links; of each dataset with odd numbers.
    for kind in (0, 160, 190, 230):
        for dataset in range(0, 250, 7):
            (out / "sealed" / f"{kind} {dataset}").write_bytes(bytes((kind, dataset, 3, 0, dataset % 16, 62, 0, 0, 0, 0, 0)))
    for name, files in {"machine": "configs/*.par", "program": "configs/programs/*", "design": "configs/designs/*"}.items():
        for path in ROOT.glob(files):
            shutil.copy(path, out / name)
    for name, kind, files in (("measured", "t", "tests/data/measured/*.csv"), ("measured", "t", "configs/variants/*.csv"),
                              ("analyse", "t", "tests/data/analyse/*.csv"), ("analyse", "v", "configs/variants/*.toml")):
        for path in ROOT.glob(files):
            (out / name / path.name).write_bytes(kind.encode() + path.read_bytes())
    # Inputs that once failed, and those that nothing else in the tree is like.
    for path in (ROOT / "tools/fuzzers/corpus").glob("*/*"):
        shutil.copy(path, out / path.parent.name / path.name)


if __name__ == "__main__":
    main()
