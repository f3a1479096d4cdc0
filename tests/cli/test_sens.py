# SPDX-License-Identifier: Apache-2.0
"""linkwork sens: tables, JSON, the check, and mistakes."""
import json
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

TOGETHER = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {L: 1.0, T: 0.25, S: 0.25}
bodies:
  a: {solid: {rod: {length: L, mass: 1, axis: [0, -1, 0]}}}
  b: {solid: {rod: {length: L, mass: 1, axis: [0, -1, 0]}}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 1}
  B: {type: revolute, parent: a, child: b, at: [0, -L, 0], q: 0.5}
events:
  - {name: first, at: T, lock: B}
  - {name: second, at: S, impulse: {body: b, linear: [0.3, 0, 0]}}
simulation: {end: 0.5, output_step: 0.1}
"""

# Opposite links are equal: it passes configurations in which all of them lie on one line.
PARALLELOGRAM = """
linkwork: 1
planar: true
parameters: {m: 1, w: 1.3}
bodies:
  x: {solid: {rod: {length: 1, mass: m, axis: [1, 0]}}}
  y: {solid: {rod: {length: 2, mass: 2*m, axis: [1, 0]}}}
  z: {solid: {rod: {length: 1, mass: 1.5, axis: [1, 0]}}}
joints:
  A: {type: revolute, parent: ground, child: x, q: 1, u: w, hold: true}
  B: {type: revolute, parent: x, child: y, at: [1, 0], q: -1}
  C: {type: revolute, parent: ground, child: z, at: [2, 0], q: 1}
  D: {type: revolute, parent: y, child: z, at: [2, 0], child_at: [1, 0]}
simulation: {end: 2, output_step: 0.5}
"""

# The same with a coupler of another length, which is not singular, or another size, which is.
SIZES = """
linkwork: 1
planar: true
parameters: {m: 1, w: 1.3, L: 2, s: 1}
bodies:
  x: {solid: {rod: {length: s, mass: m, axis: [1, 0]}}}
  y: {solid: {rod: {length: s*L, mass: 2*m, axis: [1, 0]}}}
  z: {solid: {rod: {length: s, mass: 1.5, axis: [1, 0]}}}
joints:
  A: {type: revolute, parent: ground, child: x, q: 1, u: w, hold: true}
  B: {type: revolute, parent: x, child: y, at: [s, 0], q: -1}
  C: {type: revolute, parent: ground, child: z, at: [2*s, 0], q: 1}
  D: {type: revolute, parent: y, child: z, at: [s*L, 0], child_at: [s, 0]}
sensitivity: {objectives: {last: {final: q.C}, early: {max: "q.C - 5*t^2"}, area: {integral: q.C}}}
simulation: {end: 2, output_step: 0.5}
"""

# An arm that nothing holds, on a driven four-bar that is written open.
FREE_ARM = """
linkwork: 1
planar: true
gravity: [0, -9.81]
parameters: {L: 0.9, m: 1.1, w: 0.7, k: 0.5}
bodies:
  a: {solid: {rod: {length: 0.4*L, mass: m, axis: [1, 0]}}}
  b: {solid: {rod: {length: 1.1, mass: 2*m, axis: [1, 0]}}}
  c: {solid: {rod: {length: L, mass: 1.5, axis: [1, 0]}}}
  d: {solid: {rod: {length: 0.5*k, mass: 0.7, axis: [0, -1]}}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 1, u: w}
  B: {type: revolute, parent: a, child: b, at: [0.4*L, 0], q: -1}
  C: {type: revolute, parent: ground, child: c, at: [1.2, 0], q: 1.6}
  D: {type: revolute, parent: b, child: c, at: [1.1, 0], child_at: [L, 0]}
  F: {type: revolute, parent: b, child: d, at: [0.5, 0], q: 0.2}
DRIVE
simulation: {end: 0.5, output_step: 0.1}
sensitivity: {parameters: [L, m, w, k], objectives: {o: {final: q.F}}}
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

