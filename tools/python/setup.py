"""The version is that of the project: the line project(gridcast VERSION ...) of CMakeLists.txt."""
import re
from pathlib import Path

from setuptools import setup

PROJECT = (Path(__file__).resolve().parents[2] / "CMakeLists.txt").read_text(encoding="utf-8")
setup(version=re.search(r"project\(gridcast VERSION ([0-9.]+)", PROJECT).group(1))
