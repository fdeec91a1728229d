"""check_compare_page.py GRIDCAST SOURCE: predictions of all shipped programs compared in pairs, the parts of the difference
add up to it; a browser opens the pages of comparisons, points, sorts, filters, follows links and saves, and what it shows is
what the JSON says."""
import csv
import io
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

gridcast, source = map(os.path.abspath, sys.argv[1:])
sys.path.insert(0, os.path.join(source, "tests", "support"))
from browser import Browser  # noqa: E402


def run(*arguments):
    result = subprocess.run([gridcast, "--quiet", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, (arguments, result.stderr)
    return result.stdout


def predict(program, machine, grid):
    name = f"{program}-{machine}-{grid}.json"
    run("predict", os.path.join(source, f"configs/programs/{program}.toml"), "--machine",
        os.path.join(source, f"configs/{machine}.par"), "--grid", grid, "--losses=always", "--json", name)
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return name, json.load(file)


def close(value, expected, scale):
    return abs(value - expected) <= 1e-9 * abs(scale)


def check_sums(difference, a, b):
    """From the two predictions alone: what has to add up, and what each characteristic was."""
    times = [each["intervals"][0]["execution_time"] for each in (a, b)]
    change = times[1] - times[0]
    assert difference["execution_time"]["difference"] == change
    for key in ("causes", "places"):
        total = difference["productive_effect"] + sum(each["effect"] for each in difference[key])
        assert close(total, change, max(times)), (key, total, change)
    assert close(sum(each["effect"] for each in difference["parts"]), change, max(times))
    for side, made in (("a", a), ("b", b)):
        total = made["losses"]["lost_time"]
        assert close(sum(each[side] for each in difference["places"]), total, max(total, times[0])), side
        known = {each[f"id_{side}"] for each in difference["intervals"]} | {each["id"] for each in difference[f"only_{side}"]}
        assert known == {each["id"] for each in made["intervals"]}
    changes = []
    for pair in difference["intervals"]:
        first, second = a["intervals"][pair["id_a"] - 1], b["intervals"][pair["id_b"] - 1]
        for name in ("level", "type", "file", "line", "expression"):
            assert first[name] == second[name] == pair[name] or pair["id_a"] == 1, (name, first, second)
        values = {each["name"]: each for each in pair["characteristics"]}
        assert len(values) == 46, len(values)
        for name in ("execution_time", "efficiency", "lost_time", "idle", "load_imbalance", "overlap"):
            assert (values[name]["a"], values[name]["b"]) == (first[name], second[name]), (name, values[name])
            assert values[name]["difference"] == second[name] - first[name]
        for kind, name in itertools.product(("shadow", "reduction", "pipelined"), ("communication", "synch")):
            assert values[f"{kind}_{name}"]["b"] == second[kind][name]
        for kind in ("shadow", "reduction"):
            assert values[f"{kind}_time_variation"]["a"] == first[kind]["time_variation"]
        changes.append(abs(values["execution_time"]["difference"]))
    assert changes == sorted(changes, reverse=True)


def check_programs():
    """Every program on two grids, and on two machines."""
    programs = sorted(name[:-5] for name in os.listdir(os.path.join(source, "configs/programs"))
                      if name.endswith(".toml"))
    assert len(programs) > 10
    for program in programs:
        grids = {"jacobi3d": ("2x2x1", "3x2x1"), "heat3d": ("2x2x1", "3x2x1")}.get(program, ("4", "6"))
        made = [predict(program, "mvs15k", grid) for grid in grids] + [predict(program, "cluster3level", grids[1])]
        for (first, a), (second, b) in zip(made, made[1:]):
            check_sums(json.loads(run("compare", first, second, "--json", "-")), a, b)


def titles(browser, selector):
    return browser.value(f"Array.from(document.querySelectorAll({json.dumps(selector)}), each => each.title)")


def number(text):
    return float(text.split()[0]) if text else 0.0


def check_page(browser):
    first, second = predict("adi", "mvs15k", "8")[0], predict("adi", "mvs15k", "12")[0]
    difference = json.loads(run("compare", first, second, "--json", "-"))
    run("compare", first, second, "--html", "difference.html")
    page = os.path.join(folder, "difference.html")
    browser.open(page)
    places = difference["places"]
    rows = browser.texts("#places tbody tr")
    assert len(rows) == len(places)
    for row, place in zip(rows, places):
        assert row.startswith(f"{place['file']}:{place['line']}"), (row, place)
    for column, name in ((4, "a"), (5, "b"), (3, "effect")):
        shown = [number(text) for text in titles(browser, f"#places tbody td:nth-child({column})")]
        assert shown == [place[name] for place in places], (column, shown)
    pairs = browser.value("Array.from(document.querySelectorAll('#places td.pair'), e => Array.from(e.querySelectorAll('i'), "
                          "i => [i.offsetWidth, i.parentElement.offsetWidth]))")
    most = max(max(place["a"] / 8, place["b"] / 12) for place in places)
    for (one, other), place in zip(pairs, places):
        assert abs(one[0] / one[1] - place["a"] / 8 / most) < 2 / one[1], (one, place)
        assert abs(other[0] / other[1] - place["b"] / 12 / most) < 2 / other[1], (other, place)
    # Bars of both times on one scale.
    stacks = browser.value("Array.from(document.querySelectorAll('#parts .stack'), e => e.offsetWidth)")
    times = [difference[side]["execution_time"] for side in "ab"]
    assert abs(stacks[0] / stacks[1] - times[0] / times[1]) < 2 / stacks[1], (stacks, times)
    browser.hover("#places td.pair")
    browser.click("#places th:nth-child(4) button")
    shown = [number(text) for text in titles(browser, "#places tbody td:nth-child(4)")]
    assert shown == sorted(place["a"] for place in places), shown
    browser.fill("#places input[type=search]", "pipelined")
    left = browser.value("document.querySelectorAll('#places tbody tr:not([hidden])').length")
    assert 0 < left == sum(place["activity"] == "pipelined_loop" for place in places), left
    saved = list(csv.reader(io.StringIO(browser.download("#places .tools button"))))
    assert len(saved) == left + 1 and all("pipelined" in row[1] for row in saved[1:]), saved
    check_characteristics(browser, difference)
    browser.open(page, "#interval-2")
    assert browser.value("document.querySelector('tr:target').id") == "interval-2"
    top = browser.value("document.querySelector('tr:target').getBoundingClientRect().top")
    assert 0 <= top < 900, top


def check_characteristics(browser, difference):
    whole = next(each for each in difference["intervals"] if each["id_a"] == 1)
    expected = [each for each in whole["characteristics"]
                if abs(each["difference"]) > 1e-12 * max(abs(each["a"]), abs(each["b"]))]
    names = browser.value("Array.from(document.querySelectorAll('#characteristics td[data-name]'), each => each.dataset.name)")
    assert names[:len(expected)] == [each["name"] for each in expected]
    for column, name in ((3, "a"), (4, "b"), (5, "difference"), (6, "ratio")):
        shown = titles(browser, f"#characteristics tbody td:nth-child({column})")[:len(expected)]
        assert [number(text) for text in shown] == [each[name] or 0.0 for each in expected], (name, shown)


def check_stores(browser):
    """Two searches: characteristics over the grids that both have; and of one grid, or the best of each."""
    for name, machine, most in (("a.h5", "cluster3level", "8"), ("b.h5", "mvs15k", "12")):
        run("sweep", os.path.join(source, "configs/programs/jacobi2d.toml"), "--machine",
            os.path.join(source, f"configs/{machine}.par"), "--store", name, "--mode", "3", "--max-processors", most, "--intervals")
    rows = [{(row["p1"], row["p2"]): row for row in csv.DictReader(io.StringIO(run("export", name, "--csv", "-")))}
            for name in ("a.h5", "b.h5")]
    common = rows[0].keys() & rows[1].keys()
    comparison = json.loads(run("compare", "a.h5", "b.h5", "--json", "-", ))
    assert comparison["grids"] == len(common) == len(rows[0])
    for figure in comparison["characteristics"]:
        if figure["name"].startswith("pipelined") or figure["name"].endswith("_operations"):
            continue
        if figure["name"].endswith("_time_variation"):  # of each operation: in no column; free processes have none
            assert figure["a"] == figure["b"] == 0.0, figure
            continue
        for side, table in zip("ab", rows):
            mean = sum(float(table[grid][figure["name"]]) for grid in common) / len(common)
            assert close(figure[side], mean, max(abs(mean), 1e-300)), (figure, mean)
    run("compare", "a.h5", "b.h5", "--html", "stores.html")
    browser.open(os.path.join(folder, "stores.html"))
    shown = dict(zip(browser.value("Array.from(document.querySelectorAll('#characteristics td[data-name]'), e => e.dataset.name)"),
                     titles(browser, "#characteristics tbody td:nth-child(4)")))
    changed = {each["name"]: each for each in comparison["characteristics"] if abs(each["difference"]) > 1e-9 * abs(each["a"])}
    assert len(changed) > 10 and changed.keys() <= shown.keys()
    assert all(number(shown[name]) == changed[name]["difference"] for name in changed)
    assert len(browser.texts("#grids tbody tr")) == len(common)
    browser.click("#grids th:last-child button")
    errors = [float(re.sub("[+ %]", "", text)) for text in browser.texts("#grids tbody td:last-child")]
    assert errors == sorted(errors)
    check_stored_grids(rows)


def check_stored_grids(rows):
    one = json.loads(run("compare", "a.h5", "b.h5", "--grid", "2x3", "--json", "-"))
    for side, table in zip("ab", rows):
        assert one[side]["grid"] == [2, 3]
        assert one[side]["execution_time"] == float(table[("2", "3")]["execution_time"])
    assert len(one["intervals"]) > 1 and one["losses_omitted"]
    best = json.loads(run("compare", "a.h5", "b.h5", "--grid", "best", "--json", "-"))
    for side, store in zip("ab", ("a.h5", "b.h5")):
        assert best[side]["grid"] == json.loads(run("status", store, "--json", "-"))["best"]["grid"]
    name, made = predict("jacobi2d", "mvs15k", "2x3")
    mixed = json.loads(run("compare", name, "b.h5", "--json", "-"))
    times = {each["id_b"]: each["characteristics"] for each in mixed["intervals"]}
    assert len(times) == len(made["intervals"]) and not mixed["only_a"] and not mixed["only_b"]
    for each in (each for figures in times.values() for each in figures):
        assert close(each["a"], each["b"], max(abs(each["a"]), made["intervals"][0]["total_time"])), each


with tempfile.TemporaryDirectory() as folder, Browser() as browser:
    check_programs()
    check_page(browser)
    check_stores(browser)
    browser.no_errors()
