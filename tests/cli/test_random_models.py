# SPDX-License-Identifier: Apache-2.0
"""Models with random expressions in every place that takes one: motors, servos, forces, laws of springs, joints, bushings and
torsions, states, sampled values, outputs, made of every function of the language, tables of one and two variables, own functions
and measures.  Derivatives by all formulations are the same, and those of differences of whole runs."""
import os
import random
import unittest

from program import Folder, linkwork, linkwork_json

SEEDS = int(os.environ.get("LINKWORK_RANDOM_MODELS", "3"))

HEAD = """linkwork: 1
parameters: {p: 0.7, k: 1.3, L: 0.6}
functions:
  sq: {of: [x], is: "x^2/(1 + x^2)"}
  wave: {of: [x, y], is: "sq(x) + p*sin(y)*ak(x)"}
tables:
  ak: {data: [[-2, -1], [-0.7, 0.3], [0.1, 0.5], [0.9, -0.4], [2, 1]], interpolation: akima, outside: extend}
  pc: {data: [[-2, -1], [-0.7, -0.3], [0.1, 0.5], [0.9, 0.6], [2, 1]], interpolation: pchip, outside: extend}
  li: {data: [[-2, -1], [-0.7, 0.3], [0.1, 0.5], [0.9, -0.4], [2, 1]], interpolation: linear, outside: hold}
  two: {x: [-2, -0.5, 0.6, 2], y: [-2, 0.3, 2], value: [[0, 1, 2], [0.4, 0.3, 0.1], [1, -1, 0], [0.2, 0.4, 0.8]], outside: hold}
"""
FORMS = ("(A + B)", "(A - B)", "(A*B)", "sin(A)", "tanh(A)", "hypot(A, 2)", "if(A > B, C, A)", "step(A, -0.4, 1.1)",
         "clamp(A, -0.8, 0.9)", "mod(A, 2.3)", "sq(A)", "wave(A, B)", "ak(A)", "pc(A)", "li(A)", "two(A, B)", "min(A, B)",
         "max(A, B, C)", "atan2(A, 3)", "abs(A)")
MEASURES = ["x.b1", "vy.tip", "wz.b1", "wx.b2.in.b1", "z.tip.in.b0", "xy.b2", "vz.b1.in.b0", "length.S1", "rate.S1", "angle.T",
            "rate.T", "dx.B", "dvy.B", "dwx.B", "s1", "s2", "aim", "held"]
Q = {"revolute": ("{a:.2f}", "k"), "prismatic": ("0.2*L", "0.3"), "helical": ("0.3", "0.3"), "universal": ("[0.2, p]", "[0.2, 0.4]"),
     "cylindrical": ("[0.1, 0.2]", "[0.1, -0.2]"), "spherical": ("{{rpy: [0.1, 0.2, 0.3]}}", "[0.1, 0.5, -0.3]")}
MORE = {"helical": ", pitch: 0.1, axis: y", "universal": ", axis: x, axis2: z", "spherical": ""}


def expression(r, names, depth):
    if depth == 0:
        return r.choice(names) if r.random() < 0.65 else f"{r.uniform(-2, 2):.3f}"
    text = r.choice(FORMS)
    return "".join(expression(r, names, depth - 1) if c in "ABC" else c for c in text)


def joints(r, loop):
    text, names, parent = "", ["t", "p", "k", "q.J0", "u.J0"], "ground"
    for i in range(3):
        kind = "revolute" if i == 0 or loop else r.choice(list(Q))
        q, u = (("0.5", "0.3", "-1.2")[i], "0") if loop else (Q[kind][0].format(a=r.uniform(-1, 1)), Q[kind][1])
        more = MORE.get(kind, f", axis: {'y' if loop else r.choice(['x', 'y', '[1, 0.2, 0.3]'])}")
        text += (f"  J{i}: {{type: {kind}, parent: {parent}, child: b{i}, at: [L, 0, 0]{more}, q: {q}, u: {u}"
                 + (", hold: true" if loop and i == 0 else "") + "}\n")
        parent = f"b{i}"
        if i and kind != "spherical":
            several = kind in ("universal", "cylindrical")
            names += [f"q.J{i}" + (".1" if several else ""), f"u.J{i}" + (".2" if several else "")]
    if loop:
        text += "  D: {type: distance, parent: b2, child: ground, at: [L, 0, 0], child_at: [2, 0, 0.3], length: 0.7}\n"
    return text, names


