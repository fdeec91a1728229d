# Recipe for Spack: docs/install.md, "Spack". tests/package/check_recipes.py keeps it in step with CMakeLists.txt.
from spack.package import *


class Gridcast(CMakePackage):
    """Predicts parallel programs on machines and processor grids from one trace."""

    license("Apache-2.0")

    # Without a place to fetch it from: spack develop --path DIRECTORY gridcast@0.1.0
    version("0.1.0")

    variant("calibrate", default=True, description="calibrate, with Ceres")
    variant("measure", default=True, description="gridcast-measure, with hwloc and calibrate")
    variant("pages", default=True, description="report, with d3 5")
    conflicts("+measure", when="~calibrate")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("boost@1.74:+mpi+serialization")
    depends_on("hdf5@1.10:~mpi+hl")
    depends_on("zlib-api")
    depends_on("openssl")
    depends_on("xxhash@0.8:")
    depends_on("fmt@9:")
    depends_on("spdlog@1.10:")
    depends_on("cli11@2.1:")
    depends_on("tomlplusplus@3.3:")
    depends_on("nlohmann-json@3.11:")
    depends_on("eigen@3.4:")
    depends_on("ceres-solver@2.1:", when="+calibrate")
    depends_on("hwloc@2:", when="+measure")
    resource(
        name="d3",
        url="https://registry.npmjs.org/d3/-/d3-5.16.0.tgz",
        sha256="2e46da2089b9483a01f4cea7d27d62d463a31348ddd3c309a9a5dc2cb4568cfa",
        placement="d3",
        when="+pages",
    )

    def cmake_args(self):
        args = [
            self.define("BUILD_TESTING", False),
            self.define_from_variant("GRIDCAST_WITH_CALIBRATE", "calibrate"),
            self.define_from_variant("GRIDCAST_WITH_MEASURE", "measure"),
            self.define_from_variant("GRIDCAST_WITH_PAGES", "pages"),
        ]
        if self.spec.satisfies("+pages"):
            folder = join_path(self.stage.source_path, "d3")
            args.append(self.define("GRIDCAST_D3", join_path(folder, "dist", "d3.min.js")))
            args.append(self.define("GRIDCAST_D3_LICENCE", join_path(folder, "LICENSE")))
        return args
