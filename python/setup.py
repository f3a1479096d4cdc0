# SPDX-License-Identifier: Apache-2.0
"""Builds the package.  The C library is taken from a build of linkwork, and becomes part of the package:

    LINKWORK_BUILD   the build folder, e.g. build/release; default: ../build/release, then ../build/ci
    pkg-config       an installed linkwork, if there is no build folder
"""
import os
import pathlib
import re
import sys

from setuptools import setup

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import linkwork_ffi  # noqa: E402


def version():
    """That of the library, which the .pc file has."""
    return re.search(r"^Version: (\S+)", linkwork_ffi.find_library().pc_text, re.MULTILINE)[1]


# setuptools wants names relative to this folder, and the working folder to be it
os.chdir(HERE)
setup(version=version(), cffi_modules=["linkwork_ffi.py:ffibuilder"],
      options={"bdist_wheel": {"py_limited_api": "cp311"}})
