# SPDX-License-Identifier: Apache-2.0
"""Between NumPy and the library: arrays are passed as they are where their memory allows it."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
import numpy.typing as npt

from ._linkwork import ffi, lib

Array = npt.NDArray[np.float64]
ArrayLike = npt.ArrayLike


def pointer(a: Array) -> Any:
    """The memory of a contiguous array."""
    return ffi.from_buffer("double[]", a)


def numbers(x: ArrayLike, shape: int | tuple[int, ...], what: str) -> Array:
    """x as contiguous doubles of this shape: itself if it is that already, else a copy."""
    a = np.ascontiguousarray(x, dtype=np.float64)
    shape = (shape,) if isinstance(shape, int) else shape
    if a.shape != shape:
        if a.size == 1 and shape == (1,):
            return a.reshape(1)
        raise ValueError(f"{what} has the shape {a.shape}; it must be {shape}")
    return a


def copied(p: Any, *shape: int) -> Array:
    """A copy of the library's numbers at p."""
    n = int(np.prod(shape, dtype=np.int64))
    if n == 0 or not p:
        return np.zeros(shape)
    return np.frombuffer(ffi.buffer(p, 8 * n), dtype=np.float64).reshape(shape).copy()


def integers(p: Any, n: int) -> npt.NDArray[np.intc]:
    """A copy of the library's integers at p."""
    if n == 0 or not p:
        return np.zeros(0, dtype=np.intc)
    return np.frombuffer(ffi.buffer(p, 4 * n), dtype=np.intc).copy()


def freed_text(p: Any) -> str | None:
    """A text that the library has made for the caller, who frees it."""
    if not p:
        return None
    try:
        return str(ffi.string(p).decode())
    finally:
        lib.free(p)


def owned(p: Any, free: Callable[[Any], None], *made_for: Any) -> Any:
    """The object p, which is freed with the last reference to it, and before the objects it was made for."""
    if not made_for:
        return ffi.gc(p, free)

    def release(p: Any, made_for: tuple[Any, ...] = made_for) -> None:
        free(p)
    return ffi.gc(p, release)


def choices(ctype: str) -> dict[str, int]:
    """The enumerators of a type by the words that users write: "revolute" is LW_REVOLUTE."""
    found: dict[str, int] = {}
    for value, name in sorted((v, n) for n, v in ffi.typeof(ctype).relements.items()):
        for prefix in _PREFIXES:
            if name.startswith(prefix):
                found.setdefault(name[len(prefix):].lower(), value)
                break
    return found


_PREFIXES = ("LW_SHAPE_", "LW_FORMULATION_", "LW_INTEGRATOR_", "LW_LOOPS_", "LW_ACTION_", "LW_SOLID_", "LW_ORIENT_", "LW_TABLE_", "LW_OUTSIDE_",
             "LW_OBJECTIVE_", "LW_INERTIA_", "LW_ON_", "LW_SKO_BLOCK_", "LW_SKO_", "LW_ORDER_", "LW_SPAN_", "LW_PART_", "LW_PATTERN_",
             "LW_SOLVER_", "LW_DESIGN_", "LW_FACTOR_", "LW_")


def choice(ctype: str, word: str) -> int:
    """The enumerator that a word means; a wrong word is a ValueError that lists the right ones."""
    known = choices(ctype)
    try:
        return known[word.lower().replace("-", "_").replace(" ", "_")]
    except KeyError:
        raise ValueError(f"{word!r} is none of " + ", ".join(w for w in known if not w.endswith(("_types", "actions")))) from None


def word_of(ctype: str, value: int) -> str:
    """The word of an enumerator."""
    return next((w for w, v in choices(ctype).items() if v == value), str(value))


def nearest(word: str, names: list[str]) -> str:
    """A hint for messages: the name that `word` may be a misspelling of."""
    kept = [ffi.new("char[]", n.encode()) for n in names]
    found = lib.lw_nearest_name(word.encode(), ffi.new("const char *[]", kept or [ffi.NULL]), len(kept))
    return f"; did you mean {ffi.string(found).decode()!r}?" if found else ""
