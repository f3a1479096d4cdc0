# SPDX-License-Identifier: Apache-2.0
"""A compiled model: load it, ask it, and compute with it.  It never changes, and threads may share it."""
from __future__ import annotations

import os
import tempfile
import warnings
from dataclasses import dataclass
from typing import Any, Mapping, Sequence, Union

import numpy as np

from . import analysis as _analysis, batch as _batch, errors, run as _run, sens as _sens, study as _study, sweep as _sweep, topology as _topology
from ._linkwork import ffi, lib
from .arrays import Array, ArrayLike, integers, nearest, numbers, owned, pointer, word_of
from .data import Data
from .spec import ActuatedSource, Number, Source, TextSource

State = Union[ArrayLike, Mapping[str, Any], None]
"""Coordinates or speeds: an array of the whole model, values by joint, or None for those of the model."""


@dataclass(frozen=True)
class JointInfo:
    """A joint of a compiled model.  `q` and `u` are the slices of its coordinates and speeds; None: it is cut, and closes a loop."""
    name: str
    type: str
    parent: str
    child: str
    nq: int
    nu: int
    q: slice | None
    u: slice | None
    implicit: bool
    line: int
    column: int


def load(path: str | os.PathLike[str], *, parameters: Mapping[str, Number] | None = None, inertia: str = "auto",
         floating_base: bool = False, key: str | None = None, **values: Number) -> Model:
    """Reads a model file (YAML, JSON, URDF, MJCF: by its contents) and compiles it.

    Keywords are values of parameters: numbers in SI units, as everywhere in Python, or texts as for `--set` ("500 mm"; without a unit in that
    of the parameter); names that are no Python names go into `parameters`.  Of robot files: inertia "auto", "keep" or "repair"; floating_base; key, the keyframe of
    MJCF to start in.  What a reader changed or left out is a `ReadWarning`, and in `Model.notes`.

    >>> import linkwork as lw
    >>> m = lw.load(models / "four-bar.yaml", La=1.2)
    >>> m.joints["A"].type, m.dof
    ('revolute', 1)
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as f:
            text = f.read()
    except OSError:
        err = errors.new_error()
        if not lib.lw_spec_load(name.encode(), err):
            errors.fail(err, name)
        raise
    model = Model(TextSource(text, name, {"inertia": inertia, "floating_base": floating_base, "key": key}),
                  {**(parameters or {}), **values})
    if model.notes:
        warnings.warn("\n".join([f"{name}:", *model.notes]), errors.ReadWarning, stacklevel=2)
    return model


def loads(text: str | bytes, *, name: str | None = None, parameters: Mapping[str, Number] | None = None, **values: Number) -> Model:
    """The same from a text; `name` is the file name in messages, beside which included files are looked for.

    >>> import linkwork as lw
    >>> m = lw.loads('''
    ... linkwork: 1
    ... bodies: {bob: {mass: 1, com: [0, 0, -1]}}
    ... joints: {A: {type: revolute, parent: ground, child: bob, axis: y, q: 0.1}}
    ... ''')
    >>> m.data().udot()
    array([-0.97936582])
    """
    return Model(TextSource(text.encode() if isinstance(text, str) else text, name, {}), {**(parameters or {}), **values})


class Model:
    """A compiled model: immutable, shared by any number of threads, picklable.

    Coordinates q and speeds u are arrays of the joints of the spanning tree, in the order of the model (`joints[name].q` is the
    slice of a joint), then the states of controllers.  Angles are in rad, lengths in m; spatial vectors are [angular; linear].
    """

    def __init__(self, source: Source, parameters: Mapping[str, Number] | None = None,
                 held: tuple[dict[str, Any], dict[str, Any]] | None = None) -> None:
        self._source, self._parameters, self._held = source, dict(parameters or {}), held
        spec = self._spec()
        err = errors.new_error()
        model = lib.lw_compile(spec, err)
        if not model:
            errors.fail(err, source.file)
        self._model = owned(model, lib.lw_model_free)
        self.notes: tuple[str, ...] = tuple(
            errors.text_of(lib.lw_spec_get_note(spec, i)) for i in range(lib.lw_spec_nnote(spec)))
        self._works: list[Any] = []

    def _spec(self) -> Any:
        """The spec that it is compiled from, with its parameters and what is held."""
        spec = self._source.spec()
        for name, value in self._parameters.items():
            _set_parameter(spec, name, value, self._source.file)
        for index, values in enumerate(self._held or ()):
            for name, value in values.items():
                given = [ffi.NULL, ffi.NULL]
                given[index] = ffi.new("double[]", list(np.atleast_1d(value).astype(float)))
                errors.check(lib.lw_hold_joint(spec, name.encode(), *given), f"joint {name!r}")
        return spec

    def _sources(self) -> Any:
        """The texts of the model, for files of results: what was read; what was described in Python is written, as far as the format can say it."""
        if isinstance(self._source, TextSource):
            return self._source._sources
        err = errors.new_error()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.yaml")
            if lib.lw_spec_save(self._spec(), path.encode(), err) != 0:
                warnings.warn(f"the file of results does not hold the model: {errors.text_of(err.text)}", stacklevel=4)
                return ffi.NULL
            with open(path, "rb") as f:
                text = f.read()
        sources = owned(lib.lw_sources_new(), lib.lw_sources_free)
        errors.check(lib.lw_sources_add(sources, b"model.yaml", text, len(text)))
        return sources

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self._source, self._parameters, self._held)

    def __repr__(self) -> str:
        counts = (("body", "bodies", self.nbody), ("joint", "joints", self.njoint), ("freedom", "freedoms", self.dof_of_tree))
        return f"<linkwork model {self.name!r}: " + ", ".join(f"{n} {one if n == 1 else many}" for one, many, n in counts) + " of the tree>"

    # ---- what it is ----

    @property
    def name(self) -> str:
        """Its name, or ''.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.name
        'double pendulum'
        """
        return errors.text_of(lib.lw_model_name(self._model))

    @property
    def file(self) -> str | None:
        """The file it was read from.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.file.endswith("double-pendulum.yaml")
        True
        """
        return self._source.file

    @property
    def nq(self) -> int:
        """Number of coordinates.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.nq
        2
        """
        return int(lib.lw_nq(self._model))

    @property
    def nu(self) -> int:
        """Number of speeds.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.nu
        2
        """
        return int(lib.lw_nu(self._model))

    @property
    def nbody(self) -> int:
        """Number of bodies without the ground.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.nbody
        2
        """
        return int(lib.lw_nbody(self._model))

    @property
    def njoint(self) -> int:
        """Number of joints, those that floating bodies get included.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.njoint
        2
        """
        return int(lib.lw_njoint(self._model))

    @property
    def dof_of_tree(self) -> int:
        """Degrees of freedom with all loops cut.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.dof_of_tree
        2
        """
        return int(lib.lw_dof_of_tree(self._model))

    @property
    def dof(self) -> int:
        """Degrees of freedom of the mechanism in its initial configuration, by the rank of its constraints.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.dof
        2
        """
        return self.data().dof

    @property
    def is_planar(self) -> bool:
        """Does everything move in the x-y plane?

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.is_planar
        False
        """
        return bool(lib.lw_model_is_planar(self._model))

    @property
    def gravity(self) -> Array:
        """m/s^2, ground axes.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.gravity.tolist()
        [0.0, -9.81, 0.0]
        """
        g = np.empty(3)
        lib.lw_gravity(self._model, pointer(g))
        return g

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies, without the ground.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.bodies
        ('upper', 'lower')
        """
        return tuple(errors.text_of(lib.lw_body_name(self._model, {"id": b})) for b in range(1, self.nbody + 1))

    @property
    def joints(self) -> dict[str, JointInfo]:
        """Joints by name, in the order of the model.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.joints["B"].parent, m.joints["B"].q
        ('upper', slice(1, 2, None))
        """
        found = (self._joint_info(j) for j in range(1, self.njoint + 1))
        return {j.name: j for j in found}

    def _joint_info(self, j: int) -> JointInfo:
        i = lib.lw_get_joint(self._model, {"id": j})
        return JointInfo(errors.text_of(i.name), errors.text_of(lib.lw_joint_type_name(i.type)), self._body_name(i.parent),
                         self._body_name(i.child), i.nq, i.nu, None if i.cut else slice(i.q, i.q + i.nq),
                         None if i.cut else slice(i.u, i.u + i.nu), bool(i.implicit), i.line, i.column)

    def _body_name(self, body: Any) -> str:
        return "ground" if body.id == 0 else errors.text_of(lib.lw_body_name(self._model, body))

    @property
    def constraints(self) -> dict[str, str]:
        """Types of constraints by name.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.constraints
        {}
        """
        found = (lib.lw_get_constraint(self._model, {"id": c}) for c in range(1, lib.lw_nconstraint(self._model) + 1))
        return {errors.text_of(c.name): word_of("lw_constraint_type", c.type) for c in found}

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the parameters in SI units.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.parameters["La"]
        1.0
        """
        return {errors.text_of(lib.lw_parameter_name(self._model, i)): float(lib.lw_parameter_value(self._model, i))
                for i in range(lib.lw_nparameter(self._model))}

    @property
    def states(self) -> tuple[str, ...]:
        """Names of states, inputs and sampled values: the last coordinates of q.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.states
        ()
        """
        return tuple(errors.text_of(lib.lw_state_name(self._model, i)) for i in range(lib.lw_nstate(self._model)))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs among the states.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.inputs
        ()
        """
        return tuple(name for i, name in enumerate(self.states) if lib.lw_state_is_input(self._model, i))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all result columns.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.columns[:3]
        ('t', 'q.A', 'q.B')
        """
        return _run.column_names(self, None)

    @property
    def masses(self) -> dict[str, float]:
        """Masses of the bodies, kg.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.masses
        {'upper': 1.0, 'lower': 1.0}
        """
        return {name: float(lib.lw_body_mass(self._model, {"id": b + 1})) for b, name in enumerate(self.bodies)}

    def with_parameters(self, parameters: Mapping[str, Number] | None = None, **values: Number) -> Model:
        """The same model with other values of parameters.

        >>> import linkwork as lw
        >>> m = lw.load(models / "four-bar.yaml")
        >>> m.with_parameters(La="1.5 m").parameters["La"]
        1.5
        """
        return Model(self._source, {**self._parameters, **(parameters or {}), **values}, self._held)

    def with_motors(self, *joints: str) -> Model:
        """The same model with a motor on each freedom of these joints, whose load (N, N m) is an input: `tau_A`, or `tau_A_2` of the second
        freedom of A.  Default: all joints of the tree but those of bodies that float.  `sim.inputs`, a controller or a law gives the loads.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml").with_motors()
        >>> m.inputs
        ('tau_A', 'tau_B')
        >>> r = m.run(end=2, law=lambda t, q, u: -20 * u)      # in the order of m.inputs; or by name
        >>> bool(abs(r["u.A"][-1]) < 0.5)
        True
        """
        known = self.joints
        chosen = [known[self._joint_info(self._joint_id(n)).name] for n in joints] or [
            j for j in known.values() if j.type != "free" and not j.implicit and j.u is not None]
        motors = tuple((f"tau_{j.name}" + (f"_{k}" if j.nu > 1 else ""), j.name, k) for j in chosen for k in range(1, j.nu + 1))
        inner, old = (self._source.inner, self._source.motors) if isinstance(self._source, ActuatedSource) else (self._source, ())
        return Model(ActuatedSource(inner, old + motors), self._parameters, self._held)

    # ---- names ----

    def _body_id(self, name: str) -> int:
        if name == "ground":
            return 0
        found = int(lib.lw_find_body(self._model, name.encode()).id)
        if found < 0:
            raise KeyError(f"the model has no body {name!r}{nearest(name, list(self.bodies))}")
        return found

    def _joint_id(self, name: str) -> int:
        found = int(lib.lw_find_joint(self._model, name.encode()).id)
        if found < 1:
            raise KeyError(f"the model has no joint {name!r}{nearest(name, list(self.joints))}")
        return found

    # ---- states ----

    def _is_constrained(self) -> bool:
        return bool(lib.lw_ncut(self._model) > 0 or lib.lw_nconstraint(self._model) > 0)

    def _holding(self, q: Mapping[str, Any], u: Mapping[str, Any]) -> Model:
        """The model in which these joints begin at these values, and keep them when loops are closed."""
        for name, size in [(n, "nq") for n in q] + [(n, "nu") for n in u]:
            joint = self._joint_info(self._joint_id(name))
            values = q if size == "nq" else u
            numbers(np.atleast_1d(values[name]), getattr(joint, size), f"joint {name!r}")
        old = self._held or ({}, {})
        return Model(self._source, self._parameters, ({**old[0], **q}, {**old[1], **u}))

    def _split(self, q: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Values of joints, and of states."""
        states = set(self.states)
        return {k: v for k, v in q.items() if k not in states}, {k: v for k, v in q.items() if k in states}

    def state(self, q: State = None, u: State = None, t: float = 0.0) -> tuple[Array, Array]:
        """Coordinates and speeds of the spanning tree: given arrays as they are; the initial ones, with those of some joints replaced
        by name, with loops closed.

        >>> import linkwork as lw
        >>> q, u = lw.load(models / "double-pendulum.yaml").state({"A": 0.5}, {"B": 1})
        >>> q, u
        (array([0.5       , 0.10471976]), array([0., 1.]))
        """
        by_name = {} if q is None else dict(q) if isinstance(q, Mapping) else None
        speeds = {} if u is None else dict(u) if isinstance(u, Mapping) else None
        start = self
        if by_name is not None and speeds is not None:
            joints, states = self._split(by_name)
            if joints or speeds:
                start = self._holding(joints, speeds)
            return self._from(start, states, t)
        if by_name or speeds:
            raise TypeError("q and u are both arrays, or both by name")
        q0, u0 = self._from(self, {}, t) if q is None else (numbers(q, self.nq, "q").copy(), np.zeros(self.nu))  # type: ignore[arg-type]
        return q0, (u0 if u is None else numbers(u, self.nu, "u").copy())  # type: ignore[arg-type]

    def _from(self, start: Model, states: Mapping[str, float], t: float) -> tuple[Array, Array]:
        """The assembled initial state of `start`, which has the joints of this model but perhaps another spanning tree."""
        q, u = np.zeros(lib.lw_nq_all(start._model)), np.zeros(lib.lw_nu_all(start._model))
        lib.lw_initial_state(start._model, pointer(q), pointer(u))
        for name, value in states.items():
            q[start.nq - len(start.states) + start.states.index(name)] = value
        w = start._work()
        err = errors.new_error()
        if lib.lw_close_loops(w, t, pointer(q), pointer(u), err) != 0:
            errors.fail(err, self.file)
        if start is self:
            return q[:self.nq].copy(), u[:self.nu].copy()
        errors.check(lib.lw_kinematics(w, pointer(q), pointer(u)))
        errors.check(lib.lw_get_cut_joints(w, pointer(q), pointer(u), ffi.NULL))
        own_q, own_u = np.zeros(self.nq), np.zeros(self.nu)
        for j in range(1, self.njoint + 1):
            mine = lib.lw_get_joint(self._model, {"id": j})
            other = lib.lw_get_joint(start._model, lib.lw_find_joint(start._model, mine.name))
            if not mine.cut:
                own_q[mine.q:mine.q + mine.nq] = q[other.q_all:other.q_all + mine.nq]
                own_u[mine.u:mine.u + mine.nu] = u[other.u_all:other.u_all + mine.nu]
        n = len(self.states)
        own_q[self.nq - n:] = q[start.nq - n:start.nq]
        return own_q, own_u

    def _work(self) -> Any:
        w = lib.lw_work_new(self._model)
        if not w:
            raise errors.OutOfMemory("out of memory")
        return owned(w, lib.lw_work_free, self._model)

    def data(self, q: State = None, u: State = None, t: float = 0.0) -> Data:
        """A state with everything that follows from it; one per thread.  See Data.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.data({"A": 0.2}).q[0]
        0.2
        """
        return Data(self, *self.state(q, u, t), t)

    # ---- what it does: the modules that do it ----

    forward_dynamics = _batch.forward_dynamics
    inverse_dynamics = _batch.inverse_dynamics
    mass_matrix = _batch.mass_matrix
    run = _run.run_model
    simulation = _run.simulation
    sens = _sens.sens
    sweep = _sweep.sweep
    fit = _study.fit
    optimize = _study.optimize
    equilibrium = _analysis.equilibrium
    linearize = _analysis.linearize
    modes = _analysis.modes
    inverse = _analysis.inverse
    mobility = _analysis.mobility
    topology = _topology.topology

    def speed_parents(self) -> Sequence[int]:
        """The next speed inward of each speed, -1 at the ground: the pattern of the mass matrix.

        >>> import linkwork as lw
        >>> m = lw.load(models / "double-pendulum.yaml")
        >>> m.speed_parents()
        [-1, 0]
        """
        p = ffi.new("int[]", max(self.nu, 1))
        lib.lw_speed_parents(self._model, p)
        return [int(x) for x in integers(p, self.nu)]


def _set_parameter(spec: Any, name: str, value: Number, file: str | None) -> None:
    err = errors.new_error()
    if isinstance(value, str):
        status = lib.lw_set_parameter_text(spec, name.encode(), value.encode(), err)
    else:
        if not np.isfinite(value):
            raise errors.NumberError(f"parameter {name!r}: {float(value)} is not a finite number", file)
        status = lib.lw_set_parameter(spec, name.encode(), float(value))
    if status == lib.LW_E_ARG:
        model = lib.lw_compile(spec, ffi.NULL)
        known = [errors.text_of(lib.lw_parameter_name(model, i)) for i in range(lib.lw_nparameter(model))] if model else []
        lib.lw_model_free(model)
        raise errors.ArgumentError(f"the model has no parameter {name!r}{nearest(name, known)}", file)
    if status != 0:
        errors.fail(err, file, f"parameter {name!r}", status)
