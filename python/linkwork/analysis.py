# SPDX-License-Identifier: Apache-2.0
"""Equilibrium, linearisation, modes, prescribed motion.  These are methods of Model."""
from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from . import errors
from ._linkwork import ffi, lib
from .arrays import Array, copied, integers, owned, pointer
from .data import Data, loads_of_joints

if TYPE_CHECKING:
    from .model import Model, State


@dataclass(frozen=True)
class Held:
    """A limit, contact, rope or friction at rest: does it hold, with which load (N, N m), and, where friction of a constant load holds, the
    range of the coordinate within which it does (infinite: everywhere; NaN: not known)."""
    holds: bool
    load: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Equilibrium:
    """Where a mechanism rests: coordinates q, `stability` "stable", "neutral" or "unstable" and in how many directions it is not stable,
    loads of joints [torque; force] on the child at its joint frame, tensions of springs, N, and what limits, contacts, ropes and
    friction do (`one_sided`, by name: "lower.A", "friction.A", ...)."""
    q: Array
    stability: str
    dof: int
    unstable: int
    neutral: int
    steps: int
    residual: float
    scale: float
    loads: dict[str, Array]
    tensions: dict[str, float]
    potential: float
    one_sided: dict[str, Held] = field(default_factory=dict)


class _Rest:
    """A mechanism at rest, from the state of d, whose q becomes that of the rest.  With limits, contacts, ropes and friction it is that of a model
    in which what holds is a constraint, with a work of its own; otherwise that of d."""

    def __init__(self, d: Data, t: float, nearest: bool, tolerance: float = 0.0) -> None:
        m, err = d.model, errors.new_error()
        d.u[:] = 0
        how = ffi.new("lw_equilibrium_options *", {"nearest": nearest, "tolerance": tolerance})
        self.report = ffi.new("lw_equilibrium_report *")
        self.model, self.work, self.one_sided = m._model, d._w, {}
        if not lib.lw_is_one_sided(m._model):
            if lib.lw_equilibrium(d._w, t, d._pq, how, self.report, err) != 0:
                errors.fail(err, m.file)
            return
        found = lib.lw_rest_new(m._model, t, d._pq, how, err)
        if not found:
            errors.fail(err, m.file)
        rest = owned(found, lib.lw_rest_free, m._model)
        self.model = lib.lw_rest_model(rest)
        work = lib.lw_work_new(self.model)
        if not work:
            raise errors.OutOfMemory("out of memory")
        self.work = owned(work, lib.lw_work_free, rest)
        self.report[0] = lib.lw_rest_report(rest)
        d.q[:] = copied(lib.lw_rest_q(rest), m.nq)
        parts = [lib.lw_rest_get_part(rest, i) for i in range(lib.lw_rest_npart(rest))]
        self.one_sided = {errors.text_of(p.name): Held(bool(p.holds), p.load, p.lower, p.upper) for p in parts}


def equilibrium(self: Model, q: State = None, *, t: float = 0.0, nearest: bool = False, tolerance: float = 0.0) -> Equilibrium:
    """Finds where the mechanism stays at rest, downhill from q (default: the initial configuration); nearest: the nearest
    equilibrium, stable or not.  Drivers and forces are those of time t (s).  Limits, contacts, ropes and friction hold where their loads
    allow it.

    >>> import linkwork as lw
    >>> e = lw.load(models / "double-pendulum.yaml").equilibrium()
    >>> e.stability, bool(np.allclose(e.q, 0, atol=1e-8))
    ('stable', True)
    >>> e = lw.load(models / "quadruped.yaml").equilibrium()
    >>> [f"{name} {x.load:.2f} N" for name, x in e.one_sided.items() if x.holds and name.endswith("fl")]
    ['foot_fl 37.37 N', 'friction.foot_fl 0.56 N']
    """
    d = self.data(q, None, t)
    rest = _Rest(d, t, nearest, tolerance)
    report, w = rest.report, rest.work
    potential = d.potential
    status = lib.lw_static_loads(w, t, d._pq, ffi.NULL) or lib.lw_joint_loads(w)
    errors.check(status, "the loads cannot be computed")
    s = ffi.new("lw_spring_state *")
    tensions = {}
    for i in range(lib.lw_nspring(rest.model)):
        errors.check(lib.lw_get_spring(w, i, s))
        tensions[errors.text_of(s.name)] = float(s.tension)
    return Equilibrium(d.q.copy(), errors.text_of(lib.lw_stability_name(report.stability)), report.dof, report.unstable, report.neutral,
                       report.steps, report.residual, report.scale, loads_of_joints(rest.model, w), tensions, potential, rest.one_sided)


