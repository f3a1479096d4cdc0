# SPDX-License-Identifier: Apache-2.0
"""Events never move bodies unasked: couplers and drivers that do not hold are errors, or reported moves."""
import re
import unittest

from program import Folder, linkwork, linkwork_json, read_csv

FORMULATIONS = ("tree", "dca", "cartesian")

CHAIN = """linkwork: 1
gravity: [0, -9.81, 0]
bodies:
  b1: {solid: {rod: {length: 1, mass: 1, axis: -y}}}
  b2: {solid: {rod: {length: 1, mass: 1, axis: -y}}}
  b3: {solid: {rod: {length: 1, mass: 1, axis: -y}}}
joints:
  J1: {type: revolute, parent: ground, child: b1, q: 1}
  J2: {type: revolute, parent: b1, child: b2, at: [0, -1, 0], q: 0.5}
  J3: {type: revolute, parent: b2, child: b3, at: [0, -1, 0], q: 0.3}
events:
%s
simulation: {end: 0.5, output_step: 0.1}
"""

SLIDER = """linkwork: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 1}
joints:
  S: {type: prismatic, parent: ground, child: a, axis: [1, 0, 0], q: 0.2, u: 1}
events:
  - {at: 0.1, connect: {name: D, type: driver, joint: S, value: "%s"}}
simulation: {end: 0.5, output_step: 0.1}
"""

COUPLER = '  - {at: 0.3, connect: {name: D, type: coupler, joints: {J1: 1, J2: 1}, offset: 1.4%s}}'
DRIVER = '  - {at: 0.3, connect: {name: D, type: driver, joint: J1, value: "100 + 2*t"%s}}'
MOVE = ", move: true"

# a loop whose last joint is cut, and a body that a polynomial of that joint's angle turns; later another one of a joint of the tree
CURVED = """linkwork: 1
gravity: [0, 0, -9.81]
parameters: {h: 0.3}
bodies:
  a: {mass: 1, com: [0.3, 0, 0], inertia: [0.01, 0.02, 0.03]}
  b: {mass: 2, com: [0.1, 0, -0.2], inertia: [0.01, 0.02, 0.03]}
  c: {mass: 1.5, com: [0.1, 0, -0.2], inertia: [0.01, 0.02, 0.03]}
  d: {mass: 1.5, com: [0.1, 0, -0.2], inertia: [0.01, 0.02, 0.03]}
  e: {mass: 1, com: [0, 0, -0.2], inertia: [0.01, 0.02, 0.03]}
joints:
  A: {type: revolute, parent: ground, child: a, axis: y, q: 0.3, u: 1}
  B: {type: revolute, parent: a, child: b, at: [0.4, 0, 0], axis: y, q: 0.5}
  D: {type: revolute, parent: ground, child: d, at: [1, 0, 0], axis: y}
  C: {type: revolute, parent: b, child: d, at: [0.6, 0, 0], child_at: [0, 0, 0.5], axis: y, cut: true}
  E: {type: revolute, parent: d, child: c, at: [0.4, 0, 0], axis: y}
  F: {type: prismatic, parent: c, child: e, axis: x}
  k: {type: coupler, joints: {E: 1, C: [-0.2, h, 0.1, -0.4]}, offset: 0.1}
  l: {type: coupler, joints: {F: 1, A: [0, -0.3, 0.2]}, offset: 0.2}
events:
  - {at: 0.4, impulse: {body: c, linear: [0.5, 0, 1]}}
sensitivity: {parameters: [h]}
simulation: {end: 0.8, output_step: 0.2}
"""


