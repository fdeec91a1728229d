"""The programs that tools/accuracy simulates: skeletons of this folder and their descriptions."""
from typing import NamedTuple

GROWING = {16: (2000,), 64: (4000,), 256: (8000,)}


def same(size, *counts):
    return dict.fromkeys(counts or GROWING, size)


class Program(NamedTuple):
    """A skeleton and the description of the same program."""
    skeleton: str
    description: str  # a file of configs/, or the text of one
    rank: int         # dimensions of the grids
    sizes: dict       # number of processors: extents of the arrays
    point: float      # seconds
    iterations: int = 10
    settings: tuple = ("n={n[0]}", "point={point}", "iterations={iterations}")  # of parameters of the description
    reductions: str = "linear"
    placed: bool = False   # by other placements than row, too
    together: bool = True  # also with processes that wait for each other
    free: int = 64         # most processes that also run free
    wide: int = 256        # most processes on nodes of 16

    def by_messages(self):
        """Whether the description says messages, not arrays."""
        return self.description.startswith("messages/")


STENCIL = """[parameters]
n = 1000
iterations = 10
point = 1.5e-9

[[array]]
name = "A"
extents = ["n", "n"]
shadow = 1
distribute = ["block", "block"]

[[do]]
repeat = "iterations"
interval = "user"

  [[do.do]]
  exchange = ["A"]

  [[do.do]]
  loop = ["i = 1 : n-2", "j = 1 : n-2"]
  on = "A[i, j]"
  time = "point"
"""
REDUCTIONS = """[parameters]
n = 1000
iterations = 10
point = 1.5e-9

[[array]]
name = "A"
extents = ["n", "n"]
distribute = ["block", "block"]

[[do]]
repeat = "iterations"
interval = "user"

  [[do.do]]
  loop = ["i = 1 : n-2", "j = 1 : n-2"]
  on = "A[i, j]"
  time = "point"
  reduce = [{ operation = "max" }]
"""
NINE = """[parameters]
rows = 6000
columns = 1500
iterations = 10
point = 2e-9

[[array]]
name = "A"
extents = ["rows", "columns"]
shadow = 2
distribute = ["block", "block"]

[[do]]
repeat = "iterations"
interval = "user"

  [[do.do]]
  exchange = ["A"]
  corners = true

  [[do.do]]
  loop = ["i = 2 : rows-3", "j = 2 : columns-3"]
  on = "A[i, j]"
  time = "point"
"""
UPWIND = """[parameters]
rows = 3000
columns = 2000
iterations = 10
point = 2e-9

[[array]]
name = "A"
extents = ["rows", "columns"]
shadow_low = [3, 1]
shadow_high = [1, 0]
distribute = ["block", "block"]

[[do]]
repeat = "iterations"
interval = "user"

  [[do.do]]
  exchange = ["A"]

  [[do.do]]
  loop = ["i = 3 : rows-4", "j = 3 : columns-4"]
  on = "A[i, j]"
  time = "point"
  reduce = [{ operation = "max" }]
"""
OVERLAP3D = """[parameters]
x = 240
y = 160
z = 96
iterations = 10
point = 2e-9

[[array]]
name = "A"
extents = ["x", "y", "z"]
shadow = 1
distribute = ["block", "block", "block"]

[[do]]
repeat = "iterations"
interval = "user"

  [[do.do]]
  exchange = ["A"]
  start = "faces"

  [[do.do]]
  loop = ["i = 1 : x-2", "j = 1 : y-2", "k = 1 : z-2"]
  on = "A[i, j, k]"
  time = "point"

  [[do.do]]
  wait = "faces"

  [[do.do]]
  loop = ["i = 1 : x-2", "j = 1 : y-2", "k = 1 : z-2"]
  on = "A[i, j, k]"
  time = "point / 8"
"""
PENCILS = """[parameters]
x = 192
y = 128
z = 96
iterations = 2
point = 2e-9

[[array]]
name = "A"
extents = ["x", "y", "z"]
element = 16
distribute = ["*", "block", "block"]

[[do]]
repeat = "iterations"
interval = "user"

  [[do.do]]
  loop = ["j = 0 : y-1", "k = 0 : z-1"]
  on = "A[*, j, k]"
  time = "x * point"

  [[do.do]]
  redistribute = "A"
  distribute = ["block", "*", "block"]

  [[do.do]]
  loop = ["i = 0 : x-1", "k = 0 : z-1"]
  on = "A[i, *, k]"
  time = "y * point"

  [[do.do]]
  redistribute = "A"
  distribute = ["block", "block", "*"]

  [[do.do]]
  loop = ["i = 0 : x-1", "j = 0 : y-1"]
  on = "A[i, j, *]"
  time = "z * point"

  [[do.do]]
  redistribute = "A"
  distribute = ["block", "*", "block"]

  [[do.do]]
  loop = ["i = 0 : x-1", "k = 0 : z-1"]
  on = "A[i, *, k]"
  time = "y * point"

  [[do.do]]
  redistribute = "A"
  distribute = ["*", "block", "block"]
"""
PLANE = ("rows={n[0]}", "columns={n[1]}", "point={point}", "iterations={iterations}")
SPACE = ("x={n[0]}", "y={n[1]}", "z={n[2]}", "point={point}", "iterations={iterations}")
PROGRAMS = {
    "stencil": Program("stencil", STENCIL, 2, GROWING, 1.5e-9, placed=True),
    "nine": Program("nine", NINE, 2, same((6000, 1500)), 2e-9, settings=PLANE, placed=True),
    "upwind": Program("upwind", UPWIND, 2, same((3000, 2000)), 2e-9, settings=PLANE, placed=True),
    "overlap3d": Program("overlap3d", OVERLAP3D, 3, same((240, 160, 96), 16, 64), 2e-9, settings=SPACE, free=16),
    "pencils": Program("pencils", PENCILS, 2, same((192, 128, 96), 16, 32, 64), 2e-9, 1, settings=SPACE,
                       free=16, wide=32),
    "jacobi2d": Program("jacobi2d", "programs/jacobi2d.toml", 2, GROWING, 1.5e-9),
    "jacobi2d, trees": Program("jacobi2d", "programs/jacobi2d.toml", 2, GROWING, 1.5e-9, reductions="tree"),
    "jacobi2d, doubling": Program("jacobi2d", "programs/jacobi2d.toml", 2, GROWING, 1.5e-9, reductions="doubling",
                                  together=False),
    "redblack": Program("redblack", "programs/redblack.toml", 2, GROWING, 3e-9),
    "torus": Program("torus", "programs/torus.toml", 2, GROWING, 2e-9,
                     settings=("n={n[0]}", "point={point}", "steps={iterations}")),
    "jacobi1d": Program("jacobi1d", "programs/jacobi1d.toml", 1, same((100000,)), 2e-9),
    "reductions": Program("reductions", REDUCTIONS, 2, same((86,)), 4e-6),
    "reductions, trees": Program("reductions", REDUCTIONS, 2, same((86,)), 4e-6, reductions="tree"),
    "jacobi3d": Program("jacobi3d", "programs/jacobi3d.toml", 3, same((200,), 16, 64), 2e-9, free=16),
    "heat3d": Program("heat3d", "programs/heat3d.toml", 3, {16: (192,), 32: (192,), 64: (256,)}, 4e-9, 2,
                      settings=("n={n[0]}", "point={point}", "solve={point} / 2", "steps={iterations}"),
                      free=16, wide=32),
    "cg": Program("cg", "programs/cg.toml", 2, GROWING, 1e-9,
                  settings=("n={n[0]}", "update={point}", "product=3 * {point}", "iterations={iterations}")),
    "cg, doubling": Program("cg", "programs/cg.toml", 2, GROWING, 1e-9, reductions="doubling", together=False,
                            settings=("n={n[0]}", "update={point}", "product=3 * {point}", "iterations={iterations}")),
    "sor": Program("sor", "programs/sor.toml", 2, {16: (2000,), 64: (4000,)}, 6e-9, 2, free=16),
    "adi": Program("adi", "programs/adi.toml", 2, {16: (2000,), 64: (4000,)}, 4e-9, 2, free=16),
    "gauss": Program("gauss", "programs/gauss.toml", 1, same((1000,), 16, 32, 64), 1.5e-9, 1, ("n={n[0]}", "operation={point}"),
                     free=16, wide=32),
    "fft3d": Program("fft3d", "programs/fft3d.toml", 2, same((128,), 16, 32, 64), 2e-10, 1,
                     ("n={n[0]}", "operation={point}", "log_n={log}", "steps={iterations}"), free=16, wide=32),
    "multigrid": Program("multigrid", "programs/multigrid.toml", 2, GROWING, 2e-9, 2,
                         ("n={n[0]}", "point={point}", "cycles={iterations}")),
    "panels": Program("panels", "programs/panels.toml", 2, same((60,), 16, 32, 64), 1e-10, 1, ("n={n[0]}", "operation={point}"),
                      free=16, wide=32),
    "taskjacobi": Program("taskjacobi", "programs/taskjacobi.toml", 1, GROWING, 1.5e-9),
    "halo": Program("halo", "messages/halo.toml", 2, GROWING, 2e-9, 20, reductions="auto", together=False),
    "halo, 300 iterations": Program("halo", "messages/halo.toml", 2, same((1024,), 16), 2e-9, 300, reductions="auto",
                                    together=False),
    "cg_doubling": Program("cg_doubling", "messages/cg_doubling.toml", 2, GROWING, 1e-9, 10, reductions="auto",
                           together=False),
    "cg_doubling, 200 iterations": Program("cg_doubling", "messages/cg_doubling.toml", 2, same((1024,), 16), 1e-9, 200,
                                           reductions="auto", together=False),
    "sendrecv_heat": Program("sendrecv_heat", "messages/sendrecv_heat.toml", 3, same((200,), 16, 64), 0.0, 10,
                             ("n={n[0]}", "iterations={iterations}"), reductions="auto", together=False),
    "wavefront": Program("wavefront", "messages/wavefront.toml", 2, GROWING, 3e-9, 3, ("n={n[0]}", "sweeps={iterations}"),
                         reductions="auto", together=False),
    "fft_pencils": Program("fft_pencils", "messages/pencils.toml", 2, same((96, 96, 96), 16, 64), 6e-9, 10,
                           ("nx={n[0]}", "ny={n[1]}", "nz={n[2]}", "butterfly={point}"), reductions="auto", together=False),
    "particles": Program("particles", "messages/particles.toml", 3, same((64,), 16, 64), 1e-10, 20,
                         ("cells={n[0]}", "density=4", "pair={point}", "steps={iterations}"), reductions="auto",
                         together=False, free=16),
}
