# SPDX-License-Identifier: Apache-2.0
"""linkwork sens: tables, JSON, the check, and mistakes."""
import unittest

from program import Folder, linkwork, linkwork_json, read_csv, shipped

DOUBLE = shipped("double-pendulum")
FOUR_BAR = shipped("four-bar")
LATCH = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {L: 1.0, T: 0.25}
bodies:
  a: {solid: {rod: {length: L, mass: 1, axis: [0, -1, 0]}}}
  b: {solid: {rod: {length: L, mass: 1, axis: [0, -1, 0]}}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 1}
  B: {type: revolute, parent: a, child: b, at: [0, -L, 0], q: 0.5}
events:
  - {at: T, lock: B}
simulation: {end: 0.5, output_step: 0.1, rtol: 1e-10, atol: 1e-12}
sensitivity: {objectives: {low: {min: y.b}}}
"""

# Lengths with which the crank cannot turn all the way: speeds are unbounded where it must stop.
STUCK = """
linkwork: 1
planar: true
parameters: {a: 0.168, b: 0.174, c: 0.273, ground: 0.3}
bodies:
  crank: {solid: {rod: {length: a, mass: a, axis: x}}}
  coupler: {solid: {rod: {length: b, mass: b, axis: x}}}
  rocker: {solid: {rod: {length: c, mass: c, axis: x}}}
joints:
  A: {type: revolute, parent: ground, child: crank}
  B: {type: revolute, parent: crank, child: coupler, at: [a, 0, 0], q: -20 deg}
  C: {type: revolute, parent: ground, child: rocker, at: [ground, 0, 0], q: 100 deg}
  D: {type: revolute, parent: coupler, child: rocker, at: [b, 0, 0], child_at: [c, 0, 0]}
  motor: {type: driver, joint: A, value: "pi/2 + 2*pi*t"}
simulation: {end: 0.5, rtol: 1e-8, atol: 1e-10}
"""


class Sens(Folder):
    def test_a_table_on_the_terminal(self):
        out = linkwork("sens", DOUBLE).stdout
        self.assertIn("d/d(La)", out)
        self.assertIn("0.475929067", out)
        self.assertIn("tip_height", out)

    def test_json_has_values_and_derivatives(self):
        result = linkwork_json("sens", FOUR_BAR, "--end", "1")
        self.assertAlmostEqual(result["columns"]["q.A"]["d"]["La"], -0.0809722537045, 8)
        self.assertAlmostEqual(result["columns"]["u.A"]["d"]["La"], -1.58151572003, 8)
        self.assertEqual(result["parameters"], {"La": 1})

    def test_the_check_agrees(self):
        result = linkwork_json("sens", DOUBLE, "--end", "2", "--check")
        self.assertTrue(result["agrees"])
        value = result["objectives"]["activity"]
        self.assertAlmostEqual(value["d"]["La"], value["differences"]["La"], 6)
        self.assertIn("differences of whole runs agree",
                      linkwork("sens", FOUR_BAR, "--end", "1", "--check").stdout)

    def test_the_table_of_run_with_derivatives(self):
        path = self.path("out.csv")
        linkwork("sens", FOUR_BAR, "--end", "1", "--parameters", "La,mb", "-o", path)
        header, rows = read_csv(path)
        self.assertEqual(header[:2], ["t", "q.A"])
        for name in ("d(q.D)/d(La)", "d(u.A)/d(mb)", "d(udot.B)/d(La)", "energy.total"):
            self.assertIn(name, header)
        self.assertEqual(len(rows), 3)
        last = dict(zip(header, map(float, rows[-1])))
        self.assertAlmostEqual(last["d(q.A)/d(La)"], -0.0809722537045, 8)
        first = dict(zip(header, map(float, rows[0])))
        self.assertAlmostEqual(first["d(udot.A)/d(La)"], 4.57406906092, 7)

    def test_loads_on_request(self):
        path = self.path("out.csv")
        linkwork("sens", FOUR_BAR, "--end", "0.5", "--columns", "t,fx.A,q.A", "-o", path)
        header, _ = read_csv(path)
        self.assertEqual(header, ["t", "q.A", "fx.A", "d(q.A)/d(La)", "d(fx.A)/d(La)"])

    def test_events_have_two_rows(self):
        path, model = self.path("out.csv"), self.model(LATCH)
        linkwork("sens", model, "-o", path)
        header, rows = read_csv(path)
        times = [float(r[0]) for r in rows]
        self.assertEqual(times.count(0.25), 2)
        at = [dict(zip(header, r)) for r in rows if float(r[0]) == 0.25]
        # before the event its time does not matter; just after it q' = -(u+ - u-) te'
        self.assertEqual(float(at[0]["d(q.B)/d(T)"]), 0)
        self.assertAlmostEqual(float(at[1]["d(q.B)/d(T)"]), float(at[0]["u.B"]), 8)
        linkwork("sens", model, "--check")
        linkwork("sens", model, "--differences", "--check")

    def test_set_moves_the_parameter(self):
        a = linkwork_json("sens", DOUBLE, "--set", "La=1.1", "--end", "1")
        self.assertEqual(a["parameters"]["La"], 1.1)

    def test_mistakes(self):
        self.assertIn('did you mean "La"', linkwork("sens", DOUBLE, "--parameters", "Lq", expect=2).stderr)
        self.assertIn("did you mean", linkwork("sens", DOUBLE, "--columns", "q.AA", expect=1).stderr)
        self.assertIn("euler", linkwork("sens", DOUBLE, "--integrator", "euler", expect=1).stderr)
        bad = self.model(LATCH.replace("y.b", "y.bb"))
        message = linkwork("sens", bad, expect=1).stderr
        self.assertIn('objective "low"', message)
        self.assertRegex(message, r"model\.yaml:14:\d+:")
        bad = self.model(LATCH.replace("sensitivity: {", "sensitivity: {parameters: [LL], "))
        self.assertIn("LL", linkwork("sens", bad, expect=1).stderr)

    def test_what_cannot_be_differentiated_is_said(self):
        flat = LATCH.replace("at: T, lock: B", "when: \"(t - T)^3\", lock: B")
        self.assertIn("no derivative", linkwork("sens", self.model(flat), expect=1).stderr)
        tree = LATCH.replace("q: 0.5}", "q: sqrt(L - 1)}")
        self.assertIn("square root", linkwork("sens", self.model(tree), expect=1).stderr)

    def test_what_does_not_go_on_stops(self):
        done = linkwork("sens", self.model(STUCK), "--parameters", "a", expect=1)
        self.assertIn("the integration stopped at t = 0.1", done.stderr)


if __name__ == "__main__":
    unittest.main()
