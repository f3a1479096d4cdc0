# SPDX-License-Identifier: Apache-2.0
"""The verbs equilibrium, modes and inverse, and singular configurations in run, check and inspect."""
import csv
import json
import math
import os
import tempfile
import unittest

from program import Folder, linkwork, linkwork_json, read_csv, shipped


class Case(Folder):
    def flat_four_bar(self, more=""):
        """A parallelogram whose bars lie in one line at the start."""
        return self.model("""
linkwork: 1
planar: true
bodies:
  a: {solid: {rod: {length: 1, mass: 1, axis: y}}}
  c: {solid: {rod: {length: 1, mass: 1, axis: y}}}
  b: {solid: {rod: {length: 1, mass: 1, axis: x}}}
joints:
  A: {type: revolute, parent: ground, child: a, q: -90 deg}
  C: {type: revolute, parent: ground, child: c, at: [1, 0], q: -90 deg}
  B: {type: revolute, parent: a, child: b, at: [0, 1], q: 90 deg}
  D: {type: revolute, parent: b, child: c, at: [1, 0], child_at: [0, 1]}
""" + more)


class Equilibrium(Case):
    def test_the_vehicle_stands_on_its_springs(self):
        found = linkwork_json("equilibrium", shipped("hmmwv"))
        self.assertEqual(found["stability"], "stable")
        self.assertEqual(found["dof"], 11)
        self.assertLess(found["residual"], 1e-9 * found["scale"])
        self.assertLess(found["drift"], 1e-12)
        self.assertLess(found["springs"]["spring_fl"]["tension"], -5000)
        self.assertAlmostEqual(found["springs"]["spring_fl"]["tension"],
                               found["springs"]["spring_fr"]["tension"], 3)
        self.assertIn("tie_rod_fl", found["loads"])
        self.assertIn("stable equilibrium", linkwork("equilibrium", shipped("hmmwv")).stdout)

    def test_a_start_at_an_unstable_equilibrium_is_said_to_be_one(self):
        up = linkwork_json("equilibrium", shipped("double-pendulum"), "--q", "A=3.141592653589793",
                           "--q", "B=0", "--nearest")
        self.assertEqual(up["stability"], "unstable")
        self.assertEqual(up["unstable"], 2)
        down = linkwork_json("equilibrium", shipped("double-pendulum"), "--q", "A=3")
        self.assertEqual(down["stability"], "stable")
        self.assertAlmostEqual(math.cos(down["q"]["A"]), 1, 12)

    def test_parameters_and_time_count(self):
        a = linkwork_json("equilibrium", shipped("driven-four-bar"))
        b = linkwork_json("equilibrium", shipped("driven-four-bar"), "--t", "1.5")
        self.assertAlmostEqual(a["q"]["A"], 0.5, 12)
        self.assertAlmostEqual(b["q"]["A"], 6.5, 12)
        self.assertNotAlmostEqual(a["relation_loads"]["crank"], b["relation_loads"]["crank"])

    def test_what_has_none_says_why(self):
        done = linkwork("equilibrium", shipped("humanoid"), expect=1)
        self.assertIn("nothing holds joint \"pelvis\"", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn("did you mean", linkwork("equilibrium", shipped("four-bar"), "--q", "AA=1",
                                               expect=2).stderr)


class Modes(Case):
    def test_frequencies_shapes_and_matrices(self):
        found = linkwork_json("modes", shipped("double-pendulum"), "--matrices")
        self.assertEqual([m["kind"] for m in found["modes"]], ["oscillation"] * 2)
        self.assertEqual(found["independent"], ["A", "B"])
        M, K, A, B = (found[k] for k in "MKAB")
        self.assertEqual((len(A), len(A[0]), len(B), len(B[0])), (4, 4, 4, 2))
        for mode in found["modes"]:  # K v = omega^2 M v
            square = mode["eigenvalue"][1] ** 2
            v = [mode["shape"]["A"], mode["shape"]["B"]]
            for i in range(2):
                left = sum(K[i][j] * v[j] for j in range(2))
                right = square * sum(M[i][j] * v[j] for j in range(2))
                self.assertAlmostEqual(left, right, 9)
            self.assertAlmostEqual(mode["frequency"], mode["eigenvalue"][1] / (2 * math.pi), 12)
            self.assertIn("displacement", mode["bodies"]["lower"])

    def test_shapes_as_a_table(self):
        path = self.path("shapes.csv")
        linkwork("modes", shipped("hmmwv"), "-o", path)
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 13)
        for row in rows:
            self.assertLess(float(row["real"]), 0)
            self.assertIn("im(upper_fl)", row)

    def test_rigid_motions_are_recognised(self):
        found = linkwork_json("modes", shipped("satellite"))
        self.assertEqual(found["stability"], "neutral")
        self.assertEqual(sum(m["kind"] == "rigid" for m in found["modes"]), 10)

    def test_states_and_mistakes(self):
        found = linkwork_json("modes", shipped("governor"), "--at", "start")
        self.assertEqual(found["at"], "start")
        self.assertAlmostEqual(found["u"]["turn"], 2 * math.pi)
        self.assertNotIn("stability", found)
        for words, message in [(["--at", "end"], "--at"), (["--u", "turn=1"], "--at start")]:
            self.assertIn(message, linkwork("modes", shipped("governor"), *words, expect=2).stderr)
        self.assertIn("cannot be written",
                      linkwork("modes", shipped("arm"), "-o", self.path("no/x.csv"), expect=1).stderr)


