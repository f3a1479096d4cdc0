# SPDX-License-Identifier: Apache-2.0
"""Events on the command line: two rows per instant, columns that come and go, reports."""
import csv
import json
import math
import os
import subprocess
import unittest

from program import SOURCE, Folder, linkwork, linkwork_json, shipped

CHAIN = """linkwork: 1
gravity: [0, -9.81, 0]
bodies:
  a: {solid: {rod: {length: 1, mass: 1, axis: -y}}}
  b: {solid: {rod: {length: 1, mass: 1, axis: -y}}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 1}
  B: {type: revolute, parent: a, child: b, at: [0, -1, 0], q: 0.5}
"""


class Case(Folder):
    def table(self, path, *words):
        out = self.path("out.csv")
        linkwork("run", path, "-o", out, *words)
        with open(out) as file:
            return list(csv.DictReader(file))

    def report(self, path, *words):
        return linkwork_json("run", path, *words)


class Rows(Case):
    def test_an_event_has_two_rows_and_an_output_time_at_it_no_third(self):
        path = self.model(CHAIN + "events: [{at: 0.7, lock: B}]\n"
                          "simulation: {end: 1, output_step: 0.05}\n")
        times = [float(row["t"]) for row in self.table(path)]
        self.assertEqual(len(times), 22)
        self.assertEqual(times.count(0.7), 2)
        self.assertEqual(sum(abs(t - 0.7) < 1e-6 for t in times), 2)

    def test_an_event_without_a_name_is_called_by_what_it_does(self):
        model = self.model("""linkwork: 1
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
joints: {A: {type: free, parent: ground, child: b}}
events:
  - {at: 0.1, connect: {name: J, type: spherical, parent: ground, child: b}}
  - {at: 0.2, disconnect: J}
simulation: {end: 0.3}
""")
        names = [e["names"] for e in linkwork_json("run", model)["events"]]
        self.assertEqual(names, [["connect J"], ["disconnect J"]])

    def test_an_event_at_the_start_has_two_rows(self):
        path = self.model(CHAIN + "events: [{at: 0, impulse: {body: a, linear: [0, 0, 0], "
                          "angular: [0, 0, 1]}}]\n")
        rows = self.table(path, "--columns", "t,u.A")
        self.assertEqual([float(row["t"]) for row in rows[:3]], [0, 0, 0.01])
        self.assertEqual(float(rows[0]["u.A"]), 0)
        self.assertGreater(float(rows[1]["u.A"]), 0.1)

    def test_columns_of_what_comes_and_goes_are_empty_meanwhile(self):
        path = self.model(CHAIN + """events:
  - {at: 0.2, connect: {name: tip, type: revolute, parent: ground, child: b, child_at: [0, -1, 0]}}
  - {at: 0.4, disconnect: tip}
  - {at: 0.6, disconnect: B}
simulation: {end: 0.8, output_step: 0.1}
""")
        rows = self.table(path)
        for row in rows:
            t = float(row["t"])
            if t not in (0.2, 0.4):
                self.assertEqual(row["q.tip"] != "", 0.2 < t < 0.4)
                self.assertEqual(row["fx.tip"] != "", 0.2 < t < 0.4)
            self.assertNotEqual(row["x.b"], "")
        pair = [row for row in rows if float(row["t"]) == 0.2]
        self.assertEqual(pair[0]["q.tip"], "")
        self.assertAlmostEqual(float(pair[1]["q.tip"]), 0, 14)
        self.assertEqual(rows[-1]["q.B"], "")
        self.assertNotIn("q.b.1", rows[0])  # what comes loose is seen through its body columns

    def test_a_joint_of_another_type_has_other_columns(self):
        path = self.model(CHAIN.replace("q: 0.5", "q: 0") + """events:
  - {at: 0.5, replace: {joint: B, type: spherical}}
simulation: {end: 1, output_step: 0.25}
""")
        rows = self.table(path)
        self.assertEqual([row["q.B"] != "" for row in rows], [True, True, True, False, False, False])
        self.assertEqual([row["q.B.4"] != "" for row in rows],
                         [False, False, False, True, True, True])

    def test_a_force_on_what_is_not_there_sleeps(self):
        path = self.model(CHAIN + """forces:
  spin: {type: motor, joint: pin, value: "5 - u.pin"}
events:
  - {at: 0.2, connect: {name: pin, type: revolute, parent: ground, child: b, at: [9, 9, 0],
      child_at: [0, -1, 0], move: false}}
simulation: {end: 0.1}
""")
        self.table(path)

    def test_stop_ends_the_table(self):
        path = self.model(CHAIN + "events: [{name: enough, when: q.A, stop: true}]\n"
                          "simulation: {end: 10}\n")
        rows = self.table(path)
        self.assertLess(float(rows[-1]["t"]), 2)
        self.assertAlmostEqual(float(rows[-1]["q.A"]), 0, 9)
        self.assertTrue(self.report(path)["complete"])