@dataclass(frozen=True)
class Mode:
    """A small motion about a state: eigenvalue (1/s), undamped frequency (Hz), damping ratio; shapes are complex, the largest entry of
    a joint is 1.  `joints` by name, `bodies` [rotation; displacement of the origin] by name."""
    kind: str
    eigenvalue: complex
    frequency: float
    damping: float
    z: Any
    joints: dict[str, Any]
    bodies: dict[str, Any]


@dataclass(frozen=True)
class Linearization:
    """Small motions z of the independent coordinates about a state:

        M zddot + C zdot + K z + L s = 0          at rest; in general zdot = w + kin z
        d/dt (z, w, s) = A (z, w, s) + B tau      tau: a load on each speed of every joint

    s are the `states` of controllers.  `independent` are the indices of the independent speeds, `inputs` the names of the columns of B,
    `joints` maps independent speeds to those of all joints, `bodies` to velocities [w; v] of all bodies.
    """
    n: int
    independent: Any
    inputs: tuple[str, ...]
    states: tuple[str, ...]
    M: Array
    C: Array
    K: Array
    kin: Array
    L: Array
    A: Array
    B: Array
    joints: Array
    bodies: Array
    udot: Array
    q: Array
    modes: tuple[Mode, ...]


def linearize(self: Model, q: State = None, u: State = None, *, t: float = 0.0, at: str = "start", nearest: bool = False) -> Linearization:
    """Linearises about a state, exactly: about q and u with loops closed (at="start"), or about the equilibrium found from there
    (at="equilibrium").  There limits, contacts, ropes and friction that hold are constraints; at a start they are left out, with a warning.

    >>> import linkwork as lw
    >>> l = lw.load(models / "double-pendulum.yaml").linearize(at="equilibrium")
    >>> l.A.shape, [round(m.frequency, 3) for m in l.modes]
    ((4, 4), [0.427, 1.144])
    """
    if at not in ("start", "equilibrium"):
        raise ValueError(f"{at!r} is none of start, equilibrium")
    d = self.data(q, u, t)
    err = errors.new_error()
    rest = _Rest(d, t, nearest) if at == "equilibrium" else None
    if rest is None and lib.lw_is_one_sided(self._model):
        warnings.warn("limits, contacts, ropes and dry friction are left out of the linearisation at this state: "
                      'at="equilibrium" has them', stacklevel=3)
    w = rest.work if rest else d._w
    found = lib.lw_linearize(w, t, d._pq, d._pu if bool(np.any(d.u)) else ffi.NULL, err)
    if not found:
        errors.fail(err, self.file)
    x = owned(found, lib.lw_linearization_free, self._model, rest)
    n, ns = x.n, x.nstate
    size = 2 * n + ns
    names = self.states
    return Linearization(
        n, integers(x.independent, n), _inputs(self), tuple(names[i] for i in integers(x.states, ns)), copied(x.M, n, n), copied(x.C, n, n),
        copied(x.K, n, n), copied(x.kin, n, n), copied(x.L, n, ns), copied(x.A, size, size), copied(x.B, size, x.ninput),
        copied(x.joints, x.ninput, n), copied(x.bodies, 6 * x.nbody, n), copied(x.udot, x.nu), d.q.copy(), _modes(self, x, err))


def _inputs(model: Model) -> tuple[str, ...]:
    """Names of the speeds of all joints, cut ones included: "A", or "free[3]"."""
    names = [""] * int(lib.lw_nu_all(model._model))
    for j in range(1, model.njoint + 1):
        info = lib.lw_get_joint(model._model, {"id": j})
        for i in range(info.nu):
            names[info.u_all + i] = errors.text_of(info.name) + (f"[{i}]" if info.nu > 1 else "")
    return tuple(names)


def _modes(model: Model, x: Any, err: Any) -> tuple[Mode, ...]:
    made = lib.lw_modes_new(x, err)
    if not made:
        errors.fail(err, model.file)
    made = owned(made, lib.lw_modes_free, x)
    bodies = model.bodies
    joints: dict[str, slice] = {}
    for j in range(1, model.njoint + 1):
        info = lib.lw_get_joint(model._model, {"id": j})
        joints[errors.text_of(info.name)] = slice(info.u_all, info.u_all + info.nu)

    def shape(parts: Any, n: int) -> Any:
        return copied(parts[0], n) + 1j * copied(parts[1], n)

    found = []
    for i in range(made.n):
        m = made.mode[i]
        of_joints, of_bodies = shape(m.joints, x.ninput), shape(m.bodies, 6 * x.nbody)
        found.append(Mode(errors.text_of(lib.lw_mode_kind_name(m.kind)), complex(m.real, m.imaginary), m.frequency, m.damping,
                          shape(m.z, x.n), {name: of_joints[s] for name, s in joints.items()},
                          {name: of_bodies[6 * b:6 * b + 6] for b, name in enumerate(bodies)}))
    return tuple(found)


