# SPDX-License-Identifier: Apache-2.0
"""linkwork sens --gradient adjoint: equal to forward gradients to 1e-8, for every kind of objective, across events, in every
formulation and with every integrator that has both; what it cannot pass, and the choice of `auto`."""
import itertools
import random
import unittest

from program import Folder, linkwork, linkwork_json

CHAIN = """
bodies:
  a: {solid: {rod: {length: L, mass: ma, axis: [0, -1, 0]}}}
  b: {solid: {rod: {length: 0.8, mass: 0.7, axis: [0, -1, 0]}}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 1, u: 0.3}
  B: {type: revolute, parent: a, child: b, at: [0, -L, 0], q: 0.5}
forces:
  hold: {type: joint_spring, joint: B, stiffness: k, damping: 0.05, rest: 0.1}
"""
LOOP = """
bodies:
  a: {solid: {rod: {length: L, mass: ma, axis: x}}}
  b: {solid: {rod: {length: 2, mass: 1, axis: x}}}
  c: {solid: {rod: {length: 1.6, mass: 1, axis: x}}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 70 deg, u: 0.5, hold: true}
  B: {type: revolute, parent: a, child: b, at: [L, 0, 0], q: -60 deg}
  C: {type: revolute, parent: ground, child: c, at: [2.2, 0, 0], q: 80 deg}
  D: {type: revolute, parent: b, child: c, at: [2, 0, 0], child_at: [1.6, 0, 0]}
forces:
  hold: {type: joint_spring, joint: A, stiffness: k, damping: 0.05, rest: 0.1}
"""
SPATIAL = """
bodies:
  a: {solid: {box: {size: [0.3, L, 0.1], mass: ma}}}
  b: {solid: {box: {size: [0.2, 0.1, 0.4], mass: 0.7}}}
joints:
  A: {type: spherical, parent: ground, child: a, u: [0.5, 1, -0.7], child_at: [0, 0.5*L, 0]}
  B: {type: universal, parent: a, child: b, at: [0, -0.5*L, 0], child_at: [0.1, 0, 0], q: [0.2, 0.3], u: [1, -1]}
forces:
  hold: {type: joint_spring, joint: B, dof: 1, stiffness: k, damping: 0.05, rest: 0.1}
"""
TOPOLOGY = {"chain": CHAIN, "loop": LOOP, "spatial": SPATIAL}
# with the freedom named B or A in `{j}`
EVENTS = {
    "none": "",
    "lock": "events:\n  - {{at: T, lock: {j}}}\n  - {{at: 0.5, unlock: {j}}}\n",
    "when": "events:\n  - {{when: 'y.b + 0.4*L', impulse: {{body: b, linear: [0.1*k, 0.2, 0]}}}}\n",
    "impulse": "events:\n  - {{at: T, impulse: {{body: b, linear: [0.3, 0.1*L, 0]}}}}\n",
    "stop": "events:\n  - {{when: 't + 0.1*q.{q}^2 - 0.5*ma', stop: true}}\n",
    "states": "states:\n  z: {{rate: 'k*q.{q} - z', start: 0.1}}\n  held: {{every: 0.1, value: 'held + 0.1*u.{q}*L'}}\n"
              "outputs: {{both: z + held}}\n",
    "switch": "states:\n  z: {{rate: 'if(u.{q} > 0, 2, -1)*k', start: 0.1}}\n",
    "kink": "states:\n  z: {{rate: 'abs(u.{q})*k - z', start: 0.1}}\n",
    "time": "states:\n  z: {{rate: 'if(t > T, u.{q}, 2*ma)', start: 0.1}}\n",
}
OBJECTIVES = """
sensitivity:
  parameters: [L, ma, k, T]
  objectives:
    end: {{final: 'y.b + 0.3*u.{q}*L'}}
    work: {{integral: 'u.{q}^2*k + y.b'}}
    high: {{max: 'y.b'}}
    low: {{min: 'q.{q}'}}
"""

PENDULUM = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {L: 0.9, ma: 1.3, k: 2.0, e: 0.6}
bodies:
  a: {solid: {rod: {length: L, mass: ma, axis: [0, -1, 0]}}}
  b: {solid: {rod: {length: 0.5, mass: 0.4, axis: [0, -1, 0]}}}
simulation: {end: 0.8, output_step: 0.1, rtol: 1e-12, atol: 1e-12}
sensitivity: {parameters: [L, ma, k, e], objectives: {end: {final: u.A + q.B*k}, work: {integral: q.A^2*ma}, low: {min: q.A}}}
"""
JOINTS = """
joints:
  A: {{type: revolute, parent: ground, child: a, q: 1{A}}}
  B: {{type: revolute, parent: a, child: b, at: [0, -L, 0], q: 0.2{B}}}
