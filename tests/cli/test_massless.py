# SPDX-License-Identifier: Apache-2.0
"""Bodies without mass: joints in series, tool frames and rods made of them equal the joints and constraints that they stand for."""
import json
import random
import subprocess
import unittest
from math import asin, atan2, hypot

from program import LINKWORK, Folder, linkwork, linkwork_json, read_csv

FORMULATIONS = ("tree", "dca", "cartesian")
# a joint, and the joints in series that move alike: type, axis
SERIES = {
    "universal": (("revolute", "x"), ("revolute", "y")),
    "cylindrical": (("revolute", "z"), ("prismatic", "z")),
    "gimbal": (("revolute", "x"), ("revolute", "y"), ("revolute", "z")),
    "planar": (("prismatic", "x"), ("prismatic", "y"), ("revolute", "z")),
}
KEYS = {"universal": {"axis": "x", "axis2": "y"}, "cylindrical": {"axis": "z"}, "gimbal": {}, "planar": {}}


def solid(rng):
    side = [rng.uniform(0.1, 0.5) for _ in range(3)]
    m = rng.uniform(0.5, 3)
    return {"mass": m, "com": [rng.uniform(-0.2, 0.2) for _ in range(3)],
            "inertia": [m / 12 * (side[1]**2 + side[2]**2), m / 12 * (side[0]**2 + side[2]**2), m / 12 * (side[0]**2 + side[1]**2)]}


def vector(rng, size=0.5):
    return [round(rng.uniform(-size, size), 3) for _ in range(3)]


def pair(seed):
    """A random tree of bodies, with massless ones (series), and without (whole)."""
    rng = random.Random(seed)
    series = {"linkwork": 1, "parameters": {"L": 0.3}, "bodies": {}, "joints": {}, "forces": {}}
    whole = json.loads(json.dumps(series))
    for i in range(1, 6):
        for m in (series, whole):
            m["bodies"][f"b{i}"] = solid(random.Random(100 * seed + i))
        parent = "ground" if i == 1 else f"b{rng.randint(1, i - 1)}"
        kind = rng.choice(list(SERIES) + ["revolute"])
        place = {"parent": parent, "at": ["L"] + vector(rng)[:2], "child_at": vector(rng, 0.2)}
        q = [round(rng.uniform(-0.5, 0.5), 3) for _ in range(3)]
        u = [round(rng.uniform(-1, 1), 3) for _ in range(3)]
        steps = SERIES.get(kind, (("revolute", "y"),))
        n = len(steps)
        whole["joints"][f"j{i}"] = {"type": kind, "child": f"b{i}", "q": q[:n] if n > 1 else q[0], "u": u[:n] if n > 1 else u[0],
                                    **place, **KEYS.get(kind, {"axis": "y"})}
        before = parent
        for k, (step, axis) in enumerate(steps):
            last = k + 1 == n
            body = f"b{i}" if last else f"massless{i}{k}"
            joint = {"type": step, "parent": before, "child": body, "axis": axis, "q": q[k], "u": u[k]}
            if k == 0:
                joint["at"] = place["at"]
            if last:
                joint["child_at"] = place["child_at"]
            else:
                series["bodies"][body] = {"mass": 0}
            series["joints"][f"j{i}.{k}" if n > 1 else f"j{i}"] = joint
            before = body
    at = vector(rng)
    series["bodies"]["tool"] = {"mass": 0}  # a frame on the last body, with a load
    series["joints"]["mount"] = {"type": "fixed", "parent": "b5", "child": "tool", "at": at}
    load = {"type": "force", "force": [3, "-2*vx.b5", 1], "torque": [0.1, 0, 0.2]}
    series["forces"]["push"] = {**load, "body": "tool"}
    whole["forces"]["push"] = {**load, "body": "b5", "at": at}
    for m in (series, whole):
        m["events"] = [{"at": 0.05, "impulse": {"body": "b3", "linear": [1, 0.5, -1], "angular": [0, 0.2, 0]}}]
    series["events"].append({"at": 0.08, "impulse": {"body": "tool", "linear": [0, 1, 0]}})
    whole["events"].append({"at": 0.08, "impulse": {"body": "b5", "at": at, "linear": [0, 1, 0]}})
    return series, whole


