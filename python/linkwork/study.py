# SPDX-License-Identifier: Apache-2.0
"""Parameters from measurements (fit), and for which an objective is least (optimize)."""
from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

import numpy as np

from . import errors
from ._linkwork import ffi, lib
from .arrays import Array, ArrayLike, choice, copied, nearest, owned, pointer
from .run import Watcher, options_of

if TYPE_CHECKING:
    from .model import Model
    from .spec import Number

Bounds = Mapping[str, "tuple[float | None, float | None]"]
Table = Mapping[str, ArrayLike]


@dataclass(frozen=True)
class Experiment:
    """What was measured in one run: a mapping of columns with "t" (a dict of arrays, a pandas DataFrame, a Result), with its own values of other
    parameters and its own start, q and u by joint.  Measurements that are NaN are left out; weight says how many each row counts as."""
    data: Any
    parameters: Mapping[str, Number] = field(default_factory=dict)
    q: Mapping[str, Any] = field(default_factory=dict)
    u: Mapping[str, Any] = field(default_factory=dict)
    weight: ArrayLike | None = None


@dataclass(frozen=True)
class Fitted:
    """A parameter that was found: its value, standard error (infinity: not determined, NaN: at a bound) and interval of 95 %."""
    name: str
    value: float
    deviation: float
    interval: tuple[float, float]
    start: float
    role: str


@dataclass(frozen=True)
class Combination:
    """Relative changes of parameters together, and the standard error along them (infinity: they change nothing that was measured)."""
    deviation: float
    direction: dict[str, float]


@dataclass(frozen=True)
class Fit:
    """What `Model.fit` has found.  model: with the values; covariance and correlation in the order of `parameters`; combinations from the worst
    determined to the best; noise of each column, as given or estimated; curves: the columns of the model at the times of each experiment."""
    model: Model
    parameters: dict[str, Fitted]
    covariance: Array
    correlation: Array
    combinations: tuple[Combination, ...]
    noise: dict[str, float]
    curves: tuple[dict[str, Array], ...]
    chi_square: float
    freedom: int
    iterations: int
    runs: int

    @property
    def values(self) -> dict[str, float]:
        """The values found, by name."""
        return {name: p.value for name, p in self.parameters.items()}


@dataclass(frozen=True)
class Optimum:
    """What `Model.optimize` has found.  model: with the values; objectives of the model there; starts: the objective at the end of each search (None:
    it could not start)."""
    model: Model
    values: dict[str, float]
    value: float
    objectives: dict[str, float]
    starts: tuple[Union[float, None], ...]
    gradients: int
    runs: int
    failed: int