class Reports(Case):
    def test_what_json_says_of_an_event(self):
        path = self.model(CHAIN + "events: [{name: latch, at: 0.5, lock: B}]\n")
        event, = self.report(path)["events"]
        self.assertEqual(event["names"], ["latch"])
        self.assertEqual(event["time"], 0.5)
        self.assertEqual(event["u_after"]["B"], 0)
        self.assertEqual(len(event["impulses"]["B"]), 6)
        lost = event["kinetic_before"] - event["kinetic_after"]
        self.assertAlmostEqual(lost, event["jump_energy"], 12)
        # a lock loses -1/2 p u-
        self.assertAlmostEqual(lost, -0.5 * event["impulses"]["B"][5] * event["u_before"]["B"], 12)

    def test_the_summary_lists_events(self):
        out = linkwork("run", shipped("latch")).stdout
        self.assertIn("latch", out)
        self.assertIn("open, push", out)

    def test_mistakes_have_a_place(self):
        path = self.model(CHAIN + "events:\n  - {at: 0.1, lock: B}\n  - {at: 0.2, lock: B}\n")
        error = linkwork("run", path, expect=1).stderr
        self.assertIn("locked already", error)
        self.assertIn(":11:", error)

    def test_formulations_report_the_same(self):
        for name in ("gripper", "bouncing-pendulum", "latch"):
            with self.subTest(name=name):
                tree, dca = (self.report(shipped(name), "--formulation", f)["events"]
                             for f in ("tree", "dca"))
                self.assertEqual(len(tree), len(dca))
                for a, b in zip(tree, dca):
                    self.assertEqual(a["names"], b["names"])
                    self.assertAlmostEqual(a["time"], b["time"], 6)
                    self.assertAlmostEqual(a["kinetic_after"], b["kinetic_after"], 4)


class Levels(Case):
    def test_each_of_many_levels_is_crossed_once_in_order_beside_what_never_moves(self):
        """Quiet for long, then crossed: x = a t^2/2 passes levels of all sizes; the locked speed stays on zero."""
        levels = [10 ** (k / 8) / 100 for k in range(25)]
        nothing = "impulse: {body: b, linear: [0, 0, 0]}"
        events = "".join(f'  - {{name: x{k}, when: "q.S - {x!r}", once: {str(k % 2 == 0).lower()}, {nothing}}}\n'
                         for k, x in enumerate(levels))
        path = self.model("""linkwork: 1
gravity: [3, 0, 0]
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints:
  S: {type: prismatic, axis: x, parent: ground, child: a}
  R: {type: revolute, parent: a, child: b}
events:
  - {at: 0, lock: R}
  - {name: never, when: u.R, stop: true}
""" + events + "simulation: {end: 3}\n")
        for words in ((), ("--integrator", "rk4", "--step", "0.01"), ("--integrator", "rk"), ("--integrator", "bdf"),
                      ("--formulation", "cartesian"), ("--formulation", "dca")):
            found = [(e["names"][0], e["time"]) for e in self.report(path, *words)["events"][1:]]
            self.assertEqual([name for name, _ in found], [f"x{k}" for k in range(25)], words)
            for (_, time), x in zip(found, levels):
                self.assertAlmostEqual(time, math.sqrt(2 * x / 3), delta=1e-6, msg=words)