class Unsatisfied(Folder):
    def complaint(self, text, *words):
        return linkwork("run", self.model(text), *words, expect=1).stderr

    def test_a_coupler_that_does_not_hold_is_an_error_that_says_by_how_much(self):
        for formulation in FORMULATIONS:
            said = self.complaint(CHAIN % COUPLER.replace("%s", ""), "--formulation", formulation)
            self.assertRegex(said, r'model.yaml:12:5: event "connect D" at t = 0.3: coupler "D" requires '
                                   r"1.4 rad, but the value is 1.25819\d* rad: it is off by 0.142 rad")

    def test_a_driver_that_does_not_hold_is_an_error_that_says_by_how_much(self):
        for formulation in FORMULATIONS:
            said = self.complaint(CHAIN % DRIVER.replace("%s", ""), "--formulation", formulation)
            self.assertRegex(said, r'driver "D" requires 100.6 rad, but the value is 0.770237\d* rad: '
                                   r"it is off by 99.8 rad; `move: true`")

    def test_coordinates_in_metres_are_said_to_be_so(self):
        said = self.complaint(SLIDER % "0.25 + t")
        self.assertIn("requires 0.35 m, but the value is 0.3 m: it is off by 0.05 m", said)

    def test_a_driver_that_holds_needs_no_move_and_stops_speeds_only(self):
        report = linkwork_json("run", self.model(SLIDER % "0.3 + 0*t"))
        event = report["events"][0]
        self.assertNotIn("moved", event)
        self.assertAlmostEqual(event["kinetic_before"], 0.5, 9)
        self.assertAlmostEqual(event["kinetic_after"], 0, 12)

    def test_a_driver_that_wakes_up_with_its_joint_must_hold_too(self):
        text = """linkwork: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
joints:
  A: {type: revolute, parent: ground, child: a, q: 0.2}
  D: {type: driver, joint: A, value: "0.2 + t"}
events:
  - {at: 0.1, disconnect: A}
  - {at: 0.3, connect: {name: B, type: revolute, parent: ground, child: a, at: [0, 0, 0], child_at: [0, 0, 0]%s}}
  - {at: 0.3, connect: {name: E, type: driver, joint: B, value: "0.9"%s}}
simulation: {end: 0.5}
"""
        said = self.complaint(text % ("", ""))
        self.assertRegex(said, r'event "connect E" at t = 0.3: driver "E" requires 0.9 rad, but '
                               r"the value is 0.5\d* rad: it is off by 0.4 rad")
        self.assertIn("moved", linkwork_json("run", self.model(text % ("", MOVE)))["events"][1])

    def test_one_of_several_that_does_not_hold_is_named(self):
        good = '  - {at: 0, connect: {name: G, type: coupler, joints: {J2: 1, J3: -1}, offset: 0.2}}'
        bad = '  - {at: 0, connect: {name: H, type: coupler, joints: {J1: 1, J3: 2}, offset: 1.5}}'
        said = self.complaint(CHAIN % (good + "\n" + bad))
        self.assertIn('coupler "H" requires 1.5 rad, but the value is 1.6 rad: it is off by 0.1 rad', said)

    def test_a_gear_holds_from_where_it_is(self):
        gear = '  - {at: 0.3, connect: {name: G, type: gear, joints: [J1, J2], ratio: 2}}'
        path = self.path("out.csv")
        for formulation in FORMULATIONS:
            report = linkwork_json("run", self.model(CHAIN % gear), "-o", path, "--formulation",
                                   formulation)
            self.assertNotIn("moved", report["events"][0])
            heads, rows = read_csv(path)
            at = [r for r in rows if abs(r[0] - 0.3) < 1e-12]
            for name in ("q.J1", "q.J2", "q.J3"):
                i = heads.index(name)
                self.assertAlmostEqual(at[0][i], at[1][i], 12)


