# SPDX-License-Identifier: Apache-2.0
"""What docs/python.md and the README say in Python runs, block after block."""
import re

import pytest

from conftest import SOURCE

pytest.importorskip("matplotlib").use("Agg")


@pytest.mark.parametrize("name", ["docs/python.md", "README.md"])
def test_the_code_of_the_guide_runs(name, monkeypatch):
    monkeypatch.chdir(SOURCE)
    blocks = re.findall(r"^```python\n(.*?)^```", (SOURCE / name).read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    exec(compile("".join(blocks), name, "exec"), {})
