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
STARTS = RUNS + [("check",)] + [("eval", "--formulation", f) for f in FORMULATIONS]
RESTS = [("equilibrium",), ("modes",)]

# model, verbs, place, what the message must say
FAULTS = {
    "a motor that ends on the way": (
        ARM + 'forces:\n  drive: {type: motor, joint: hinge, value: "sqrt(0.3 - t)"}\n',
        RUNS, "7:3", ('motor "drive"', "not finite")),
    "a motor that is none at the start": (
        ARM + 'forces:\n  drive: {type: motor, joint: hinge, value: "log(q.hinge - 1)"}\n',
        STARTS + RESTS, "7:3", ('motor "drive"', "not finite")),
    "a force that ends on the way": (
        ARM + 'forces:\n  wind: {type: force, body: arm, force: [0, "log(0.2 - t)", 0]}\n',
        RUNS, "7:3", ('force "wind"', "component 2", "not finite")),
    "a driver that ends": (
        ARM + '  crank: {type: driver, joint: hinge, value: "sqrt(0.25 - t)"}\n',
        RUNS, "6:3", ('driver "crank"', "not finite")),
    "a body without inertia": (
        ARM.replace("joints:", "  tip: {mass: 1}\njoints:") +
        "  spin: {type: revolute, parent: arm, child: tip, at: [1, 0, 0], axis: z}\n",
        STARTS, "7:3", ("mass matrix is singular", 'joint "spin"', 'body "tip"')),
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
        [r for r in RUNS if r[0] == "sens" or r[2] != "cartesian"],
        "12:3", ('driver "crank"', "cannot be reached", 'joint "D"')),
    "a brake that chatters": (
        ARM + 'forces:\n  calm: {type: motor, joint: hinge, value: "-0.1*u.hinge"}\n'
        '  brake: {type: motor, joint: hinge, value: "-50*sign(u.hinge)"}\n',
        [("run", "--formulation", "tree"), ("run", "--formulation", "dca"), ("sens",)],
        "8:3", ('motor "brake"', "jumps")),
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
