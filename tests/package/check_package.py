"""check_package.py BUILD SOURCE: what is installed works by itself: the program, its pages and completion, the shipped
programs, and a consumer of the library; the Debian package has the same files."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

build, source = Path(sys.argv[1]), Path(sys.argv[2])


def run(*words, **more):
    result = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, **more)
    assert result.returncode == 0, (words, result.stdout[-2000:], result.stderr[-2000:])
    return result.stdout


def check_consumer(prefix, folder, gridcast):
    run("cmake", "-S", source / "tests" / "package", "-B", folder / "consumer", f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", folder / "consumer")
    program, machine = source / "configs/programs/jacobi2d.toml", source / "configs/mvs.par"
    used = run(folder / "consumer" / "consumer", program, machine, 64).split()
    # All candidates are evaluated there, the consumer searches exactly.
    run(gridcast, "sweep", program, "-m", machine, "--max-processors", 64, "--mode", 3, "--store", folder / "all.h5")
    best = json.loads(run(gridcast, "status", folder / "all.h5", "--json", "-"))["best"]
    assert used[0] == "x".join(map(str, best["grid"])), (used, best)
    told = json.loads(run(gridcast, "predict", program, "-m", machine, "--grid", used[0], "--json", "-"))
    assert float(used[1]) == told["intervals"][0]["execution_time"], (used, told["intervals"][0])
    names = {str(path.relative_to(prefix / "include")) for path in (prefix / "include").rglob("*.h")}
    assert names == {str(path.relative_to(source / "include")) for path in (source / "include").rglob("*.h")}, names
    needed = run("ldd", folder / "consumer" / "consumer")
    assert "libmpi" not in needed and "libhdf5" in needed, needed


def check_names(programs):
    """One program with three names, each of which does its own."""
    for name, does in (("predictor", "M.par TRACE OUT.html"), ("gridcast-measure", "mpirun -n 8 gridcast-measure")):
        assert os.readlink(programs / name) == "gridcast", name
        assert does in run(programs / name, "--help"), name


def check_solver(folder, package):
    """Only the package of the solver brings Ceres; without it calibrate says what it lacks."""
    solver = next((folder / "deb").glob("gridcast-calibrate_*.deb"))
    # Ceres itself may be linked statically; it needs sparse matrices.
    assert "libcholmod" not in run("dpkg-deb", "-f", package, "Depends")
    assert "gridcast-calibrate" in run("dpkg-deb", "-f", package, "Recommends")
    depends = run("dpkg-deb", "-f", solver, "Depends")
    assert "libcholmod" in depends and "gridcast (= " in depends, depends
    words = [folder / "root/usr/bin/gridcast", "calibrate", source / "configs/programs/jacobi2d.toml",
             "-m", source / "configs/mvs.par", "--measured", folder / "none.csv"]
    for expected in ("install the package gridcast-calibrate", "none.csv"):
        failed = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
        assert failed.returncode == 2 and expected in failed.stderr, (expected, failed)
        run("dpkg-deb", "-x", solver, folder / "root")  # and now it gets as far as its files


def check_deb(folder):
    run("cpack", "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", folder / "deb")
    package = next((folder / "deb").glob("gridcast_*.deb"))
    run("dpkg-deb", "-x", package, folder / "root")
    names = {str(path.relative_to(folder / "root")) for path in (folder / "root").rglob("*")}
    completion = ("bash-completion/completions/{}", "fish/vendor_completions.d/{}.fish")
    for name in ("usr/bin/gridcast", "usr/share/gridcast/configs/mvs.par", "usr/share/zsh/vendor-completions/_gridcast",
                 *(f"usr/share/man/man1/{page}.1" for page in ("gridcast-sweep", "gridcast-measure", "predictor")),
                 *(f"usr/share/{place.format(program)}" for place in completion
                   for program in ("gridcast", "gridcast-measure"))):
        assert name in names, name
    assert "libmpi" in run("dpkg-deb", "-f", package, "Depends") or "openmpi" in run("dpkg-deb", "-f", package, "Depends")
    assert not any(name.endswith((".a", ".h")) for name in names), names
    library = run("dpkg-deb", "-c", next((folder / "deb").glob("gridcast-dev_*.deb")))
    assert "libgridcast_api.a" in library and "gridcast/gridcast.h" in library and "gridcastConfig.cmake" in library, library
    check_solver(folder, package)
    # From where it was unpacked.
    assert "heat3d" in run(folder / "root/usr/bin/gridcast", "examples")
    check_names(folder / "root/usr/bin")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prefix = folder / "prefix"
        run("cmake", "--install", build, "--prefix", prefix)
        gridcast = prefix / "bin" / "gridcast"
        assert (prefix / "share/man/man1/gridcast.1").exists()
        check_names(prefix / "bin")
        environment = {**os.environ, "PATH": f"{prefix}/bin:{os.environ['PATH']}"}
        run(gridcast, "examples", "heat3d", cwd=folder)
        run("sh", "steps.sh", cwd=folder / "heat3d", env=environment)
        assert (folder / "heat3d" / "search.html").stat().st_size > 1000
        check_consumer(prefix, folder, gridcast)
        if subprocess.run(["which", "dpkg-shlibdeps"], capture_output=True, check=False).returncode == 0:
            check_deb(folder)
    print("installed, used, packed")


if __name__ == "__main__":
    main()
