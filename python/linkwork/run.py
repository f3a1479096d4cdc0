# SPDX-License-Identifier: Apache-2.0
"""Simulate: whole runs (Result), and step by step (Simulation)."""
from __future__ import annotations

import fnmatch
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence, TypeVar, Union

import numpy as np

from . import errors, report
from ._linkwork import ffi, lib
from .arrays import Array, ArrayLike, choice, copied, freed_text, nearest, numbers, owned, pointer, word_of
from .spec import _Fill, event_fields

if TYPE_CHECKING:
    from .model import Model, State

R = TypeVar("R", bound="Result")
Law = Callable[[float, Array, Array], Union[Mapping[str, float], Sequence[float], Array, None]]
"""law(t, q, u) returns values of inputs: by name, or all of them in the order of `Model.inputs`."""
LawDerivative = Callable[..., Union[Mapping[str, float], Sequence[float], Array, None]]
"""law_derivative(t, q, u, q_p, u_p) or law_derivative(t, q, u, q_p, u_p, p_p): derivatives of inputs by name."""
NO_INPUTS = "the model has no inputs that a {} could set: `with_motors` gives it motors with inputs"
_ENUMS = {"formulation": "lw_formulation", "integrator": "lw_integrator", "loops": "lw_loops"}


# ---- what runs report ----

@dataclass(frozen=True)
class Hit:
    """Something that was hit at an event, and the impulse along its normal, N s (of a limit along its freedom)."""
    name: str
    impulse: float


@dataclass(frozen=True)
class Event:
    """An instant at which the model or its velocities changed; simultaneous events are one.

    Energies in J; momenta [angular about the ground origin; linear] in ground axes; impulses by joint: [torque; force] on the child at
    its joint frame, ground axes.
    """
    time: float
    names: tuple[str, ...]
    kinetic_before: float
    kinetic_after: float
    jump_energy: float
    momentum_before: Array
    momentum_after: Array
    impulses: dict[str, Array]
    hits: tuple[Hit, ...]
    stops: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Statistics:
    """What the integration cost."""
    method: str
    steps: int
    evaluations: int
    rejected: int
    smallest_step: float
    largest_step: float


@dataclass(frozen=True)
class Balance:
    """The energy balance of a run, J: error = kinetic + potential - those at the start - work - events; an error larger than
    `explained` means wrong results."""
    kinetic: float
    potential: float
    work: float
    events: float
    error: float
    explained: float


def _event(r: Any) -> Event:
    impulses = {}
    for j in range(1, lib.lw_njoint(r.after) + 1 if r.impulses else 1):
        info = lib.lw_get_joint(r.after, {"id": j})
        if not info.implicit:
            impulses[errors.text_of(info.name)] = copied(r.impulses + 6 * j, 6)
    return Event(r.time, tuple(errors.text_of(r.names[i]) for i in range(r.nevent)), r.kinetic_before, r.kinetic_after, r.jump_energy,
                 copied(r.momentum_before, 6), copied(r.momentum_after, 6), impulses,
                 tuple(Hit(errors.text_of(r.hits[i].name), r.hits[i].impulse) for i in range(r.nhit)), bool(r.stops),
                 tuple(errors.text_of(r.warnings[i].text) for i in range(r.nwarning)))


# ---- calls from the library ----

