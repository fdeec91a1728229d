"""Installs the package into a folder of its own and reads a store with it: test_store.py GRIDCAST SOURCE."""
import importlib.metadata
import importlib.util
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py

gridcast, source = sys.argv[1], Path(sys.argv[2])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # A copy: building leaves files beside the sources.
        subprocess.run(["cp", "-r", source / "tools" / "python", folder / "tools_python"], check=True)
        (folder / "tree" / "tools").mkdir(parents=True)
        (folder / "tools_python").rename(folder / "tree" / "tools" / "python")
        (folder / "tree" / "CMakeLists.txt").write_text((source / "CMakeLists.txt").read_text(encoding="utf-8"),
                                                        encoding="utf-8")
        check_packages(folder)
        sys.path.insert(0, str(folder / "site"))
        store = folder / "s.h5"
        subprocess.run([gridcast, "sweep", source / "configs" / "programs" / "jacobi2d.toml", "--machine",
                        source / "configs" / "mvs.par", "--max-processors", "12", "--mode", "3", "--intervals",
                        "--store", store, "-q"], check=True, stdout=subprocess.DEVNULL)
        check(store)
        check_notebook(store, folder)
        charts = check_charts(store)
    print(f"gridcast_store: read, intervals, dataset, about, notebook, {charts}")


def pip(*words):
    """pip without a network: nothing but what is here."""
    subprocess.run([sys.executable, "-m", "pip", *map(str, words)], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "PIP_ROOT_USER_ACTION": "ignore"})


def check_packages(folder):
    """Installs from the tree into folder/site; a source distribution and a link to the tree give the same package."""
    tree = folder / "tree" / "tools" / "python"
    pip("install", "--quiet", "--no-deps", "--no-index", "--target", folder / "site", tree)
    code = "import sys; sys.path.insert(0, '.'); import build_backend; print(build_backend.build_sdist(sys.argv[1]))"
    packed = subprocess.run([sys.executable, "-c", code, folder], cwd=tree, check=True, capture_output=True, text=True).stdout.strip()
    pip("install", "--quiet", "--no-deps", "--no-index", "--target", folder / "from_sdist", folder / packed)
    sources = {(each / "gridcast_store" / "__init__.py").read_bytes() for each in (folder / "site", folder / "from_sdist", tree)}
    assert len(sources) == 1
    version = re.search(r"project\(gridcast VERSION ([0-9.]+)", (source / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    for site in ("site", "from_sdist"):
        found = next(importlib.metadata.distributions(name="gridcast-store", path=[str(folder / site)]))
        assert found.version == version, (site, found.version)
        assert {"pandas", "xarray"} <= set(found.requires), found.requires


def check(store):
    import gridcast_store

    def said(*words):
        return json.loads(subprocess.run([gridcast, *words], check=True, capture_output=True, text=True).stdout)

    assert gridcast_store.__file__.endswith("site/gridcast_store/__init__.py"), gridcast_store.__file__
    status = said("status", store, "--json", "-")
    table = gridcast_store.read(store)
    assert list(table.index.names) == ["p1", "p2", "p3", "p4"], table.index.names
    assert len(table) == 35  # ordered pairs with a product of at most 12
    best = table["execution_time"].min()
    assert best == status["best"]["execution_time"]
    assert table.loc[(*status["best"]["grid"], 1, 1), "execution_time"] == best
    assert table.attrs["units"]["execution_time"] == "s", table.attrs
    pieces = gridcast_store.intervals(store)
    assert pieces.index.names[-1] == "interval" and len(pieces) % 35 == 0
    assert (pieces.xs(1, level="interval")["execution_time"] == table["execution_time"]).all()
    assert gridcast_store.about(store)["machine_name"] == "mvs"
    data = gridcast_store.dataset(store)
    assert {"p1", "p2", "p3", "p4", "processors"} <= set(data.coords), data.coords
    assert data.attrs["Conventions"] == "CF-1.8"
    assert data.execution_time.attrs["units"] == "s"
    assert data.status.attrs["flag_meanings"] == "done failed"
    assert data.status.attrs["flag_values"] == [0, 1]
    assert float(data.execution_time.min()) == best
    with h5py.File(store) as file:
        assert set(gridcast_store.columns(store)) == set(file["results"]) - {"config"}
        assert file.attrs["Conventions"] == "CF-1.8"
        assert list(file["results/status"].attrs["flag_values"]) == [0, 1]


def check_notebook(store, folder):
    """The decision and the ten fastest grids, with names as text."""
    import gridcast_store

    shown = gridcast_store.Store(store)
    assert len(gridcast_store.read(shown)) == 35 and str(store) in repr(shown)
    with h5py.File(store) as file:
        times, best = sorted(file["results/execution_time"][:]), file["best/execution_time"][0]
        grid = "×".join(str(file[f"best/{name}"][0]) for name in ("p1", "p2"))
    text = shown._repr_html_()
    assert f"Best grid {grid} ({math.prod(map(int, grid.split('×')))} processors): {best:.4g} s, " in text, text
    assert re.findall(r"<td>([^<]* s)</td>", text) == [f"{time:.4g} s" for time in times[:10]], text
    hostile = shutil.copy(store, folder / "hostile.h5")
    with h5py.File(hostile, "r+") as file:
        file.attrs["machine_name"] = "<script>alert(1)</script>"
    text = gridcast_store.Store(hostile)._repr_html_()
    assert "<script>" not in text and "&lt;script&gt;alert(1)" in text, text


def check_charts(store):
    """What is drawn is what the store has; without matplotlib one line says what is missing."""
    import gridcast_store

    if importlib.util.find_spec("matplotlib") is None:
        try:
            gridcast_store.plot_map(store)
        except ImportError as error:
            assert "python3-matplotlib" in str(error), error
            return "no charts: matplotlib is missing"
        raise AssertionError("a chart without matplotlib")
    import matplotlib

    matplotlib.use("agg")
    with h5py.File(store) as file:
        results = {name: column[:] for name, column in file["results"].items()}
        front = {name: column[:] for name, column in file["front"].items()}
    for by, line in enumerate(gridcast_store.plot_front(store).lines):
        name = ("processors", "nodes")[by]
        assert line.get_label() == name and list(line.get_ydata()) == list(front[name][front["by"] == by]), name
        assert [float(share) for share in line.get_xdata(orig=True)] == [100 * share for share in front["within"][front["by"] == by]]
    cells = gridcast_store.plot_map(store).collections[0]
    drawn = {tuple(path.vertices[0] + 0.5): time for path, time in zip(cells.get_paths(), cells.get_array())}
    assert drawn == dict(zip(zip(results["p1"], results["p2"]), results["execution_time"])), drawn
    bars = gridcast_store.plot_losses(store)
    fastest = results["execution_time"].argsort(kind="stable")[:10]
    for container, name in zip(bars.containers, ("insufficient_parallelism", "communication", "idle")):
        for bar, i in zip(container, fastest):
            assert abs(bar.get_height() - 100 * results[name][i] / results["total_time"][i]) < 1e-9, (name, i)
    assert [text.get_text() for text in bars.get_xticklabels()] == [f"{results['p1'][i]}×{results['p2'][i]}" for i in fastest]
    return "charts"


if __name__ == "__main__":
    main()
