# SPDX-License-Identifier: Apache-2.0
"""The examples run; each checks what it shows."""
import subprocess
import sys

import pytest

from conftest import SOURCE

EXAMPLES = sorted((SOURCE / "python/examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_run(path):
    if "scipy" in path.read_text():
        pytest.importorskip("scipy")
    done = subprocess.run([sys.executable, "-B", str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_guide_lists_every_example():
    guide = (SOURCE / "docs/python.md").read_text()
    assert [p.name for p in EXAMPLES if f"`{p.name}`" not in guide] == []
