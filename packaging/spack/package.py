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
    # The modules of d3 5.16 that the pages have.
    for module, release, digest in (
        ("array", "1.2.4", "78ff9484068b7ca316a6367a4caf38f15f6b0e7db0b9a806000af0e60272a69f"),
        ("axis", "1.0.12", "321c170c03033c5b0fae2890d593422fc9cce41930d072bf66422518a02d34c5"),
        ("color", "1.4.1", "85b8553af78d059c6dba350107d7533de9a1dc6f110e0369ccab8ded6eb51baf"),
        ("dispatch", "1.0.6", "4d487d8b5ebb9424e0be8d9494d660425b81570cec3aff850f6690b1bb75f870"),
        ("drag", "1.2.5", "08fb44131122830599cac4f60da80df9c67f603d86041a359e50135cd7942b6b"),
        ("format", "1.4.5", "94fedc839084554f043a64ec0952e727b79414388f49ac169e326a63d3eeb451"),
        ("interpolate", "1.4.0", "07fe2c7c843823da38cf3bf3cafffbc0e389ad8fb9c3d7ee83c27fb6cbf9fd16"),
        ("scale", "2.2.2", "c56e0fc6f48aa969941a1251f64e0e3aaed6742abb3f77d609f504b2bc38d6ab"),
        ("selection", "1.4.2", "d0d8f02fad83c8b67f1b8daea4801b56e79ae85d770541ac6f52a6acedc3678e"),
        ("timer", "1.0.10", "968be99286f900a70f200394d52643af8f7d8b48bd8394e4b0194019d8637cdf"),
        ("transition", "1.3.2", "ecdb280c167481fe749f87b1f06298978d2f51cb969cddf9e405057f7952bc06"),
        ("zoom", "1.8.3", "c47fbd1dbd69793ac434341f34e3fc716f07d69989acfc22841b57985d2d5e0d"),
    ):
        resource(
            name=f"d3-{module}",
            url=f"https://registry.npmjs.org/d3-{module}/-/d3-{module}-{release}.tgz",
            sha256=digest,
            placement=f"node_modules/d3-{module}",
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
            folder = join_path(self.stage.source_path, "node_modules")
            args.append(self.define("GRIDCAST_D3_FOLDER", folder))
            args.append(self.define("GRIDCAST_D3_LICENCE", join_path(folder, "d3-selection", "LICENSE")))
        return args
