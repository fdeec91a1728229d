"""Charts of the store of one sweep on matplotlib, and the store as a notebook shows it."""
import html
import os

from . import EXTENTS, _index, _open, _plain

#: Columns beside the extents that tell grids of one sweep apart, so that they are no inputs of a data set.
RUN = {"threads", "cores", "placement", "block1", "block2", "block3", "block4"}
#: Bars of losses, and lines of the table of a notebook.
MOST = 10


def _axes(axes):
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("charts need matplotlib (Debian: python3-matplotlib; pip install gridcast-store[plots])") from error
    return pyplot.subplots()[1] if axes is None else axes


def _powers_of_two(axes, *names):
    """Log scales of numbers of processors."""
    for name in names:
        getattr(axes, f"set_{name}scale")("log", base=2)
        getattr(axes, f"{name}axis").set_major_formatter("{x:g}")


def _grid(columns, i):
    """4×2, with threads if there are several."""
    grid = "×".join(str(columns[f"p{dim}"][i]) for dim in range(1, columns["rank"][i] + 1))
    threads = columns["threads"][i] if "threads" in columns else 1
    return grid if threads == 1 else f"{grid}, {threads} threads"


def _title(store):
    traces = ", ".join(os.path.basename(trace) for trace in _plain(store.attrs["traces"]))
    return f"{traces} on {_plain(store.attrs['machine_name'])}"


def _sweep(path):
    """Title, and columns of the grids that have a result, by time, of a sweep."""
    with _open(path) as store:
        if not RUN.union(EXTENTS).issuperset(_index(store)):
            raise ValueError(f"{path}: has rows of several variants or runs; expected the store of one sweep")
        results = store["results"]
        done = (results["status"][:] == 0) & (results["execution_time"][:] > 0.0)
        order = results["execution_time"][:][done].argsort(kind="stable")
        if not order.size:
            raise ValueError(f"{path}: has no grid with a result")
        return _title(store), {name: column[:][done][order] for name, column in results.items()}


def plot_front(path, axes=None):
    """The fewest processors, and the fewest nodes, on which the program is at most so much slower than on the fastest
    grid: two lines. Returns the axes."""
    with _open(path) as store:
        front = {name: column[:] for name, column in store["front"].items()} if "front" in store else {}
        title = _title(store)
    if not len(front.get("by", [])):
        raise ValueError(f"{path}: has no front; expected a sweep that has ended, without --front=none")
    axes = _axes(axes)
    for by, name, marker in ((0, "processors", "o"), (1, "nodes", "s")):
        chosen = front["by"] == by
        axes.plot([f"{100 * within:g}" for within in front["within"][chosen]], front[name][chosen], marker=marker, label=name)
    axes.set(xlabel="slower than the fastest grid by at most, %", ylabel="fewest", title=title)
    _powers_of_two(axes, "y")
    axes.legend()
    return axes


def plot_map(path, axes=None):
    """The time of each P1 and P2, of more dimensions that of the fastest grid: cells (`axes.collections[0]`) with colours on
    a log scale, the fastest grid with a ring. Returns the axes."""
    title, columns = _sweep(path)
    axes = _axes(axes)
    from matplotlib import collections, colors

    fastest = {}
    for p1, p2, time in zip(columns["p1"], columns["p2"], columns["execution_time"]):
        fastest.setdefault((p1, p2), time)
    corners = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
    cells = collections.PolyCollection([[(p1 + x, p2 + y) for x, y in corners] for p1, p2 in fastest],
                                       array=list(fastest.values()), norm=colors.LogNorm(), cmap="viridis_r")
    axes.add_collection(cells)
    axes.plot(columns["p1"][0], columns["p2"][0], "o", markerfacecolor="none", color="red", label=f"fastest: {_grid(columns, 0)}")
    _powers_of_two(axes, "x", "y")
    axes.autoscale_view()
    axes.set(xlabel="P1", ylabel="P2", title=title)
    axes.figure.colorbar(cells, ax=axes, label="execution time, s")
    axes.legend()
    return axes


def plot_losses(path, axes=None):
    """Which shares of the time of all processors the ten fastest grids lose: stacked bars. Returns the axes."""
    title, columns = _sweep(path)
    axes = _axes(axes)
    total = columns["total_time"][:MOST]
    grids, bottom = [_grid(columns, i) for i in range(len(total))], 0.0
    for name in ("insufficient_parallelism", "communication", "idle"):
        share = 100.0 * columns[name][:MOST] / total
        axes.bar(grids, share, bottom=bottom, label=name.replace("_", " "))
        bottom = bottom + share
    axes.set(xlabel="grid", ylabel="lost time, % of the time of all processors", title=title)
    axes.tick_params("x", rotation=45)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return axes


class Store:
    """A store that a notebook shows as its decision and its fastest grids; functions of this package take it as a path."""

    def __init__(self, path):
        self.path = os.fspath(path)

    def __fspath__(self):
        return self.path

    def __repr__(self):
        return f"gridcast_store.Store({self.path!r})"

    def _repr_html_(self):
        with _open(self.path) as store:
            title, index, results = _title(store), _index(store), store["results"]
            names = [name for name in index if name not in RUN.union(EXTENTS)]
            best = {name: column[:1] for name, column in store["best"].items()} if "best" in store and not names else {}
            columns = {name: results[name][:] for name in (*index, "rank", "processors", "execution_time", "efficiency", "status")}
            text = f"{store.attrs['evaluated']} evaluated{'' if store.attrs['complete'] else ', not complete'}"
        figures = lambda of, i: (f"{of['processors'][i]}", f"{of['execution_time'][i]:.4g} s", f"{of['efficiency'][i]:.4f}")
        if len(best.get("rank", [])):
            text = "Best grid {} ({} processors): {}, efficiency {}; {}".format(_grid(best, 0), *figures(best, 0), text)
        order = columns["execution_time"].argsort(kind="stable")
        lines = [[*(f"{columns[name][i]:g}" for name in names), _grid(columns, i), *figures(columns, i)]
                 for i in order[columns["status"][order] == 0][:MOST]]
        row = lambda tag, cells: "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"
        heads = row("th", [*names, "grid", "processors", "execution time", "efficiency"])
        return (f"<p><b>{html.escape(title)}</b><br>{html.escape(text)}</p><table><thead>{heads}</thead><tbody>"
                f"{''.join(row('td', cells) for cells in lines)}</tbody></table>")