MOTION = """linkwork: 1
gravity: [0, -9.81, 0]
bodies:
  crank:   {solid: {rod: {length: 0.5, mass: 10, axis: x}}}
  coupler: {solid: {rod: {length: 1.2, mass: 12, axis: x}}}
  rocker:  {solid: {rod: {length: 1, mass: 10, axis: x}}}
  top:     {mass: 1, com: [0.1, 0.02, -0.3], inertia: [0.1, 0.12, 0.02]}
joints:
  A: {type: revolute, parent: ground, child: crank, q: 60 deg, hold: true}
  B: {type: revolute, parent: crank, child: coupler, at: [0.5, 0, 0]}
  C: {type: revolute, parent: coupler, child: rocker, at: [1.2, 0, 0], child_at: [1, 0, 0]}
  D: {type: revolute, parent: ground, child: rocker, at: [1.1, 0, 0], q: 100 deg}
  S: {type: spherical, parent: ground, child: top, u: [1, 2, 0.5]}
simulation: {end: 0.3, output_step: 0.01, rtol: 1e-11, atol: 1e-12}
"""
FORCED = """forces:
  M: {type: motor, joint: A, value: "60*sin(3*t) - u.A"}
  T: {type: motor, joint: S, dof: 2, value: 0.3}
"""


