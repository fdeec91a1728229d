"""check_hostile_pages.py GRIDCAST SOURCE: names that are scripts, formulas or bytes without meaning, in stores with right seals
and in all files that a user may get from others. A browser opens every page: no script of theirs runs. Tables have no
formulas, JSON is UTF-8."""
import csv
import glob
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

gridcast, source = map(os.path.abspath, sys.argv[1:])
sys.path.insert(0, os.path.join(source, "tests", "support"))
from browser import Browser  # noqa: E402
from sealed import changed  # noqa: E402

RUN = "window.stolen=1"
# For names that may hold anything; for file names; for names of columns.
ANY = f"""'"></script></title></style><script>{RUN}</script><img src=x onerror="{RUN}"><svg onload='{RUN}'>&lt;{{}}\u2028<!--"""
NAME = f"""'"><img src=x onerror="{RUN}"><svg onload={RUN}>"""
COLUMN = f"<img src=x onerror={RUN}>"
TRACE = f"{source}/configs/examples/jacobi2d_10000x10.ptr.gz"
MACHINE = f"{source}/configs/mvs.par"


def run(*words, codes=(0,)):
    done = subprocess.run([gridcast, "--quiet", *words], cwd=folder, capture_output=True, check=False)
    assert done.returncode in codes, (words, done.returncode, done.stderr)
    return done


def path(name):
    return os.path.join(folder, name)


def texts(values):
    return np.array(values, dtype=h5py.string_dtype())


def pages_of_stores():
    """A store of a search and one of a data set, both with hostile texts wherever a text is free."""
    run("sweep", TRACE, "--machine", MACHINE, "--max-processors", "24", "--mode", "3", "--intervals", "--store", "S.h5")
    with changed(path("S.h5")) as file:
        for name in ("machine_name", "command_line", "gridcast_version", "model_version", "created", "finished"):
            file.attrs[name] = ANY
        file.attrs["options"] = '{"conditions":"' + ANY.replace('"', "'") + '","placement":"' + ANY.replace('"', "'") + '"}'
        file.attrs["traces"] = texts([ANY, NAME])
        file["intervals/file"][:] = ANY
        for name, value in (("config", 0), ("grid", "2x2"), ("reason", ANY), ("cause", "prediction")):
            file["failures"][name].resize((1,))
            file["failures"][name][0] = value
    with open(path("design.toml"), "w", encoding="utf-8") as file:
        file.write(f'traces = ["{TRACE}"]\nmachines = ["{MACHINE}"]\ngrids = ["4x2", "8x1"]\n'
                   'design = {kind = "latin-hypercube", runs = 12, seed = 3}\n[parameters]\nmvs.TStart = {log = [1, 1000]}\n')
    run("dataset", "design.toml", "--store", "D.h5")
    with changed(path("D.h5")) as file:
        results = file["results"]
        names = [str(name) for name in results.attrs["extra_columns"]]
        chosen = next(name for name in names if "TStart" in name)
        results.move(chosen, COLUMN)
        results.attrs["extra_columns"] = texts([COLUMN if name == chosen else name for name in names])
        results[COLUMN].attrs["units"] = ANY
        results[COLUMN].attrs["long_name"] = ANY
        file.attrs["machine_name"] = ANY
        file.attrs["traces"] = texts([ANY])
    for store in ("S", "D"):
        run("report", f"{store}.h5", "--html", f"{store}.html")
    run("merge", "S.h5", "D.h5", "--store", "M.h5", codes=(0, 2))
    run("compare", "S.h5", "S.h5", "--html", "compared.html")


