# SPDX-License-Identifier: Apache-2.0
"""A state of a model, and everything that follows from it: matrices, accelerations, loads, energies, derivatives."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

import numpy as np

from . import errors
from ._linkwork import ffi, lib
from .arrays import Array, ArrayLike, choice, copied, numbers, owned, pointer

if TYPE_CHECKING:
    from .model import Model

_from_buffer, _empty, _NULL = ffi.from_buffer, np.empty, ffi.NULL
_DOUBLES = ffi.typeof("double[]")
_F64, _STRIDES = np.dtype(np.float64), (8,)  # arrays that are passed as they are
_forward, _inverse, _bias, _mass = lib.lw_forward_dynamics, lib.lw_inverse_dynamics, lib.lw_bias, lib.lw_mass_matrix


Speeds = Union[ArrayLike, Mapping[str, ArrayLike]]
"""Numbers of all speeds [nu], or of some joints by name: the others are 0."""


@dataclass(frozen=True)
class Pose:
    """Where a frame is: position `p` of its origin (m) and orientation `quat` (w, x, y, z), in ground axes."""
    p: Array
    quat: Array

    @property
    def R(self) -> Array:
        """The rotation matrix: columns are the axes of the frame in ground axes.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> d.pose("lower").R.tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        """
        w, x, y, z = self.quat
        return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


@dataclass(frozen=True)
class Derivatives:
    """Derivatives of udot or tau, nu x nu each.  By q they are along speeds: column k is the change with the small motion that
    speed k alone would cause (for joints without quaternions, by coordinate k)."""
    value: Array
    by_q: Array
    by_u: Array
    by_input: Array


class Data:
    """A state q, u at time t of a model, with scratch memory: one per thread.

    `q`, `u` and `t` are the state itself and may be changed in place; every result is computed from them when it is asked for, and
    what is returned is the caller's own.  The forces of the model act always; tau is added to them: M udot + bias = tau.
    With closed loops q and u are those of the spanning tree and must satisfy the loops (`close_loops`).

    >>> import linkwork as lw
    >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.3, "B": 0}, {"A": 0.5})
    >>> d.M.shape, d.bias.shape
    ((2, 2), (2,))
    >>> bool(np.allclose(d.M @ d.udot([1, 0]) + d.bias, [1, 0]))
    True
    """
    __slots__ = ("model", "t", "_q", "_u", "_w", "_pq", "_pu", "_nu", "_shape", "_derivatives")

    def __init__(self, model: Model, q: Array, u: Array, t: float = 0.0) -> None:
        self.model, self.t = model, float(t)
        self._q, self._u = numbers(q, model.nq, "q").copy(), numbers(u, model.nu, "u").copy()
        self._pq, self._pu = pointer(self._q), pointer(self._u)
        self._w, self._nu, self._shape = model._work(), model.nu, (model.nu,)
        self._derivatives: Any = None

    def __repr__(self) -> str:
        shown = {"q": self._q, "u": self._u}
        return f"<linkwork data of {self.model.name!r} at t = {self.t:g}: " + ", ".join(
            f"{k} = {np.array2string(x, precision=5, threshold=12, separator=', ')}" for k, x in shown.items()) + ">"

    # ---- the state ----

    @property
    def q(self) -> Array:
        """Coordinates [nq]: this array is the state; write into it to change it."""
        return self._q

    @q.setter
    def q(self, value: ArrayLike) -> None:
        self._q[:] = value

    @property
    def u(self) -> Array:
        """Speeds [nu]: this array is the state."""
        return self._u

    @u.setter
    def u(self, value: ArrayLike) -> None:
        self._u[:] = value

    def _speeds(self, value: Speeds, what: str) -> Array:
        """An array [nu], from one or from values of joints by name."""
        if not isinstance(value, Mapping):
            return numbers(value, self._nu, what)
        out = np.zeros(self._nu)
        for name, x in value.items():
            at = self.model._joint_info(self.model._joint_id(name))
            if at.u is None:
                raise ValueError(f"joint {name!r} is cut: {what} is of the joints of the spanning tree")
            out[at.u] = numbers(np.atleast_1d(x), at.nu, f"{what} of joint {name!r}")
        return out

    def _failed(self, status: int, what: str) -> None:
        err = errors.new_error()
        lib.lw_explain(self._w, self.t, self._pq, self._pu, status, what.encode(), err)
        errors.fail(err, self.model.file, status=status)

    def _kinematics(self) -> None:
        status = lib.lw_kinematics(self._w, self._pq, self._pu)
        if status:
            self._failed(status, "the positions cannot be computed")

    def close_loops(self) -> None:
        """Closes all loops: joints with `hold` keep q and u, the rest moves to the nearest closed position.

        >>> import linkwork as lw
        >>> d = lw.load(models / "four-bar.yaml").data()
        >>> d.q[0] += 0.01
        >>> d.close_loops()
        >>> d.drift < 1e-12
        True
        """
        err = errors.new_error()
        if lib.lw_close_loops(self._w, self.t, self._pq, self._pu, err) != 0:
            errors.fail(err, self.model.file)

    def project(self) -> None:
        """The nearest state that satisfies all constraints, from one that has drifted slightly.

        >>> import linkwork as lw
        >>> d = lw.load(models / "four-bar.yaml").data()
        >>> d.q[0] += 1e-6
        >>> d.project()
        >>> d.drift < 1e-12
        True
        """
        errors.check(lib.lw_project(self._w, self.t, self._pq, self._pu), "the state cannot be projected")

    @property
    def drift(self) -> float:
        """The largest residual of a constraint equation, m and rad alike.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> d.drift
        0.0
        """
        x = ffi.new("double *")
        errors.check(lib.lw_drift(self._w, self.t, self._pq, x))
        return float(x[0])

    @property
    def dof(self) -> int:
        """Degrees of freedom at q, by the rank of the constraints.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> d.dof
        2
        """
        n = ffi.new("int *")
        errors.check(lib.lw_dof(self._w, self._pq, n, _NULL))
        return int(n[0])

    @property
    def qdot(self) -> Array:
        """Rates of the coordinates, from the speeds.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> d.qdot
        array([1., 0.])
        """
        out = np.empty(self.model.nq)
        lib.lw_coordinate_rates(self.model._model, self._pq, self._pu, pointer(out))
        return out

    # ---- dynamics ----

    def udot(self, tau: Speeds | None = None) -> Array:
        """Accelerations of the speeds, with loads tau [nu] (N, N m) on them in addition to the forces of the model; or loads of
        some joints by name.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> d.udot([0, 1]).shape, bool((d.udot([0, 1]) == d.udot({"B": 1})).all())
        ((2,), True)
        """
        if tau is None:
            given = _NULL
        else:
            if type(tau) is not np.ndarray or tau.dtype is not _F64 or tau.shape != self._shape or tau.strides != _STRIDES:
                tau = self._speeds(tau, "tau")
            given = _from_buffer(_DOUBLES, tau)
        out = _empty(self._nu)
        status = _forward(self._w, self.t, self._pq, self._pu, given, _from_buffer(_DOUBLES, out))
        if status:
            self._failed(status, "the accelerations cannot be computed")
        return out

    def id(self, udot: Speeds | None = None) -> Array:
        """Inverse dynamics: the loads tau [nu] with which the speeds accelerate with udot (None: not at all); also by name.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> bool(np.allclose(d.id(d.udot([1, 2])), [1, 2]))
        True
        """
        if udot is None:
            given = _NULL
        else:
            if type(udot) is not np.ndarray or udot.dtype is not _F64 or udot.shape != self._shape or udot.strides != _STRIDES:
                udot = self._speeds(udot, "udot")
            given = _from_buffer(_DOUBLES, udot)
        out = _empty(self._nu)
        status = _inverse(self._w, self.t, self._pq, self._pu, given, _from_buffer(_DOUBLES, out))
        if status:
            self._failed(status, "the loads cannot be computed")
        return out

    inverse_dynamics = id
    forward_dynamics = udot

    @property
    def bias(self) -> Array:
        """tau for udot = 0 [nu]: Coriolis and gyroscopic terms minus all forces of the model.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> bool(np.allclose(d.bias, d.id()))
        True
        """
        out = _empty(self._nu)
        status = _bias(self._w, self.t, self._pq, self._pu, _from_buffer(_DOUBLES, out))
        if status:
            self._failed(status, "the bias cannot be computed")
        return out

    @property
    def M(self) -> Array:
        """The mass matrix of the spanning tree, nu x nu.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> d.M.round(3).tolist()
        [[2.667, 0.833], [0.833, 0.333]]
        """
        out = _empty((self._nu, self._nu))
        status = _mass(self._w, self._pq, _from_buffer(_DOUBLES, out))
        if status:
            self._failed(status, "the mass matrix cannot be computed")
        return out

    @property
    def log_det_M(self) -> float:
        """log det M, without forming M.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> bool(np.isclose(np.exp(d.log_det_M), np.linalg.det(d.M)))
        True
        """
        x, sign = ffi.new("double *"), ffi.new("int *")
        errors.check(lib.lw_mass_determinant(self._w, self._pq, x, sign))
        return float(x[0])

    def forward_derivatives(self, tau: Speeds | None = None) -> Derivatives:
        """Exact derivatives of udot by q, u and tau.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> bool(np.allclose(d.forward_derivatives().by_input @ d.M, np.eye(2)))
        True
        """
        by, out = self._matrices("lw_forward_matrices", "tau")
        given = _NULL if tau is None else pointer(self._speeds(tau, "tau"))
        value = _empty(self._nu)
        errors.check(lib.lw_forward_dynamics_derivatives(self._scratch(), self.t, self._pq, self._pu, given, pointer(value), by),
                     "the derivatives cannot be computed")
        return Derivatives(value, *out)

    def inverse_derivatives(self, udot: Speeds | None = None) -> Derivatives:
        """Exact derivatives of tau = M udot + bias by q, u and udot; with closed loops those of the spanning tree.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> bool(np.allclose(d.inverse_derivatives().by_input, d.M))
        True
        """
        by, out = self._matrices("lw_inverse_matrices", "udot")
        a = np.zeros(self._nu) if udot is None else self._speeds(udot, "udot")
        errors.check(lib.lw_inverse_dynamics_derivatives(self._scratch(), self.t, self._pq, self._pu, pointer(a), by),
                     "the derivatives cannot be computed")
        return Derivatives(self.M @ a + self.bias, *out)

    def _scratch(self) -> Any:
        if self._derivatives is None:
            d = lib.lw_derivatives_new(self.model._model)
            if not d:
                raise errors.OutOfMemory("out of memory")
            self._derivatives = owned(d, lib.lw_derivatives_free, self.model._model)
        return self._derivatives

    def _matrices(self, ctype: str, last: str) -> tuple[Any, list[Array]]:
        out = [_empty((self._nu, self._nu)) for _ in range(3)]
        return ffi.new(f"{ctype} *", dict(zip(("q", "u", last), map(pointer, out)))), out

    def constraint_equations(self) -> tuple[Array, Array]:
        """Residuals phi [n] of all cut joints and constraints, and their derivatives G [n, nu] along speeds.

        >>> import linkwork as lw
        >>> d = lw.load(models / "four-bar.yaml").data()
        >>> phi, G = d.constraint_equations()
        >>> bool(abs(phi).max() < 1e-12), G.shape[1] == d.model.nu
        (True, True)
        """
        n = int(lib.lw_nequation(self.model._model))
        phi, G = np.empty(n), np.empty((n, self._nu))
        errors.check(lib.lw_constraint_equations(self._scratch(), self.t, self._pq, pointer(phi), pointer(G)))
        return phi, G

    def udot_by(self, parameter: str, tau: Speeds | None = None) -> Array:
        """The exact derivative of udot by a parameter of the model, q and u held.

        >>> import linkwork as lw
        >>> lw.load(models / "double-pendulum.yaml").data().udot_by("La").shape
        (2,)
        """
        err = errors.new_error()
        by = lib.lw_model_derivative_new(self.model._model, parameter.encode(), err)
        if not by:
            errors.fail(err, self.model.file)
        by = owned(by, lib.lw_model_derivative_free, self.model._model)
        given = _NULL if tau is None else pointer(self._speeds(tau, "tau"))
        value, out = _empty(self._nu), _empty(self._nu)
        d = self._scratch()
        errors.check(lib.lw_linearize_forward(d, self.t, self._pq, self._pu, given, pointer(value)))
        errors.check(lib.lw_forward_derivative(d, ffi.new("lw_direction *", {"model": by}), pointer(out)))
        return out

    def by_formulation(self, formulation: str, tau: Speeds | None = None, threads: int = 1) -> tuple[Array, dict[str, Array]]:
        """udot and the loads of all joints by "tree", "dca" or "cartesian": the same numbers by other algorithms.

        >>> import linkwork as lw
        >>> d = lw.load(models / "four-bar.yaml").data()
        >>> bool(np.allclose(d.by_formulation("dca")[0], d.udot()))
        True
        """
        err = errors.new_error()
        how = ffi.new("lw_simulation_options *", {"formulation": choice("lw_formulation", formulation), "threads": threads})
        made = lib.lw_dynamics_new(self.model._model, how, err)
        if not made:
            errors.fail(err, self.model.file)
        d = owned(made, lib.lw_dynamics_free, self.model._model)
        given = _NULL if tau is None else pointer(self._speeds(tau, "tau"))
        out, loads = _empty(self._nu), {}
        errors.check(lib.lw_dynamics_accelerate(d, self.t, self._pq, self._pu, given, pointer(out)), "the accelerations cannot be computed")
        errors.check(lib.lw_dynamics_find_loads(d), "the loads cannot be computed")
        for j in range(1, self.model.njoint + 1):
            info = lib.lw_get_joint(self.model._model, {"id": j})
            load = _empty(6)
            if not info.implicit:
                errors.check(lib.lw_dynamics_get_load(d, {"id": j}, pointer(load)))
                loads[errors.text_of(info.name)] = load
        return out, loads

    def row(self, columns: str | Sequence[str] | None = None) -> dict[str, float]:
        """Result columns at this state, by names and patterns; None: all.

        >>> import linkwork as lw
        >>> lw.load(models / "double-pendulum.yaml").data({"A": 0.5, "B": 0}).row("q.*")
        {'t': 0.0, 'q.A': 0.5, 'q.B': 0.0}
        """
        err = errors.new_error()
        patterns = _NULL if columns is None else (columns if isinstance(columns, str) else ",".join(columns)).encode()
        c = lib.lw_columns_new(self.model._model, patterns, err)
        if not c:
            errors.fail(err, self.model.file)
        c = owned(c, lib.lw_columns_free, self.model._model)
        out = _empty(lib.lw_columns_count(c))
        status = lib.lw_columns_row(c, self.t, self._pq, self._pu, pointer(out))
        if status:
            self._failed(status, "the columns cannot be computed")
        return {errors.text_of(lib.lw_columns_name(c, i)): float(x) for i, x in enumerate(out)}

    # ---- bodies ----

    def _body(self, name: str) -> dict[str, int]:
        return {"id": self.model._body_id(name)}

    def pose(self, body: str) -> Pose:
        """The pose of a body's frame in ground axes.

        >>> import linkwork as lw
        >>> lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}).pose("lower").p
        array([ 0., -1.,  0.])
        """
        self._kinematics()
        x = ffi.new("lw_pose *")
        errors.check(lib.lw_get_pose(self._w, self._body(body), x))
        return Pose(copied(x.p, 3), copied(x.quat, 4))

    def poses(self) -> dict[str, Pose]:
        """The poses of all bodies.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> list(d.poses())
        ['upper', 'lower']
        """
        self._kinematics()
        x, found = ffi.new("lw_pose *"), {}
        for b, name in enumerate(self.model.bodies):
            errors.check(lib.lw_get_pose(self._w, {"id": b + 1}, x))
            found[name] = Pose(copied(x.p, 3), copied(x.quat, 4))
        return found

    def velocity(self, body: str) -> Array:
        """[w; v] of the body origin, rad/s and m/s, ground axes.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> d.velocity("lower")
        array([0., 0., 1., 1., 0., 0.])
        """
        self._kinematics()
        out = np.empty(6)
        errors.check(lib.lw_get_velocity(self._w, self._body(body), pointer(out)))
        return out

    def acceleration(self, body: str, udot: Speeds | None = None) -> Array:
        """[wdot; vdot] of the body origin, ground axes; udot None: that of forward dynamics.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> d.acceleration("lower", udot=[0, 0])[3:]
        array([0., 1., 0.])
        """
        a = self.udot() if udot is None else self._speeds(udot, "udot")
        self._kinematics()
        errors.check(lib.lw_accelerations(self._w, pointer(a)))
        out = np.empty(6)
        errors.check(lib.lw_get_acceleration(self._w, self._body(body), pointer(out)))
        return out

    def jacobian(self, body: str, at: Sequence[float] = (0.0, 0.0, 0.0)) -> Array:
        """J [6, nu] with [w; v] = J u, for the point of the body at `at` (m, body frame), ground axes.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0})
        >>> d.jacobian("lower", at=(0, -1, 0))[3]
        array([2., 1.])
        """
        self._kinematics()
        out = np.empty((6, self._nu))
        place = numbers(at, 3, "at")
        errors.check(lib.lw_jacobian(self._w, self._body(body), pointer(place), pointer(out)))
        return out

    # ---- loads ----

    def loads(self, tau: Speeds | None = None) -> dict[str, Array]:
        """Loads of all joints after forward dynamics: [torque; force] of the joint on its child at the origin of the child's joint
        frame, ground axes.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> d.loads()["A"].shape
        (6,)
        """
        self.udot(tau)
        errors.check(lib.lw_joint_loads(self._w), "the loads cannot be computed")
        return loads_of_joints(self.model._model, self._w)

    # ---- sums ----

    def _energies(self) -> tuple[float, float]:
        kinetic, potential = ffi.new("double *"), ffi.new("double *")
        status = lib.lw_energy(self._w, self._pq, self._pu, kinetic, potential)
        if status:
            self._failed(status, "the energy cannot be computed")
        return float(kinetic[0]), float(potential[0])

    @property
    def kinetic(self) -> float:
        """Kinetic energy, J.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> round(d.kinetic, 3)
        1.333
        """
        return self._energies()[0]

    @property
    def potential(self) -> float:
        """Potential energy, J: of gravity and springs.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> round(d.potential, 3)
        -19.62
        """
        return self._energies()[1]

    @property
    def energy(self) -> float:
        """Their sum, J.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> d.energy == d.kinetic + d.potential
        True
        """
        return sum(self._energies())

    @property
    def power(self) -> float:
        """Power of everything that is not in the potential energy, except constraints, W.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> d.power
        0.0
        """
        x = ffi.new("double *")
        errors.check(lib.lw_power(self._w, self.t, self._pq, self._pu, x))
        return float(x[0])

    @property
    def momentum(self) -> Array:
        """[angular about the ground origin; linear], ground axes.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> d.momentum[3:].tolist()
        [2.0, 0.0, 0.0]
        """
        self._kinematics()
        h = np.empty(6)
        errors.check(lib.lw_momentum(self._w, pointer(h)))
        return h

    @property
    def mass(self) -> float:
        """Mass of all bodies, kg.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> d.mass
        2.0
        """
        return self._center()[0]

    @property
    def com(self) -> Array:
        """Centre of mass of all bodies, m, ground axes.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data({"A": 0.0, "B": 0}, {"A": 1.0})
        >>> d.com
        array([ 0., -1.,  0.])
        """
        return self._center()[1]

    def _center(self) -> tuple[float, Array]:
        self._kinematics()
        mass, p = ffi.new("double *"), np.empty(3)
        errors.check(lib.lw_mass_center(self._w, mass, pointer(p)))
        return float(mass[0]), p

    # ---- fixed steps ----

    def step(self, dt: float, tau: Speeds | None = None, method: str = "rk4") -> None:
        """One step of size dt (s) with "rk4" or "euler" (semi-implicit); tau is constant during the step.

        >>> import linkwork as lw
        >>> d = lw.load(models / "double-pendulum.yaml").data()
        >>> d.step(1e-3)
        >>> d.t
        0.001
        """
        given = _NULL if tau is None else pointer(self._speeds(tau, "tau"))
        t = ffi.new("double *", self.t)
        how = lib.LW_INTEGRATOR_RK4 if method == "rk4" else lib.LW_INTEGRATOR_EULER if method == "euler" else -1
        if how < 0:
            raise ValueError(f"{method!r} is none of rk4, euler")
        status = lib.lw_step(self._w, how, dt, given, t, self._pq, self._pu)
        if status:
            self._failed(status, "the step cannot be computed")
        self.t = float(t[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return Data, (self.model, self._q, self._u, self.t)


def loads_of_joints(model: Any, w: Any) -> dict[str, Array]:
    """[torque; force] of each joint that the model writes, after lw_joint_loads."""
    found = {}
    for j in range(1, lib.lw_njoint(model) + 1):
        info = lib.lw_get_joint(model, {"id": j})
        out = np.empty(6)
        if not info.implicit:
            errors.check(lib.lw_get_load(w, {"id": j}, pointer(out)))
            found[errors.text_of(info.name)] = out
    return found