class Inverse(unittest.TestCase):
    def test_actuators_and_driven_motions(self):
        one = linkwork_json("inverse", shipped("four-bar"), "--udot", "A=2", "--actuators", "A")
        self.assertAlmostEqual(one["udot"]["A"], 2)
        self.assertEqual(one["tau"]["B"], 0)
        all_ = linkwork_json("inverse", shipped("four-bar"), "--udot", "A=2")
        self.assertLess(sum(x * x for x in all_["tau"].values()), one["tau"]["A"] ** 2)

    def test_the_joint_that_nothing_holds_is_named(self):
        text = ("linkwork: 1\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 1, inertia: [1, 1, 1]}\n"
                "  c: {solid: {rod: {length: 1, mass: 1, axis: x}}}\njoints:\n  A: {type: prismatic, parent: ground, child: a, axis: %s}\n"
                "  B: {type: prismatic, parent: a, child: b, axis: z}\n  C: {type: revolute, parent: ground, child: c, axis: y, q: 0.1}\n"
                "forces:\n  s: {type: joint_spring, joint: %s, stiffness: 100}\n%s")
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "m.yaml")
            for values, joint in ((("z", "A", ""), "B"), (("z", "B", ""), "A"),
                                  (("x", "B", "  w: {type: force, body: b, force: [3, 0, 0]}\n"), "A")):
                with open(model, "w") as file:
                    file.write(text % values)
                self.assertIn(f'nothing holds joint "{joint}"', linkwork("equilibrium", model, expect=1).stderr)
                self.assertIn(f'joint "{joint}" is still driven', linkwork("equilibrium", model, "--nearest", expect=1).stderr)

    def test_a_table_of_the_motion_gives_the_loads_that_caused_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = lambda name: os.path.join(folder, name)
            with open(path("a.yaml"), "w") as file:
                file.write(MOTION)
            with open(path("b.yaml"), "w") as file:
                file.write(MOTION + FORCED)
            for n, (columns, tolerance) in enumerate((("q.A,u.A,udot.A", 1e-9), ("q.A,u.A", 1e-3), ("q.A", 1e-1), ("q.D", 1e-1))):
                linkwork("run", path("b.yaml"), "-q", "--columns", columns + ",q.S.*,load.M,load.T", "-o", path("m.csv"))
                words = ("--actuators", "A,S") if n % 2 == 0 else ("--actuators", "A,S", "--output-step", "0.005")
                linkwork("inverse", path("a.yaml"), "--motion", path("m.csv"), "-o", path("o.csv"), *words)
                heads, rows = read_csv(path("m.csv"))
                names, found = read_csv(path("o.csv"))
                found = found if n % 2 == 0 else found[::2]
                self.assertEqual(len(found), len(rows))
                for r, f in list(zip(rows, found))[5:-5]:
                    self.assertAlmostEqual(r[0], f[0], places=12)
                    self.assertLess(abs(r[heads.index("load.M")] - f[names.index("tau.A")]), tolerance * 60, columns)
                    for k in range(3):
                        torque = 0.3 if k == 1 else 0
                        self.assertLess(abs(f[names.index(f"tau.S.{k + 1}")] - torque), 5e-3, columns)
            linkwork("run", path("b.yaml"), "-q", "--columns", "q.*", "-o", path("m.csv"))
            self.assertIn("leave them out of the table", linkwork("inverse", path("a.yaml"), "--motion", path("m.csv"), expect=1).stderr)
            for text, said in (("t,q.A\n0,1\n0,2\n", "times must rise"), ("t,q.X\n0,1\n", "column q.X belongs to no joint"),
                               ("t,q.S.1\n0,1\n", 'joint "S" has 4 coordinates, the table 1'), ("q.A\n1\n", "has the column t; this one has none"),
                               ("t,q.A\n0,x\n", '"x" of column q.A is no number'), ("t,u.A\n0,1\n", "has no coordinate q.J")):
                with open(path("m.csv"), "w") as file:
                    file.write(text)
                self.assertIn(said, linkwork("inverse", path("a.yaml"), "--motion", path("m.csv"), expect=2).stderr)
            self.assertIn("exclude each other", linkwork("inverse", path("a.yaml"), "--motion", path("m.csv"), "--q", "A=1", expect=2).stderr)

    def test_friction_of_the_motion_counts(self):
        text = ("linkwork: 1\ngravity: [0, 0, 0]\nbodies: {a: {mass: 2, inertia: [1, 1, 1]}, b: {mass: 3, inertia: [1, 1, 1]}}\n"
                "joints:\n  S: {type: prismatic, parent: ground, child: a, axis: x, friction: {load: 4, static: 5}}\n"
                "  T: {type: prismatic, parent: a, child: b, axis: x, friction: {load: 0.5}}\n")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "m.yaml")
            with open(path, "w") as f:
                f.write(text)
            out = linkwork_json("inverse", path, "--u", "S=-1", "--udot", "S=1", "--udot", "T=2")
            self.assertAlmostEqual(out["tau"]["S"], 2 + 3 * 3 - 4)   # slides back: friction helps
            self.assertAlmostEqual(out["tau"]["T"], 3 * 3 + 0.5)     # starts forward
            said = linkwork("inverse", path, "--u", "S=-1", "--udot", "S=1", "--udot", "T=0").stderr
            self.assertIn('joint "T" is at rest', said)

    def test_mistakes(self):
        self.assertIn("contradict", linkwork("inverse", shipped("four-bar"), "--udot", "A=2",
                                             "--udot", "B=1", expect=1).stderr)
        self.assertIn("cannot drive", linkwork("inverse", shipped("cart-pole"), "--actuators",
                                               "rail", "--udot", "rail=1", expect=1).stderr)
        self.assertIn("did you mean", linkwork("inverse", shipped("cart-pole"), "--actuators",
                                               "rails", expect=2).stderr)
        self.assertIn("twice", linkwork("inverse", shipped("cart-pole"), "--actuators", "rail,rail",
                                        expect=2).stderr)


class Kinematics(Case):
    def test_a_driven_mechanism_without_freedoms_runs(self):
        path = self.path("x.csv")
        linkwork("run", shipped("driven-four-bar"), "-o", path, "--columns", "t,q.A,u.A,udot.A,load.*")
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        last = {k: float(v) for k, v in rows[-1].items()}
        self.assertAlmostEqual(last["q.A"], 27.5, 10)
        self.assertAlmostEqual(last["u.A"], 6, 10)
        self.assertIn("load.crank", last)
        self.assertEqual(linkwork_json("check", shipped("driven-four-bar"))["dof"], 0)