class BeginsAnew(Case):
    def test_a_run_that_begins_anew_within_a_step_reports_the_same_events(self):
        """The last step has been searched beyond the row at which the run begins anew."""
        nothing = "impulse: {body: a, linear: [0, 0, 0]}"
        path = self.model(f"""linkwork: 1
gravity: [0, 0, 0]
bodies: {{a: {{mass: 1, inertia: [1, 1, 1]}}}}
joints: {{A: {{type: revolute, parent: ground, child: a, u: 40}}}}
events:
  - {{name: both, when: "sin(q.A + 0.1)", {nothing}}}
  - {{name: rising, when: "cos(q.A + 0.2)", direction: rising, {nothing}}}
simulation: {{end: 1, output_step: 0.013}}
""")
        both = [((k * math.pi - 0.1) / 40, "both") for k in range(1, 13)]
        rising = [((k * math.pi * 2 - math.pi / 2 - 0.2) / 40, "rising") for k in range(1, 7)]
        expected = sorted(both + rising)
        for words in (("--checkpoint", "1"), ("--checkpoint", "1", "--formulation", "cartesian"),
                      ("--checkpoint", "3", "--integrator", "rk4", "--step", "0.01"), ("--checkpoint", "7")):
            found = [(e["time"], e["names"][0]) for e in self.report(path, *words)["events"]]
            self.assertEqual([name for _, name in found], [name for _, name in expected], words)
            for (time, _), (right, _) in zip(found, expected):
                self.assertAlmostEqual(time, right, delta=1e-6, msg=words)


