"""check_recipes.py SOURCE: the recipes of packaging/ have the options, packages and version of CMakeLists.txt, and those of
Debian the list of tools/setup."""
import ast
import re
import sys
from pathlib import Path

source = Path(sys.argv[1])
# Names of what CMakeLists.txt looks for, in Spack, EasyBuild and Debian; of d3 no package in the first two.
PACKAGES = {
    "ZLIB": ("zlib-api", "zlib", "zlib1g-dev"),
    "OpenSSL": ("openssl", "OpenSSL", "libssl-dev"),
    "fmt": ("fmt", "fmt", "libfmt-dev"),
    "spdlog": ("spdlog", "spdlog", "libspdlog-dev"),
    "CLI11": ("cli11", "CLI11", "libcli11-dev"),
    "tomlplusplus": ("tomlplusplus", "tomlplusplus", "libtomlplusplus-dev"),
    "nlohmann_json": ("nlohmann-json", "nlohmann_json", "nlohmann-json3-dev"),
    "Eigen3": ("eigen", "Eigen", "libeigen3-dev"),
    "HDF5": ("hdf5", "HDF5", "libhdf5-dev"),
    "XXHASH": ("xxhash", "xxHash", "libxxhash-dev"),
    "MPI": ("mpi", "Boost.MPI", "libopenmpi-dev"),
    "Boost": ("boost", "Boost.MPI", "libboost-mpi-dev"),
    "PkgConfig": ("pkgconfig", "pkgconf", "pkg-config"),
    "Ceres": ("ceres-solver", "Ceres-Solver", "libceres-dev"),
    "HWLOC": ("hwloc", "hwloc", "libhwloc-dev"),
    "d3": (None, None, "node-d3"),
}
NOT_PACKAGED = {"Threads", "Catch2"}  # of the system; of tests


def text(name):
    return (source / name).read_text(encoding="utf-8")


def calls(tree, name):
    """First arguments of all calls of a function in Python."""
    return [node.args[0].value for node in ast.walk(tree)
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", None)) == name
            and node.args and isinstance(node.args[0], ast.Constant)]


def assigned(tree, name):
    """The tuples' first elements of a list that EasyBuild's recipe assigns."""
    node = next(node for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == name)
    return {element.elts[0].value for element in node.value.elts}


def check_options(cmake, spack, easybuild):
    options = {f"GRIDCAST_WITH_{name}" for name in re.findall(r"gridcast_part\((\w+)", cmake)}
    assert options, "no parts in CMakeLists.txt"
    named = re.compile(r"GRIDCAST_WITH_\w+")
    for name, told in (("spack", spack), ("easybuild", easybuild), ("install.md", text("docs/install.md"))):
        assert set(named.findall(told)) == options, (name, options ^ set(named.findall(told)))
    tree = ast.parse(spack)
    assert {f"GRIDCAST_WITH_{variant.upper()}" for variant in calls(tree, "variant")} == options
    assert options <= set(calls(tree, "define_from_variant"))


def check_packages(cmake, spack, easybuild):
    wanted = set(re.findall(r"(?:find_package|pkg_check_modules)\((\w+)", cmake)) - NOT_PACKAGED | {"d3"}
    assert wanted == set(PACKAGES), wanted ^ set(PACKAGES)
    in_spack = {re.match(r"[\w-]+", package).group() for package in calls(ast.parse(spack), "depends_on")}
    tree = ast.parse(easybuild)
    in_easybuild = assigned(tree, "builddependencies") | assigned(tree, "dependencies")
    setup = " ".join(re.findall(r'^(?:packages|parts)="([^"]*)"', text("tools/setup"), re.MULTILINE)).split()
    spack_names, easybuild_names, debian_names = (set(names) - {None} for names in zip(*PACKAGES.values()))
    assert in_spack - {"c", "cxx", "cmake"} == spack_names, in_spack ^ spack_names
    assert in_easybuild - {"CMake"} == easybuild_names, in_easybuild ^ easybuild_names
    assert debian_names <= set(setup), debian_names - set(setup)


def check_versions(cmake, spack, easybuild):
    version = re.search(r"project\(gridcast VERSION ([\d.]+)", cmake).group(1)
    assert calls(ast.parse(spack), "version") == [version]
    assert f"\nversion = '{version}'\n" in easybuild
    least = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", cmake).group(1)
    assert f'"cmake@{least}:"' in spack
    # The modules of d3 that CMake puts into pages, in both with the same digests.
    listed = [re.findall(r"\(['\"]([a-z]+)['\"], ['\"]([\d.]+)['\"], ['\"]([0-9a-f]{64})['\"]\)", each) for each in (spack, easybuild)]
    assert listed[0] == listed[1], listed
    taken = re.findall(r"^  set\((?:charts|zoom) ([a-z ]+)\)", text("tools/cmake/GridcastParts.cmake"), re.MULTILINE)
    assert sorted(" ".join(taken).split()) == [module for module, _, _ in listed[0]], taken


def check_container():
    """The first stage installs what tools/setup says and nothing else; the second needs the packages that it made."""
    stages = re.split(r"^FROM ", text("packaging/Containerfile").replace("\\\n", ""), flags=re.MULTILINE)[1:]
    assert len(stages) == 2 and all(stage.startswith("docker.io/library/debian:12") for stage in stages), stages
    first = re.findall(r"^RUN (.*)", stages[0], re.MULTILINE)
    assert first[0] == "tools/setup" and not any("apt" in step for step in first), first
    installed = re.search(r"apt-get install ([^&]*)&&", stages[1]).group(1).split()
    assert [word for word in installed if not word.startswith("-")] == [
        "openmpi-bin", "/packages/gridcast_*.deb", "/packages/gridcast-calibrate_*.deb"], installed
    # What cpack is told there is what it is told by the page.
    assert "cpack -G DEB --config build/release/CPackConfig.cmake" in text("docs/install.md")


def main():
    cmake, spack = text("CMakeLists.txt"), text("packaging/spack/package.py")
    recipes = list((source / "packaging/easybuild").iterdir())
    version = re.search(r"project\(gridcast VERSION ([\d.]+)", cmake).group(1)
    assert [recipe.name for recipe in recipes] == [f"gridcast-{version}.eb"], recipes
    easybuild = recipes[0].read_text(encoding="utf-8")
    check_options(cmake, spack, easybuild)
    check_packages(cmake, spack, easybuild)
    check_versions(cmake, spack, easybuild)
    check_container()
    print("recipes agree")


if __name__ == "__main__":
    main()
