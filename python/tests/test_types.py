# SPDX-License-Identifier: Apache-2.0
"""The type hints are right, as mypy reads them."""
import os
import pathlib
import shutil
import subprocess

import pytest

from conftest import SOURCE


@pytest.mark.skipif(shutil.which("mypy") is None, reason="mypy is not installed")
def test_type_hints_are_consistent(tmp_path):
    build = os.environ.get("LINKWORK_BUILD")  # NumPy's stubs take long, but only the first time
    cache = pathlib.Path(build) / "python/mypy" if build else tmp_path
    done = subprocess.run(["mypy", "--cache-dir", str(cache)], cwd=SOURCE / "python", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
