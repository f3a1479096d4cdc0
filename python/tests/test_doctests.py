# SPDX-License-Identifier: Apache-2.0
"""Every example of a docstring says what it prints."""
import doctest
import importlib

import numpy as np
import pytest

from conftest import MODELS, SOURCE

MODULES = sorted(p.stem for p in (SOURCE / "python/linkwork").glob("*.py") if p.stem != "__init__")


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_are_true(name):
    module = importlib.import_module(f"linkwork.{name}")
    done = doctest.testmod(module, extraglobs={"models": MODELS, "np": np}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert done.failed == 0
