# SPDX-License-Identifier: Apache-2.0
"""Describe a mechanism in Python: a Spec is edited, and compiled to a Model."""
from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence, TypeVar, Union

from . import errors
from ._linkwork import ffi, lib
from .arrays import choice, nearest, owned

if TYPE_CHECKING:
    from .model import Model

Number = Union[float, str]
"""A number in SI units, or an expression of the parameters: "La/2", "500 mm"."""
Vector = Union[Sequence[Number], str]
"""Three numbers (planar models: two), or an axis: "x", "-y"."""

_AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}


@dataclass(frozen=True)
class Body:
    """A body of a Spec: its name, and its number (0 is the ground)."""
    name: str
    id: int


@dataclass(frozen=True)
class Joint:
    """A joint of a Spec."""
    name: str
    id: int


GROUND = Body("ground", 0)
"""The ground, which carries everything."""

F = TypeVar("F", bound=Callable[..., Any])


def recorded(method: F) -> F:
    """Keeps the call, so that models made of this spec can be pickled, and compiled again with other parameters."""
    @functools.wraps(method)
    def call(self: Spec, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        errors_so_far = errors.new_error()
        if lib.lw_spec_error(self._spec, errors_so_far) != 0:
            errors.fail(errors_so_far)
        self._calls.append((method.__name__, args, kwargs))
        return result
    return call  # type: ignore[return-value]


class _Fill:
    """Fills descriptors from keywords, by the types of their fields."""

    def __init__(self, spec: Spec) -> None:
        self.spec, self.keep = spec, []  # type: tuple[Spec, list[Any]]

    def new(self, ctype: str, values: Mapping[str, Any]) -> Any:
        desc = ffi.new(f"{ctype} *")
        self.keep.append(desc)
        self.struct(desc[0], ffi.typeof(ctype), values)
        return desc

    def struct(self, at: Any, ctype: Any, values: Mapping[str, Any]) -> None:
        fields = dict(ctype.fields)
        for key, value in values.items():
            if value is None:
                continue
            if key not in fields:
                raise TypeError(f"there is no {key!r}{nearest(key, list(fields))}")
            self.field(at, key, fields[key].type, value)

    def field(self, at: Any, key: str, ctype: Any, value: Any) -> None:
        if ctype.kind == "array":
            self.array(getattr(at, key), ctype, value)
        elif ctype.kind == "struct" and ctype.cname not in ("lw_body", "lw_joint"):
            self.struct(getattr(at, key), ctype, _as_fields(ctype.cname, value))
        else:
            setattr(at, key, self.scalar(ctype, value))

    def scalar(self, ctype: Any, value: Any) -> Any:
        if ctype.kind == "enum":
            return choice(ctype.cname, value) if isinstance(value, str) else value
        if ctype.kind == "pointer":
            return self.pointer(ctype, value)
        if ctype.cname == "lw_body":
            return {"id": self.spec._body(value)}
        if ctype.cname == "lw_joint":
            return {"id": self.spec._joint(value)}
        if ctype.cname == "double":
            return self.number(value)
        return bool(value) if ctype.cname in ("_Bool", "bool") else int(value)

    def number(self, value: Any) -> float:
        return float(lib.lw_expr(self.spec._spec, value.encode())) if isinstance(value, str) else float(value)

    def array(self, at: Any, ctype: Any, value: Any) -> None:
        values = _AXES[value] if isinstance(value, str) and value in _AXES else [value] if isinstance(
            value, (int, float, str, dict)) else list(value)
        if len(values) > ctype.length:
            raise ValueError(f"{len(values)} values are given where there are at most {ctype.length}")
        for i, x in enumerate(values):
            if ctype.item.kind == "struct":
                self.struct(at[i], ctype.item, _as_fields(ctype.item.cname, x))
            else:
                at[i] = self.scalar(ctype.item, x)

    def pointer(self, ctype: Any, value: Any) -> Any:
        item = ctype.item.cname.replace("const ", "")
        if item == "char":
            made = ffi.new("char[]", value.encode())
        elif item == "char *" or item == "char const *" or "char" in item:
            made = ffi.new("const char *[]", [self.pointer(ctype.item, x) for x in value])
        elif item == "double":
            made = ffi.new("double[]", [self.number(x) for x in (value if _is_list(value) else [value])])
        elif ctype.item.kind == "struct":
            values = value if _is_list(value) else [value]
            made = ffi.new(f"{item}[]", max(len(values), 1))
            for i, x in enumerate(values):
                if item in ("lw_body", "lw_joint"):
                    made[i] = self.scalar(ctype.item, x)
                else:
                    self.struct(made[i], ctype.item, _as_fields(item, x))
        else:
            made = ffi.new(f"{item}[]", list(value))
        self.keep.append(made)
        return made


def _is_list(x: Any) -> bool:
    return not isinstance(x, (str, bytes, Mapping)) and hasattr(x, "__iter__")


def _as_fields(ctype: str, value: Any) -> Mapping[str, Any]:
    """What users write for small structures, as their fields."""
    if ctype == "lw_orient":
        kind, numbers = next(iter(value.items()))
        return {"type": kind, "value": numbers}
    if ctype == "lw_solid":
        kind, fields = next(iter(value.items()))
        return {"type": kind, **fields}
    if ctype == "lw_limits":
        fields = dict(value) if isinstance(value, Mapping) else {"lower": value[0], "upper": value[1]}
        return {**fields, "has_lower": fields.get("lower") is not None, "has_upper": fields.get("upper") is not None}
    if ctype == "lw_friction":
        return value if isinstance(value, Mapping) else {"load": value}
    if ctype == "lw_term":
        if isinstance(value, Mapping):
            return value
        return dict(zip(("joint", "coefficient", "dof"), [value] if isinstance(value, (str, Joint)) else value))
    if ctype == "lw_start":
        fields = dict(value)
        return {"pose": _place(fields), **fields}
    if ctype == "lw_constraint_desc" or ctype == "lw_joint_desc":
        return _placed(dict(value))
    return dict(value)


def _place(fields: dict[str, Any], side: str = "") -> dict[str, Any]:
    return {"at": fields.pop(f"{side}at", None), "orient": fields.pop(f"{side}orient", None)}


def _placed(fields: dict[str, Any]) -> dict[str, Any]:
    """at, orient, child_at and child_orient as the places of a descriptor."""
    place, child = _place(fields), _place(fields, "child_")
    return {**fields, "place": place, "child_place": child}


class Spec:
    """A mechanism that is being described: bodies, joints, forces, events.

    Numbers are in SI units and radians; each may be an expression of the parameters, written as text.  Frames are right-handed;
    a joint frame is given in the frame of its parent body by `at` and `orient` ({"rpy": [...]}, {"quat": [w, x, y, z]} or
    {"axis_angle": [x, y, z, angle]}), and in that of the child by `child_at` and `child_orient`.  Names of keywords are those
    of the model file (docs/format.md) and of the descriptors of the C library.

    gravity: m/s^2 in ground axes, default (0, 0, -9.81), planar models (0, -9.81).

    >>> import linkwork as lw
    >>> s = lw.Spec(gravity=(0, -9.81, 0))
    >>> s.parameter("L", 1.0, min=0.1)
    >>> arm = s.body("arm", solid={"rod": {"length": "L", "mass": 2, "axis": "-y"}})
    >>> _ = s.joint("A", "revolute", child=arm, q=0.3)
    >>> m = s.compile(L=1.5)
    >>> m.nq, m.parameters
    (1, {'L': 1.5})
    """

    def __init__(self, name: str | None = None, *, gravity: Sequence[float] | None = None, planar: bool = False) -> None:
        self._spec = owned(lib.lw_spec_new(), lib.lw_spec_free)
        self._calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self._kept: list[Any] = []
        self._made = {"name": name, "gravity": gravity, "planar": planar}
        if planar:
            lib.lw_set_planar(self._spec)
        if name is not None:
            lib.lw_set_name(self._spec, name.encode())
        if gravity is not None:
            lib.lw_set_gravity(self._spec, *[*map(float, gravity), 0.0, 0.0][:3])

    # ---- helpers ----

    def _body(self, body: Body | str | int) -> int:
        if isinstance(body, Body):
            return body.id
        if isinstance(body, int):
            return body
        if body == "ground":
            return 0
        found = int(lib.lw_spec_find_body(self._spec, body.encode()).id)
        if found < 0:
            raise errors.ArgumentError(f"there is no body {body!r}")
        return found

    def _joint(self, joint: Joint | str | int) -> int:
        if isinstance(joint, Joint):
            return joint.id
        if isinstance(joint, int):
            return joint
        found = int(lib.lw_spec_find_joint(self._spec, joint.encode()).id)
        if found < 1:
            raise errors.ArgumentError(f"there is no joint {joint!r}")
        return found

    def _add(self, function: Callable[..., Any], ctype: str, values: Mapping[str, Any]) -> Any:
        fill = _Fill(self)  # keeps texts and arrays until the library has copied them
        return function(self._spec, fill.new(ctype, values))

    # ---- parts ----

    @recorded
    def parameter(self, name: str, value: Number, *, min: float | None = None, max: float | None = None, unit: str | None = None,
                  doc: str | None = None) -> None:
        """A number with a name.  `unit`: in which value, min and max are written; results are in SI.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.parameter("L", 500, unit="mm", min=1)
        >>> s.compile().parameters
        {'L': 0.5}
        """
        self._add(lib.lw_add_parameter, "lw_parameter_desc", {"name": name, "value": value, "min": min, "max": max, "unit": unit,
                                                              "doc": doc})

    @recorded
    def body(self, name: str, *, mass: Number = 0, com: Vector = (0, 0, 0), inertia: Sequence[Number] = (),
             solid: Mapping[str, Mapping[str, Any]] | None = None, start: Mapping[str, Any] | None = None,
             any_inertia: bool = False) -> Body:
        """A rigid body.

        mass in kg, com in m in the body frame, inertia about com in body axes, kg m^2: xx, yy, zz, xy, xz, yz (planar: one number).
        Or solid={"rod": {"length": 1, "mass": 2, "axis": "-y"}}: rod, box, sphere, cylinder, point.  start: where the base of a
        floating group begins, {"at": ..., "orient": ..., "linear": ..., "angular": ...}, in ground axes.

        >>> import linkwork as lw
        >>> lw.Spec().body("ball", solid={"sphere": {"radius": 0.1, "mass": 1}}).name
        'ball'
        """
        if self._made["planar"] and isinstance(inertia, (int, float, str)):
            inertia = (0, 0, inertia)
        made = self._add(lib.lw_add_body, "lw_body_desc", {"name": name, "mass": mass, "com": com, "inertia": inertia, "solid": solid,
                                                           "start": start, "any_inertia": any_inertia})
        return Body(name, made.id)

    @recorded
    def joint(self, name: str, type: str, *, child: Body | str, parent: Body | str = GROUND, **more: Any) -> Joint:
        """A joint of `type` revolute, prismatic, helical, cylindrical, universal, gimbal, spherical, planar, free or fixed.

        at, orient: the joint frame in the parent's body frame; child_at, child_orient: in the child's, at q = 0; axis (and axis2,
        axis3) in the joint frame.  q, u: initial coordinates (rad, m) and speeds; hold: they are kept when loops are closed;
        cut: close a loop here.  By freedom: damping, armature, limits (lower, upper), friction (load).

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> arm = s.body("arm", mass=1, com=(0, 0, -1))
        >>> s.joint("A", "revolute", child=arm, axis="y", q=0.5, limits=[(-1, 1)], damping=[0.1])
        Joint(name='A', id=1)
        """
        values: dict[str, Any] = {"name": name, "type": type, "parent": parent, "child": child, **_placed(dict(more))}
        values["has_q"] = more.get("q") is not None or more.get("q_orient") is not None
        values["has_u"] = more.get("u") is not None
        return Joint(name, self._add(lib.lw_add_joint, "lw_joint_desc", values).id)

    @recorded
    def constraint(self, name: str, type: str, **more: Any) -> None:
        """A constraint of `type` distance, rope, point_on_line, point_on_plane, parallel, perpendicular (of bodies `parent` and
        `child`), or gear, coupler, driver (of joints: terms=[("A", coefficient), ...]).

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> for name in "ab":
        ...     b = s.body(name, mass=1, com=(1, 0, 0)); _ = s.joint(name.upper(), "revolute", child=b)
        >>> s.constraint("G", "gear", terms=["A", "B"], ratio=-2)
        """
        values: dict[str, Any] = {"name": name, "type": type, **_placed(dict(more))}
        if "terms" in more:
            values["nterm"] = len(more["terms"])
        self._add(lib.lw_add_constraint, "lw_constraint_desc", values)

    @recorded
    def contact(self, name: str, **more: Any) -> None:
        """A point, sphere or disc of `body` against a plane or sphere of `other`: at, radius, axis, on, normal, restitution, friction.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.contact("floor", body=b, at=(0, 0, -1), on="plane", other_at=(0, 0, -1.5), restitution=0.5)
        """
        self._add(lib.lw_add_contact, "lw_contact_desc", {"name": name, **more})

    @recorded
    def point(self, name: str, body: Body | str, *, at: Vector = (0, 0, 0), orient: Mapping[str, Any] | None = None) -> None:
        """A named frame of a body, with result columns of its own: x.NAME, vx.NAME, ...

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.point("tip", b, at=(0, 0, -1))
        >>> s.compile().data().row("z.tip")["z.tip"]
        -1.0
        """
        self._add(lib.lw_add_point, "lw_point_desc", {"name": name, "body": body, "place": {"at": at, "orient": orient}})

    @recorded
    def spring(self, name: str, **more: Any) -> None:
        """A spring between points: from_, from_at, to, to_at, stiffness (N/m), damping (N s/m), length (m); or tension, any law
        of its length l and rate ldot.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.spring("S", from_="ground", from_at=(1, 0, 0), to=b, stiffness=100, length=0.5)
        """
        if "from_" in more:
            more["from"] = more.pop("from_")
        self._add(lib.lw_add_spring, "lw_spring_desc", {"name": name, **more})

    @recorded
    def joint_spring(self, name: str, joint: Joint | str, **more: Any) -> None:
        """The load -stiffness (q - rest) - damping u on a freedom.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.joint_spring("R", A, stiffness=2, rest=0.1)
        """
        self._add(lib.lw_add_joint_spring, "lw_joint_spring_desc", {"name": name, "joint": joint, **more})

    @recorded
    def motor(self, name: str, joint: Joint | str, value: Number, *, dof: int = 1) -> None:
        """A load (N, N m) on a freedom; may be an expression of t, the parameters and the state: "-30*q.A - 6*u.A".

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.motor("M", A, "3*sin(t) - u.A")
        """
        self._add(lib.lw_add_motor, "lw_motor_desc", {"name": name, "joint": joint, "value": value, "dof": dof})

    @recorded
    def servo(self, name: str, joint: Joint | str, **more: Any) -> None:
        """The load stiffness (target - q) - damping u, at most limit in size.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.servo("V", A, target="0.2*t", stiffness=50, damping=5, limit=10)
        """
        self._add(lib.lw_add_servo, "lw_servo_desc", {"name": name, "joint": joint, **more})

    @recorded
    def load(self, name: str, body: Body | str, **more: Any) -> None:
        """A force (N) and torque (N m) on a body at the point `at` of its frame; in ground axes unless body_axes.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.load("F", b, at=(0, 0, -1), force=(1, 0, 0))
        """
        self._add(lib.lw_add_load, "lw_load_desc", {"name": name, "body": body, **more})

    @recorded
    def bushing(self, name: str, parent: Body | str, child: Body | str, **more: Any) -> None:
        """An elastic joint: stiffness, damping, angular_stiffness, angular_damping, three each.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.bushing("U", "ground", b, stiffness=[100, 100, 100], angular_stiffness=[10, 10, 10])
        """
        self._add(lib.lw_add_bushing, "lw_bushing_desc", {"name": name, "parent": parent, "child": child, **_placed(dict(more))})

    @recorded
    def torsion(self, name: str, parent: Body | str, child: Body | str, **more: Any) -> None:
        """A torsion spring between bodies: axis, stiffness, damping, angle.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.torsion("T", "ground", b, axis="y", stiffness=1)
        """
        self._add(lib.lw_add_torsion, "lw_torsion_desc", {"name": name, "parent": parent, "child": child, **more,
                                                          "has_start": "start" in more})

    @recorded
    def state(self, name: str, **more: Any) -> None:
        """A state of a controller or actuator: start, rate (an expression), or every and value; input=True: given by the caller.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.state("filtered", rate="(q.A - filtered)/0.1")
        >>> s.compile().states
        ('filtered',)
        """
        self._add(lib.lw_add_state, "lw_state_desc", {"name": name, **more})

    @recorded
    def input(self, name: str, start: Number = 0) -> None:
        """An input that the caller sets during a simulation: `sim.inputs[name] = value`.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.input("push")
        >>> s.compile().inputs
        ('push',)
        """
        self._add(lib.lw_add_state, "lw_state_desc", {"name": name, "start": start, "input": True})

    @recorded
    def output(self, name: str, value: Number) -> None:
        """A result column of the model's own: an expression of the others.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.output("height", "z.b + 1")
        >>> "height" in s.compile().columns
        True
        """
        self._add(lib.lw_add_output, "lw_output_desc", {"name": name, "value": value})

    @recorded
    def function(self, name: str, arguments: Sequence[str], value: str) -> None:
        """A function that expressions may call.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.function("twice", ["x"], "2*x")
        >>> s.motor("M", A, "twice(t)")
        """
        self._add(lib.lw_add_function, "lw_function_desc", {"name": name, "nargument": len(arguments), "arguments": arguments,
                                                            "value": value})

    @recorded
    def table(self, name: str, x: Sequence[float], value: Sequence[Any], *, y: Sequence[float] = (), interpolation: str = "akima",
              outside: str = "error") -> None:
        """A table of one variable, or of two (value[i][j] at x[i], y[j]), that expressions may call.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.table("ramp", [0, 1], [0, 5], interpolation="linear", outside="hold")
        >>> s.motor("M", A, "ramp(t)")
        """
        flat = [float(v) for row in value for v in row] if len(y) else [float(v) for v in value]
        self._add(lib.lw_add_table, "lw_table_desc", {"name": name, "nx": len(x), "ny": len(y), "x": list(x), "y": list(y) or None,
                                                      "value": flat, "interpolation": interpolation, "outside": outside})

    @recorded
    def shape(self, type: str, body: Body | str = GROUND, *, at: Vector = (0, 0, 0), orient: Mapping[str, Any] | None = None,
              **more: Any) -> None:
        """What a body looks like: type box, sphere, cylinder, capsule, ellipsoid or mesh, with size, radius, length, file, scale, color.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.shape("capsule", b, at=(0, 0, -0.5), radius=0.05, length=1)
        """
        self._add(lib.lw_add_shape, "lw_shape_desc", {"type": type, "body": body, "place": {"at": at, "orient": orient}, **more})

    @recorded
    def event(self, name: str | None = None, **more: Any) -> None:
        """A sudden change: at (s) or when (an expression whose zero crossing fires it; direction "rising", "falling"; once), and one
        action: lock="A", unlock="A", disconnect="A", connect={...}, replace={...}, impulse={...}, impact={...}, merge=, split=, stop=True.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(1, 0, 0)); _ = s.joint("A", "revolute", child=b, axis="y")
        >>> s.event("latch", when="q.A - 1", direction="rising", lock="A")
        """
        self._add(lib.lw_add_event, "lw_event_desc", {"name": name, **event_fields(more)})

    @recorded
    def objective(self, name: str, kind: str, value: Number) -> None:
        """A number of a whole run: kind final, integral, max or min of an expression of result columns.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.parameter("k", 1.0); s.objective("end", "final", "k*q.A")
        >>> s.compile().sens("k", end=0.1).objectives["end"].kind
        'final'
        """
        self._add(lib.lw_add_objective, "lw_objective_desc", {"name": name, "kind": kind, "value": value})

    @recorded
    def sensitivity(self, *parameters: str) -> None:
        """Derivatives by these parameters are the ones that `sens` computes unless others are named.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.parameter("k", 1.0); s.sensitivity("k")
        >>> s.compile().sens(end=0.1).parameters
        ('k',)
        """
        for name in parameters:
            lib.lw_add_sensitivity(self._spec, name.encode())

    @recorded
    def simulation(self, **options: Any) -> None:
        """How to simulate unless a run says otherwise: end, output_step, rtol, atol, step, formulation, integrator, loops, threads.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.simulation(end=2, output_step=0.5)
        >>> s.compile().run().t.tolist()
        [0.0, 0.5, 1.0, 1.5, 2.0]
        """
        fill = _Fill(self)
        lib.lw_set_simulation(self._spec, fill.new("lw_simulation_options", options))
        self._kept += fill.keep  # names of solvers are not copied

    # ---- whole specs ----

    def compile(self, **parameters: Number) -> Model:
        """The model: topology analysed, numbers evaluated and checked, sizes fixed.  Keywords: values of parameters.

        >>> import linkwork as lw
        >>> s = lw.Spec()
        >>> b = s.body("b", mass=1, com=(0, 0, -1), inertia=(1, 1, 1)); A = s.joint("A", "revolute", child=b, axis="y")
        >>> s.compile().nbody
        1
        """
        from .model import Model
        return Model(BuiltSource(dict(self._made), tuple(self._calls)), parameters)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as a model file."""
        err = errors.new_error()
        if lib.lw_spec_save(self._spec, os.fspath(path).encode(), err) != 0:
            errors.fail(err, os.fspath(path))


def event_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """lock="A" and the other actions as the fields of an event."""
    fields = dict(given)
    fields["has_when"] = fields.get("when") is not None
    actions = [a for a in ("lock", "unlock", "disconnect", "connect", "replace", "impulse", "impact", "merge", "split", "stop")
               if a in fields]
    if len(actions) != 1:
        raise TypeError("an event has exactly one of lock, unlock, disconnect, connect, replace, impulse, impact, merge, split, stop")
    action, what = actions[0], fields.pop(actions[0])
    fields["action"] = action
    if action in ("lock", "unlock", "disconnect"):
        fields["joint"] = what
        fields["ndof"] = len(fields.get("dofs") or ())
    elif action in ("connect", "replace"):
        part = dict(what)
        fields["placed"], fields["child_placed"] = "at" in part, "child_at" in part
        fields["move"] = part.pop("move", False)
        if action == "replace":
            fields["joint"] = part.pop("joint", part.get("name"))
        geometric = ("distance", "rope", "point_on_line", "point_on_plane", "parallel", "perpendicular", "gear", "coupler", "driver")
        constraint = part.get("type") in geometric
        if constraint and "terms" in part:
            part["nterm"] = len(part["terms"])
        fields["new_constraint" if constraint else "new_joint"] = part
    elif action in ("impulse", "impact"):
        part = dict(what)
        fields.update({"point" if k == "at" else k: v for k, v in part.items()})
    elif action == "merge":
        fields.update({"merge": what.get("name"), "bodies": what["bodies"], "nbody": len(what["bodies"])})
    elif action == "split":
        fields["merge"] = what
    return fields


class BuiltSource:
    """The calls of which a Spec was made: enough to make it again."""

    def __init__(self, made: dict[str, Any], calls: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...]) -> None:
        self.made, self.calls, self.file = made, calls, None

    def spec(self) -> Any:
        s = Spec(**self.made)
        for method, args, kwargs in self.calls:
            getattr(s, method)(*args, **kwargs)
        self._kept = s  # texts of options belong to it
        return s._spec

    def __getstate__(self) -> dict[str, Any]:
        return {"made": self.made, "calls": self.calls}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, file=None)


class TextSource:
    """A model file: its text, and where files that it includes are."""

    def __init__(self, text: bytes, file: str | None, options: Mapping[str, Any]) -> None:
        self.text, self.file, self.options = text, file, dict(options)
        self.included: tuple[tuple[bytes, bytes], ...] = ()  # path and text of files that were read with it, elsewhere
        self._sources: Any = ffi.NULL

    def __getstate__(self) -> dict[str, Any]:
        """With the files that it includes: they need not be there where it is unpickled."""
        kept = (lib.lw_sources_get(self._sources, i) for i in range(lib.lw_sources_count(self._sources)))
        files = tuple((ffi.string(k.path), bytes(ffi.buffer(k.text, k.length))) for k in kept)
        return {"text": self.text, "file": self.file, "options": self.options, "included": files or self.included}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _sources=ffi.NULL)

    def spec(self) -> Any:
        err = errors.new_error()
        key = self.options.get("key")
        kept = ffi.new("char[]", key.encode()) if key else ffi.NULL
        how = ffi.new("lw_load_options *", {"inertia": choice("lw_inertia_rule", self.options.get("inertia", "auto")),
                                            "floating_base": bool(self.options.get("floating_base", False)), "key": kept})
        sources = how.sources = owned(lib.lw_sources_new(), lib.lw_sources_free)
        name = (self.file or "model.yaml").encode()  # files of results hold the text as well
        for path, text in dict(((name, self.text), *self.included)).items():
            errors.check(lib.lw_sources_add(sources, path, text, len(text)))
        if self.file is None:
            spec = lib.lw_spec_parse_with(self.text, len(self.text), ffi.NULL, how, err)
        else:
            spec = lib.lw_spec_load_with(name, how, err)
        self._sources = sources  # whole: threads may compile the same source at once
        if not spec:
            errors.fail(err, self.file or "model")
        return owned(spec, lib.lw_spec_free)


class ActuatedSource:
    """Another source, and motors with inputs as their loads: (name, joint, freedom)."""

    def __init__(self, inner: BuiltSource | TextSource, motors: tuple[tuple[str, str, int], ...]) -> None:
        self.inner, self.motors = inner, motors

    @property
    def file(self) -> str | None:
        return self.inner.file

    def spec(self) -> Any:
        made = self.inner.spec()
        s = Spec.__new__(Spec)
        s._spec = made
        for name, joint, dof in self.motors:
            s._add(lib.lw_add_state, "lw_state_desc", {"name": name, "input": True})
            s._add(lib.lw_add_motor, "lw_motor_desc", {"name": f"motor_{name}", "joint": joint, "value": name, "dof": dof})
        return made


Source = Union[BuiltSource, TextSource, ActuatedSource]
