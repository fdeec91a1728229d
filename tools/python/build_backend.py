"""Builds gridcast-store with Python alone (PEP 517 and 660): `pip install ./tools/python` fetches no tools, so that it
works on machines without a network if h5py, pandas and xarray are there."""
import base64
import hashlib
import io
import re
import site
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = "gridcast_store"
EXTRAS = {"parquet": ["pyarrow"], "plots": ["matplotlib"]}


def requires():
    """What pip is to install as well. It does not know the h5py of Debian as such, whose name is another one."""
    debian = any(True for folder in site.getsitepackages() for _ in Path(folder).glob("h5py._debian_*"))
    return [*([] if debian else ["h5py"]), "pandas", "xarray"]


def version():
    """That of the project: the line project(gridcast VERSION ...); in a source distribution the one that it is of."""
    project, packed = HERE.parents[1] / "CMakeLists.txt", HERE / "PKG-INFO"
    if packed.exists():
        return re.search(r"^Version: (\S+)$", packed.read_text(encoding="utf-8"), re.MULTILINE).group(1)
    return re.search(r"project\(gridcast VERSION ([0-9.]+)", project.read_text(encoding="utf-8")).group(1)


def metadata():
    """The core metadata of the package (version 2.1)."""
    fields = [("Metadata-Version", "2.1"), ("Name", "gridcast-store"), ("Version", version()),
              ("Summary", "Reads stores of gridcast: labelled tables with units"), ("License", "Apache-2.0"),
              ("Requires-Python", ">=3.9"), *(("Requires-Dist", name) for name in requires())]
    for extra, names in EXTRAS.items():
        fields += [("Provides-Extra", extra), *(("Requires-Dist", f'{name}; extra == "{extra}"') for name in names)]
    fields.append(("Description-Content-Type", "text/markdown"))
    return "\n".join(f"{name}: {value}" for name, value in fields) + "\n\n" + (HERE / "README.md").read_text(encoding="utf-8")


def write_wheel(folder, content):
    """A wheel of these files, name to bytes, with its own description; returns the name of the wheel."""
    about = f"{PACKAGE}-{version()}.dist-info"
    content = {**content, f"{about}/METADATA": metadata().encode(),
               f"{about}/WHEEL": b"Wheel-Version: 1.0\nGenerator: gridcast\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = ""
    for name, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    wheel = f"{PACKAGE}-{version()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**content, f"{about}/RECORD": f"{record}{about}/RECORD,,\n".encode()}.items():
            archive.writestr(name, data)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517: the modules of the package."""
    modules = sorted((HERE / PACKAGE).glob("*.py"))
    return write_wheel(wheel_directory, {f"{PACKAGE}/{module.name}": module.read_bytes() for module in modules})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 660: a reference to this folder (pip install -e)."""
    return write_wheel(wheel_directory, {f"{PACKAGE}.pth": f"{HERE}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    """PEP 517: what is needed to build the package elsewhere."""
    name = f"{PACKAGE}-{version()}"
    files = [HERE / "pyproject.toml", HERE / "build_backend.py", HERE / "README.md", *sorted((HERE / PACKAGE).glob("*.py"))]
    content = {str(file.relative_to(HERE)): file.read_bytes() for file in files}
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path, data in {**content, "PKG-INFO": metadata().encode()}.items():
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return f"{name}.tar.gz"