class Moved(Folder):
    def check_report(self, text):
        reports = []
        for formulation in FORMULATIONS:
            path = self.path("out.csv")
            report = linkwork_json("run", self.model(text), "-o", path, "--formulation", formulation,
                                   "--rtol", "1e-10", "--atol", "1e-12")
            heads, rows = read_csv(path)
            before, after = [r for r in rows if abs(r[0] - 0.3) < 1e-12]
            event = report["events"][0]
            moved = event["moved"]
            for joint, (was, now) in moved["coordinates"].items():
                self.assertAlmostEqual(was, before[heads.index("q." + joint)], 12)
                self.assertAlmostEqual(now, after[heads.index("q." + joint)], 12)
            # energies are those on both sides of the move, not after it
            kinetic, potential = heads.index("energy.kinetic"), heads.index("energy.potential")
            self.assertAlmostEqual(event["kinetic_before"], before[kinetic], 9)
            self.assertAlmostEqual(moved["kinetic_before"], before[kinetic], 9)
            self.assertAlmostEqual(event["kinetic_after"], after[kinetic], 9)
            self.assertAlmostEqual(moved["potential_before"], before[potential], 9)
            self.assertAlmostEqual(moved["potential_after"], after[potential], 9)
            reports.append(event)
        for other in reports[1:]:
            for body, (distance, angle) in reports[0]["moved"]["bodies"].items():
                self.assertAlmostEqual(other["moved"]["bodies"][body][0], distance, 6)
                self.assertAlmostEqual(other["moved"]["bodies"][body][1], angle, 6)
        return reports[0]

    def test_a_coupler_may_move_bodies_and_says_how_far(self):
        event = self.check_report(CHAIN % (COUPLER % MOVE))
        q = event["moved"]["coordinates"]
        self.assertAlmostEqual(q["J1"][1] + q["J2"][1], 1.4, 10)
        # what is lost in the jump is lost from the energy that the move has left
        self.assertAlmostEqual(event["moved"]["kinetic_after"] - event["kinetic_after"],
                               event["jump_energy"], 9)

    def test_a_driver_may_move_bodies_and_says_how_far(self):
        event = self.check_report(CHAIN % (DRIVER % MOVE))
        self.assertAlmostEqual(event["moved"]["coordinates"]["J1"][1], 100.6, 10)
        self.assertAlmostEqual(event["u_after"]["J1"], 2, 10)

    def test_the_table_shows_the_move(self):
        text = linkwork("run", self.model(CHAIN % (COUPLER % MOVE))).stdout
        self.assertRegex(text, r"moved: kinetic energy 8\.32\d* -> 8\.34\d*, potential energy")
        self.assertRegex(text, r"b3 +by 0\.1008\d* m, 0\.151\d* rad")
        self.assertRegex(text, r"q\.J1 +0\.770\d* -> 0\.715")


class Numbers(Folder):
    BALL = """linkwork: 1
parameters: {e: 0.5}
bodies:
  b: {mass: 1, inertia: [1, 1, 1], pose: {at: [0, 0, 1]}}
events:
  - {name: h, at: 0.1, impact: {body: b, normal: [0, 0, 1], restitution: %s}}
simulation: {end: 0.2}
"""

    def test_restitution_is_between_0_and_1(self):
        for wrong in ("2", "-0.1", "1.0000001"):
            said = linkwork("run", self.model(self.BALL % wrong), expect=1).stderr
            self.assertRegex(said, r"model.yaml:6:74: .*the restitution must be between 0 and 1")
        said = linkwork("run", self.model(self.BALL % "e"), "--set", "e=1.5", expect=1).stderr
        self.assertRegex(said, r'model.yaml:6:\d+: event "h": the restitution must be between 0 and 1, '
                               "and is 1.5")
        for good in ("0", "1"):
            linkwork("run", self.model(self.BALL % good))

    def test_a_floating_body_is_listed_once(self):
        text = linkwork("run", self.model(self.BALL % "0.5")).stdout
        events = text[text.index("events"):text.index("energy  ")]
        self.assertEqual(len(re.findall(r"^ +b\.6 ", events, re.M)), 1)

    def test_powers_of_coordinates(self):
        path = self.model(CURVED)
        rows = {}
        for name in FORMULATIONS + ("embedded",):
            options = ("--loops", name) if name == "embedded" else ("--formulation", name)
            linkwork("run", path, "-o", self.path("out.csv"), "--rtol", "1e-10", *options)
            names, table = read_csv(self.path("out.csv"))
            rows[name] = [dict(zip(names, line)) for line in table]
            for i, row in enumerate(rows[name]):
                C, A = row["q.C"], row["q.A"]
                self.assertAlmostEqual(row["q.E"] - 0.2 * C + 0.3 * C ** 2 + 0.1 * C ** 3 - 0.4 * C ** 4, 0.1, 9)
                self.assertAlmostEqual(row["q.F"] - 0.3 * A ** 2 + 0.2 * A ** 3, 0.2, 9)
                self.assertLess(abs(row["energy.error"]), 1e-6)
                for column in ("q.A", "q.F", "u.E", "load.k", "load.l", "energy.kinetic"):
                    self.assertAlmostEqual(row[column], rows["tree"][i][column], 5, (name, column))
        self.assertIn("differences of whole runs agree", linkwork("sens", path, "--check").stdout)


if __name__ == "__main__":
    unittest.main()
