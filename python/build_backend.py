# SPDX-License-Identifier: Apache-2.0
"""The build backend: setuptools, with the packages of the system if the environment that pip or `build` makes for building does not have
them.  So `pip install ./python` and `python3 -m build python` need no network."""
import os
import subprocess
import sys

try:
    import cffi  # noqa: F401
    import setuptools  # noqa: F401
    import wheel  # noqa: F401
except ImportError:
    # the interpreter from which the environment was made, without what the environment sets
    system = os.path.join(sys.base_exec_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    folders = subprocess.run([system, "-c", "import sys; print('\\n'.join(sys.path))"], env=environment, check=True,
                             capture_output=True, text=True).stdout.split("\n")
    sys.path += [f for f in folders if f and f not in sys.path]

from setuptools import build_meta  # noqa: E402
from setuptools.build_meta import *  # noqa: E402,F401,F403


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


build_wheel, build_sdist = build_meta.build_wheel, build_meta.build_sdist