# A pendulum that is stopped where it passes the bottom: earlier or later, depending on all parameters.
STOPPED = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {L: 1, p: 0.3, w: -0.5}
bodies: {b: {solid: {rod: {length: L, mass: 1, axis: -y}}}}
joints: {A: {type: revolute, parent: ground, child: b, q: p, u: w}}
events: [{name: bottom, when: q.A, stop: true}]
simulation: {end: 2, output_step: 0.1, rtol: 1e-11}
sensitivity: {objectives: {time: {final: t}, speed: {final: u.A}, i: {integral: "u.A^2"}, top: {max: energy.kinetic}}}
"""

# One that ends at a time that is a parameter.
ENDED = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {L: 1, T: 2, p: 0.3}
bodies: {b: {solid: {rod: {length: L, mass: 1, axis: -y}}}}
joints: {A: {type: revolute, parent: ground, child: b, q: p}}
simulation: {end: T, output_step: 0.1, rtol: 1e-10}
sensitivity: {parameters: [T], objectives: {f: {final: "q.A*p + udot.A"}, i: {integral: "udot.A^2*L + t"}, top: {max: t}}}
"""

# A body that turns several times about skew axes.
TUMBLING = """
linkwork: 1
parameters: {m: 2}
bodies: {b: {mass: m, inertia: [0.2, 0.3*m, 0.4], pose: {at: [0, 0, 1]}, velocity: {angular: [5, 1, 2]}}}
simulation: {end: 3, output_step: 0.1}
"""

# A swing long enough for errors of the integration to grow.
SWING = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {L: 1, p: 1.3}
bodies: {b: {solid: {rod: {length: L, mass: 1, axis: -y}}}}
joints: {A: {type: revolute, parent: ground, child: b, q: p}}
simulation: {end: 60, output_step: 1, rtol: 1e-5}
sensitivity: {parameters: [L], objectives: {i: {integral: "u.A^2"}}}
"""

# Two links that swing through: what is near at first is far apart later.
CHAOTIC = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {L: 1}
bodies: {b: {solid: {rod: {length: L, mass: 1, axis: -y}}}, c: {solid: {rod: {length: 1, mass: 1, axis: -y}}}}
joints:
  A: {type: revolute, parent: ground, child: b, q: 2.8}
  B: {type: revolute, parent: b, child: c, at: [0, -L, 0], q: 1}
simulation: {end: 20, output_step: 1}
"""

# A particle on a spherical joint: nothing resists its turning about the line to it.
WEIGHTLESS = """
linkwork: 1
parameters: {m: 1}
bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
  b: {solid: {point: {mass: m, at: [0.1, 0, 0]}}}
  c: {mass: 1, inertia: [1, 1, 1]}
joints:
  A: {type: revolute, parent: ground, child: a}
  J: {type: spherical, parent: a, child: b}
  C: {type: revolute, parent: ground, child: c, axis: x}
  G: {type: gear, joints: [A, C], ratio: 2}
"""

# A body that is fixed: no coordinates at all.
STILL = """
linkwork: 1
parameters: {m: 1}
bodies: {a: {mass: m, inertia: [1, 1, 1]}}
joints: {A: {type: fixed, parent: ground, child: a}}
sensitivity: {objectives: {e: {final: "energy.potential + t*m"}, i: {integral: "m*t"}}}
"""


