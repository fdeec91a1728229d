"""Holds what every command writes with --json against the schemas of docs/schemas, to the name: what a schema does not
describe is an error here, and so is a command without a line below.

usage: GRIDCAST=PATH test_schemas.py [-v]
"""

import json
import os
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
GRIDCAST = os.environ.get("GRIDCAST", str(ROOT / "build" / "release" / "gridcast"))
SCHEMAS = ROOT / "docs" / "schemas"

# Each line: the schema, then the words behind gridcast, or gridcast-measure (of two ranks under mpirun); run in this
# order in one folder, where `root` is the sources.
COMMANDS = """
prediction  predict root/configs/examples/jacobi2d_10000x10.ptr.gz -m root/configs/mvs.par --grid 2x2 --processors --trace-cost 1e-7
prediction  predict root/configs/programs/taskjacobi.toml -m root/configs/cluster128x64.par
result      trace generate root/configs/programs/jacobi2d.toml --set n=100 -o a.ptr
result      trace generate root/configs/programs/jacobi2d.toml --set n=100 --set point=2e-9 -o b.ptr
result      trace generate root/configs/programs/jacobi2d.toml --set n=200 -o c.ptr
result      trace average a.ptr b.ptr -o mean.ptr
prediction  predict mean.ptr -m root/configs/mvs.par --grid 2x2 --timeline
result      trace interpolate 100=a.ptr 200=c.ptr --size 150 -o d.ptr
result      trace merge a.ptr -o m.ptr
result      trace info a.ptr
result      trace check a.ptr
plan        plan a.ptr -m root/configs/mvs.par --max-processors 16
robustness  robust root/configs/programs/jacobi1d.toml --param n=100 -m root/configs/mvs.par --max-processors 16 --reach 4 --precision 0.1
status      sweep a.ptr -m root/configs/mvs.par --max-processors 8 --placement search --store p.h5
prediction  predict a.ptr -m root/configs/mvs.par --grid 4x2 --placement blocked
message     machine time root/configs/mvs.par --from 0 --to 1 --bytes 5
result      machine show root/configs/mvs.par
result      pred 2 2 a
status      sweep a.ptr -m root/configs/mvs.par --max-processors 8 --store s.h5 --events events.jsonl
status      sweep c.ptr -m root/configs/mvs.par --max-processors 8 --mode 3 --within 5% --whole-nodes --store t.h5 --events events.jsonl
status      sweep a.ptr -m root/configs/mvs.par --set 'mvsP1.Threads = {1 (1), 2 (0.9)}' --threads 1,2 --max-processors 8 --store h.h5 --events events.jsonl
status      status s.h5
result      watch s.h5
result      plot s.h5 --kind front -o front.svg
result      report s.h5 --html r.html
result      export s.h5 --csv s.csv
result      merge s.h5 t.h5 --store both.h5
status      status both.h5
result      store check s.h5
result      store repair s.h5
status      dataset root/configs/designs/screening.toml --store screening.h5 --events events.jsonl
status      dataset root/configs/designs/variance.toml --store variance.h5
factors     analyse factors screening.h5
factors     analyse factors variance.h5 --bootstrap 20
factors     analyse factors root/tests/data/analyse/cast_fatigue.csv --response lifetime
components  analyse components root/tests/data/analyse/usarrests.csv
system      analyse system a.ptr -m root/configs/cluster3level.par --grid 2x2
net         analyse net a.ptr
result      record --plan
recording   recording show recorded
status      tune --extents 20x20 -m root/configs/mvs.par --max-processors 4 -q -o tuned -- mpirun -n {} ./jacobi2d {n1} {n2} {p1} {p2} 5
match       analyse match a.ptr -m root/configs/mvs.par -m root/configs/cluster3level.par --processors 4
variants    variants root/configs/variants/mhd.toml --set steps=2 --store v.h5
calibration calibrate root/tests/data/measured/f_jac_1000x100.ptr.gz -m root/configs/workstations.par --measured jac.csv --fit workstations.TStart -o fitted.par
comparison  compare s.h5 s.csv
comparison  compare s.h5 p.h5
difference  compare 2x2.json 4x1.json
difference  compare 2x2.json s.h5
difference  compare p.h5 s.h5 --grid best,2x2
comparison  compare root/tests/data/measured/f_jac_1000x100.ptr.gz jac.csv -m fitted.par
measurement gridcast-measure --quick --table here.csv
measurement gridcast-measure --quick --kernel
ratio       gridcast-measure ratio here.csv here.csv
ratio       gridcast-measure ratio a.ptr b.ptr
result      examples
result      completion bash
result      manual man
"""


