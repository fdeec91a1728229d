"""check_accessibility.py GRIDCAST SOURCE MPIRUN: nothing keeps people with bad sight, without a mouse, with a phone, in
the dark or with paper from the pages, of every kind."""
import os
import re
import subprocess
import sys
import tempfile

gridcast, source, mpirun = *map(os.path.abspath, sys.argv[1:3]), sys.argv[3]
sys.path.insert(0, os.path.join(source, "tests", "support"))
from accessibility import AXE, findings, hidden_focus, nameless  # noqa: E402
from browser import Browser  # noqa: E402


def run(*arguments):
    result = subprocess.run([gridcast, "--quiet", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode in (0, 3), (arguments, result.stderr)


def program(name):
    return os.path.join(source, "configs/programs", f"{name}.toml")


def machine(name):
    return os.path.join(source, "configs", f"{name}.par")


def make_pages():
    run("predict", program("heat3d"), "--machine", machine("mvs15k"), "--grid", "2x2x2", "--html", "prediction.html")
    for store, what, on, *more in (("all", "jacobi2d", "mvs", "--mode", "3", "--best-html", "best.html"),
                                   ("space", "jacobi3d", "mvs", "--mode", "2", "--intervals"),
                                   ("line", "jacobi1d", "mvs", "--mode", "3"),
                                   ("exact", "adi", "mvs15k", "--mode", "4"),
                                   ("stopped", "jacobi2d", "mvs15k", "--mode", "3", "--time-limit", "0")):
        run("sweep", program(what), "--machine", machine(on), "--store", f"{store}.h5", "--max-processors", "24", *more)
        run("report", f"{store}.h5", "--html", f"{store}.html")
    run("merge", "all.h5", "exact.h5", "--store", "merged.h5")
    run("report", "merged.h5", "--html", "merged.html")
    with open(os.path.join(folder, "measured.csv"), "w", encoding="utf-8") as file:
        file.write("p1,p2,seconds\n1,1,0.08\n2,2,0.04\n4,2,0.03\n")
    run("compare", "all.h5", "measured.csv", "--html", "compare.html")
    run("compare", "all.h5", "exact.h5", "--html", "stores.html")
    run("compare", "all.h5", "space.h5", "--grid", "best", "--html", "chosen.html")
    for grid in ("2", "3"):
        run("predict", program("adi"), "--machine", machine("mvs15k"), "--grid", grid, "--json", f"{grid}.json")
    run("compare", "2.json", "3.json", "--html", "difference.html")
    run("dataset", os.path.join(source, "configs/designs/variance.toml"), "--store", "dataset.h5")
    run("report", "dataset.h5", "--html", "dataset.html")
    run("dataset", os.path.join(source, "configs/designs/screening.toml"), "--store", "screening.h5")
    run("analyse", "factors", "screening.h5", "--html", "factors.html")
    trace = os.path.join(source, "configs/examples/jacobi2d_10000x10.ptr.gz")
    run("analyse", "system", trace, "--machine", machine("mvs15k"), "--grid", "4x2", "--html", "system.html")
    run("analyse", "match", trace, "--machine", machine("mvs15k"), "--machine", machine("cluster3level"), "--html", "match.html")
    with open(os.path.join(folder, "variants.toml"), "w", encoding="utf-8") as file:
        file.write(f'program = "{source}/configs/variants/mhd_program.toml"\nmachine = "{source}/configs/variants/mvs100k.par"\n'
                   'processors = [8]\n[[variant]]\nname = "blocks"\narrays.U.distribute = ["block", "block", "*"]\n')
    run("variants", "variants.toml", "--store", "variants.h5", "--html", "variants.html")
    subprocess.run([mpirun, "-n", "2", os.path.join(os.path.dirname(gridcast), "gridcast-measure"), "--quick", "-o", "m.par",
                    "--html", "measure.html"], cwd=folder, check=True, capture_output=True, env={
                        **os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                        "OMPI_MCA_rmaps_base_oversubscribe": "1"})
    return sorted(name for name in os.listdir(folder) if name.endswith(".html"))


LOOKS = (("desktop", 1280, False, "", False), ("dark desktop", 1280, False, "", True), ("phone", 390, True, "", False),
         ("dark phone", 390, True, "", True), ("paper", 794, False, "print", True))


def brightness(colour):
    return sum(map(int, re.findall(r"\d+", colour)[:3]))


def check(browser, name, fragment=""):
    for label, width, phone, kind, dark in LOOKS:
        browser.size(width, 900, phone)
        browser.media(kind, dark)
        browser.open(os.path.join(folder, name), fragment)
        wrong = findings(browser)
        assert not wrong, (name, label, wrong)
        # Wide tables scroll by themselves, but on paper, which browsers make small enough for them.
        wide = browser.value("Math.max(...Array.from(document.querySelectorAll('main, main :not(table, table *)'), "
                             "e => Math.floor(e.getBoundingClientRect().right)))" if kind == "print" else
                             "document.documentElement.scrollWidth")
        assert wide <= width, (name, label, "scrolls sideways", wide)
        # What the page is about begins on the first screen.
        begin = browser.value("document.querySelector('main :is(section, table, figure, .box, .iv)').getBoundingClientRect().top")
        assert begin < 900, (name, label, begin)
        colours = browser.value("['backgroundColor', 'color'].map(name => getComputedStyle(document.body)[name])")
        assert (brightness(colours[0]) > brightness(colours[1])) == (not dark or kind == "print"), (name, label, colours)
    wrong = hidden_focus(browser) + nameless(browser)
    assert not wrong, (name, wrong)
    # On paper there is nothing to press.
    browser.media("print")
    seen = browser.value("Array.from(document.querySelectorAll('button')).filter(b => b.checkVisibility() && !b.closest('th')).length")
    assert seen == 0, (name, seen)
    browser.media()


with tempfile.TemporaryDirectory() as folder, Browser() as browser:
    pages = make_pages()
    assert len(pages) == 18, pages
    for page in pages:
        check(browser, page)
    check(browser, "all.html", "#grid=2x2&empty=1&sort=-efficiency")
if not os.path.exists(AXE):
    print("axe-core is missing: tools/setup --tests installs it")