class Sens(Folder):
    def test_light_couplers_have_the_derivatives_of_differences(self):
        for mass in ("1e-6", "1e-12"):
            found = []
            for words in (["--formulation", "tree", "--differences"], ["--formulation", "tree"],
                          ["--formulation", "dca"], ["--formulation", "cartesian"]):
                done = linkwork_json("sens", FOUR_BAR, "--parameters", "La", "--end", "1",
                                     "--set", "mb=" + mass, *words)
                found.append(done["columns"]["q.A"]["d"]["La"])
            for other in found[1:]:
                self.assertAlmostEqual(found[0], other, delta=1e-6)

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
        flat = LATCH.replace("at: T, lock: B", "name: catch, when: \"(t - T)^3\", lock: B")
        for by in ((), ("--differences",)):
            message = linkwork("sens", self.model(flat), *by, expect=1).stderr
            self.assertIn("no derivative", message)
            self.assertIn('"catch"', message)
        tree = LATCH.replace("q: 0.5}", "q: sqrt(L - 1)}")
        self.assertIn("square root", linkwork("sens", self.model(tree), expect=1).stderr)

    def test_a_singular_mass_matrix_is_called_that(self):
        for by in ("tree", "dca", "cartesian"):
            done = linkwork("sens", self.model(WEIGHTLESS), "--formulation", by, expect=1)
            self.assertIn("the mass matrix is singular", done.stderr)

    def test_what_cannot_move_has_derivatives_too(self):
        for by in ((), ("--differences",)):
            result = linkwork_json("sens", self.model(STILL), "--columns", "t,z.a", *by)
            self.assertAlmostEqual(result["objectives"]["e"]["d"]["m"], 1, 9)
            self.assertAlmostEqual(result["objectives"]["i"]["d"]["m"], 0.5, 9)

    def test_what_does_not_go_on_stops(self):
        done = linkwork("sens", self.model(STUCK), "--parameters", "a", expect=1)
        self.assertIn("the integration stopped at t = 0.1", done.stderr)

    def test_objectives_go_along_with_an_event_that_ends_the_run(self):
        for by in ((), ("--differences",), ("--formulation", "cartesian"), ("--formulation", "dca")):
            result = linkwork_json("sens", self.model(STOPPED), "--check", *by)
            d = {name: o["d"] for name, o in result["objectives"].items()}
            self.assertAlmostEqual(d["time"]["L"], 0.1037562216, 9)
            self.assertAlmostEqual(d["i"]["L"], -0.1181078176, 9)
            # energy: 1/2 (L^2/3) u^2 = 1/2 (L^2/3) w^2 + g L/2 (1 - cos p)
            self.assertAlmostEqual(d["top"]["p"], 9.81 / 2 * 0.29552020666, 8)
            self.assertAlmostEqual(d["speed"]["w"], -0.5 / result["objectives"]["speed"]["value"], 8)
            for p in ("L", "p", "w"):
                self.assertAlmostEqual(result["end"]["d"][p], d["time"][p], 12)
            self.assertEqual((result["agrees"], result["undecided"]), (True, 0))
        self.assertIn("end of the run", linkwork("sens", self.model(STOPPED)).stdout)

    def test_objectives_go_along_with_an_end_that_is_a_parameter(self):
        model = self.model(ENDED)
        result = linkwork_json("sens", model, "--check")
        d = {name: o["d"]["T"] for name, o in result["objectives"].items()}
        self.assertAlmostEqual(d["f"], 16.06827966, 7)
        self.assertAlmostEqual(d["i"], 2.972817625, 7)
        self.assertEqual(d["top"], 1)
        self.assertEqual(result["columns"]["q.A"]["d"]["T"], 0)
        self.assertTrue(result["agrees"])
        # an end that is asked for is no parameter
        self.assertEqual(linkwork_json("sens", model, "--end", "2", "--check")["objectives"]["f"]["d"]["T"], 0)

    def test_quaternions_have_the_signs_of_the_table(self):
        path, model = self.path("out.csv"), self.model(TUMBLING)
        linkwork("sens", model, "-o", path)
        header, rows = read_csv(path)
        last = dict(zip(header, rows[-1]))
        turned = min(min(r[header.index("q.b.4")] for r in rows), 0)
        self.assertLess(turned, -0.5)
        shown = linkwork_json("sens", model, "--check")
        self.assertTrue(shown["agrees"])
        for name, column in shown["columns"].items():
            self.assertAlmostEqual(column["value"], last[name], 6, name)
            self.assertAlmostEqual(column["d"]["m"], last[f"d({name})/d(m)"], 6, name)
        signs = set()
        for end in ("0.5", "1", "1.5", "2", "2.5"):  # whichever sign bodies are shown with
            shown = linkwork_json("sens", model, "--check", "--end", end, "--columns", "e0.b,e1.b,e2.b,e3.b")
            self.assertTrue(shown["agrees"], end)
            signs.add(shown["columns"]["e0.b"]["value"] > 0)
        self.assertEqual(signs, {True, False})

    def test_the_check_knows_errors_of_the_integration_from_wrong_derivatives(self):
        result = linkwork_json("sens", self.model(SWING), "--check")
        self.assertGreater(result["integration_error"], 1e-5)
        self.assertEqual((result["agrees"], result["undecided"]), (True, 0))

    def test_starts_that_nothing_holds_are_differentiated(self):
        drive = '  drive: {type: driver, joint: A, value: "1 + w*t + 0.3*k*sin(3*t)"}'
        for more, formulation, way in ((drive, "tree", []), (drive, "cartesian", ["--differences"]),
                                       ("", "dca", []), ("", "cartesian", [])):
            shown = linkwork_json("sens", self.model(FREE_ARM.replace("DRIVE", more)), "--check",
                                  "--formulation", formulation, *way)
            self.assertEqual(shown["check"], "agrees", (more, way, formulation))
            self.assertLess(shown["integration_error"], 1e-6)
            self.assertEqual(shown["end"]["d"]["L"], 0)

    def test_events_that_parameters_move_apart_are_named(self):
        model = self.model(TOGETHER)
        for way in ([], ["--differences"]):
            linkwork("sens", model, "--parameters", "L", *way)
            for parameter in ("T", "S"):
                said = linkwork("sens", model, "--parameters", parameter, *way, expect=1).stderr
                for word in ("first", "second", "0.25", f'"{parameter}"', "same time"):
                    self.assertIn(word, said)

    def test_singular_configurations_are_said(self):
        done = linkwork("sens", self.model(PARALLELOGRAM), "--check")
        self.assertIn("passes a singular configuration", done.stderr)
        self.assertIn("derivatives beyond", done.stderr)
        found = linkwork_json("sens", self.model(PARALLELOGRAM))["singularities"]
        self.assertEqual(len(found), 2)
        self.assertIn("derivatives beyond", found[0]["text"])
        self.assertAlmostEqual(found[0]["time"], 0.8816277, 6)

    def test_derivatives_end_where_a_parameter_changes_whether_it_is_singular(self):
        model = self.model(SIZES)
        for words in ([], ["--formulation", "dca"], ["--formulation", "cartesian"], ["--integrator", "rk"]):
            path = self.path("out.csv")
            said = linkwork("sens", model, "--parameters", "m,w,L,s", "-o", path, *words).stderr
            self.assertRegex(said, 'derivatives by "L" do not exist after t = 0.8816')
            for kept in "mws":
                self.assertNotIn(f'derivatives by "{kept}" do not', said)
            heads, rows = read_csv(path)
            for row in rows:
                for p in "mwLs":
                    cell = row[heads.index(f"d(q.C)/d({p})")]
                    self.assertEqual(cell is None, p == "L" and row[0] > 0.8816)
            found = linkwork_json("sens", model, "--parameters", "m,w,L,s", *words)
            self.assertEqual(list(found["exists_until"]), ["L"])
            self.assertAlmostEqual(found["exists_until"]["L"], 0.8816277, 6)
            for name, gone in (("last", True), ("early", False), ("area", True)):
                d = found["objectives"][name]["d"]
                self.assertEqual(d["L"] is None, gone)
                self.assertTrue(all(d[p] is not None for p in "mws"))
            self.assertIsNone(found["columns"]["q.C"]["d"]["L"])
            self.assertIsNotNone(found["columns"]["q.C"]["d"]["s"])
            shown = linkwork("sens", model, "--parameters", "w,L", *words).stdout
            self.assertNotIn("nan", shown)
            self.assertIn("-: derivatives by L do not exist after t = 0.8816", shown)

    def test_the_check_says_where_it_cannot_tell(self):
        done = linkwork("sens", self.model(CHAOTIC), "--check", expect=3)
        self.assertIn("nearby runs take another course", done.stdout)
        self.assertIn("could not be checked", done.stderr)
        self.assertIn("the check is not passed", done.stderr)
        self.assertIn("not decided:", done.stdout)
        shown = json.loads(linkwork("sens", self.model(CHAOTIC), "--check", "--json", expect=3).stdout)
        self.assertEqual((shown["check"], shown["agrees"], shown["disagreements"]), ("undecided", False, 0))
        self.assertGreater(shown["undecided"], 0)
        self.assertNotIn("disagree", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