def modes(self: Model, q: State = None, u: State = None, *, t: float = 0.0, at: str = "equilibrium", nearest: bool = False
          ) -> tuple[Mode, ...]:
    """Frequencies, damping and shapes of small motions, rigid ones first, then by frequency.

    >>> import linkwork as lw
    >>> [m.kind for m in lw.load(models / "double-pendulum.yaml").modes()]
    ['oscillation', 'oscillation']
    """
    return linearize(self, q, u, t=t, at=at, nearest=nearest).modes


@dataclass(frozen=True)
class Motion:
    """A prescribed motion: accelerations of all joints and loads of the actuators, by joint."""
    udot: dict[str, Array]
    tau: dict[str, Array]


def inverse(self: Model, q: State = None, u: State = None, udot: Mapping[str, Any] | None = None, *,
            actuators: Sequence[str] | None = None, t: float = 0.0) -> Motion:
    """Loads of actuators (N, N m) for a prescribed motion: accelerations udot by joint; the others follow from the constraints, or
    are 0.  actuators: joints that may be driven; default: all of the spanning tree.

    >>> import linkwork as lw
    >>> m = lw.load(models / "four-bar.yaml").inverse(udot={"A": 1.0}, actuators=["A"])
    >>> m.tau["A"].shape
    (1,)
    """
    d = self.data(q, u, t)
    n = int(lib.lw_nu_all(self._model))
    wanted, given = np.zeros(n), ffi.new("bool[]", max(n, 1))
    spans = {name: lib.lw_get_joint(self._model, {"id": self._joint_id(name)}) for name in self.joints}
    for name, value in (udot or {}).items():
        self._joint_id(name)
        s = spans[name]
        wanted[s.u_all:s.u_all + s.nu] = value
        for i in range(s.nu):
            given[s.u_all + i] = True
    chosen = list(actuators) if actuators is not None else [name for name, s in spans.items() if not s.cut and not s.implicit]
    for name in chosen:
        self._joint_id(name)
    speeds = [spans[name].u_all + i for name in chosen for i in range(spans[name].nu)]
    loads = np.zeros(len(speeds))
    err = errors.new_error()
    q_all, u_all = np.zeros(lib.lw_nq_all(self._model)), np.zeros(n)
    q_all[:self.nq], u_all[:self.nu] = d.q, d.u
    if lib.lw_complete_accelerations(d._w, t, pointer(q_all), pointer(u_all), given, pointer(wanted), err) != 0:
        errors.fail(err, self.file)
    errors.check(lib.lw_get_cut_joints(d._w, pointer(q_all), pointer(u_all), ffi.NULL))
    index = ffi.new("int[]", speeds or [0])
    what = ffi.new("lw_actuators *", {"n": len(speeds), "speed": index, "load": pointer(loads)})
    if lib.lw_actuator_loads(d._w, t, pointer(q_all), pointer(u_all), pointer(wanted), what, err) != 0:
        errors.fail(err, self.file)
    ends = np.cumsum([0] + [spans[name].nu for name in chosen])
    return Motion({name: wanted[s.u_all:s.u_all + s.nu].copy() for name, s in spans.items()},
                  {name: loads[a:b].copy() for name, a, b in zip(chosen, ends[:-1], ends[1:])})


@dataclass(frozen=True)
class Mobility:
    """Degrees of freedom at a configuration and close to it, and dependent equations; more at it than close to it: it is singular."""
    dof: int
    redundant: int
    dof_near: int
    singular: bool


def mobility(self: Model, q: State = None, *, t: float = 0.0) -> Mobility:
    """Degrees of freedom at q.

    >>> import linkwork as lw
    >>> lw.load(models / "four-bar.yaml").mobility().dof
    1
    """
    d = self.data(q, None, t)
    out = ffi.new("lw_mobility *")
    errors.check(lib.lw_find_mobility(d._w, t, d._pq, out))
    return Mobility(out.dof, out.redundant, out.dof_near, bool(out.singular))
