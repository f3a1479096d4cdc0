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


def test_every_public_class_function_and_method_has_a_docstring():
    import inspect

    import linkwork
    public = [name for name in linkwork.__all__ if name not in ("ffi", "lib")]
    bare = [name for name in public if not getattr(linkwork, name).__doc__]
    for name in public:
        cls = getattr(linkwork, name)
        if inspect.isclass(cls):
            bare += [f"{name}.{k}" for k, v in vars(cls).items()
                     if not k.startswith("_") and (callable(v) or isinstance(v, property)) and not v.__doc__]
    assert bare == []