class Watcher:
    """What the library calls during a run: keeps events, and the exception of a signal handler or callback."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.exception: BaseException | None = None
        self.on_event: Callable[[Event], object] | None = None
        self.control: Law | None = None
        self.law: Law | None = None
        self.law_derivative: LawDerivative | None = None
        self.by: tuple[str, ...] | None = None  # parameters of the model, of which the law may depend on some; None: it depends on none
        self.parts: str | None = None  # joints of the models that events made, for pages
        self.sizes: Callable[[], tuple[int, int, tuple[str, ...]]] = lambda: (0, 0, ())

    def raise_exception(self) -> None:
        e, self.exception = self.exception, None
        if e is not None:
            raise e


def _caught(kind: Any, value: BaseException, traceback: Any) -> int:
    """An exception in a callback ends the run, and is raised where it was started."""
    handle = traceback.tb_frame.f_locals.get("handle") if traceback is not None else None
    if handle is not None:
        ffi.from_handle(handle).exception = value
    return 1


@ffi.def_extern(onerror=_caught, error=1)  # type: ignore[misc]
def lwpy_check_signals(handle: Any) -> int:
    """Pending signal handlers run here: Ctrl-C raises KeyboardInterrupt."""
    return 0


@ffi.def_extern(onerror=_caught, error=1)  # type: ignore[misc]
def lwpy_on_event(handle: Any, report: Any, after: bool) -> int:
    if after:
        watcher = ffi.from_handle(handle)
        watcher.events.append(_event(report))
        if watcher.on_event is not None:
            watcher.on_event(watcher.events[-1])
    return 0


def _caught_stop(kind: Any, value: BaseException, traceback: Any) -> int:
    """The same where a positive number would let the library try again."""
    return -_caught(kind, value, traceback)


def _fill(wanted: Mapping[str, float] | Sequence[float] | Array | None, names: tuple[str, ...], inputs: Any) -> int:
    if wanted is None:
        return 0
    if not isinstance(wanted, Mapping):
        values = np.atleast_1d(np.asarray(wanted, dtype=float))
        if values.shape != (len(names),):
            raise ValueError(f"{values.size} values are given for the {len(names)} inputs of the model: {', '.join(names)}")
        for i, x in enumerate(values):
            inputs[i] = x
        return 0
    for name, value in wanted.items():
        if name not in names:
            raise KeyError(f"the model has no input {name!r}{nearest(name, list(names))}")
        inputs[names.index(name)] = value
    return 0


@ffi.def_extern(onerror=_caught, error=1)  # type: ignore[misc]
def lwpy_on_control(handle: Any, t: float, q: Any, u: Any, inputs: Any) -> int:
    watcher = ffi.from_handle(handle)
    nq, nu, names = watcher.sizes()
    return _fill(watcher.control(t, copied(q, nq), copied(u, nu)), names, inputs)


@ffi.def_extern(onerror=_caught_stop, error=-1)  # type: ignore[misc]
def lwpy_on_law(handle: Any, t: float, q: Any, u: Any, inputs: Any) -> int:
    watcher = ffi.from_handle(handle)
    nq, nu, names = watcher.sizes()
    return _fill(watcher.law(t, copied(q, nq), copied(u, nu)), names, inputs)


@ffi.def_extern(onerror=_caught_stop, error=-1)  # type: ignore[misc]
def lwpy_on_law_derivative(handle: Any, t: float, q: Any, u: Any, along: Any, inputs_p: Any) -> int:
    watcher = ffi.from_handle(handle)
    nq, nu, names = watcher.sizes()
    for i in range(len(names)):
        inputs_p[i] = 0.0
    x: tuple[Any, ...] = copied(q, nq), copied(u, nu), copied(along.q_p, nq), copied(along.u_p, nu)
    if watcher.by is not None:
        x += ({watcher.by[along.k]: along.p_p} if along.p_p != 0 else {},)
    return _fill(watcher.law_derivative(t, *x), names, inputs_p)


def use_law(options: Any, model: Model, watcher: Watcher, handle: Any, law: Law | None) -> None:
    """Inputs of the model that Python computes at every evaluation."""
    nq, nu, names = model.nq, model.nu, model.inputs
    watcher.sizes = lambda: (nq, nu, names)
    if law is None:
        return
    if not names:
        raise errors.ArgumentError(NO_INPUTS.format("law"), model.file)
    watcher.law = law
    options.inputs.value = ffi.addressof(lib, "lwpy_law")
    options.inputs.context = handle
    if watcher.law_derivative is not None:
        options.inputs.derivative = ffi.addressof(lib, "lwpy_law_derivative")


# ---- options ----

def options_of(given: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """lw_simulation_options from keywords, and what it points at."""
    o, keep = ffi.new("lw_simulation_options *"), []
    fields = dict(ffi.typeof("lw_simulation_options").fields)
    for key, value in given.items():
        if value is None:
            continue
        if key not in fields:
            raise TypeError(f"there is no option {key!r}{nearest(key, list(fields))}")
        if key in _ENUMS:
            value = choice(_ENUMS[key], value)
            o.choose |= getattr(lib, f"LW_CHOOSE_{key.upper()}")
        elif key in ("solver", "ordering"):
            value = ffi.new("char[]", value.encode())
            keep.append(value)
        setattr(o, key, value)
    return o, keep


def used_options(sim: Any) -> dict[str, Any]:
    used = lib.lw_simulation_used(sim)
    return {"end": used.end, "output_step": used.output_step, "rtol": used.rtol, "atol": used.atol, "step": used.step,
            **{key: word_of(ctype, getattr(used, key)) for key, ctype in _ENUMS.items()}, "threads": used.threads}


def column_names(model: Model, patterns: str | Sequence[str] | None) -> tuple[str, ...]:
    return tuple(name for name, _ in named_columns(model, patterns))


def named_columns(model: Model, patterns: str | Sequence[str] | None) -> list[tuple[str, str]]:
    """Names and units."""
    err = errors.new_error()
    c = lib.lw_columns_new(model._model, patterns_of(patterns), err)
    if not c:
        errors.fail(err, model.file)
    found = [(errors.text_of(lib.lw_columns_name(c, i)), errors.text_of(lib.lw_columns_unit(c, i))) for i in range(lib.lw_columns_count(c))]
    lib.lw_columns_free(c)
    return found


def patterns_of(columns: str | Sequence[str] | None) -> Any:
    if columns is None:
        return ffi.NULL
    return ffi.new("char[]", (columns if isinstance(columns, str) else ",".join(columns)).encode())


# ---- a whole run ----

@dataclass(repr=False)
class Result:
    """A table of results: `r["q.A"]` is a column, `r.t` the times, `r.events` what happened.

    At each event there are two rows of the same time, just before and just after it.  Columns that do not exist at a time are NaN.
    Results can be pickled; arrays are read-only views of one table.

    >>> import linkwork as lw
    >>> r = lw.load(models / "double-pendulum.yaml").run(end=1, output_step=0.25)
    >>> r.t
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    >>> r["q.A"].shape, list(r.match("q.*"))
    ((5,), ['q.A', 'q.B'])
    """
    columns: tuple[str, ...]
    table: Array
    events: list[Event] = field(default_factory=list)
    statistics: Statistics | None = None
    balance: Balance | None = None
    options: dict[str, Any] = field(default_factory=dict)
    singularities: tuple[tuple[float, int, int], ...] = ()
    name: str = ""
    units: tuple[str, ...] = ()
    """Of the columns, in SI; "1" a number, "" not known."""
    model: Model | None = None
    """From which the run began; None: not known."""
    _parts: str | None = None

    def __post_init__(self) -> None:
        self.units = self.units or ("",) * len(self.columns)
        self._index = {name: i for i, name in enumerate(self.columns)}
        self.table.flags.writeable = False

    def __repr__(self) -> str:
        t = self.table[:, self._index["t"]] if len(self.table) and "t" in self._index else np.zeros(1)
        happened = f", {len(self.events)} event{'' if len(self.events) == 1 else 's'}" if self.events else ""
        return (f"<linkwork {type(self).__name__.lower()} of {self.name!r}: {len(self.table)} rows of {len(self.columns)} columns, "
                f"t = {t[0]:g} ... {t[-1]:g} s{happened}>")

    @property
    def t(self) -> Array:
        """Times of the rows, s.

        >>> import linkwork as lw
        >>> r = lw.load(models / "double-pendulum.yaml").run(end=1, columns="q.*")
        >>> r.t[-1]
        1.0
        """
        return self["t"]

    def __getitem__(self, name: str) -> Array:
        try:
            return self.table[:, self._index[name]]
        except KeyError:
            raise KeyError(f"there is no column {name!r}{nearest(name, list(self.columns))}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return int(self.table.shape[0])

    def keys(self) -> tuple[str, ...]:
        """Names of the columns.

        >>> import linkwork as lw
        >>> r = lw.load(models / "double-pendulum.yaml").run(end=1, columns="q.*")
        >>> r.keys()
        ('t', 'q.A', 'q.B')
        """
        return self.columns

    def match(self, *patterns: str) -> dict[str, Array]:
        """The columns that match patterns with * and ?.

        >>> import linkwork as lw
        >>> r = lw.load(models / "double-pendulum.yaml").run(end=1, columns="q.*")
        >>> list(r.match("*.A", "t"))
        ['q.A', 't']
        """
        return {name: self[name] for p in patterns for name in self.columns if fnmatch.fnmatchcase(name, p)}

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the times as index."""
        import pandas
        return pandas.DataFrame(np.array(self.table), columns=list(self.columns)).set_index("t")

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """The table as the command line writes it."""
        names = [ffi.new("char[]", c.encode()) for c in self.columns]
        err = errors.new_error()
        table = lib.lw_table_create(os.fspath(path).encode(), ffi.new("const char *[]", names), len(names), err)
        if not table:
            errors.fail(err, os.fspath(path))
        rows = np.ascontiguousarray(self.table)
        for row in rows:
            lib.lw_table_write(table, pointer(row))
        if lib.lw_table_close(table, err) != 0:
            errors.fail(err, os.fspath(path))

    def plot(self, *patterns: str, ax: Any = None, **style: Any) -> Any:
        """Plots columns over time with matplotlib, and returns the axes; default: all coordinates."""
        import matplotlib.pyplot as plt
        chosen = self.match(*(patterns or ("q.*",)))
        if not chosen:
            raise KeyError("no column matches " + ", ".join(patterns))
        if ax is None:
            _, ax = plt.subplots()
        for name, values in chosen.items():
            ax.plot(self.t, values, label=name, **style)
        ax.set_xlabel("t [s]")
        ax.legend()
        return ax

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page for browsers, complete in one file, as `linkwork run --report` does: the mechanism moving in three dimensions, plots of
        all columns, events, tables, topology.  The poses of bodies must be among the columns, as they are by default.

        >>> import linkwork as lw, tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     lw.load(models / "latch.yaml").run().report(pathlib.Path(folder) / "latch.html")
        """
        report.write(self, os.fspath(path))

    def _repr_html_(self) -> str:
        """The same inline, in notebooks."""
        return report.inline(self)


def collect(call: Callable[[Any, Any, Any], Any], watcher: Watcher, model: Model, in_file: bool = False) -> tuple[Array, BaseException | None]:
    """Runs, and returns the rows as a table whose columns are contiguous, and what has ended the run early."""
    handle = ffi.new_handle(watcher)
    program, sources = ffi.new("char[]", b"linkwork, from Python"), model._sources() if in_file else ffi.NULL
    record = ffi.new("lw_run_record *", {"program": program, "sources": sources})
    run = ffi.new("lwpy_run *", {"handle": handle, "record": record})
    report, err = ffi.new("lw_run_report *"), errors.new_error()
    try:
        status = call(run, report, err)
        table = copied(run.cells, run.rows, run.ncell) if run.rows else np.zeros((0, 0))
    finally:
        lib.free(run.cells)
        watcher.parts = freed_text(lib.lwpy_run_parts(run))
    failure = watcher.exception
    watcher.exception = None
    if status != 0 and failure is None:
        try:
            errors.fail(err, model.file, status=status)
        except errors.Error as e:
            failure = e
    return np.asfortranarray(table), failure


def result_or_raise(result: R, failure: BaseException | None) -> R:
    """The result; or the exception that ended the run, which has the result so far."""
    if failure is None:
        return result
    failure.result = result  # type: ignore[attr-defined]
    raise failure


def finish(sim: Any, model: Model, names: tuple[str, ...], table: Array, watcher: Watcher) -> dict[str, Any]:
    """The fields of a result."""
    found = ffi.new("const lw_singularity **")
    n = lib.lw_simulation_singularities(sim, found)
    return {"columns": names, "table": table if table.size else np.zeros((0, len(names))), "events": watcher.events,
            "statistics": statistics(sim), "balance": balance(sim), "options": used_options(sim), "name": model.name, "_parts": watcher.parts,
            "singularities": tuple((found[0][i].time, found[0][i].dof, found[0][i].dof_there) for i in range(n))}


def statistics(sim: Any) -> Statistics:
    s = lib.lw_simulation_report(sim)
    return Statistics(errors.text_of(s.method), s.steps, s.evaluations, s.rejected, s.smallest_step, s.largest_step)


def balance(sim: Any) -> Balance | None:
    e = ffi.new("lw_energy_balance *")
    if lib.lw_simulation_energy(sim, e) != 0:
        return None
    return Balance(e.kinetic, e.potential, e.work, e.events, e.error, e.explained)


def run_model(self: Model, *, q: State = None, u: State = None, t: float = 0.0, columns: str | Sequence[str] | None = None,
              output: str | os.PathLike[str] | None = None, on_event: Callable[[Event], object] | None = None, law: Law | None = None,
              **options: Any) -> Result:
    """Simulates, and returns the results.

    q, u, t: where to start, by joint ({"A": 0.3}) or as arrays; default: as the model says.  columns: names and patterns ("q.*,energy.*");
    default: all.  output: a file that receives the results as well, as CSV, or
    as HDF5 (run.h5), which `lw.read` reads.  on_event is called with each Event.  law(t, q, u) returns values of inputs of
    the model, at every evaluation: loads that are computed in Python; smooth ones.  Options: end, output_step
    (s), rtol, atol, step (s), formulation ("tree", "dca", "cartesian"), integrator ("adams", "bdf", "rk", "rk4", "euler"), loops, threads;
    those that are left out are the model's.

    Other threads run meanwhile.  Ctrl-C stops the run and raises KeyboardInterrupt.  An exception that ends a run has its results so far
    as `e.result`.

    >>> import linkwork as lw
    >>> r = lw.load(models / "latch.yaml").run(columns="q.*")
    >>> [e.names for e in r.events]
    [('latch',), ('open', 'push')]
    """
    sim = Simulation(self, q=q, u=u, t=t, on_event=on_event, law=law, **options)
    path = ffi.NULL if output is None else ffi.new("char[]", os.fspath(output).encode())
    patterns = patterns_of(columns if columns is not None else "*")
    named = named_columns(sim.start_model, columns)
    names, units = tuple(n for n, _ in named), tuple(u for _, u in named)
    table, failure = collect(lambda run, report, err: lib.lwpy_run_simulation(sim._sim, patterns, path, run, report, err),
                             sim._watcher, self, output is not None)
    return result_or_raise(Result(**finish(sim._sim, self, names, table, sim._watcher), units=units, model=sim.start_model), failure)


# ---- step by step ----

class _Inputs:
    """Inputs of a simulation by name: `sim.inputs["push"] = 3`."""

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim

    def __setitem__(self, name: str, value: float) -> None:
        err = errors.new_error()
        if lib.lw_simulation_set_input(self._sim._sim, name.encode(), float(value), err) != 0:
            errors.fail(err, self._sim.model.file)

    def __getitem__(self, name: str) -> float:
        return self._sim[name]


class Simulation:
    """A simulation that the caller advances.

    >>> import linkwork as lw
    >>> sim = lw.load(models / "double-pendulum.yaml").simulation()
    >>> sim.step(0.01)
    >>> sim.t, sim.q.shape
    (0.01, (2,))
    >>> sim["energy.total"] == sim["energy.kinetic"] + sim["energy.potential"]
    True
    """

    def __init__(self, model: Model, *, q: State = None, u: State = None, t: float = 0.0,
                 on_event: Callable[[Event], object] | None = None, law: Law | None = None, **options: Any) -> None:
        by_name = isinstance(q, Mapping) or isinstance(u, Mapping)
        joints, states = model._split(q) if isinstance(q, Mapping) else ({}, {})
        held = bool(joints) or isinstance(u, Mapping)
        # as the command line: joints that are given keep their values when loops are closed
        self.model = model
        self.start_model = model._holding(joints, u if isinstance(u, Mapping) else {}) if by_name and held else model
        how, keep = options_of(options)
        self._watcher: Watcher = Watcher()
        self._watcher.on_event = on_event
        self._handle = ffi.new_handle(self._watcher)
        use_law(how, self.start_model, self._watcher, self._handle, law)
        err = errors.new_error()
        sim = lib.lw_simulation_new(self.start_model._model, how, err)
        if not sim:
            self._watcher.raise_exception()
            errors.fail(err, model.file)
        self._sim: Any = owned(sim, lib.lw_simulation_free, self.start_model._model, keep)
        raw, names = self._sim, self.start_model.inputs
        self._watcher.sizes = lambda: (*_sizes(raw), names)
        self._run = ffi.new("lwpy_run *", {"handle": self._handle})
        lib.lw_simulation_on_event(self._sim, ffi.addressof(lib, "lwpy_event"), self._handle)
        self._columns: dict[str, Any] = {}
        if by_name or q is not None or u is not None or t != 0:
            self.restart(*(self.start_model.state(states or None, None, t) if by_name else self.start_model.state(q, u, t)), t)
        in_equilibrium = lib.lw_simulation_defaults(self.start_model._model).start_in_equilibrium
        if in_equilibrium and u is None and t == 0 and (q is None or by_name):
            self.start_in_equilibrium()

    def __repr__(self) -> str:
        return f"<linkwork simulation of {self.model.name!r} at t = {self.t:g}>"

    def restart(self, q: ArrayLike, u: ArrayLike, t: float = 0.0) -> None:
        """Starts again from another state.

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> sim.restart([0.1, 0.2], [0, 0], t=0.5)
        >>> sim.t, sim.q.tolist()
        (0.5, [0.1, 0.2])
        """
        err = errors.new_error()
        a, b = numbers(q, self.start_model.nq, "q"), numbers(u, self.start_model.nu, "u")
        if lib.lw_simulation_start(self._sim, t, pointer(a), pointer(b), err) != 0:
            errors.fail(err, self.model.file)

    def start_in_equilibrium(self) -> None:
        """Starts again, at rest in the equilibrium that is found from the initial state.

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> sim.start_in_equilibrium()
        >>> bool(abs(sim.q).max() < 1e-6)
        True
        """
        err = errors.new_error()
        if lib.lw_simulation_start_in_equilibrium(self._sim, ffi.NULL, err) != 0:
            errors.fail(err, self.model.file)

    @property
    def inputs(self) -> _Inputs:
        """Inputs of the model by name: `sim.inputs["push"] = 3` holds from now on.

        >>> import linkwork as lw
        >>> m = lw.loads("linkwork: 1\\ninputs: {f: 0}\\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\\njoints: {J: {type: prismatic, child: a, parent: ground}}\\n"
        ...              "gravity: [0, 0, 0]\\nforces: {M: {type: motor, joint: J, value: f}}")
        >>> sim = m.simulation()
        >>> sim.inputs["f"] = 2
        >>> sim.advance(1)
        >>> round(sim["u.J"], 6)
        2.0
        """
        return _Inputs(self)

    @property
    def t(self) -> float:
        """The time reached, s.

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> sim.t
        0.0
        """
        return float(lib.lw_simulation_time(self._sim))


    def advance(self, t: float) -> None:
        """Advances to time t (s).  Ctrl-C raises KeyboardInterrupt; after a `stop` event: Stopped.

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> sim.advance(0.25)
        >>> sim.t
        0.25
        """
        err = errors.new_error()
        lib.lwpy_run_watch(self._sim, self._run)
        status = lib.lw_simulation_advance(self._sim, t, ffi.NULL, ffi.NULL, err)
        lib.lw_simulation_interrupt(self._sim, ffi.NULL, ffi.NULL)
        self._watcher.raise_exception()
        if status != 0:
            errors.fail(err, self.model.file, status=status)

    def step(self, dt: float) -> None:
        """Advances by dt (s).

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> sim.step(0.25)
        >>> sim.t
        0.25
        """
        self.advance(self.t + dt)

    def _state(self) -> tuple[Array, Array]:
        nq, nu = _sizes(self._sim)
        q, u = np.empty(nq), np.empty(nu)
        err = errors.new_error()
        status = lib.lw_simulation_advance(self._sim, self.t, pointer(q), pointer(u), err)
        if status not in (0, lib.LW_E_STOPPED):
            errors.fail(err, self.model.file, status=status)
        return q, u

    @property
    def q(self) -> Array:
        """Coordinates of the present model.

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> sim.q.shape
        (2,)
        """
        return self._state()[0]

    @property
    def u(self) -> Array:
        """Speeds of the present model.

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> sim.u.tolist()
        [0.0, 0.0]
        """
        return self._state()[1]

    def row(self, columns: str | Sequence[str]) -> dict[str, float]:
        """Result columns at the present state.

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> list(sim.row("q.*"))
        ['t', 'q.A', 'q.B']
        """
        key = columns if isinstance(columns, str) else ",".join(columns)
        if key not in self._columns:
            err = errors.new_error()
            c = lib.lw_columns_new(self.start_model._model, key.encode(), err)
            if not c:
                errors.fail(err, self.model.file)
            c = owned(c, lib.lw_columns_free, self._sim)
            if lib.lw_columns_follow(c, self._sim, err) != 0:
                errors.fail(err, self.model.file)
            self._columns[key] = c, tuple(errors.text_of(lib.lw_columns_name(c, i)) for i in range(lib.lw_columns_count(c)))
        c, names = self._columns[key]
        q, u = self._state()
        out = np.empty(len(names))
        errors.check(lib.lw_columns_row(c, self.t, pointer(q), pointer(u), pointer(out)))
        return dict(zip(names, out.tolist()))

    def __getitem__(self, name: str) -> float:
        return self.row(f'"{name}"' if "," in name else name)[name]

    @property
    def events(self) -> list[Event]:
        """Events so far.

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> sim.events
        []
        """
        return self._watcher.events

    @property
    def next_event(self) -> float:
        """The time of the next event as far as it is known; else infinity.

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> sim.next_event
        inf
        """
        return float(lib.lw_simulation_next_event(self._sim))

    @property
    def is_over(self) -> bool:
        """Has a `stop` event happened?

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> sim.is_over
        False
        """
        return bool(lib.lw_simulation_is_over(self._sim))

    @property
    def statistics(self) -> Statistics:
        """What the integration cost so far.

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> sim.advance(0.1)
        >>> sim.statistics.steps > 0
        True
        """
        return statistics(self._sim)

    @property
    def balance(self) -> Balance | None:
        """The energy balance so far.

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> sim.advance(0.1)
        >>> abs(sim.balance.error) < 1e-8
        True
        """
        return balance(self._sim)

    @property
    def options(self) -> dict[str, Any]:
        """The options in use, with all defaults filled in.

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> sim.options["end"]
        1.0
        """
        return used_options(self._sim)

    def raise_events(self, *events: Mapping[str, Any]) -> None:
        """Raises events in one instant, now.

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation()
        >>> sim.advance(0.5)
        >>> sim.raise_event(lock="A")
        >>> sim.step(0.1); sim["u.A"]
        0.0
        """
        fill = _Fill(_Names(self))  # type: ignore[arg-type]
        array = ffi.new("lw_event_desc[]", len(events))
        for i, e in enumerate(events):
            fill.struct(array[i], ffi.typeof("lw_event_desc"), event_fields(e))
        err = errors.new_error()
        if lib.lw_simulation_raise(self._sim, array, len(events), err) != 0:
            errors.fail(err, self.model.file)
        self._watcher.raise_exception()

    def raise_event(self, name: str | None = None, **event: Any) -> None:
        """Raises one event now: lock="A", disconnect="A", connect={...}, impulse={"body": ..., "linear": ...}; as Spec.event.

        >>> import linkwork as lw
        >>> sim = lw.load(models / "double-pendulum.yaml").simulation(end=1)
        >>> sim.raise_event(lock="B")
        >>> sim.step(0.1); sim["u.B"]
        0.0
        """
        self.raise_events({"name": name, **event})

    def control(self, every: float, law: Law) -> None:
        """A controller in Python: law(t, q, u) is called at 0, every, 2 every, ... (s) and returns values of inputs, which are held
        until the next call.

        >>> import linkwork as lw
        >>> m = lw.loads("linkwork: 1\\ninputs: {f: 0}\\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\\njoints: {J: {type: prismatic, child: a, parent: ground}}\\n"
        ...              "gravity: [0, 0, 0]\\nforces: {M: {type: motor, joint: J, value: f}}")
        >>> sim = m.simulation()
        >>> sim.control(0.1, lambda t, q, u: {"f": 1.0})
        >>> sim.advance(1)
        >>> round(sim["u.J"], 6)
        1.0
        """
        if not self.start_model.inputs:
            raise errors.ArgumentError(NO_INPUTS.format("controller"), self.start_model.file)
        self._watcher.control = law
        err = errors.new_error()
        if lib.lw_simulation_control(self._sim, every, ffi.addressof(lib, "lwpy_control"), self._handle, err) != 0:
            errors.fail(err, self.model.file)


def _sizes(sim: Any) -> tuple[int, int]:
    """Numbers of coordinates and speeds of the present model."""
    m = lib.lw_simulation_model(sim)
    return int(lib.lw_nq(m)), int(lib.lw_nu(m))


class _Names:
    """Bodies and joints of the present model, for events that are raised."""

    def __init__(self, sim: Simulation) -> None:
        self._model = lib.lw_simulation_model(sim._sim)

    def _body(self, name: Any) -> int:
        return 0 if name == "ground" else int(lib.lw_find_body(self._model, getattr(name, "name", name).encode()).id)

    def _joint(self, name: Any) -> int:
        return int(lib.lw_find_joint(self._model, getattr(name, "name", name).encode()).id)


def simulation(self: Model, *, q: State = None, u: State = None, t: float = 0.0,
               on_event: Callable[[Event], object] | None = None, law: Law | None = None, **options: Any) -> Simulation:
    """A simulation that the caller advances: see Simulation; options as for `run`."""
    return Simulation(self, q=q, u=u, t=t, on_event=on_event, law=law, **options)