def model(seed):
    r = random.Random(seed)
    text, names = joints(r, seed % 3 == 2)
    names += MEASURES

    def any_of(depth=2, own=()):
        return expression(r, names + list(own), depth)
    return HEAD + "bodies:\n" + "".join(
        f"  b{i}: {{mass: {r.uniform(0.5, 2):.2f}, com: [{r.uniform(0, 0.3):.2f}, 0.1, L/5], inertia: [0.1, 0.12, 0.15]}}\n"
        for i in range(3)) + f"""points: {{tip: {{body: b2, at: [L/2, 0.1, 0.2], orient: {{rpy: [0.1, 0.2, 0.3]}}}}, hook: {{body: ground, at: [0.5, 0.6, 0.7]}}}}
joints:
{text}inputs: {{aim: 0.4}}
states:
  s1: {{start: p + 0.01, rate: "{any_of()} - 2*s1"}}
  s2: {{start: 0.3*k, rate: "{any_of()} - s2"}}
  held: {{start: 0.1, every: 0.11, value: "{any_of()} + 0.05*fx.J0 + 0.01*ax.tip"}}
outputs: {{o1: "{any_of()}", o2: "load.M*u.J0 + {any_of(1)}", o3: "power.V + tension.S2 + load.T + fx.B"}}
forces:
  S1: {{type: spring, from: tip, to: hook, stiffness: 20*k, damping: 1, length: L}}
  S2: {{type: spring, from: {{body: b0, at: [0.1, 0.2, 0]}}, to: {{body: b2}}, tension: "10*(l - L) + 2*ldot + {any_of(2, ("l", "ldot"))}"}}
  N: {{type: joint_spring, joint: J0, load: "-3*q - u + {any_of(2, ("q", "u"))}"}}
  M: {{type: motor, joint: J0, value: "{any_of()} + o1"}}
  V: {{type: servo, joint: J0, target: "0.2*{any_of()}", stiffness: 30*k, damping: 2, limit: 4}}
  F: {{type: force, body: b1, at: [0.1, L, 0.2], axes: {r.choice(["body", "ground"])}, force: ["{any_of()}", "{any_of()}", 0], torque: [0, "{any_of()}", "{any_of(1)}"]}}
  T: {{type: torsion, parent: ground, child: b2, axis: {r.choice("xyz")}, load: "-2*angle - rate + {any_of(2, ("angle", "rate"))}"}}
  B: {{type: bushing, parent: b0, child: b2, at: [L, 0, 0], stiffness: 10, damping: 1, force: ["-dx^3 + {any_of(1, ("dx", "dvx"))}", 0, "{any_of(1)}"], torque: ["{any_of(1, ("rx", "dwx"))}", "-ry", 0]}}
simulation: {{end: 0.3, output_step: 0.1}}
sensitivity: {{parameters: [p, k, L], objectives: {{a: {{integral: "o2^2"}}, b: {{final: o3}}}}}}
"""


# the shortest first
ORDER = (0, 1, 3, 10, 7, 9, 4, 6, 2, 8, 11, 12, 5, 13, 14, 15)


def numbers(tree, path=""):
    """All numbers of a JSON object, by where they are."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from numbers(value, f"{path}/{key}")
    elif isinstance(tree, list):
        for i, value in enumerate(tree):
            yield from numbers(value, f"{path}/{i}")
    elif isinstance(tree, (int, float)) and not isinstance(tree, bool):
        yield path, tree


class RandomModels(Folder):
    def test_derivatives_are_those_of_whole_runs_in_all_formulations(self):
        for seed in ORDER[:SEEDS]:
            with self.subTest(seed):
                path = self.model(model(seed))
                linkwork("sens", path, "--check")
                found = [dict(numbers({key: value for key, value in linkwork_json(
                    "sens", path, "--rtol", "1e-10", "--formulation", form).items() if key in ("columns", "objectives")}))
                    for form in ("tree", "dca", "cartesian")]
                self.assertGreater(len(found[0]), 20)
                for other in found[1:]:
                    self.assertEqual(found[0].keys(), other.keys())
                    for key, value in found[0].items():
                        self.assertAlmostEqual(value, other[key], delta=2e-6 * max(1, abs(value)), msg=key)


if __name__ == "__main__":
    unittest.main()