class Locks(Case):
    """A locked mechanism moves, and its joints carry loads, like one that was built so."""

    def compare(self, locked, built, names, formulation="tree"):
        a, b = (self.table(self.model(text), "--rtol", "1e-11", "--formulation", formulation)
                for text in (locked, built))
        last, other = a[-1], b[-1]
        self.assertEqual(last["t"], other["t"])
        for name in names:
            scale = max(1, abs(float(other[name])))
            self.assertAlmostEqual(float(last[name]) / scale, float(other[name]) / scale, 7, name)

    def parts(self, kinds, owners):
        return [f"{kind}.{owner}" for kind in kinds for owner in owners]

    def test_a_lock_is_a_fixed_joint(self):
        text = """linkwork: 1
gravity: [1, -9.81, 2]
bodies:
  a: {solid: {box: {size: [1, 0.2, 0.3], mass: 2, at: [0.5, 0, 0]}}}
  b: {solid: {box: {size: [1, 0.3, 0.1], mass: 1, at: [0.5, 0, 0]}}}
  c: {solid: {box: {size: [1, 0.1, 0.1], mass: 1, at: [0.5, 0, 0]}}}
joints:
  A: {type: spherical, parent: ground, child: a, u: [1, 2, 3]}
  B: {JOINT, parent: a, child: b, at: [1, 0, 0]}
  C: {type: revolute, parent: b, child: c, at: [1, 0, 0], axis: y, u: 1}
simulation: {end: 0.5, output_step: 0.5}
"""
        names = self.parts(["x", "y", "z"], "abc") + self.parts(
            ["fx", "fy", "fz", "tx", "ty", "tz"], "ABC")
        for formulation in ("tree", "dca", "cartesian"):
            for joint, lock, built in (
                    ("type: revolute", "B", "type: fixed"),
                    ("type: spherical", "B", "type: fixed"),
                    ("type: universal, axis: [1, 1, 0], axis2: y", "{joint: B, dofs: [1]}",
                     "type: revolute, axis: y"),
                    ("type: universal, axis: [1, 1, 0], axis2: y", "{joint: B, dofs: [2]}",
                     "type: revolute, axis: [1, 1, 0]"),
                    ("type: cylindrical, axis: x", "{joint: B, dofs: [1]}",
                     "type: prismatic, axis: x"),
                    ("type: planar", "{joint: B, dofs: [1, 2]}", "type: revolute")):
                with self.subTest(joint=joint, lock=lock, formulation=formulation):
                    self.compare(text.replace("JOINT", joint)
                                 + f"events: [{{at: 0, lock: {lock}}}]\n",
                                 text.replace("JOINT", built), names, formulation)

    def test_a_lock_in_a_loop_is_a_fixed_joint(self):
        text = """linkwork: 1
planar: true
bodies:
  a: {solid: {box: {size: [1, 0.1, 0.1], mass: 1, at: [0.5, 0]}}}
  b: {solid: {box: {size: [1, 0.1, 0.1], mass: 1, at: [0.5, 0]}}}
  c: {solid: {box: {size: [1, 0.1, 0.1], mass: 2, at: [0.5, 0]}}}
  d: {solid: {box: {size: [1, 0.1, 0.1], mass: 1, at: [0.5, 0]}}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 90 deg, hold: true}
  B: {type: revolute, parent: a, child: b, at: [1, 0], q: -90 deg, hold: true}
  C: {JOINT, parent: b, child: c, at: [1, 0], CUT}
  D: {type: revolute, parent: c, child: d, at: [1, 0], q: -45 deg}
  E: {type: revolute, parent: ground, child: d, at: [1.7071067811865475, -0.7071067811865475], child_at: [1, 0]}
simulation: {end: 0.5, output_step: 0.5}
"""
        names = self.parts(["x", "y"], "abcd") + self.parts(["fx", "fy", "tz"], "ABCDE")
        for formulation in ("tree", "dca", "cartesian"):
            for cut in ("cut: true", "cut: false"):
                with self.subTest(cut=cut, formulation=formulation):
                    self.compare(text.replace("JOINT", "type: revolute, q: -45 deg, hold: true")
                                 .replace("CUT", cut) + "events: [{at: 0, lock: C}]\n",
                                 text.replace("JOINT", "type: fixed, orient: {ANGLE}")
                                 .replace("{ANGLE}", "-45 deg").replace("CUT", cut),
                                 names, formulation)

    def test_motors_and_springs_are_not_in_the_load_of_a_locked_joint(self):
        text = CHAIN + """forces:
  motor: {type: motor, joint: B, value: 3}
events: [{at: 0, lock: B}]
simulation: {end: 0.1, output_step: 0.1}
"""
        with_motor = self.table(self.model(text))[-1]
        without = self.table(self.model(text.replace("value: 3", "value: 0")))[-1]
        self.assertAlmostEqual(float(with_motor["q.A"]), float(without["q.A"]), 12)
        self.assertAlmostEqual(float(with_motor["tz.B"]), float(without["tz.B"]) - 3, 9)


