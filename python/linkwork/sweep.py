# SPDX-License-Identifier: Apache-2.0
"""One model many times: designs of cases, runs on all processors, statistics."""
from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Sequence, Union

import numpy as np

from . import cluster, errors
from ._linkwork import ffi, lib
from .arrays import Array, ArrayLike, choice, nearest, owned, pointer
from .run import Result, Watcher, collect, named_columns, options_of, patterns_of, result_or_raise

if TYPE_CHECKING:
    from .model import Model


@dataclass(frozen=True)
class Uniform:
    """A parameter from `min` to `max` (SI units); in a grid `points` values."""
    min: float
    max: float
    points: int = 5


@dataclass(frozen=True)
class Normal:
    """A parameter that is normally distributed, SI units."""
    mean: float
    deviation: float


Range = Union[Uniform, Normal, "tuple[float, float]", ArrayLike, None]
"""How a parameter varies: (min, max), Uniform, Normal, a list of values, or None: from its `min` to its `max` in the model."""
_DESIGNS = {"latin": "LATIN", "grid": "GRID", "sobol": "SOBOL", "uniform": "RANDOM", "normal": "RANDOM", "indices": "INDICES", "list": "LIST"}


@dataclass(frozen=True)
class Summary:
    """Of the finite values of a result: how many, mean, deviation, extremes, and the quantiles 5, 25, 50, 75, 95 %."""
    n: int
    mean: float
    deviation: float
    least: float
    most: float
    quantiles: tuple[float, ...]


@dataclass(frozen=True)
class SobolIndex:
    """The share of the variance of a result that a parameter explains alone (`first`) and with all others (`total`), with intervals of 95 %."""
    first: float
    first_interval: tuple[float, float]
    total: float
    total_interval: tuple[float, float]


@dataclass(frozen=True)
class _Wanted:
    """Which cases, and what is wanted of each: all but the model."""
    ranges: dict[str, Range]
    design: str
    cases: int
    seed: int
    columns: str | Sequence[str] | None
    extremes: str | Sequence[str] | None
    events: str | Sequence[str] | None
    limit: float
    options: dict[str, Any]


