# SPDX-License-Identifier: Apache-2.0
"""Expressions of time that are not smooth: drivers must not jump, speeds that do are impulses, kinks are found."""
import math
import unittest

from program import SANITIZED, Folder, linkwork, linkwork_json, read_csv

FORMULATIONS = ("tree", "dca", "cartesian")
INTEGRATORS = ("auto", "bdf", "rk", "rk4")

PAIR = """linkwork: 1
gravity: [0, -9.81, 0]
parameters: {a: 0.5, k: 1}
bodies:
  b1: {solid: {rod: {length: 1, mass: 1, axis: -y}}}
  b2: {solid: {rod: {length: 1, mass: 1, axis: -y}}}
joints:
  J1: {type: revolute, parent: ground, child: b1}
  J2: {type: revolute, parent: b1, child: b2, at: [0, -1, 0], q: 0.5}
  D: {type: driver, joint: J1, value: "%s"}
%ssimulation: {end: 1, output_step: 0.1}
"""

ROTOR = """linkwork: 1
gravity: [0, 0, 0]
parameters: {a: 0.301, k: 1}
bodies:
  b: {mass: 1, inertia: [1, 1, 1]}
joints:
  A: {type: revolute, parent: ground, child: b}
forces:
  m: {type: motor, joint: A, value: "%s"}
simulation: {end: 1, output_step: 0.1}
"""


FOUR_BAR = """linkwork: 1
bodies:
  a: {solid: {rod: {length: 0.5, mass: 2, axis: x}}}
  b: {solid: {rod: {length: 1.2, mass: 4, axis: x}}}
  c: {solid: {rod: {length: 1.0, mass: 3, axis: x}}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 0.5}
  B: {type: revolute, parent: a, child: b, at: [0.5, 0, 0], q: 60 deg}
  C: {type: revolute, parent: ground, child: c, at: [1.1, 0, 0], q: 100 deg}
  E: {type: revolute, parent: b, child: c, at: [1.2, 0, 0], child_at: [1, 0, 0]}
  D: {type: driver, joint: A, value: "%s"}
simulation: {end: 1, output_step: 0.1}
"""


class Tables(Folder):
    def test_the_ends_of_a_table_that_holds_are_kinks(self):
        # the speed of the driver jumps at both ends and in between, from 1/0.3 over -1/0.3 to 0
        table = "tables: {tab: {data: [[0.1, 0], [0.4, 1], [0.7, 0]], interpolation: linear, outside: hold}}\n"
        for formulation in FORMULATIONS:
            for integrator in INTEGRATORS:
                done = linkwork_json("run", self.model(PAIR % ("tab(t)", table)), "--formulation", formulation, "--integrator", integrator)
                self.assertEqual([e["names"] for e in done["events"]], [["driver D"]] * 3)
                for event, time in zip(done["events"], (0.1, 0.4, 0.7)):
                    self.assertAlmostEqual(event["time"], time, 12)
                if integrator != "rk4":
                    self.assertTrue(done["energy"]["balanced"])

    def test_a_driver_without_value_says_why_and_where(self):
        for value, column, said in (("(t - 0.5)^(1/3)", 49, "negative number to a fractional power"), ("log(t)", 40, "log of zero")):
            error = linkwork("check", self.model(PAIR % (value, "")), expect=1).stderr
            self.assertIn("is not finite: " + said, error)
            self.assertRegex(error, rf"model.yaml:10:{column}: ")


class Overflow(Folder):
    def test_a_driver_that_grows_too_fast_is_named_with_time(self):
        grows = "exp(exp(exp(5*t))) - exp(exp(1))"
        for model, line in ((PAIR % (grows, ""), 10), (FOUR_BAR % ("0.5 + " + grows), 11)):
            # the loop turns 26 times before it is too fast, in tens of thousands of steps: under the sanitizers once
            ways = ((), ("--formulation", "dca"), ("--formulation", "cartesian"), ("--integrator", "rk"))
            for words in ways[:1] if SANITIZED and "E:" in model else ways:
                said = linkwork("run", self.model(model), *words, expect=1).stderr
                self.assertRegex(said, rf'model.yaml:{line}:3: the integration stopped at t = 0\.[12]')
                self.assertRegex(said, r'driver "D" \(.*exp.*\) changes too fast to be followed: its value or a '
                                       r'derivative is not finite from t = 0\.35')

    def test_fast_ones_that_stay_finite_are_followed(self):
        linkwork("run", self.model(FOUR_BAR % "0.5 + 0.001*(exp(8*t) - 1)"))