class Models(Case):
    def test_the_latch_catches_the_door_and_lets_it_go(self):
        rows = self.table(shipped("latch"))
        closed = [row for row in rows if 1 < float(row["t"]) < 4]
        self.assertEqual({row["u.hinge"] for row in closed}, {"0"})
        self.assertTrue(all(abs(float(row["q.hinge"])) < 1e-9 for row in closed))
        self.assertLess(float(rows[-1]["q.hinge"]), -0.5)

    def test_the_gripper_takes_the_part_along_and_throws_it(self):
        rows = self.table(shipped("gripper"))
        events = self.report(shipped("gripper"))["events"]
        self.assertEqual([e["names"] for e in events], [["grip", "break"], ["throw"]])
        grip, throw = events[0]["time"], events[1]["time"]
        for row in rows:
            t = float(row["t"])
            hand = [float(row[c + ".fore"]) for c in "xy"]
            part = [float(row[c + ".part"]) for c in "xy"]
            far = math.dist(hand, part)
            if grip < t < throw:
                self.assertAlmostEqual(far, 0.5, 9)
        self.assertAlmostEqual(events[1]["kinetic_before"], events[1]["kinetic_after"], 12)
        last = rows[-1]
        flight = 1 - throw
        start = next(row for row in rows if float(row["t"]) == throw)
        self.assertAlmostEqual(float(last["y.part"]),
                               float(start["y.part"]) + float(start["vy.part"]) * flight
                               - 9.81 / 2 * flight ** 2, 8)

    def test_the_pendulum_never_passes_the_wall_and_loses_energy_only_there(self):
        path = shipped("bouncing-pendulum")
        events = self.report(path)["events"]
        self.assertGreater(len(events), 2)
        energy = None
        for row in self.table(path):
            tip = float(row["x.lower"]) - 0.5 * math.sin(float(row["q.A"]) + float(row["q.B"]))
            self.assertGreater(tip, -0.3 - 1e-7)
            now = float(row["energy.total"])
            if energy is not None:
                self.assertLess(now, energy + 1e-6)
            energy = now
        for event in events:
            self.assertGreater(event["kinetic_lost"], 0)
            self.assertEqual(event["names"], ["bounce"])

    def test_a_cloud_becomes_bodies_and_a_chain_and_back(self):
        report = self.report(shipped("coarse-graining"))
        events = report["events"]
        self.assertEqual([event["time"] for event in events], [0.5, 1, 1.5, 2])
        self.assertEqual([len(event["names"]) for event in events], [26, 25, 25, 26])
        for event in events:
            for kind in ("linear", "angular"):
                before, after = (event[f"{kind}_momentum_{side}"] for side in ("before", "after"))
                self.assertLess(math.dist(before, after), 1e-12 * math.hypot(*before))
            self.assertAlmostEqual(event["kinetic_lost"], event["jump_energy"],
                                   delta=1e-12 * event["kinetic_before"])
        for event, lost in zip(events, (99.11, 0.6297, 0, 0)):
            self.assertAlmostEqual(event["kinetic_lost"], lost, delta=1e-3 * lost + 1e-9)
        self.assertEqual(len(events[0]["u_before"]), 5000)
        self.assertEqual(len(events[0]["u_after"]), 26)
        self.assertEqual(len(events[1]["u_after"]), 26)
        self.assertEqual(len(events[3]["u_after"]), 5000)
        drawing = subprocess.run([os.path.join(SOURCE, "tools", "plot-transitions.py")],
                                 input=json.dumps(report), capture_output=True, text=True)
        self.assertEqual(drawing.returncode, 0, drawing.stderr)
        self.assertEqual(drawing.stdout.count("<polyline"), 3)


# A chain on a slider whose end is moved to a point that it does not reach at that time.
MOVED = """linkwork: 1
planar: true
gravity: [0, -9.81]
parameters: {L: 0.81077032990002251, m: 1.162397590301953, w: 0.58078136133854019, k: 0.57609335610198342}
bodies:
  b1: {solid: {rod: {length: L, mass: m, axis: [0, -1]}}}
  b2: {solid: {rod: {length: 0.7*L, mass: 0.6*m*L, axis: [0, -1]}}}
  b3: {solid: {rod: {length: 0.6, mass: 0.8, axis: [0, -1]}}}
  cart: {mass: 2*m, inertia: 0.3}
joints:
  P: {type: prismatic, parent: ground, child: cart, axis: [1, 0.272], u: w/3}
  A: {type: revolute, parent: cart, child: b1, q: 0.473, u: w}
  B: {type: revolute, parent: b1, child: b2, at: [0, -L], q: 0.743}
  C: {type: revolute, parent: b2, child: b3, at: [0, -0.7*L], q: -0.190, u: -0.017}
forces:
  turn: {type: joint_spring, joint: B, stiffness: 1.717*k, damping: 0.1, rest: 0.2*w}
  pull: {type: spring, from: {body: ground, at: [-1, 0.2]}, to: {body: cart}, stiffness: 20*k, length: L}
events:
  - {at: 0.29560635524441914, connect: {name: tip, type: revolute, parent: ground, child: b3,
     at: [0.85094925634243801 + 0.05*k, -1.0674915719053804 - 0.03*L], child_at: [0, 0], move: true}}
simulation: {end: 0.4, output_step: 0.1}
"""