@dataclass(repr=False)
class Sweep:
    """A table of cases: s["La"] are the values of a parameter, s["q.A"] the results at the end of each run, s["max.u.A"], s["max.u.A.t"] extremes and
    s["count.latch"], s["first.latch"] events (NaN: it does not exist, or the case has failed).

    `t` are the times reached, `failures` the exceptions of failed cases by number (from 0).
    """
    model: Model
    parameters: tuple[str, ...]
    results: tuple[str, ...]
    values: Array
    """[cases, parameters]"""
    table: Array
    """[cases, results]"""
    t: Array
    failures: dict[int, errors.Error]
    design: str
    seed: int
    _made: _Wanted

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def __repr__(self) -> str:
        return (f"<linkwork sweep of {self.model.name!r}: {len(self)} cases of {', '.join(self.parameters)}, {len(self.results)} results, "
                f"{len(self.failures)} failed>")

    def __getitem__(self, name: str) -> Array:
        if name in self.parameters:
            return self.values[:, self.parameters.index(name)]
        if name in self.results:
            return self.table[:, self.results.index(name)]
        raise KeyError(f"there is no parameter or result {name!r}{nearest(name, [*self.parameters, *self.results])}")

    def case(self, i: int, *, columns: str | Sequence[str] | None = None, output: str | os.PathLike[str] | None = None) -> Result:
        """The whole run of case i (from 0), with the bits of the sweep; columns and output as for `run`.

        >>> import linkwork as lw
        >>> s = lw.load(models / "double-pendulum.yaml").sweep({"La": (0.8, 1.2)}, cases=4, columns="q.A", end=0.5)
        >>> bool(s.case(2)["q.A"][-1] == s["q.A"][2])
        True
        """
        i = range(len(self))[i]
        values = {name: float(x) for name, x in zip(self.parameters, self.values[i])}
        model, study = self.model.with_parameters(values), self._study()
        path = ffi.NULL if output is None else ffi.new("char[]", os.fspath(output).encode())
        patterns, named, watcher = patterns_of(columns if columns is not None else "*"), named_columns(model, columns), Watcher()
        table, failure = collect(lambda run, report, err: lib.lwpy_run_case(study, i, patterns, path, run, err), watcher, model,
                                 output is not None)
        names = tuple(n for n, _ in named)
        return result_or_raise(Result(names, table if table.size else np.zeros((0, len(names))), watcher.events, name=model.name,
                                      units=tuple(u for _, u in named), model=model, _parts=watcher.parts), failure)

    def _study(self) -> Any:
        return _study(self.model, self._made)

    def statistics(self, result: str) -> Summary:
        """Mean, deviation, extremes and quantiles of a result.

        >>> import linkwork as lw
        >>> s = lw.load(models / "double-pendulum.yaml").sweep({"La": (0.8, 1.2)}, cases=4, columns="q.A", end=0.5)
        >>> x = s.statistics("q.A")
        >>> x.n, x.least <= x.mean <= x.most
        (4, True)
        """
        x, out = np.ascontiguousarray(self[result]), ffi.new("lw_statistics *")
        errors.check(lib.lw_find_statistics(pointer(x), len(x), out))
        return Summary(out.n, out.mean, out.deviation, out.least, out.most, tuple(out.quantile))

    def correlation(self, a: str, b: str) -> float:
        """Of two parameters or results; NaN: one does not vary.

        >>> import linkwork as lw
        >>> s = lw.load(models / "double-pendulum.yaml").sweep({"La": (0.8, 1.2)}, cases=4, columns="q.A", end=0.5)
        >>> bool(s.correlation("La", "q.A") > 0.9)
        True
        """
        x, y = np.ascontiguousarray(self[a]), np.ascontiguousarray(self[b])
        return float(lib.lw_correlation(pointer(x), pointer(y), len(x)))

    def indices(self, result: str) -> dict[str, SobolIndex]:
        """Sobol' indices of a result by parameter, of design="indices".

        >>> import linkwork as lw
        >>> s = lw.load(models / "double-pendulum.yaml").sweep({"La": (0.8, 1.2), "Ma": (0.9, 1.1)}, design="indices", cases=8, columns="q.A", end=0.2)
        >>> sorted(s.indices("q.A"))
        ['La', 'Ma']
        """
        if self.design != "indices":
            raise errors.ArgumentError(f'Sobol\' indices need design="indices"; this one is "{self.design}"')
        x, n = np.ascontiguousarray(self[result]), len(self.parameters)
        out, study = ffi.new("lw_sobol_index[]", n), self._study()
        errors.check(lib.lw_sobol_indices(lib.lw_study_design(study), pointer(x), out), f"Sobol' indices of {result!r}")
        return {p: SobolIndex(i.first, (i.first_low, i.first_high), i.total, (i.total_low, i.total_high)) for p, i in zip(self.parameters, out)}

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: parameters, results, the time reached, and the message of a failed case."""
        import pandas
        frame = pandas.DataFrame(np.hstack([self.values, self.table]), columns=[*self.parameters, *self.results])
        return frame.assign(t=self.t, message=[str(self.failures[i].text) if i in self.failures else "" for i in range(len(self))])


def _factor(model: Model, name: str, given: Range, kept: list[Any]) -> dict[str, Any]:
    text = ffi.new("char[]", name.encode())
    kept.append(text)
    if given is None:
        low, high = ffi.new("double *"), ffi.new("double *")
        errors.check(lib.lw_parameter_range(model._model, list(model.parameters).index(name), low, high))
        if not np.isfinite([low[0], high[0]]).all():
            raise errors.ArgumentError(f"parameter {name!r} has no min and max in the model: give a range (min, max)", model.file)
        given = Uniform(float(low[0]), float(high[0]))
    if isinstance(given, tuple) and len(given) == 2:
        given = Uniform(float(given[0]), float(given[1]))
    if isinstance(given, Uniform):
        return {"name": text, "kind": lib.LW_FACTOR_UNIFORM, "min": given.min, "max": given.max, "points": given.points}
    if isinstance(given, Normal):
        return {"name": text, "kind": lib.LW_FACTOR_NORMAL, "mean": given.mean, "deviation": given.deviation, "points": 5}
    values = np.atleast_1d(np.array(given, dtype=float))
    data = pointer(values)
    kept += [values, data]
    return {"name": text, "kind": lib.LW_FACTOR_VALUES, "value": data, "nvalue": len(values), "points": 5}


def _design(model: Model, vary: Mapping[str, Range], design: str, cases: int, seed: int) -> tuple[Any, list[Any]]:
    """lw_design, and what it points at."""
    if design not in _DESIGNS:
        raise ValueError(f"design {design!r} is none of {', '.join(_DESIGNS)}")
    kept: list[Any] = []
    if design == "list":
        columns = [np.asarray(x, dtype=float) for x in vary.values()]
        if any(c.shape != columns[0].shape or c.ndim != 1 for c in columns):
            raise ValueError("design=\"list\": each parameter needs a list of values, all of the same length")
        rows = np.ascontiguousarray(np.column_stack(columns))
        factors = [_factor(model, name, (0.0, 1.0), kept) for name in vary]
    else:
        factors = [_factor(model, name, given, kept) for name, given in vary.items()]
    for f in factors:
        if design == "normal" and f["kind"] == lib.LW_FACTOR_UNIFORM:
            f.update(kind=lib.LW_FACTOR_NORMAL, mean=0.5 * (f["min"] + f["max"]), deviation=(f["max"] - f["min"]) / 6)
    array = ffi.new("lw_factor[]", factors)
    fields = {"kind": choice("lw_design_kind", _DESIGNS[design]), "factor": array, "nfactor": len(factors), "cases": cases, "seed": seed}
    if design == "list":
        data = pointer(rows)
        fields.update(cases=len(rows), list=data)
        kept += [rows, data]
    out = ffi.new("lw_design *", fields)
    return out, [*kept, array]


def sweep(self: Model, vary: Mapping[str, Range] | Sequence[str] | None = None, *, design: str | None = None, cases: int | None = None,
          seed: int | None = None, columns: str | Sequence[str] | None = None, extremes: str | Sequence[str] | None = None,
          events: str | Sequence[str] | None = None, threads: int | None = None, limit: float | None = None, client: Any = None, **options: Any) -> Sweep:
    """Many cases of the model, each with other values of parameters, on `threads` processors (default: all).

    vary: how each parameter varies: {"La": (0.5, 1.5), "k": lw.Normal(100, 5), "n": [1, 2, 5], "Ma": None}; None and names alone: from `min` to `max` in the
    model, default all parameters that have both.  design: "latin" (hypercube, the default), "grid", "sobol", "uniform" or "normal" (random numbers), "indices"
    (for Sobol' indices: cases (parameters + 2) runs), "list" (the k-th case has the k-th value of each parameter).  cases: 100 by default.  columns: results
    at the end of each run; objectives of the model always are.  extremes: columns whose largest and least values and their times are results.  events: names
    and patterns of events: how often and when.  limit: seconds of processor time per case.  What is not given is taken from the section `study` of the model.
    Options as for `run`.

    client: a dask.distributed.Client: its workers compute the cases, one task each; those of a worker that is lost are computed by others.

    Values follow from design, seed and number of the case, and results are the bits of `linkwork sweep`, on any number of threads and workers.  Cases that fail
    do not end it.  Ctrl-C does.

    >>> import linkwork as lw
    >>> s = lw.load(models / "double-pendulum.yaml").sweep({"La": (0.5, 1.5), "Ma": lw.Normal(1, 0.1)}, cases=10, columns="q.A", extremes="u.A", end=0.5)
    >>> len(s), s["La"].shape, s["q.A"].shape, s.failures
    (10, (10,), (10,), {})
    >>> s.results[-4:]
    ('max.u.A', 'max.u.A.t', 'min.u.A', 'min.u.A.t')
    """
    given = _Given(vary, design, cases, seed, columns, extremes, events, limit)
    wanted = _complete(self, given, options)
    study = _study(self, wanted)
    n, nresult = int(lib.lw_design_cases(lib.lw_study_design(study), ffi.NULL)), int(lib.lw_study_nresult(study))
    values, table, t = np.full((n, len(wanted.ranges)), np.nan), np.full((n, nresult), np.nan), np.full(n, np.nan)
    if client is None:
        failed = _compute(study, (values, table, t), threads or os.cpu_count() or 1, self.file)
    else:
        failed = cluster.compute(client, self, wanted, (values, table, t))
    return Sweep(self, tuple(wanted.ranges), tuple(errors.text_of(lib.lw_study_result_name(study, i)) for i in range(nresult)), values, table, t, failed,
                 wanted.design, wanted.seed, wanted)


class _Given(NamedTuple):
    vary: Mapping[str, Range] | Sequence[str] | None
    design: str | None
    cases: int | None
    seed: int | None
    columns: str | Sequence[str] | None
    extremes: str | Sequence[str] | None
    events: str | Sequence[str] | None
    limit: float | None


def _complete(model: Model, given: _Given, options: dict[str, Any]) -> _Wanted:
    """What is not given as the section `study` of the model says, else by default."""
    own = _section(model)
    if own is None:
        own = _Wanted({}, "latin", 100, 1, None, None, None, 0.0, {})
    if given.vary is None and own.ranges:
        ranges, listed = own.ranges, own.design == "list"
    else:
        ranges, listed = _ranges(model, given.vary), False
    if listed and (given.design not in (None, "list") or given.cases is not None):
        raise errors.ArgumentError("`study` of the model lists its cases: design and cases need other parameters (vary)", model.file)
    design = given.design or ("latin" if own.design == "list" and not listed else own.design)
    return _Wanted(ranges, design, own.cases if given.cases is None else given.cases, own.seed if given.seed is None else given.seed,
                   own.columns if given.columns is None else given.columns, own.extremes if given.extremes is None else given.extremes,
                   own.events if given.events is None else given.events, own.limit if given.limit is None else given.limit, options)


def _section(model: Model) -> _Wanted | None:
    """The section `study` of the model; None: it has none."""
    err = errors.new_error()
    d = lib.lw_get_study(model._model, err)
    if not d:
        if err.status != 0:
            errors.fail(err, model.file)
        return None
    d = ffi.gc(d, lib.lw_study_desc_free)
    names = {getattr(lib, "LW_DESIGN_" + kind): name for name, kind in _DESIGNS.items() if name != "normal"}
    design = names[d.design.kind]
    ranges: dict[str, Range] = {}
    for i in range(d.design.nfactor):
        f = d.design.factor[i]
        if design == "list":
            ranges[errors.text_of(f.name)] = np.array([d.design.list[k * d.design.nfactor + i] for k in range(d.design.cases)])
        elif f.kind == lib.LW_FACTOR_NORMAL:
            ranges[errors.text_of(f.name)] = Normal(float(f.mean), float(f.deviation))
        elif f.kind == lib.LW_FACTOR_VALUES:
            ranges[errors.text_of(f.name)] = np.array([f.value[k] for k in range(f.nvalue)])
        else:
            ranges[errors.text_of(f.name)] = Uniform(float(f.min), float(f.max), int(f.points))
    columns, extremes, events = (errors.text_of(x) if x else None for x in (d.columns, d.extremes, d.events))
    return _Wanted(ranges, design, int(d.design.cases), int(d.design.seed), columns, extremes, events, float(d.limit), {})


def _list_of(names: str | Sequence[str] | None) -> Any:
    """Names and patterns for the library; NULL: none."""
    return patterns_of(names) if names else ffi.NULL


def _study(model: Model, wanted: _Wanted) -> Any:
    design, keep = _design(model, wanted.ranges, wanted.design, wanted.cases, wanted.seed)
    how, kept = options_of({**wanted.options, "threads": 1})  # threads are for cases
    err, spec = errors.new_error(), model._spec()
    texts = {name: _list_of(x) for name, x in (("columns", wanted.columns), ("extremes", wanted.extremes), ("events", wanted.events))}
    given = ffi.new("lw_study_options *", {"design": design[0], "simulation": how[0], "limit": wanted.limit, **texts})
    found = lib.lw_study_new(spec, given, err)
    if not found:
        errors.fail(err, model.file)
    return owned(found, lib.lw_study_free, keep, kept)


def _ranges(model: Model, vary: Mapping[str, Range] | Sequence[str] | None) -> dict[str, Range]:
    known = model.parameters
    if isinstance(vary, str):
        vary = [vary]
    if vary is None:
        low, high = ffi.new("double *"), ffi.new("double *")
        vary = []
        for i, name in enumerate(known):
            if lib.lw_parameter_range(model._model, i, low, high) == 0 and np.isfinite([low[0], high[0]]).all():
                vary.append(name)
    if not vary:
        raise errors.ArgumentError("which parameters vary?  None has min and max in the model: {\"L\": (0.5, 1.5)}", model.file)
    ranges = dict(vary) if isinstance(vary, Mapping) else {name: None for name in vary}
    for name in ranges:
        if name not in known:
            raise errors.ArgumentError(f"the model has no parameter {name!r}{nearest(name, list(known))}", model.file)
    return ranges


def _compute(study: Any, out: tuple[Array, Array, Array], threads: int, file: str | None) -> dict[int, errors.Error]:
    """All cases, in threads of the library that do not need Python; this one waits for signals."""
    n = len(out[2])
    failed = ffi.new("lw_error *[]", n)
    arrays = [pointer(x) for x in out]
    kept = ffi.new("lwpy_cases *", {"nfactor": out[0].shape[1], "nresult": out[1].shape[1], "value": arrays[0], "result": arrays[1], "t": arrays[2],
                                    "failed": failed})
    stop = ffi.new("sig_atomic_t *")
    how = ffi.new("lw_study_run_options *", {"threads": threads, "on_case": ffi.addressof(lib, "lwpy_on_case"), "stop": stop, "context": kept})
    status = []
    worker = threading.Thread(target=lambda: status.append(lib.lw_study_run(study, how)))
    try:
        worker.start()
        try:
            while worker.is_alive():
                worker.join(0.05)
        except BaseException:
            stop[0] = 1
            worker.join()
            raise
        if status[0] != 0:
            errors.check(status[0])
        return {i: _failure(failed[i], file) for i in range(n) if failed[i]}
    finally:
        for i in range(n):
            lib.free(failed[i])


def _failure(err: Any, file: str | None) -> errors.Error:
    try:
        errors.fail(err, file)
    except errors.Error as e:
        return e.with_traceback(None)