"""
STOPS = {
    "limit": JOINTS.format(A=", limits: {lower: 0.3, restitution: e}", B=""),
    "compliant limit": JOINTS.format(A=", limits: {lower: 0.3, stiffness: 100*k, damping: 2}", B=""),
    "connect": JOINTS.format(A="", B="") + "events:\n  - {when: q.A - 0.5*e, connect: {name: W, type: fixed, parent: a, child: b}}\n",
    "lock when": JOINTS.format(A="", B="") + "events:\n  - {when: q.A - 0.5*e, lock: A}\n  - {at: 0.6, unlock: A}\n",
}


def chain(n):
    """Pendulums one below the other, with five parameters each."""
    part = range(n)
    numbers = (f"L{i}: {0.3 + 0.01 * i}, m{i}: {1 - 0.02 * i}, k{i}: {5 + 0.1 * i}, c{i}: 0.05, r{i}: {0.1 + 0.01 * i}" for i in part)
    bodies = (f"  b{i}: {{solid: {{rod: {{length: L{i}, mass: m{i}, axis: [0, -1, 0]}}}}}}\n" for i in part)
    joints = (f"  j{i}: {{type: revolute, parent: {f'b{i - 1}' if i else 'ground'}, child: b{i}, at: [0, {f'-L{i - 1}' if i else 0}, 0], q: 0.3, "
              f"axis: [{0.1 * (i % 3)}, 0, 1]}}\n" for i in part)
    forces = (f"  f{i}: {{type: joint_spring, joint: j{i}, stiffness: k{i}, damping: c{i}, rest: r{i}}}\n" for i in part)
    return ("linkwork: 1\ngravity: [0, -9.81, 0]\nparameters: {" + ", ".join(numbers) + "}\nbodies:\n" + "".join(bodies) + "joints:\n" +
            "".join(joints) + "forces:\n" + "".join(forces) + "simulation: {end: 1, output_step: 0.1, rtol: 1e-10, atol: 1e-10}\n"
            f"sensitivity: {{objectives: {{tip: {{final: y.b{n - 1}}}}}}}\n")


def model(topology, event, extra="", rtol=1e-12):
    joint = {"chain": "B", "loop": "A", "spatial": "B"}[topology]
    names = {"j": joint, "q": {"chain": "A", "loop": "A", "spatial": "B.1"}[topology]}
    text = EVENTS[event].format(**names)
    objectives = OBJECTIVES.format(**names)
    if event == "states":
        objectives += "    sum: {final: both}\n"
    return ("linkwork: 1\ngravity: [0, -9.81, 0]\n"
            "parameters: {L: 0.9, ma: 1.3, k: 2.0, T: 0.21}\n" + TOPOLOGY[topology] + text + objectives + extra +
            f"simulation: {{end: 0.7, output_step: 0.1, rtol: {rtol}, atol: {rtol}}}\n")


def scaled(said, objective):
    d, p = said["objectives"][objective]["d"], said["parameters"]
    return {name: d[name] * (abs(p[name]) or 1) for name in p}


class Adjoint(Folder):
    def compare(self, text, *options, tolerance=1e-8):
        path = self.model(text)
        forward = linkwork_json("sens", path, "-q", *options)
        adjoint = linkwork_json("sens", path, "-q", "--gradient", "adjoint", *options)
        self.assertEqual(adjoint["gradient"], "adjoint")
        for name in forward["objectives"]:
            f, a = scaled(forward, name), scaled(adjoint, name)
            largest = max(max(abs(x) for x in f.values()), abs(forward["objectives"][name]["value"]), 1e-3)
            for p in f:
                self.assertLessEqual(abs(f[p] - a[p]), tolerance * largest, f"{name} by {p}: {f} {a}")
        return forward, adjoint

    def test_equals_forward_gradients(self):
        for topology, event in itertools.product(TOPOLOGY, EVENTS):
            with self.subTest(topology=topology, event=event):
                self.compare(model(topology, event))

    def test_equals_forward_gradients_in_every_formulation_and_with_every_integrator(self):
        pick = random.Random(5)
        for formulation, integrator in itertools.product(("tree", "dca", "cartesian"), ("adams", "bdf", "rk")):
            topology, event = pick.choice(list(TOPOLOGY)), pick.choice(list(EVENTS))
            with self.subTest(formulation=formulation, integrator=integrator, topology=topology, event=event):
                rtol = 1e-10 if integrator == "bdf" else 1e-12
                self.compare(model(topology, event, rtol=rtol), "--formulation", formulation, "--integrator", integrator,
                             tolerance=1e-7 if integrator == "bdf" else 1e-8)

    def test_crosses_what_stops_sticks_and_connects(self):
        for name, extra in STOPS.items():
            with self.subTest(name):
                self.compare(PENDULUM + extra)

    def test_costs_a_tenth_with_a_hundred_parameters(self):
        forward, adjoint = self.compare(chain(20))
        self.assertEqual(len(forward["parameters"]), 100)
        self.assertLess(10 * adjoint["statistics"]["directions"], forward["statistics"]["directions"])
        self.assertLess(adjoint["statistics"]["matrices"], forward["statistics"]["evaluations"])

    def test_auto_chooses_by_the_counts_and_says_so(self):
        for n, chosen in ((1, "adjoint"), (2, "adjoint")):
            done = linkwork("sens", self.model(chain(n)), "--gradient", "auto")
            self.assertIn(f"gradients: {chosen} ({5 * n} parameters, 1 objectives, {2 * n} numbers of the state)", done.stdout + done.stderr)
        few = linkwork("sens", self.model(chain(2)), "--gradient", "auto", "--parameters", "L0,m0")
        self.assertIn("gradients: forward (2 parameters", few.stdout + few.stderr)

    def test_says_what_it_cannot_do(self):
        path = self.model(chain(2))
        self.assertIn("fixed steps (rk4)", linkwork("sens", path, "--gradient", "adjoint", "--integrator", "rk4", expect=1).stderr)
        self.assertIn("differences of nearby models", linkwork("sens", path, "--gradient", "adjoint", "--differences", expect=1).stderr)
        self.assertIn("--columns needs", linkwork("sens", path, "--gradient", "adjoint", "--columns", "q.*", expect=2).stderr)
        said = linkwork("sens", path, "--gradient", "auto", "--integrator", "rk4").stderr
        self.assertIn("gradients: forward (there are no adjoint gradients with fixed steps (rk4)", said)


if __name__ == "__main__":
    unittest.main()