def strict(schema):
    """The schema without room for names that it does not describe."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(value) for key, value in schema.items()}
    if "properties" in schema and isinstance(schema.get("type"), (str, list)):
        closed.setdefault("additionalProperties", False)
    return closed


def validator(name):
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(strict(schema))


def command(words):
    """Program and words of a line."""
    if words[0] != "gridcast-measure":
        return [GRIDCAST, *words]
    program = str(Path(GRIDCAST).with_name(words[0]))
    return [program, *words[1:]] if words[1] == "ratio" else ["mpirun", "-n", "2", program, *words[1:]]


def run(words, folder):
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    return subprocess.run(command(words), cwd=folder, env={**os.environ, **allowed}, capture_output=True, text=True, check=False)


class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="schemas-")
        cls.folder = Path(cls.temporary.name)
        (cls.folder / "root").symlink_to(ROOT)
        (cls.folder / "Predictor.par").symlink_to(ROOT / "configs" / "mvs.par")
        measured = (ROOT / "tests/data/measured/measured.csv").read_text(encoding="utf-8").splitlines()
        wanted = [line for line in measured if line.startswith(("trace,", "f_jac_1000x100"))]
        (cls.folder / "jac.csv").write_text("\n".join(wanted) + "\n", encoding="utf-8")
        for grid in ("2x2", "4x1"):
            run(["predict", "root/configs/examples/jacobi2d_10000x10.ptr.gz", "-m", "root/configs/mvs.par", "--grid", grid,
                 "--json", f"{grid}.json"], cls.folder)
        subprocess.run(["mpicc", str(ROOT / "tests/apps/jacobi2d.c"), "-o", str(cls.folder / "jacobi2d")], check=True)
        run(["record", "-o", "recorded", "--grid", "1x1", "--", "./jacobi2d", "8", "8", "1", "1", "2"], cls.folder)
        cls.lines = [shlex.split(line) for line in COMMANDS.strip().splitlines()]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def require(self, name, value, what):
        errors = [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
                  for error in validator(name).iter_errors(value)]
        self.assertEqual(errors, [], what)

    def test_1_output(self):
        for name, *words in self.lines:
            with self.subTest(command=" ".join(words)):
                end = words.index("--") if "--" in words else len(words)
                done = run([*words[:end], "--json", "-", *words[end:]], self.folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                value = json.loads(done.stdout)
                self.require(name, value, words)
                self.assertEqual(value.get("schema"), None if name in ("plan", "message") else f"gridcast.{name}/1")

    def test_2_events(self):
        kinds = set()
        for line in (self.folder / "events.jsonl").read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            kinds.add(event["event"])
            self.require("event", event, line)
        self.assertLessEqual({"start", "batch", "best", "proof", "end"}, kinds)

    def test_every_command_has_a_line(self):
        done = run(["manual", "man"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        # The historical command line and infer have no JSON; gridcast-measure is a command and a group.
        pages = {page.stem for page in (self.folder / "man").iterdir()} - {"gridcast", "predictor", "gridcast-infer"}
        commands = {page for page in pages if not any(other.startswith(page + "-") for other in pages)}
        commands.add("gridcast-measure")
        self.assertGreater(len(commands), 25)
        tried = {"-".join([*([] if words[0] == "gridcast-measure" else ["gridcast"]), *words[:count]])
                 for _, *words in self.lines for count in (1, 2)}
        self.assertEqual(sorted(commands - tried), [])

    def test_every_schema_is_used_and_linked(self):
        names = {path.stem for path in SCHEMAS.glob("*.json")}
        self.assertEqual(names, {name for name, *_ in self.lines} | {"event"})
        page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
        self.assertEqual([name for name in sorted(names) if f"schemas/{name}.json" not in page], [])

    def test_wrong_output_is_found(self):
        good = {"seconds": 1.5e-6}
        self.assertTrue(validator("message").is_valid(good))
        for bad in ({}, {"seconds": "1"}, {"seconds": -1.0}, {**good, "more": 1}):
            self.assertFalse(validator("message").is_valid(bad), bad)


if __name__ == "__main__":
    unittest.main()
