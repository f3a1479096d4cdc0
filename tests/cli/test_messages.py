# SPDX-License-Identifier: Apache-2.0
"""What fails is named: joint, body, force or driver with line and column, by every formulation and every verb."""
import unittest

from program import Folder, linkwork

ARM = """linkwork: 1
bodies:
  arm: {solid: {rod: {length: 1, mass: 1, axis: x}}}
joints:
  hinge: {type: revolute, parent: ground, child: arm, axis: y, q: 0.1, u: 0.1}
"""
# slides cannot turn: two frames stay off by an angle, not by a length
TWISTED = """linkwork: 1
bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
  b: {mass: 1, inertia: [1, 1, 1]}
joints:
  P: {type: prismatic, parent: ground, child: a, axis: [1, 0, 0]}
  Q: {type: prismatic, parent: a, child: b, axis: [0, 1, 0]}
  F: {type: prismatic, parent: ground, child: b, axis: [1, 1, 0], orient: {rpy: [0, 0, 0.3]}}
"""
BARS = """linkwork: 1
planar: true
bodies:
  a: {solid: {rod: {length: 1, mass: 1, axis: x}}}
  b: {solid: {rod: {length: 1, mass: 1, axis: x}}}
  c: {solid: {rod: {length: 1, mass: 1, axis: x}}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 90 deg%s}
  B: {type: revolute, parent: a, child: b, at: [1, 0], q: -90 deg}
  C: {type: revolute, parent: ground, child: c, at: [%s, 0], q: 90 deg%s}
  D: {type: revolute, parent: b, child: c, at: [1, 0], child_at: [1, 0]}
"""
FORMULATIONS = ("tree", "dca", "cartesian")
RUNS = [("run", "--formulation", f, "--integrator", i) for f in FORMULATIONS
        for i in ("auto", "bdf", "rk", "rk4")] + [("sens", "--formulation", f) for f in FORMULATIONS]
# of what takes long: each formulation and each integrator
FEW = [("run", "--formulation", f, "--integrator", i) for f, i in
       (("tree", "auto"), ("tree", "rk4"), ("dca", "bdf"), ("cartesian", "rk"))] + [("sens", "--formulation", "tree")]
STARTS = RUNS + [("check",)] + [("eval", "--formulation", f) for f in FORMULATIONS]
RESTS = [("equilibrium",), ("modes",)]