class Massless(Folder):
    def write(self, name, data):
        with open(self.path(name), "w") as file:
            json.dump(data, file)
        return self.path(name)

    def assert_close(self, a, b, tolerance, what):
        scale = max([1] + [abs(x) for x in a])
        self.assertLessEqual(max(abs(x - y) for x, y in zip(a, b)), tolerance * scale, what)

    def test_joints_in_series_are_the_joints_that_they_make(self):
        for seed in range(1, 16):
            series, whole = pair(seed)
            a, b = self.write("a.yaml", series), self.write("b.yaml", whole)
            expected = linkwork_json("eval", b, "--formulation", "tree")
            for f in FORMULATIONS:
                found = linkwork_json("eval", a, "--formulation", f)
                for i in range(1, 6):
                    for key in ("acceleration", "angular_acceleration"):
                        self.assert_close(expected["bodies"][f"b{i}"][key], found["bodies"][f"b{i}"][key], 1e-9, (seed, f, i))
                    last = [k for k in series["joints"] if k.split(".")[0] == f"j{i}"][-1]
                    self.assert_close(expected["loads"][f"j{i}"][:3], found["loads"][last][:3], 1e-9, (seed, f, last))
                self.assertEqual(expected["dof"], found["dof"])

    def test_runs_with_impulses_and_their_derivatives(self):
        for seed in range(1, 7):
            series, whole = pair(seed)
            a, b = self.write("a.yaml", series), self.write("b.yaml", whole)
            words = ("--end", "0.1", "--output-step", "0.02", "--rtol", "1e-11", "--atol", "1e-12")
            linkwork("run", b, "-o", self.path("b.csv"), "-q", "--columns", "x.b*,vy.b*,e2.b*,energy.error", *words)
            expected = read_csv(self.path("b.csv"))
            f = FORMULATIONS[seed % 3]
            linkwork("run", a, "-o", self.path("a.csv"), "-q", "--columns", "x.b*,vy.b*,e2.b*,energy.error", "--formulation", f, *words)
            found = read_csv(self.path("a.csv"))
            for p, q in zip(expected[1], found[1]):
                self.assert_close(p, q, 1e-7, (seed, f))
            d = [linkwork_json("sens", m, "--parameters", "L", "--columns", "x.b*,fx.j1*", "--formulation", f, *words)["columns"]
                 for m in (b, a)]
            for i in range(1, 6):
                self.assert_close([d[0][f"x.b{i}"]["d"]["L"]], [d[1][f"x.b{i}"]["d"]["L"]], 1e-6, (seed, f, i))

    def test_a_rod_without_mass_is_a_distance(self):
        for seed in range(1, 13):
            series, whole = pair(seed)
            for m in (series, whole):
                for j in m["joints"].values():
                    j.pop("u", None)  # at rest: else speeds nearest to the written ones depend on what is written
            rng = random.Random(seed)
            a, b = vector(rng, 2), vector(rng)
            at = linkwork_json("eval", self.write("b.yaml", whole))["bodies"]["b5"]
            w, x, y, z = at["quat"]
            R = [[1 - 2*(y*y + z*z), 2*(x*y - w*z), 2*(x*z + w*y)], [2*(x*y + w*z), 1 - 2*(x*x + z*z), 2*(y*z - w*x)],
                 [2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x*x + y*y)]]
            d = [at["position"][i] + sum(R[i][k]*b[k] for k in range(3)) - a[i] for i in range(3)]
            length = hypot(*d)
            whole["joints"]["rod"] = {"type": "distance", "parent": "ground", "child": "b5", "at": a, "child_at": b, "length": length}
            series["bodies"]["link"] = {"mass": 0}
            series["joints"]["foot"] = {"type": "universal", "parent": "ground", "child": "link", "at": a, "axis": "x", "axis2": "y",
                                        "q": [atan2(-d[1], d[2]), asin(d[0]/length)]}
            series["joints"]["head"] = {"type": "spherical", "parent": "link", "child": "b5", "at": [0, 0, length], "child_at": b}
            words = ("--end", "0.1", "--output-step", "0.05", "--rtol", "1e-10", "--columns", "x.b*,vy.b*,energy.error")
            one, other = self.write("a.yaml", series), self.write("b.yaml", whole)
            expected = linkwork_json("eval", other)
            linkwork("run", other, "-o", self.path("b.csv"), "-q", *words)
            for f in FORMULATIONS:
                found = linkwork_json("eval", one, "--formulation", f)
                self.assertEqual(expected["dof"], found["dof"], (seed, f))
                for i in range(1, 6):
                    for key in ("velocity", "acceleration", "angular_acceleration"):
                        self.assert_close(expected["bodies"][f"b{i}"][key], found["bodies"][f"b{i}"][key], 1e-8, (seed, f, i))
                self.assert_close(expected["loads"]["rod"][:3], found["loads"]["head"][:3], 1e-8, (seed, f))
                linkwork("run", one, "-o", self.path("a.csv"), "-q", "--formulation", f, *words)
                for p, q in zip(read_csv(self.path("b.csv"))[1], read_csv(self.path("a.csv"))[1]):
                    self.assert_close(p, q, 1e-6, (seed, f))

    def test_a_cylinder_without_mass_is_a_force_between_two_points(self):
        base = ("linkwork: 1\nparameters: {L: 0.4}\nbodies:\n"
                "  a: {mass: 2, com: [0.1, 0.02, -0.3], inertia: [0.1, 0.12, 0.02]}\n"
                "  c: {mass: 1, com: [0.1, 0.02, -0.3], inertia: [0.1, 0.12, 0.02]}\n%s"
                "points: {pa: {body: a, at: [0, 0, -L]}, pc: {body: c, at: [0, 0, -L]}}\njoints:\n"
                "  A: {type: revolute, parent: ground, child: a, axis: y, q: 0.5, hold: true}\n"
                "  C: {type: revolute, parent: ground, child: c, at: [1, 0, 0], axis: y, q: 0.3, hold: true}\n%s")
        law = "20*sin(3*t) - 5*%s - 100*(%s - 1)"
        halves = base % ("  cylinder: {mass: 0}\n  rod: {mass: 0}\n",
                         "  P: {type: revolute, parent: a, child: cylinder, at: [0, 0, -L], axis: y}\n"
                         "  R: {type: revolute, parent: c, child: rod, at: [0, 0, -L], axis: y}\n"
                         "  S: {type: prismatic, parent: cylinder, child: rod, axis: x}\n"
                         "forces:\n  M: {type: motor, joint: S, value: \"" + law % ("u.S", "q.S") + "\"}\n")
        points = base % ("", "forces:\n  s: {type: spring, from: pa, to: pc, stiffness: 0}\n"
                         "  f: {type: force, body: pa, force: [\"-F*(x.pc - x.pa)/length.s\", 0, \"-F*(z.pc - z.pa)/length.s\"]}\n"
                         "  g: {type: force, body: pc, force: [\"F*(x.pc - x.pa)/length.s\", 0, \"F*(z.pc - z.pa)/length.s\"]}\n"
                         "outputs: {F: \"" + law % ("rate.s", "length.s") + "\"}\n")
        for name, text in (("a.yaml", halves), ("b.yaml", points)):
            with open(self.path(name), "w") as file:
                file.write(text)
        words = ("--end", "0.3", "--rtol", "1e-10", "--parameters", "L", "--columns", "q.A,q.C,u.A")
        expected = linkwork_json("sens", self.path("b.yaml"), *words)["columns"]
        for f in FORMULATIONS:
            found = linkwork_json("sens", self.path("a.yaml"), "--formulation", f, "--check", *words)
            self.assertEqual(found["check"], "agrees", f)
            for column, x in expected.items():
                self.assert_close([x["value"], x["d"]["L"]], [found["columns"][column]["value"], found["columns"][column]["d"]["L"]],
                                  1e-7, (f, column))

    def test_equilibrium_and_modes_with_massless_links(self):
        heads = []
        for text in ("bodies: {b: {mass: 2, inertia: [0.1, 0.2, 0.15], com: [0, 0, -0.5]}, m: {mass: 0}}\njoints:\n"
                     "  J: {type: revolute, parent: ground, child: m, axis: x, q: 0.2}\n  K: {type: revolute, parent: m, child: b, axis: y}\n",
                     "bodies: {b: {mass: 2, inertia: [0.1, 0.2, 0.15], com: [0, 0, -0.5]}}\njoints:\n"
                     "  J: {type: universal, parent: ground, child: b, axis: x, axis2: y, q: [0.2, 0]}\n"):
            with open(self.path("m.yaml"), "w") as file:
                file.write("linkwork: 1\n" + text)
            modes = linkwork_json("modes", self.path("m.yaml"))["modes"]
            heads.append([m["frequency"] for m in modes])
        self.assert_close(*heads, 1e-9, "frequencies")

    def test_almost_without_mass_formulations_agree_or_refuse(self):
        """An open chain whose first or second link is lighter and lighter: no equation of a joint is dropped beside it."""
        for seed in range(4):
            rng = random.Random(seed)
            lengths = [rng.uniform(0.5, 1.5) for _ in range(3)]
            states = [(rng.uniform(-3, 3), rng.uniform(-3, 3)) for _ in range(3)]
            for mass in (1e-12, 1e-13, 1e-14):
                text = "linkwork: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                for i in range(3):
                    m = mass if i == seed % 2 else 1
                    text += f"  b{i}: {{solid: {{rod: {{length: {lengths[i]}, mass: {m}, axis: x}}}}}}\n"
                text += "joints:\n"
                for i, (q, u) in enumerate(states):
                    place = "ground, child: b0" if i == 0 else f"b{i - 1}, child: b{i}, at: [{lengths[i - 1]}, 0, 0]"
                    text += f"  J{i}: {{type: revolute, parent: {place}, q: {q}, u: {u}}}\n"
                path = self.model(text)
                right = linkwork_json("eval", path)["udot"]
                for formulation in ("dca", "cartesian"):
                    done = subprocess.run([LINKWORK, "eval", path, "--formulation", formulation, "--json"],
                                          capture_output=True, text=True, timeout=1200)
                    got = json.loads(done.stdout)
                    if done.returncode != 0 and mass < 5e-13:
                        self.assertIn("fewer than six digits", got["text"])
                        continue
                    self.assertEqual(done.returncode, 0, got)
                    for name, value in right.items():
                        self.assertAlmostEqual(got["udot"][name], value, delta=1e-6 * max(map(abs, right.values())),
                                               msg=f"{seed} {mass} {formulation}")

    def test_freedoms_without_mass_are_named(self):
        a = "  a: {mass: 2, com: [0.1, 0.02, -0.3], inertia: [0.1, 0.12, 0.02]}\n"
        A = "  A: {type: revolute, parent: ground, child: a, axis: y, q: 0.5, hold: true}\n"
        cases = (
            (a + "  x: {mass: 0}\n", A + "  X: {type: revolute, parent: a, child: x}\n", "7:3", 'revolute joint "X" lets body "x" move on "a"'),
            (a + "  x: {mass: 0}\n", A + "  X: {type: prismatic, parent: x, child: a}\n", "7:3", 'prismatic joint "X" lets body "x" move on "a"'),
            (a + "  x: {mass: 0, pose: {at: [1, 0, 0]}}\n", A, "4:3", 'body "x" floats'),
            (a + "  x: {mass: 0}\n  y: {mass: 0}\n", A + "  X: {type: fixed, parent: a, child: x}\n"
             "  Y: {type: universal, parent: x, child: y}\n", "9:3", 'universal joint "Y" lets body "y" move on "x"'),
            (a + "  c: {mass: 1, com: [0.1, 0.02, -0.3], inertia: [0.1, 0.12, 0.02]}\n  b: {mass: 0}\n", A +
             "  C: {type: revolute, parent: ground, child: c, at: [1, 0.1, 0], axis: y, q: 0.3}\n"
             "  B: {type: spherical, parent: a, child: b, at: [0, 0, -0.4]}\n"
             "  D: {type: spherical, parent: b, child: c, at: [0.95, 0.1, 0], child_at: [0, 0, -0.6]}\n", "9:3",
             'spherical joint "B" lets body "b" move on "a"'),
        )
        for bodies, joints, place, said in cases:
            with open(self.path("m.yaml"), "w") as file:
                file.write("linkwork: 1\nbodies:\n" + bodies + "joints:\n" + joints)
            for words in [("check", self.path("m.yaml"))] + [("run", self.path("m.yaml"), "--formulation", f) for f in FORMULATIONS]:
                done = linkwork(*words, expect=1)
                self.assertIn(f"m.yaml:{place}: ", done.stderr, joints)
                self.assertIn("the mass matrix is singular: " + said, done.stderr, words)


if __name__ == "__main__":
    unittest.main()