class Positions(Folder):
    def test_a_position_that_jumps_is_an_error_with_time_and_size(self):
        for value, time, size in (("0.1*sign(t-0.5)", 0.5, 0.2), ("sign(t-0.123)*t", 0.123, 0.246),
                                  ("max(sign(t-a), 0)*k", 0.5, 1),
                                  ("atan2(sin(5*t), cos(5*t))", math.pi / 5, -2 * math.pi)):
            for formulation in FORMULATIONS:
                for integrator in INTEGRATORS:
                    said = linkwork("run", self.model(PAIR % (value, "")), "--formulation", formulation,
                                    "--integrator", integrator, expect=1).stderr
                    self.assertRegex(said, r'model.yaml:10:3: driver "D" jumps at t = ')
                    self.assertIn("t = %.10g from" % time, said)
                    self.assertIn("by %.6g:" % size, said)

    def test_a_jump_after_the_end_does_not_matter(self):
        linkwork("run", self.model(PAIR % ("sign(t-1.5)*0", "")))
        linkwork("run", self.model(PAIR % ("sign(t-1.5)", "")))


class Speeds(Folder):
    def test_a_speed_that_jumps_is_an_event(self):
        references = {}
        for formulation in FORMULATIONS:
            for integrator in INTEGRATORS:
                path = self.path("out.csv")
                report = linkwork_json("run", self.model(PAIR % ("max(0, t-0.503)", "")), "-o", path,
                                       "--formulation", formulation, "--integrator", integrator)
                self.assertEqual([e["names"] for e in report["events"]], [["driver D"]])
                event = report["events"][0]
                self.assertAlmostEqual(event["time"], 0.503, 15)
                self.assertAlmostEqual(event["u_before"]["J1"], 0, 12)
                self.assertAlmostEqual(event["u_after"]["J1"], 1, 12)
                # half of what the driver does in the jump is its impulse times the speed that it asks for
                self.assertAlmostEqual(event["kinetic_after"] - event["kinetic_before"],
                                       event["relation_impulses"]["D"] * 0.5, 9)
                heads, rows = read_csv(path)
                at = [r for r in rows if abs(r[0] - 0.503) < 1e-12]
                self.assertEqual(len(at), 2)
                for name in ("q.J1", "q.J2", "x.b2", "y.b2"):
                    i = heads.index(name)
                    self.assertAlmostEqual(at[0][i], at[1][i], 12)
                self.assertAlmostEqual(rows[-1][heads.index("q.J1")], 0.497, 12)
                for name in ("q.J2", "u.J2"):
                    x = rows[-1][heads.index(name)]
                    self.assertAlmostEqual(x, references.setdefault(name, x), 6)

    def test_two_halves_are_the_whole(self):
        """A kink at t = 0.5 is the same as a driver that is exchanged there by events."""
        kink = PAIR % ("min(2*t, 1) + max(0, 0.5-t)", "")
        events = PAIR % ("t + 0.5", """events:
  - {at: 0.5, disconnect: D}
  - {at: 0.5, connect: {name: E, type: driver, joint: J1, value: "1 + 0*t"}}
""")
        first, second = (linkwork_json("run", self.model(text)) for text in (kink, events))
        self.assertEqual(len(first["events"]), 1)
        for joint in ("J1", "J2"):
            self.assertAlmostEqual(first["events"][0]["u_after"][joint],
                                   second["events"][0]["u_after"][joint], 7)
        self.assertAlmostEqual(first["events"][0]["kinetic_after"],
                               second["events"][0]["kinetic_after"], 7)

    def test_a_kink_at_the_start_and_with_an_event_is_one_instant(self):
        report = linkwork_json("run", self.model(PAIR % ("abs(t)", "")))
        self.assertEqual([(e["time"], e["names"]) for e in report["events"]], [(0, ["driver D"])])
        report = linkwork_json("run", self.model(PAIR % ("max(0, t-a)", "events: [{at: 0.5, name: x, "
                               "impulse: {body: b2, linear: [1, 0, 0]}}]\n")))
        self.assertEqual([(e["time"], e["names"]) for e in report["events"]], [(0.5, ["x", "driver D"])])

    def test_smooth_switches_are_no_events(self):
        for value in ("max(0, t-0.5)^2", "max(0, t-0.5)^3", "abs(t-0.5)*(t-0.5)"):
            for formulation in FORMULATIONS:
                report = linkwork_json("run", self.model(PAIR % (value, "")), "--formulation", formulation)
                self.assertEqual(report["events"], [])

    def test_many_kinks_are_all_found(self):
        report = linkwork_json("run", self.model(PAIR % ("0.01*abs(sin(100*t+0.1))", "")))
        times = [e["time"] for e in report["events"]]
        self.assertEqual(len(times), 31)
        for k, time in enumerate(times):
            self.assertAlmostEqual(time, ((k + 1) * math.pi - 0.1) / 100, 14)


