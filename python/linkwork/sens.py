# SPDX-License-Identifier: Apache-2.0
"""Derivatives of whole runs by parameters of the model."""
from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from . import errors
from ._linkwork import ffi, lib
from .arrays import Array, nearest, owned, pointer, word_of
from .run import Law, LawDerivative, Result, Watcher, collect, finish, options_of, patterns_of, result_or_raise, use_law

if TYPE_CHECKING:
    from .model import Model


@dataclass(frozen=True)
class Objective:
    """A number of a whole run: its value, and its derivatives in the order of the parameters."""
    name: str
    kind: str
    text: str
    value: float
    gradient: Array


@dataclass(frozen=True)
class Check:
    """Derivatives by one parameter at the end of the run, by differences of whole runs, each with an estimate of its error (infinity: nearby runs
    diverge, and differences prove nothing)."""
    columns: dict[str, tuple[float, float]]
    objectives: dict[str, tuple[float, float]]


@dataclass(repr=False)
class Sensitivity(Result):
    """A run with derivatives: s["q.A"] is a column, s["q.A", "La"] its derivative by a parameter at fixed time.

    `objectives` are those of the model, with gradients; `exists_until` says up to which time derivatives by a parameter exist (infinity:
    always); `end_time` are the derivatives of the time at which the run ends.

    >>> import linkwork as lw
    >>> s = lw.load(models / "double-pendulum.yaml").sens("La", "Mb")
    >>> s["q.A", "La"].shape, s.objectives["tip_height"].gradient.shape
    ((11,), (2,))
    """
    parameters: tuple[str, ...] = ()
    objectives: dict[str, Objective] = field(default_factory=dict)
    exists_until: dict[str, float] = field(default_factory=dict)
    end_time: dict[str, float] = field(default_factory=dict)
    method: str = "forward"
    checks: dict[str, Check] = field(default_factory=dict)

    def __getitem__(self, key: str | tuple[str, str]) -> Array:
        if isinstance(key, str):
            return super().__getitem__(key)
        column, parameter = key
        if parameter not in self.parameters:
            raise KeyError(f"there are no derivatives by {parameter!r}{nearest(parameter, list(self.parameters))}")
        return super().__getitem__(f"d({column})/d({parameter})")


_METHODS = {"forward": lib.LW_GRADIENT_FORWARD, "adjoint": lib.LW_GRADIENT_ADJOINT, "auto": lib.LW_GRADIENT_AUTO}


def sens(self: Model, *parameters: str, columns: str | Sequence[str] | None = None, differences: bool = False, check: bool = False,
         method: str = "forward", law: Law | None = None,
         law_derivative: LawDerivative | None = None, **options: Any) -> Sensitivity:
    """Simulates with derivatives by parameters; none: those that the model requests, or all.

    columns: those whose derivatives are wanted; default: q, u and udot of every joint.  differences: differentiate rates by differences
    instead of exactly.  check: compute them at the end of the run by differences of whole runs as well (`checks`).
    method: "adjoint" finds gradients of objectives alone, at a cost that hardly depends on the number of parameters; "auto" chooses by the counts; s.method is the one
    that was used.  law: as for `run`; law_derivative(t, q, u, q_p, u_p) returns its derivatives along q_p and u_p (without it,
    differences are needed).  If the law depends on parameters, law_derivative(t, q, u, q_p, u_p, p_p) has their rates as well, by name ({"La": 1.0}); a parameter that
    is not in p_p does not change.  Differences of nearby models would not see that dependence: with p_p, differences and check are refused.  Options as for `run`.

    >>> import linkwork as lw
    >>> s = lw.load(models / "four-bar.yaml").sens("La", end=0.5)
    >>> s.parameters
    ('La',)
    """
    how = ffi.new("lw_sensitivity_options *")
    chosen, keep = options_of(options)
    watcher = Watcher()
    handle = ffi.new_handle(watcher)
    watcher.law_derivative = law_derivative
    if law_derivative is not None and _takes_parameters(law_derivative):
        if differences or check:
            raise errors.ArgumentError("the law depends on parameters, which differences of nearby models do not change in it: "
                                       "leave out differences and check", self.file)
        watcher.by = tuple(self.parameters)
    use_law(chosen, self, watcher, handle, law)
    how.simulation = chosen[0]
    how.differences = differences
    if method not in _METHODS:
        raise errors.ArgumentError(f"method: there is no {method!r}{nearest(method, list(_METHODS))}", self.file)
    if method != "forward" and columns is not None:
        raise errors.ArgumentError("derivatives of columns need method=\"forward\"", self.file)
    how.gradient = _METHODS[method]
    patterns, table_patterns = patterns_of("t" if method != "forward" else columns), patterns_of(columns if columns is not None else "*")
    how.columns = patterns
    how.start = ffi.addressof(lib, "lw_equilibrium_start") if lib.lw_simulation_defaults(self._model).start_in_equilibrium else ffi.NULL
    names = [ffi.new("char[]", p.encode()) for p in parameters]
    err = errors.new_error()
    s = lib.lw_sensitivity_new(self._model, ffi.new("const char *[]", names or [ffi.NULL]), len(names), how, err)
    if not s:
        watcher.raise_exception()
        errors.fail(err, self.file)
    s = owned(s, lib.lw_sensitivity_free, self._model, keep, handle)
    table, failure = collect(lambda run, report, e: lib.lwpy_run_sensitivity(s, table_patterns, ffi.NULL, run, report, e), watcher, self)
    adjoint = lib.lw_sensitivity_gradient(s, ffi.NULL) == lib.LW_GRADIENT_ADJOINT
    if method == "auto" and adjoint and isinstance(failure, errors.Unsupported):  # a run that the adjoint does not pass
        return sens(self, *parameters, columns="t", differences=differences, check=check, law=law, law_derivative=law_derivative, **options)
    sim = lib.lw_sensitivity_simulation(s)
    by = _parameters(self, s)
    result = Sensitivity(**finish(sim, self, _names(self, s, columns, by), table, watcher), parameters=by, model=self,
                         objectives=_objectives(self, s, len(by)))
    result.method = "adjoint" if adjoint else "forward"
    result.exists_until = {p: float(lib.lw_sensitivity_exists_until(s, k)) for k, p in enumerate(by)}
    result.end_time = {p: float(lib.lw_sensitivity_end_time(s, k)) for k, p in enumerate(by)}
    if check and failure is None:
        result.checks = {p: _check(self, s, k) for k, p in enumerate(by)}
    return result_or_raise(result, failure)


