# SPDX-License-Identifier: Apache-2.0
"""The type hints are right, as mypy reads them."""
import shutil
import subprocess

import pytest

from conftest import SOURCE


@pytest.mark.skipif(shutil.which("mypy") is None, reason="mypy is not installed")
def test_type_hints_are_consistent(tmp_path):
    done = subprocess.run(["mypy", "--cache-dir", str(tmp_path)], cwd=SOURCE / "python", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