class Forces(Folder):
    def test_kinks_and_steps_of_a_motor_cost_no_accuracy(self):
        # integral of 3 sign(t - 0.301) + |sin 4t|, once and twice
        q, u = 0.27580376234453037, 1.7805890947840971
        for formulation in FORMULATIONS:
            for integrator in INTEGRATORS:
                report = linkwork_json("run", self.model(ROTOR % "3*sign(t-0.301) + abs(sin(4*t))"),
                                       "--formulation", formulation, "--integrator", integrator)
                self.assertEqual(report["events"], [])
                self.assertAlmostEqual(report["q"]["A"], q, 8)
                self.assertAlmostEqual(report["u"]["A"], u, 7)


class Derivatives(Folder):
    def test_derivatives_across_a_jump_of_speed_are_refused(self):
        said = linkwork("sens", self.model(PAIR % ("k*max(0, t-0.5)", "")), "--parameters", "k",
                        expect=1).stderr
        self.assertIn("model.yaml:10:3: the speed of driver D jumps at t = 0.5: there are no derivatives", said)

    def test_derivatives_where_parameters_move_a_jump(self):
        for n, law in enumerate(("sign(t-a)", "if(t < a and t < 2*a - 0.301, k, -2*k*q.A)", "k*floor(t/a)", "sign(t-a) + 3*k*floor(2*t/a)")):
            said = linkwork("sens", self.model(ROTOR % law), "--parameters", "a,k", "--check", "--formulation", FORMULATIONS[n % 3],
                            expect=1 if "and" in law else 0)
            if "and" in law: # which of the two conditions ends depends on a
                self.assertIn("which depends on parameters: there are no derivatives across it", said.stderr)
            else:
                self.assertIn("differences of whole runs agree", said.stdout, law)

    def test_derivatives_across_other_switches_are_right(self):
        for text in (ROTOR % "k*sign(t-0.3)", ROTOR % "k*max(0, t-a)", PAIR % ("k*max(0, t-0.5)^2", "")):
            said = linkwork("sens", self.model(text), "--parameters", "k", "--check").stdout
            self.assertIn("differences of whole runs agree", said)


PARALLELOGRAM = """linkwork: 1
planar: true
bodies:
  a: {mass: 1, com: [0.5, 0], inertia: 0.1}
  b: {mass: 1, com: [1, 0], inertia: 0.3}
  c: {mass: 1, com: [0.5, 0], inertia: 0.1}
joints:
  A: {type: revolute, parent: ground, child: a, q: 1}
  B: {type: revolute, parent: a, child: b, at: [1, 0], q: -1}
  C: {type: revolute, parent: ground, child: c, at: [2, 0], q: 1}
  D: {type: revolute, parent: b, child: c, at: [2, 0], child_at: [1, 0]}
  drive: {type: driver, joint: A, value: "1 + 6*t"}
simulation: {end: 3.2}
"""


class LongSteps(Folder):
    def test_joints_that_close_loops_count_all_their_turns(self):
        model = self.model(PARALLELOGRAM)
        for formulation in FORMULATIONS:
            for integrator in (*INTEGRATORS, "euler"):
                for step in ("0.1", "1.7", "3.2"):
                    linkwork("run", model, "--formulation", formulation, "--integrator", integrator, "-q",
                             "--output-step", step, "--columns", "t,q.*", "-o", self.path("turns.csv"))
                    names, rows = read_csv(self.path("turns.csv"))
                    for row in rows:
                        for joint, sign in (("A", 1), ("B", -1), ("C", 1), ("D", 1)):
                            self.assertAlmostEqual(row[names.index("q." + joint)], sign * (1 + 6 * row[0]), 6)


if __name__ == "__main__":
    unittest.main()
