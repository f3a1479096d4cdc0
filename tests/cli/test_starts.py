# SPDX-License-Identifier: Apache-2.0
"""Where runs begin: --q and --u, --from, equilibrium; eval --tau and --jacobian."""
import math
import unittest

from program import Folder, linkwork, linkwork_json, read_csv, shipped

FORMULATIONS = ("tree", "dca", "cartesian")

PENDULUM = """linkwork: 1
gravity: [0, -9.81, 0]
parameters: {L: 1, m: 2*L, w: 3}
bodies:
  a: {mass: m, com: [L/2, 0, 0], inertia: [0.1, 0.15, 0.2]}
  b: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {at: [3, 0, 0]}, velocity: {linear: [1, 2, 0], angular: [0.1, 0.2, 0.3]}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 0.3, u: 0.5}
forces:
  M: {type: motor, joint: A, value: "sin(w*t)"}
  d: {type: joint_spring, joint: A, stiffness: 0, damping: 1}
simulation: {end: 2, output_step: 0.1, rtol: 1e-10%s}
"""


class Starts(Folder):
    def rows(self, *words, name="out.csv"):
        linkwork("run", *words, "-q", "-o", self.path(name))
        return read_csv(self.path(name))

    def test_q_and_u_are_where_the_run_begins(self):
        model = self.model(PENDULUM % "")
        heads, rows = self.rows(model, "--q", "A=-0.7", "--u", "A=2", "--q", "b=1,2,3,1,0,0,0", "--end", "0.5")
        at = {h: x for h, x in zip(heads, rows[0])}
        self.assertEqual([at["q.A"], at["u.A"], at["x.b"], at["z.b"]], [-0.7, 2, 1, 3])
        other = self.model((PENDULUM % "").replace("q: 0.3, u: 0.5", "q: -0.7, u: 2").replace("[3, 0, 0]", "[1, 2, 3]"))
        _, same = self.rows(other, "--end", "0.5")
        for x, y in zip(rows[-1], same[-1]):
            self.assertAlmostEqual(x, y, delta=1e-9)
        self.assertIn('no joint "C"', linkwork("run", model, "--q", "C=1", expect=2).stderr)

    def test_loops_close_around_given_coordinates(self):
        heads, rows = self.rows(shipped("four-bar"), "--q", "A=1.1", "--end", "0.01")
        at = {h: x for h, x in zip(heads, rows[0])}
        self.assertAlmostEqual(at["q.A"], 1.1, delta=1e-12)
        self.assertLess(at["drift"], 1e-9)

    def test_a_run_goes_on_from_the_table_of_another(self):
        for model in (self.model(PENDULUM % ""), shipped("four-bar")):
            for formulation in FORMULATIONS:
                how = ("--formulation", formulation, "--rtol", "1e-11")
                heads, whole = self.rows(model, *how, "--end", "1", "--output-step", "0.1")
                self.rows(model, *how, "--end", "0.5", "--output-step", "0.1", name="first.csv")
                for source in (self.path("first.csv"), self.path("out.csv") + "@0.5"):
                    _, rest = self.rows(model, *how, "--end", "1", "--output-step", "0.1", "--from", source, name="rest.csv")
                    self.assertAlmostEqual(rest[0][0], 0.5)
                    for h, x, y in zip(heads, whole[-1], rest[-1]):
                        if h.startswith(("t", "q.", "u.", "x.", "vx.")) and "." in h:
                            self.assertAlmostEqual(x, y, delta=1e-7 * max(1, abs(x)), msg=h)

    def test_runs_go_on_from_hdf5_and_with_friction_of_the_own_load(self):
        model = self.model((PENDULUM % "").replace("q: 0.3,", "friction: {coefficient: 0.1, radius: 0.05}, q: 0.3,"))
        how = ("--rtol", "1e-11", "--output-step", "0.1", "--end", "1")
        heads, whole = self.rows(model, *how)
        for source in ("first.h5", "first.csv"):
            linkwork("run", model, "-q", *how, "--end", "0.5", "-o", self.path(source))
            _, rest = self.rows(model, *how, "--from", self.path(source), name="rest.csv")
            for name in ("q.A", "u.A"):
                self.assertAlmostEqual(whole[-1][heads.index(name)], rest[-1][heads.index(name)], delta=1e-8)

    def test_states_of_tables_are_checked(self):
        model = self.model(PENDULUM % "")
        self.rows(model)
        table = self.path("out.csv")
        for words, said in ((["--from", table + "@0.55"], "no row at t = 0.55; the nearest is at 0."),
                            (["--from", table], "the run begins at t = 2: --end must be later"),
                            (["--from", "none.csv"], "No such file"),
                            (["--from", model], "this is YAML, not results")):
            self.assertIn(said, linkwork("run", model, *words, expect=2).stderr)
        self.assertIn("belongs to no joint", linkwork("run", shipped("double-pendulum"), "--from", table, "--end", "9", expect=2).stderr)
        linkwork("run", model, "-q", "--columns", "t,u.A", "-o", self.path("few.csv"))
        self.assertIn("has no column q.A", linkwork("eval", model, "--from", self.path("few.csv"), expect=2).stderr)
        found = linkwork_json("eval", model, "--from", table + "@1")
        self.assertEqual(found["time"], 1)

    def test_a_run_may_begin_at_equilibrium(self):
        text = (PENDULUM % ", start: equilibrium").replace("sin(w*t)", "0").replace(", velocity: {linear: [1, 2, 0], angular: [0.1, 0.2, 0.3]}", "")
        text = text.replace("  b: {", "  c: {mass: 1}\n  b: {").split("  b: {")[0] + text.split("pose: {at: [3, 0, 0]}}\n")[1]
        text = text.replace("  A: {", "  C: {type: prismatic, parent: a, child: c, axis: x, q: 1}\n  A: {")
        text = text.replace("forces:\n", "forces:\n  k: {type: joint_spring, joint: C, stiffness: 100, damping: 1}\n")
        for formulation in FORMULATIONS:
            heads, rows = self.rows(self.model(text), "--formulation", formulation)
            at = {h: x for h, x in zip(heads, rows[-1])}
            self.assertAlmostEqual(at["q.A"], -math.pi / 2, delta=1e-6)
            self.assertAlmostEqual(at["q.C"], 9.81 / 100, delta=1e-6)
            self.assertAlmostEqual(rows[0][heads.index("q.C")], 9.81 / 100, delta=1e-8)
        linkwork("sens", self.model(text), "--parameters", "L", "--check")
        self.assertIn('unknown start "equilibrum", did you mean "equilibrium"?',
                      linkwork("check", self.model(text.replace("equilibrium", "equilibrum")), expect=1).stderr)

    def test_states_take_units(self):
        model = self.model("linkwork: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 1, inertia: [1, 1, 1]}}\n"
                           "joints: {A: {type: revolute, parent: ground, child: a}, 'B \"x\".2, *': {type: cylindrical, parent: a, child: b},\n"
                           "  S: {type: spherical, parent: b, child: c}}\nstates: {z: {rate: 1}}\n")
        name = "B \"x\".2, *"
        found = linkwork_json("eval", model, "--q", "A=20 deg", "--q", f"{name}=1 rev,3 mm", "--u", "A=30 rpm", "--u", "S=1 deg/s,0,-2",
                              "--tau", f"{name}=1,2 kN")
        self.assertEqual(found["q"]["A"], math.radians(20))
        self.assertEqual(found["q"][name], [2 * math.pi, 0.003])
        self.assertAlmostEqual(found["u"]["A"], math.pi, 14)
        self.assertEqual(found["u"]["S"], [math.radians(1), 0, -2])
        same = linkwork_json("eval", model, "--q", f"A={math.radians(20)!r}", "--q", f"{name}={2*math.pi!r},0.003", "--u", f"A={math.pi!r}",
                             "--u", f"S={math.radians(1)!r},0,-2", "--tau", f"{name}=1,2000")
        self.assertEqual(found["udot"], same["udot"])
        heads, rows = self.rows(model, "--q", "A=20 deg", "--end", "0.01")
        self.assertEqual(rows[0][heads.index("q.A")], math.radians(20))
        for words, said in ((("--q", "A=3 mm"), "needs 1 finite number, with or without a unit of rad"),
                            (("--q", f"{name}=0,3 deg"), "with or without a unit of m"), (("--u", "A=3 m/s"), "a unit of rad/s"),
                            (("--tau", "A=3 N"), "a unit of N*m"), (("--q", "S=1 m,0,0,0"), "needs 4 finite numbers, separated by commas\n"),
                            (("--q", "z=1"), '"z" is a state'), (("--q", "A=1 2"), "needs 1 finite number")):
            self.assertIn(said, linkwork("eval", model, *words, expect=2).stderr)

    def test_loads_and_jacobians_of_one_state(self):
        model = self.model(PENDULUM % "")
        moved = self.model((PENDULUM % "").replace("sin(w*t)", "3.5"))
        for formulation in FORMULATIONS:
            a = linkwork_json("eval", self.model(PENDULUM % ""), "--tau", "A=3.5", "--formulation", formulation)
            b = linkwork_json("eval", self.model((PENDULUM % "").replace("sin(w*t)", "3.5")), "--formulation", formulation)
            self.assertAlmostEqual(a["udot"]["A"], b["udot"]["A"], delta=1e-12)
        self.assertTrue(moved)
        found = linkwork_json("eval", model, "--jacobian", "a@1,0,0", "--q", "A=0.3", "--u", "A=2")["jacobian"]
        self.assertEqual(found["order"][0], "A")
        column = [row[0] for row in found["matrix"]]
        for x, y in zip(column, (0, 0, 1, -math.sin(0.3), math.cos(0.3), 0)):
            self.assertAlmostEqual(x, y, delta=1e-14)
        point = self.model(PENDULUM % "" + "points: {tip: {body: a, at: [L, 0, 0], orient: {rpy: [1, 2, 3]}}}\n")
        named = linkwork_json("eval", point, "--jacobian", "tip", "--q", "A=0.3", "--u", "A=2")["jacobian"]
        self.assertEqual((named["body"], named["matrix"]), ("a", found["matrix"]))
        self.assertIn("leave out @X,Y,Z", linkwork("eval", point, "--jacobian", "tip@1,0,0", expect=2).stderr)
        self.assertIn('no body or point "z"', linkwork("eval", model, "--jacobian", "z@1,0,0", expect=2).stderr)
        self.assertIn("BODY@X,Y,Z", linkwork("eval", model, "--jacobian", "a@1,0", expect=2).stderr)
        found = linkwork_json("eval", model, "--jacobian", "a@1 m,20 cm,3 mm", "--tau", "A=2 N*m")["jacobian"]
        self.assertEqual(found["point"], [1, 0.2, 0.003])
        loop = linkwork("eval", shipped("four-bar"), "--tau", "D=1", expect=2).stderr
        self.assertRegex(loop, "closes a loop|no joint")


if __name__ == "__main__":
    unittest.main()