def pages_of_files():
    """Descriptions, machines and variants under hostile names."""
    program, machine = NAME + ".toml", NAME + ".par"
    shutil.copy(f"{source}/configs/programs/jacobi2d.toml", path(program))
    shutil.copy(f"{source}/configs/cluster128x64.par", path(machine))
    run("predict", program, "--machine", machine, "--grid", "4x4", "--html", "predicted.html", "--json", "a.json")
    run("predict", program, "--machine", machine, "--grid", "2x8", "--json", "b.json")
    run("compare", "a.json", "b.json", "--html", "difference.html")
    run("sweep", program, "--machine", machine, "--max-processors", "16", "--store", "P.h5", "--best-html", "best.html")
    run("report", "P.h5", "--html", "P.html")
    shutil.copy(f"{source}/configs/variants/mhd_program.toml", folder)
    shutil.copy(f"{source}/configs/variants/mvs100k.par", folder)
    with open(path("variants.toml"), "w", encoding="utf-8") as file:
        file.write('program = "mhd_program.toml"\nmachine = "mvs100k.par"\nprocessors = [8]\n')
        for name in ("=HYPERLINK(1)", "\\u001b[31mred", "@SUM(1)", ANY):
            written = name if name.startswith("\\u") else json.dumps(name)[1:-1]
            file.write(f'[[variant]]\nname = "{written}"\narrays.U.distribute = ["block", "block", "*"]\n')
    run("variants", "variants.toml", "--store", "V.h5", "--html", "variants.html", "--csv", "variants.csv", "--json", "v.json")


def check_pages():
    pages = sorted(glob.glob(os.path.join(glob.escape(folder), "*.html")))
    assert len(pages) >= 8, pages
    with Browser() as browser:
        for page in pages:
            browser.open(page)
            # Buttons and fields build further parts of the page.
            browser.value("document.querySelectorAll('summary, th button').forEach(each => each.click())")
            browser.value("new Promise(done => setTimeout(done, 200))")
            assert browser.value("window.stolen === undefined"), page
            assert browser.value("document.querySelectorAll('img, svg[onload], [onerror]').length") == 0, page
            browser.no_errors()
        print(f"{len(pages)} pages opened, no script ran")


def check_tables():
    for name in ("S", "D"):
        run("export", f"{name}.h5", "--csv", f"{name}.csv")
        run("export", f"{name}.h5", "--jsonl", f"{name}.jsonl")
        with open(path(f"{name}.jsonl"), encoding="utf-8") as file:
            assert all(isinstance(json.loads(line), dict) for line in file)
    for table in glob.glob(os.path.join(glob.escape(folder), "*.csv")):
        with open(table, encoding="utf-8", newline="") as file:
            text = file.read()
        assert not any(ord(character) < 32 and character != "\n" or character == "\x7f" for character in text), table
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                try:
                    float(cell)
                except ValueError:
                    assert not cell.lstrip().startswith(("=", "+", "-", "@")), (table, cell)
    with open(path("variants.csv"), encoding="utf-8") as file:
        assert "'=HYPERLINK(1)" in file.read()


def check_json():
    """Names of files may be any bytes."""
    odd = b"odd \xff\xfe \xc3\x28.ptr.gz"
    with open(TRACE, "rb") as file, open(os.path.join(os.fsencode(folder), odd), "wb") as copy:
        copy.write(file.read())
    run("sweep", odd, "--machine", MACHINE, "--max-processors", "8", "--store", "O.h5", "--events", "events.jsonl", "--json", "o.json")
    # An error with the name in it ends the events.
    run("sweep", odd, "--machine", MACHINE, "--max-processors", "8", "--store", "O.h5", "--events", "events.jsonl", codes=(2,))
    run("predict", odd, "--machine", MACHINE, "--grid", "2x2", "--json", "p.json")
    for command in (("status", "O.h5", "--json", "st.json"), ("status", "S.h5", "--json", "s.json")):
        run(*command)
    for name in glob.glob(os.path.join(glob.escape(folder), "*.json")):
        with open(name, encoding="utf-8") as file:
            json.load(file)
    with open(path("events.jsonl"), encoding="utf-8") as file:
        events = [json.loads(line)["event"] for line in file]
    assert "start" in events and "end" in events, events


with tempfile.TemporaryDirectory() as folder:
    pages_of_stores()
    pages_of_files()
    check_pages()
    check_tables()
    check_json()