class Singular(Case):
    def test_passages_are_reported(self):
        done = linkwork("run", shipped("two-four-bar"), "--end", "2", "--json")
        found = json.loads(done.stdout)["singularities"]
        self.assertEqual([(s["dof"], s["dof_there"]) for s in found], [(1, 3)] * 2)
        self.assertAlmostEqual(found[0]["time"], 0.71435551, 6)
        self.assertIn("not determined by the equations alone", found[0]["text"])
        self.assertIn("branch", found[0]["text"])
        self.assertIn("warning", done.stderr)
        quiet = linkwork("run", shipped("two-four-bar"), "--end", "2", "--quiet", "--json")
        self.assertEqual(quiet.stderr, "")
        self.assertIn("singular at", linkwork("run", shipped("two-four-bar"), "--end", "2").stdout)
        self.assertEqual(linkwork_json("run", shipped("four-bar"))["singularities"], [])

    def test_a_singular_start_is_reported(self):
        path = self.flat_four_bar()
        done = linkwork("check", path, "--json")
        found = json.loads(done.stdout)["singularities"]
        self.assertEqual((found[0]["dof"], found[0]["dof_there"]), (1, 2))
        self.assertIn("starts at a singular configuration", linkwork("check", path).stderr)
        graph = linkwork_json("inspect", path)
        self.assertEqual((graph["dof"], graph["dof_near"], graph["singular"]), (2, 1, True))
        self.assertIn("singular at the start", linkwork("inspect", path).stdout)

    def test_a_mechanism_that_stops_at_its_change_point(self):
        path = self.flat_four_bar("""forces:
  spring: {type: joint_spring, joint: A, stiffness: 5, damping: 12, rest: -90 deg}
gravity: [0, 0]
simulation: {end: 40, output_step: 1}
""")
        with open(path) as file:
            text = file.read().replace("q: -90 deg}", "q: 0}").replace("q: 90 deg}", "q: 0}")
        found = linkwork_json("run", self.model(text))["singularities"]
        self.assertEqual([(s["time"], s["dof"], s["dof_there"]) for s in found], [(40, 1, 2)])
        self.assertIn("ends at", found[0]["text"])


class Words(Case):
    def test_modes_say_what_moves(self):
        springs = "\n".join(f"  s{i}: {{type: spring, from: {{body: box, at: [{x}, {y}, -0.5]}}, to: {{body: ground, at: [{x}, {y}, 0]}}, "
                            "stiffness: 20000, length: 0.6}" for i, (x, y) in enumerate(((1, 0.5), (1, -0.5), (-1, 0.5), (-1, -0.5))))
        path = self.model("linkwork: 1\nbodies: {box: {mass: 1000, inertia: [200, 800, 900], pose: {at: [0, 0, 1]}}}\nforces:\n" + springs +
                          "\n  h: {type: bushing, parent: ground, child: box, at: [0, 0, 1], stiffness: [90000, 70000, 0], "
                          "angular_stiffness: [0, 0, 90000]}\n")
        said = [[m["motion"] for m in mode["moves"]] for mode in linkwork_json("modes", path)["modes"]]
        alone = sorted(words[0] for words in said if len(words) == 1)
        self.assertEqual(alone, ["heave", "yaw"])
        self.assertEqual(sorted(words for words in said if len(words) == 2), [["surge", "pitch"]] * 2 + [["sway", "roll"]] * 2)
        self.assertIn(": box heave\n", linkwork("modes", path).stdout)

    def test_the_plane_has_surge_heave_and_pitch(self):
        path = self.model("linkwork: 1\nplanar: true\nbodies: {box: {mass: 10, inertia: 3, pose: {at: [0, 1]}}}\nforces:\n"
                          "  h: {type: bushing, parent: ground, child: box, at: [0, 1], stiffness: [900, 5000, 0], angular_stiffness: 80}\n")
        said = sorted([m["motion"] for m in mode["moves"]] for mode in linkwork_json("modes", path)["modes"])
        self.assertEqual(said, [["heave"], ["pitch"], ["surge"]])


if __name__ == "__main__":
    unittest.main()