def _parameters(model: Model, s: Any) -> tuple[str, ...]:
    return tuple(errors.text_of(lib.lw_parameter_name(model._model, lib.lw_sensitivity_parameter(s, k)))
                 for k in range(lib.lw_sensitivity_nparameter(s)))


def _takes_parameters(law_derivative: LawDerivative) -> bool:
    try:
        inspect.signature(law_derivative).bind(*range(6))
    except (TypeError, ValueError):
        return False
    return True


def _check(model: Model, s: Any, k: int) -> Check:
    c = lib.lw_sensitivity_columns(s)
    names = [errors.text_of(lib.lw_columns_name(c, i)) for i in range(lib.lw_columns_count(c))]
    objectives = [errors.text_of(lib.lw_get_objective(model._model, i).name) for i in range(lib.lw_nobjective(model._model))]
    row, gradient = np.empty((2, len(names))), np.empty((2, len(objectives)))
    out = ffi.new("lw_differences *", {"drow": pointer(row[0]), "drow_error": pointer(row[1]), "gradient": pointer(gradient[0]),
                                       "gradient_error": pointer(gradient[1])})
    err = errors.new_error()
    if lib.lw_sensitivity_check(s, k, out, err) != 0:
        errors.fail(err, model.file)
    row[1][row[1] >= np.finfo(float).max] = np.inf
    gradient[1][gradient[1] >= np.finfo(float).max] = np.inf
    return Check({n: (float(v), float(e)) for n, v, e in zip(names, *row) if n != "t"},
                 {n: (float(v), float(e)) for n, v, e in zip(objectives, *gradient)})


def _names(model: Model, s: Any, columns: str | Sequence[str] | None, by: Sequence[str]) -> tuple[str, ...]:
    """Those of the run, then d(column)/d(parameter), parameter by parameter."""
    from .run import column_names
    c = lib.lw_sensitivity_columns(s)
    differentiated = [errors.text_of(lib.lw_columns_name(c, i)) for i in range(lib.lw_columns_count(c))]
    return (*column_names(model, columns), *(f"d({name})/d({p})" for p in by for name in differentiated if name != "t"))


def _objectives(model: Model, s: Any, nparameter: int) -> dict[str, Objective]:
    n = int(lib.lw_nobjective(model._model))
    value, gradient = np.empty(n), np.empty((nparameter, n))
    if n:
        errors.check(lib.lw_sensitivity_objectives(s, pointer(value), pointer(gradient)), "the objectives cannot be computed")
    found = {}
    for i in range(n):
        o = lib.lw_get_objective(model._model, i)
        name = errors.text_of(o.name)
        found[name] = Objective(name, word_of("lw_objective_kind", o.kind), errors.text_of(o.text), float(value[i]),
                                gradient[:, i].copy())
    return found