class _Names:
    """Texts and arrays that a C structure points at."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    def text(self, name: str) -> Any:
        self.kept.append(ffi.new("char[]", name.encode()))
        return self.kept[-1]

    def texts(self, names: Sequence[str]) -> Any:
        self.kept.append(ffi.new("const char *[]", [self.text(n) for n in names] or [ffi.NULL]))
        return self.kept[-1]

    def array(self, a: ArrayLike) -> Any:
        self.kept.append(np.ascontiguousarray(a, dtype=np.float64))
        return ffi.cast("double *", pointer(self.kept[-1]))

    def bounds(self, o: Any, model: Model, parameters: Sequence[str], bounds: Bounds | None) -> None:
        for name in bounds or {}:
            if name not in parameters:
                raise errors.ArgumentError(f"bounds of {name!r}, which is not varied{nearest(name, list(parameters))}", model.file)
        both = [(bounds or {}).get(name, (None, None)) for name in parameters]
        o.min = self.array([-np.inf if low is None else low for low, _ in both])
        o.max = self.array([np.inf if high is None else high for _, high in both])


def _chosen(model: Model, parameters: Sequence[str]) -> tuple[str, ...]:
    return tuple(parameters) or tuple(errors.text_of(lib.lw_parameter_name(model._model, lib.lw_get_sensitivity(model._model, i)))
                                      for i in range(lib.lw_nsensitivity(model._model)))


def _simulation(model: Model, o: Any, options: Mapping[str, Any], names: _Names) -> None:
    chosen, keep = options_of(options)
    names.kept += [chosen, keep]
    o.simulation = chosen[0]


def _measured(e: Experiment) -> tuple[Array, list[str], Array]:
    table = e.data
    columns = list(table.columns) if hasattr(table, "columns") else list(table.keys())
    columns = [c for c in columns if c != "t"]
    t = np.asarray(table["t"], dtype=float)
    return t, columns, np.column_stack([np.asarray(table[c], dtype=float) for c in columns]) if columns else np.empty((len(t), 0))


def _put_data(model: Model, d: Any, e: Experiment, names: _Names) -> None:
    t, columns, values = _measured(e)
    own = model.with_parameters(e.parameters) if e.parameters else model
    own = own._holding(e.q, e.u) if e.q or e.u else own
    names.kept.append(own)
    d.spec = own._spec()
    names.kept.append(d.spec)
    d.column, d.ncolumn, d.rows = names.texts(columns), len(columns), len(t)
    d.t, d.value = names.array(t), names.array(values)
    if e.weight is not None:
        d.weight = names.array(np.repeat(np.asarray(e.weight, dtype=float)[:, None], len(columns), axis=1))


def fit(self: Model, data: Any, *parameters: str, bounds: Bounds | None = None, noise: Mapping[str, float] | None = None, iterations: int = 200,
        threads: int = 1, **options: Any) -> Fit:
    """Parameters for which result columns come closest to measured ones; none named: those that the model requests, or all.

    data: a mapping of columns with "t", an `Experiment`, or a list of them.  The search starts with the values of the model; bounds: (min, max) by name,
    besides those of the model; noise: standard deviations of columns, of others it is estimated.  Options as for `run`.

    >>> import linkwork as lw
    >>> m = lw.load(models / "double-pendulum.yaml")
    >>> r = m.run(end=2)
    >>> f = m.with_parameters(La=1.1).fit({"t": r.t, "q.A": r["q.A"], "q.B": r["q.B"]}, "La", "Lb")
    >>> round(f.values["La"], 6), f.parameters["La"].role
    (1.0, 'determined')
    """
    names = _Names()
    chosen = _chosen(self, parameters)
    experiments = [e if isinstance(e, Experiment) else Experiment(e) for e in (data if isinstance(data, (list, tuple)) else [data])]
    o = ffi.new("lw_fit_options *")
    end = max((float(np.max(_measured(e)[0], initial=0.0)) for e in experiments), default=0.0)
    _simulation(self, o, {**options, "end": end or None}, names)
    o.parameter, o.nparameter, o.threads = names.texts(chosen), len(chosen), threads
    names.bounds(o, self, chosen, bounds)
    each = ffi.new("lw_fit_data[]", len(experiments))
    for i, e in enumerate(experiments):
        _put_data(self, each[i], e, names)
    o.data, o.ndata = each, len(experiments)
    given = ffi.new("lw_fit_noise[]", [{"column": names.text(c), "deviation": x} for c, x in (noise or {}).items()])
    o.noise, o.nnoise = given, len(noise or {})
    err = errors.new_error()
    spec = self._spec()
    f = lib.lw_fit_new(spec, o, err)
    if not f:
        errors.fail(err, self.file)
    f = owned(f, lib.lw_fit_free)
    watcher = Watcher()
    handle = ffi.new_handle(watcher)
    how = ffi.new("lw_fit_run_options *", {"iterations": iterations, "on_iteration": ffi.addressof(lib, "lwpy_fit_iteration"),
                                           "context": handle})
    status = lib.lw_fit_run(f, how, err)
    watcher.raise_exception()
    if status != 0:
        errors.fail(err, self.file, status=status)
    return _fit(self, f, chosen, experiments)


def _fit(model: Model, f: Any, names: tuple[str, ...], experiments: Sequence[Experiment]) -> Fit:
    n = len(names)
    roles = ("determined", "at min", "at max", "undetermined")
    found = {}
    for i, name in enumerate(names):
        p = lib.lw_fit_get_parameter(f, i)
        found[name] = Fitted(name, p.value, p.deviation, (p.low, p.high), p.start, roles[p.role])
    combinations = []
    for i in range(lib.lw_fit_ncombination(f)):
        c = lib.lw_fit_get_combination(f, i)
        combinations.append(Combination(c.deviation, dict(zip(names, map(float, copied(c.direction, n))))))
    columns = [lib.lw_fit_get_column(f, i) for i in range(lib.lw_fit_ncolumn(f))]
    curves = []
    for i, e in enumerate(experiments):
        t, measured, _ = _measured(e)
        at = copied(lib.lw_fit_model(f, i), len(t), len(measured))
        curves.append({"t": t, **{c: at[:, k].copy() for k, c in enumerate(measured)}})
    state = lib.lw_fit_get_state(f)
    return Fit(model.with_parameters({name: p.value for name, p in found.items()}), found,
               np.array([[lib.lw_fit_covariance(f, i, k) for k in range(n)] for i in range(n)]),
               np.array([[lib.lw_fit_correlation(f, i, k) for k in range(n)] for i in range(n)]), tuple(combinations),
               {errors.text_of(c.name): float(c.noise) for c in columns}, tuple(curves), float(state.chi_square), int(lib.lw_fit_freedom(f)),
               int(state.iterations), int(state.runs))


_KINDS = {"<=": "LW_AT_MOST", ">=": "LW_AT_LEAST", "=": "LW_EQUAL_TO", "==": "LW_EQUAL_TO"}


def _requirement(text: str, names: _Names, file: str | None) -> dict[str, Any]:
    m = re.fullmatch(r"\s*(.+?)\s*(<=|>=|==?)\s*(\S+)\s*", text)
    try:
        if m:
            return {"objective": names.text(m[1]), "kind": getattr(lib, _KINDS[m[2]]), "value": float(m[3])}
    except ValueError:
        pass
    raise errors.ArgumentError(f"{text!r}: write it as 'objective <= 1', 'objective >= 1' or 'objective = 1'", file)


def optimize(self: Model, objective: str | None = None, *parameters: str, require: Sequence[str] = (), maximize: bool = False, bounds: Bounds | None = None,
             method: str = "slsqp", starts: int = 1, seed: int = 1, runs: int = 1000, tolerance: float = 1e-7, **options: Any) -> Optimum:
    """Parameters for which an objective of the model is least (default: its first one), by exact gradients; none named: those that the model
    requests, or all.

    require: others of its objectives, "camber <= 0.07", "width = 0.2".  method: slsqp or mma.  starts: searches from the values of the model, and
    from others between the bounds.  Options as for `run`.

    >>> import linkwork as lw
    >>> best = lw.load(models / "path-synthesis.yaml").optimize("error", require=["shortest <= 0", "turns_1 <= 0", "turns_2 <= 0"])
    >>> best.value < 1e-4, best.objectives["shortest"] <= 1e-6
    (True, True)
    """
    names = _Names()
    chosen = _chosen(self, parameters)
    o = ffi.new("lw_optimize_options *", {"maximize": maximize, "method": choice("lw_optimize_method", method), "starts": starts, "seed": seed,
                                          "tolerance": tolerance})
    _simulation(self, o, options, names)
    o.objective = names.text(objective) if objective is not None else ffi.NULL
    o.parameter, o.nparameter = names.texts(chosen), len(chosen)
    names.bounds(o, self, chosen, bounds)
    wanted = ffi.new("lw_requirement[]", [_requirement(text, names, self.file) for text in require])
    o.requirement, o.nrequirement = wanted, len(require)
    err = errors.new_error()
    spec = self._spec()
    x = lib.lw_optimization_new(spec, o, err)
    if not x:
        errors.fail(err, self.file)
    x = owned(x, lib.lw_optimization_free)
    watcher = Watcher()
    handle = ffi.new_handle(watcher)
    how = ffi.new("lw_optimization_run_options *", {"runs": runs, "on_iteration": ffi.addressof(lib, "lwpy_optimize_iteration"), "context": handle})
    status = lib.lw_optimization_run(x, how, err)
    watcher.raise_exception()
    if status != 0:
        errors.fail(err, self.file, status=status)
    best = lib.lw_optimization_best(x)
    values = dict(zip(chosen, map(float, copied(best.value, len(chosen)))))
    n = int(lib.lw_nobjective(self._model))
    objectives = {errors.text_of(lib.lw_get_objective(self._model, i).name): float(v)
                  for i, v in enumerate(copied(lib.lw_optimization_objectives(x), n))}
    ends = [lib.lw_optimization_of_start(x, i) for i in range(starts)]
    return Optimum(self.with_parameters(values), values, float(best.objective), objectives,
                   tuple(float(s.objective) if s.value else None for s in ends), int(best.iterations), int(best.runs), int(best.failed))
