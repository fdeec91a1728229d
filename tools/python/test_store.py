"""Installs the package into a folder of its own and reads a store with it: test_store.py GRIDCAST SOURCE."""
import importlib.metadata
import json
import os
import re
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
    print("gridcast_store: read, intervals, dataset, about")


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


if __name__ == "__main__":
    main()
