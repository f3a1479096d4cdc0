# SPDX-License-Identifier: Apache-2.0
"""The whole C library is there."""
import re

import linkwork as lw
from conftest import SOURCE


def public_functions():
    for header in sorted((SOURCE / "include/linkwork").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
        yield from re.findall(r"\bLW_API\b[^;(]*?\b(lw_\w+)\s*\(", text)


def test_every_public_function_is_reachable():
    functions = set(public_functions())
    assert len(functions) > 300
    assert functions - set(dir(lw.lib)) == set()


def test_every_enumerator_of_a_status_has_its_exception():
    statuses = {n for n in lw.ffi.typeof("lw_status").relements if n.startswith("LW_E_")}
    classes = {c.status for c in vars(lw).values() if isinstance(c, type) and issubclass(c, lw.Error) and c is not lw.Error}
    assert statuses == classes


def test_c_functions_can_be_called_directly():
    assert lw.ffi.string(lw.lib.lw_status_text(lw.lib.LW_E_SINGULAR)) == b"the mass matrix is singular"