class Moves(Case):
    def test_where_bodies_go_does_not_depend_on_the_tolerances(self):
        model = self.model(MOVED)
        events = [linkwork_json("run", model, "--rtol", rtol)["events"][0] for rtol in ("1e-10", "1e-11", "1e-12")]
        for e in events[1:]:
            for joint, u in e["u_after"].items():
                self.assertAlmostEqual(u, events[0]["u_after"][joint], 8, joint)


class Table(Case):
    """What the terminal shows of an event: impulses, jumps of all speeds, energies, momenta."""

    def lines(self, path):
        text = linkwork("run", path).stdout
        return text[text.index("\nevents\n"):text.index("\nenergy ")].splitlines()

    def test_every_joint_has_its_impulse_and_every_speed_its_jump(self):
        box = "  c: {solid: {box: {size: [1, 2, 3], mass: 1}}}\njoints:"
        path = self.model(CHAIN.replace("joints:", box) + """\
  S: {type: spherical, parent: b, child: c, at: [0, -1, 0], u: [1, 2, 3]}
events: [{at: 0.5, lock: {joint: S, dofs: [2]}}, {at: 0.5, disconnect: A}]
""")
        event = self.report(path)["events"][0]
        rows = {line.split()[0]: line.split()[1:] for line in self.lines(path) if line.strip()}
        self.assertAlmostEqual(float(rows["B"][2]),
                               event["u_after"]["B"] - event["u_before"]["B"], 6)
        for i in range(3):
            numbers = [float(x) for x in rows[f"S.{i + 1}"]]
            jump = event["u_after"]["S"][i] - event["u_before"]["S"][i]
            self.assertAlmostEqual(numbers[2], jump, 6)
            self.assertEqual(len(numbers), 5 if i == 0 else 3)
        self.assertAlmostEqual(float(rows["S.1"][3]), math.hypot(*event["impulses"]["S"][:3]), 6)
        self.assertAlmostEqual(float(rows["S.1"][4]), math.hypot(*event["impulses"]["S"][3:]), 6)
        self.assertAlmostEqual(float(rows["A"][0]), event["u_before"]["A"], 6)
        self.assertEqual([len(rows[f"a.{i}"]) for i in range(1, 7)], [1] * 6)

    def test_energies_momenta_and_relations_are_shown(self):
        lines = "\n".join(self.lines(shipped("gripper")))
        event = self.report(shipped("gripper"))["events"][0]
        self.assertIn(f"lost {event['kinetic_lost']:.9g}; 1/2 dV^T M dV {event['jump_energy']:.9g}",
                      lines)
        self.assertIn(f"{math.hypot(*event['linear_momentum_before']):.6g} -> ", lines)
        self.assertIn(f"drive          impulse of the relation "
                      f"{event['relation_impulses']['drive']:.7g}", lines)


class Edges(Folder):
    MODEL = """linkwork: 1
bodies:
  b: {solid: {rod: {length: 1, mass: 1, axis: x}}}
joints:
  A: {type: revolute, parent: ground, child: b, axis: y, u: 1}
forces:
  f: {type: motor, joint: A, value: "0*acos(cos(q.A)*1.0000000000000002)"}
events:
  - {name: angle, when: "acos(e0.b*1.0000000000000002) - 0.25", impulse: {body: b, linear: [0, 0, 0]}}
  - {name: sine, when: "sqrt(1 - e0.b^2) - sin(0.5)", impulse: {body: b, linear: [0, 0, 0]}}
gravity: [0, 0, 0]
simulation: {end: 2}
"""

    def test_rounding_errors_at_the_edge_of_a_domain_do_not_end_a_run(self):
        model = self.model(self.MODEL)
        for formulation in ("tree", "dca", "cartesian"):
            for integrator in ("auto", "rk", "rk4"):
                run = linkwork_json("run", model, "--formulation", formulation, "--integrator", integrator)
                found = [(e["time"], e["names"]) for e in run["events"]]
                self.assertEqual([names for _, names in found], [["angle"], ["sine"]])
                for (time, _), expected in zip(found, (0.5, 1)):
                    self.assertAlmostEqual(time, expected, delta=1e-6)


if __name__ == "__main__":
    unittest.main()
