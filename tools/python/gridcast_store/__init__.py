"""Reads stores of gridcast (schema gridcast.store/1, docs/store.md) as labelled tables with units.

h5py is all that is needed; read() and intervals() need pandas, dataset() needs xarray, charts need matplotlib. What a
writer that runs or was killed has in its journal is not in the file yet: `gridcast export` has it.
"""
import h5py

__all__ = ["Store", "about", "columns", "dataset", "intervals", "plot_front", "plot_losses", "plot_map", "read"]

EXTENTS = ("p1", "p2", "p3", "p4")
#: Attributes of a column that are handed on.
KEPT = ("units", "long_name", "flag_values", "flag_meanings")
#: Of stores that do not say themselves what the numbers of `status` mean.
FLAGS = {"status": {"flag_values": [0, 1], "flag_meanings": "done failed"}}


def _plain(value):
    """An attribute as Python has it."""
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value


def _open(path):
    store = h5py.File(path, "r")
    schema = _plain(store.attrs.get("schema", ""))
    if not schema.startswith("gridcast.store/"):
        store.close()
        raise ValueError(f"{path}: no store of gridcast (schema '{schema}')")
    return store


def _index(store):
    """Names of the columns that tell rows apart: inputs of a data set, then the extents."""
    extra = _plain(store["results"].attrs.get("extra_columns", []))
    return [*([extra] if isinstance(extra, str) else extra), *EXTENTS]


def _columns(store):
    return {name: column for name, column in store["results"].items() if name != "config"}


def _attributes(name, column):
    kept = {key: _plain(column.attrs[key]) for key in KEPT if key in column.attrs}
    return {**FLAGS.get(name, {}), **kept}


def about(path):
    """The attributes of the store: trace, machine, mode, options, ..."""
    with _open(path) as store:
        return {name: _plain(value) for name, value in store.attrs.items()}


def columns(path):
    """Units and meaning of every column."""
    with _open(path) as store:
        return {name: _attributes(name, column) for name, column in _columns(store).items()}


def read(path):
    """A pandas data frame: one row per grid, indexed by p1 ... p4 (and the inputs of a data set); `attrs["units"]` and
    `attrs["long_name"]` by column."""
    import pandas

    with _open(path) as store:
        found = _columns(store)
        table = pandas.DataFrame({name: column[:] for name, column in found.items()}).set_index(_index(store))
        described = {name: _attributes(name, column) for name, column in found.items()}
    for key in ("units", "long_name"):
        table.attrs[key] = {name: each[key] for name, each in described.items() if key in each}
    return table.sort_index()


def intervals(path):
    """A pandas data frame of a sweep with --intervals: one row per grid and interval, with file, line and type of the
    interval."""
    import pandas

    with _open(path) as store:
        results = store.get("interval_results")
        if results is None:
            raise ValueError(f"{path}: no results per interval (sweep with --intervals)")
        figures = {name: piece[:] for name, piece in results.items() if piece.ndim == 2}
        index = _index(store)
        keys = {name: store["results"][name][:] for name in index}
        tree = store["intervals"]
        known = {name: tree[name].asstr()[:] if tree[name].dtype.kind == "O" else tree[name][:]
                 for name in ("id", "parent", "level", "type", "file", "line")}
    rows, count = next(iter(figures.values())).shape
    table = {name: values.repeat(count) for name, values in keys.items()}
    table["interval"] = list(known.pop("id")) * rows
    table.update({name: list(values) * rows for name, values in known.items()})
    table.update({name: values.reshape(-1) for name, values in figures.items()})
    return pandas.DataFrame(table).set_index([*index, "interval"]).sort_index()


def dataset(path):
    """An xarray data set along `config` with p1 ... p4, processors and the inputs of a data set as coordinates, and
    attributes as the CF conventions name them."""
    import xarray

    with _open(path) as store:
        variables = {name: ("config", column[:], _attributes(name, column))
                     for name, column in _columns(store).items()}
        coordinates = [*_index(store), "processors"]
        attributes = {name: _plain(value) for name, value in store.attrs.items()
                      if isinstance(_plain(value), (str, int, float))}
    return xarray.Dataset(variables, attrs={"Conventions": "CF-1.8", **attributes}).set_coords(coordinates)


from .plots import Store, plot_front, plot_losses, plot_map  # noqa: E402
