# SPDX-License-Identifier: Apache-2.0
"""Many states of one model at once: rows are states.  These are methods of Model."""
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from . import errors
from ._linkwork import ffi, lib
from .arrays import Array, ArrayLike, numbers, owned, pointer

if TYPE_CHECKING:
    from .model import Model


def _borrow(model: Model) -> Any:
    """A work that computes several states at a time; works are kept for later calls."""
    try:
        return model._works.pop()
    except IndexError:
        w = lib.lw_work_new_batch(model._model)
        if not w:
            raise errors.OutOfMemory("out of memory") from None
        return owned(w, lib.lw_work_free, model._model)


def _rows(x: ArrayLike, n: int | None, width: int, what: str) -> Array:
    a = np.asarray(x, dtype=np.float64)
    if a.ndim != 2 or a.shape[1] != width or (n is not None and a.shape[0] != n):
        raise ValueError(f"{what} has the shape {a.shape}; it must be ({'n' if n is None else n}, {width}): rows are states")
    return a


def _compute(model: Model, functions: tuple[Callable[..., int], Callable[..., int]], t: float, Q: ArrayLike, U: ArrayLike,
             given: ArrayLike | None, what: str, threads: int) -> Array:
    q = _rows(Q, None, model.nq, "Q")
    n = q.shape[0]
    u = _rows(U, n, model.nu, "U")
    x = None if given is None else _rows(given, n, model.nu, what)
    if n > 0 and all(a is None or (a.flags.f_contiguous and not a.flags.c_contiguous) for a in (q, u, x)):
        return _by_columns(model, functions[0], t, q, u, x)
    q, u = np.ascontiguousarray(q), np.ascontiguousarray(u)
    x = None if x is None else np.ascontiguousarray(x)
    out = np.empty((n, model.nu))

    def part(first: int, last: int) -> int:
        w = _borrow(model)
        try:
            return functions[1](w, last - first, t, pointer(q[first:last]), pointer(u[first:last]),
                                ffi.NULL if x is None else pointer(x[first:last]), pointer(out[first:last]))
        finally:
            model._works.append(w)

    if threads <= 1 or n < 2 * threads:
        status = part(0, n)
    else:
        ends = [n * k // threads for k in range(threads + 1)]
        with ThreadPoolExecutor(threads) as pool:
            status = max(pool.map(part, ends[:-1], ends[1:]))
    _check(status)
    return out


def _by_columns(model: Model, function: Callable[..., int], t: float, q: Array, u: Array, x: Array | None) -> Array:
    """Arrays in Fortran's order are passed as they are, and so is the result."""
    out = np.empty((model.nu, q.shape[0]))
    w = _borrow(model)
    try:
        status = function(w, q.shape[0], t, pointer(q.T), pointer(u.T), ffi.NULL if x is None else pointer(x.T), pointer(out))
    finally:
        model._works.append(w)
    _check(status)
    return out.T


def _check(status: int) -> None:
    """States that cannot be computed are NaN in the result, and a warning says so; wrong arguments are errors."""
    if status in (lib.LW_E_SINGULAR, lib.LW_E_NUMBER, lib.LW_E_NOT_CONVERGED):
        import warnings
        warnings.warn(f"some states could not be computed, and their results are not finite: "
                      f"{errors.text_of(lib.lw_status_text(status))}", RuntimeWarning, stacklevel=4)
    else:
        errors.check(status)


def forward_dynamics(self: Model, Q: ArrayLike, U: ArrayLike, TAU: ArrayLike | None = None, *, t: float = 0.0,
                     threads: int = 1) -> Array:
    """Accelerations of many states: Q [n, nq], U [n, nu] and TAU [n, nu] give udot [n, nu].

    Several states are computed at a time in the vector registers of the processor, and on several threads if `threads` says so.  Arrays of
    doubles are used where they are, without copies.  States that cannot be computed become NaN, with a RuntimeWarning.

    >>> import linkwork as lw
    >>> m = lw.load(models / "double-pendulum.yaml")
    >>> m.forward_dynamics(np.zeros((1000, 2)), np.zeros((1000, 2))).shape
    (1000, 2)
    """
    return _compute(self, (lib.lw_forward_dynamics_n, lib.lw_forward_dynamics_rows), t, Q, U, TAU, "TAU", threads)


def inverse_dynamics(self: Model, Q: ArrayLike, U: ArrayLike, UDOT: ArrayLike | None = None, *, t: float = 0.0,
                     threads: int = 1) -> Array:
    """Loads of many states: Q [n, nq], U [n, nu] and UDOT [n, nu] give tau [n, nu].

    >>> import linkwork as lw
    >>> m = lw.load(models / "double-pendulum.yaml")
    >>> m.inverse_dynamics(np.zeros((3, 2)), np.zeros((3, 2)), np.ones((3, 2))).shape
    (3, 2)
    """
    return _compute(self, (lib.lw_inverse_dynamics_n, lib.lw_inverse_dynamics_rows), t, Q, U, UDOT, "UDOT", threads)


def mass_matrix(self: Model, Q: ArrayLike) -> Array:
    """Mass matrices of many states: Q [n, nq] gives M [n, nu, nu].

    >>> import linkwork as lw
    >>> lw.load(models / "double-pendulum.yaml").mass_matrix(np.zeros((3, 2))).shape
    (3, 2, 2)
    """
    q = np.ascontiguousarray(_rows(Q, None, self.nq, "Q").T)
    out = np.empty((self.nu, self.nu, q.shape[1]))
    w = _borrow(self)
    try:
        status = lib.lw_mass_matrix_n(w, q.shape[1], pointer(q), pointer(out))
    finally:
        self._works.append(w)
    _check(status)
    return np.moveaxis(out, 2, 0)