# model, verbs, place, what the message must say
FAULTS = {
    "a motor that ends on the way": (
        ARM + 'forces:\n  drive: {type: motor, joint: hinge, value: "sqrt(0.3 - t)"}\n',
        RUNS, "7:46", ('motor "drive"', "not finite")),
    "a joint that is replaced far from where it fits": (
        ARM.replace("q: 0.1, u: 0.1", "q: 2.5") + "gravity: [0, 0, 0]\nevents: [{at: 0.5, replace: {joint: hinge, type: fixed}}]\n",
        FEW, "7:10", ('joint "hinge" cannot become a fixed joint', "off by 0 m and 2.5 rad")),
    "an objective of a column that ends": (
        ARM + "events: [{at: 0.5, replace: {joint: hinge, type: cylindrical, axis: y}}]\n"
        'sensitivity: {objectives: {effort: {integral: "u.hinge^2"}}}\n',
        [("sens", "--formulation", f) for f in FORMULATIONS], "7:48", ('objective "effort"', "from t = 0.5 on", '"u.hinge"')),
    "a motor that is none at the start": (
        ARM + 'forces:\n  drive: {type: motor, joint: hinge, value: "log(q.hinge - 1)"}\n',
        STARTS + RESTS, "7:46", ('motor "drive"', "not finite")),
    "a force that ends on the way": (
        ARM + 'forces:\n  wind: {type: force, body: arm, force: [0, "log(0.2 - t)", 0]}\n',
        RUNS, "7:46", ('force "wind"', "component 2", "not finite")),
    "a motor with a pole of second order": (
        ARM + 'forces:\n  drive: {type: motor, joint: hinge, value: "1/(0.5 - t)^2"}\n',
        FEW, "7:3", ('motor "drive"', "without bound towards t = 0.5")),
    "a force with a pole that comes from after it": (
        ARM + 'forces:\n  wind: {type: force, body: arm, force: [0, 0, "if(t > 0.25, 1/(t - 0.25), 0)"]}\n',
        RUNS, "7:3", ('force "wind"', "grows without bound towards t = 0.25")),
    "a motor with a pole of the state": (
        ARM + 'forces:\n  drive: {type: motor, joint: hinge, value: "4 + 1e-6/(0.2 - q.hinge)^2"}\n',
        FEW, "7:3", ('motor "drive"', "without bound")),
    "a motor with a negative power of the state": (
        ARM + 'forces:\n  drive: {type: motor, joint: hinge, value: "4 + 1e-6*(0.2 - q.hinge)^-2"}\n',
        FEW, "7:3", ('motor "drive"', "without bound")),
    "a motor that is divided by a square written as a product": (
        ARM + 'forces:\n  drive: {type: motor, joint: hinge, value: "4 + 1e-6/((0.2 - q.hinge)*(0.2 - q.hinge))"}\n',
        FEW, "7:3", ('motor "drive"', "without bound")),
    "a motor with a pole of time and state": (
        ARM + 'forces:\n  drive: {type: motor, joint: hinge, value: "1e-6*q.hinge/(0.2 - t)^2"}\n',
        [w for w in FEW if "rk4" not in w], "7:3", ('motor "drive"',)),
    "a driver that ends": (
        ARM + '  crank: {type: driver, joint: hinge, value: "sqrt(0.25 - t)"}\n',
        RUNS, "6:3", ('driver "crank"', "sqrt(0.25 - t)", "without bound towards t = 0.25")),
    "a driver with a pole": (
        ARM + '  crank: {type: driver, joint: hinge, value: "tan(4*t)"}\n',
        FEW, "6:3", ('driver "crank"', "tan(4*t)", "without bound towards t = 0.3926990")),
    "a driver with a pole that it does not cross": (
        ARM + '  crank: {type: driver, joint: hinge, value: "0.01/(t - 0.5)^2"}\n',
        FEW, "6:3", ('driver "crank"', "0.01/(t - 0.5)^2", "without bound towards t = 0.5")),
    "a driver of a loop with a pole": (
        BARS % ("", "1", "") + '  crank: {type: driver, joint: A, value: "1.57 + 0.01/(t-0.5)"}\n',
        FEW, "12:3", ('driver "crank"', "1.57 + 0.01/(t-0.5)", "without bound towards t = 0.5")),
    "a driver whose logarithm ends": (
        ARM + '  crank: {type: driver, joint: hinge, value: "log(0.5 - t)"}\n',
        FEW, "6:3", ('driver "crank"', "log(0.5 - t)", "towards t = 0.5")),
    "a driver that an event brings, with a pole": (
        ARM + "events:\n  - {at: 0.1, connect: {name: crank, type: driver, joint: hinge, "
        'value: "1/(t-0.3)", move: true}}\n',
        [r for r in FEW if r[0] == "run"],
        "7:5", ('driver "crank"', "1/(t-0.3)", "towards t = 0.3")),
    "a body without inertia": (
        ARM.replace("joints:", "  tip: {mass: 1}\njoints:") +
        "  spin: {type: revolute, parent: arm, child: tip, at: [1, 0, 0], axis: z}\n",
        STARTS + RESTS, "7:3", ("mass matrix is singular", 'joint "spin"', 'body "tip"')),
    "a body without inertia on a spring": (
        ARM.replace("joints:", "  tip: {mass: 1}\njoints:") +
        "  spin: {type: revolute, parent: arm, child: tip, at: [1, 0, 0], axis: z}\n"
        'forces:\n  hold: {type: motor, joint: spin, value: "-10*q.spin"}\n',
        STARTS + RESTS, "7:3", ("mass matrix is singular", 'joint "spin"', 'body "tip"')),
    "a body without inertia on a loop": (
        (BARS % ("", "1", "")).replace("joints:", "  tip: {mass: 1}\njoints:") +
        "  turn: {type: revolute, parent: b, child: tip, at: [0.5, 0.3]}\n",
        STARTS + RESTS, "13:3", ("mass matrix is singular", 'joint "turn"', 'body "tip"')),
    "speeds that contradict each other": (
        BARS % (", u: 1, hold: true", "1", ", u: 3, hold: true"),
        STARTS + RESTS, "8:3", ("contradict", 'joint "A"', 'joint "C"')),
    "drivers that contradict each other": (
        BARS % ("", "1", "") + '  one: {type: driver, joint: A, value: "pi/2 + t"}\n'
        '  two: {type: driver, joint: C, value: "pi/2 + 2*t"}\n',
        STARTS + RESTS, "12:3", ("contradict", 'driver "one"', 'driver "two"')),
    "a loop that is too wide": (
        BARS % ("", "5", ""), STARTS + RESTS, "11:3", ("cannot be closed", 'joint "D"', "gap of 2 m")),
    "a loop that is twisted": (TWISTED, STARTS, "7:3", ("cannot be closed", 'joint "Q"', "rad remains")),
    "a driver that opens a loop": (
        BARS % ("", "1.5", "") + '  crank: {type: driver, joint: A, value: "1.57 + 2*t"}\n',
        RUNS,
        "12:3", ('driver "crank"', "cannot be reached", 'joint "D"')),
    "a driver that an event brings, which opens a loop": (
        BARS % ("", "1.5", "") + "events:\n  - {at: 0.1, connect: {name: crank, type: driver, "
        'joint: A, value: "1.6 + 3*(t-0.1)", move: true}}\n',
        [r for r in RUNS if r[0] == "run"],
        "13:5", ('driver "crank"', "cannot be reached", 'joint "D"')),
    "sides that an event joins do not meet": (
        BARS % ("", "1.5", "") + "events:\n  - {at: 0.1, disconnect: D}\n"
        "  - {at: 0.3, connect: {name: E, type: revolute, parent: b, child: c, at: [1, 0], "
        "child_at: [1, 0]}}\n",
        [r for r in RUNS if r[0] == "run"], "14:5", ('event "connect E"', '"E" do not meet', "m and")),
    "sides that an event joins cannot meet": (
        BARS % ("", "1.5", "") + "events:\n  - {at: 0.1, disconnect: D}\n"
        "  - {at: 0.3, connect: {name: E, type: revolute, parent: b, child: c, at: [5, 0], "
        "child_at: [1, 0], move: true}}\n",
        [r for r in RUNS if r[0] == "run"],
        "14:5", ('event "connect E"', "cannot be closed", 'joint "E"', "gap of")),
    "a body that an event leaves without inertia": (
        ARM.replace("joints:", "  tip: {mass: 1}\njoints:") +
        "  spin: {type: fixed, parent: arm, child: tip, at: [1, 0, 0]}\n"
        "events:\n  - {at: 0.1, replace: {joint: spin, type: revolute, axis: z}}\n",
        [r for r in RUNS if r[0] == "run"],
        "9:5", ("mass matrix is singular", 'joint "spin"', 'body "tip"')),
    "a motor that ends after an event": (
        ARM + 'forces:\n  drive: {type: motor, joint: hinge, value: "sqrt(0.3 - t)"}\n'
        "events:\n  - {at: 0.1, impulse: {body: arm, linear: [0, 0, 1]}}\n"
        "  - {at: 0.2, lock: hinge}\n  - {at: 0.25, unlock: hinge}\n",
        [r for r in RUNS if r[0] == "run"], "7:46", ('motor "drive"', "square root of a negative number")),
    "a motor whose function ends on the way": (
        "functions:\n  root: {of: [x], is: \"1 + sqrt(x)\"}\n  twice: {of: [x], is: \"2*root(x)\"}\n" + ARM +
        'forces:\n  drive: {type: motor, joint: hinge, value: "3*twice(0.3 - t)"}\n',
        FEW, "10:48", ('motor "drive"', 'square root of a negative number, in function "root" (line 2, column 28)')),
    "a function with a name that is none": (
        "functions:\n  root: {of: [x], is: \"1 + q.hing*x\"}\n" + ARM +
        'forces:\n  drive: {type: motor, joint: hinge, value: "3*root(t)"}\n',
        FEW, "9:48", ('there is no joint "hing", did you mean "hinge"?, in function "root" (line 2, column 28)',)),
    "a function of other dimensions": (
        "functions:\n  more: {of: [x], is: \"x + 3 mm\"}\n" + ARM +
        'forces:\n  drive: {type: motor, joint: hinge, value: "more(2 kg)"}\n',
        FEW, "9:46", ('kg and m do not go together here, in function "more" (line 2, column 26)',)),
    "a brake that chatters": (
        ARM + 'forces:\n  calm: {type: motor, joint: hinge, value: "-0.1*u.hinge"}\n'
        '  brake: {type: motor, joint: hinge, value: "-50*sign(u.hinge)"}\n',
        [("run", "--formulation", "tree"), ("run", "--formulation", "dca"), ("sens",)],
        "8:3", ('motor "brake"', "chatters")),
}


class MessagesTest(Folder):
    def test_every_fault_names_its_place(self):
        for name, (text, verbs, place, parts) in FAULTS.items():
            model = self.model(text)
            for verb, *options in verbs:
                with self.subTest(f"{name}: {verb} {options}"):
                    said = linkwork(verb, model, *options, expect=1).stderr
                    self.assertIn(f"model.yaml:{place}: ", said)
                    for part in parts:
                        self.assertIn(part, said)


if __name__ == "__main__":
    unittest.main()
