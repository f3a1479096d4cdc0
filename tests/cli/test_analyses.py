# SPDX-License-Identifier: Apache-2.0
"""The verbs equilibrium, modes and inverse, and singular configurations in run, check and inspect.

The program is $LINKWORK, the repository $LINKWORK_SOURCE.
"""
import csv
import json
import math
import os
import subprocess
import tempfile
import unittest

LINKWORK = os.environ.get("LINKWORK", "linkwork")
SOURCE = os.environ.get("LINKWORK_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))


def model(name):
    return os.path.join(SOURCE, "models", name + ".yaml")


def linkwork(*words, expect=0):
    done = subprocess.run([LINKWORK, *words], capture_output=True, text=True, timeout=120)
    if done.returncode != expect:
        raise AssertionError(f"{words}: exit {done.returncode}, expected {expect}\n"
                             f"{done.stdout}{done.stderr}")
    return done


def linkwork_json(*words):
    return json.loads(linkwork(*words).stdout)


class Folder(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)

    def path(self, name):
        return os.path.join(self._folder.name, name)

    def write(self, text):
        with open(self.path("model.yaml"), "w") as file:
            file.write(text)
        return self.path("model.yaml")

    def flat_four_bar(self, more=""):
        """A parallelogram whose bars lie in one line at the start."""
        return self.write("""
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


class Equilibrium(Folder):
    def test_the_vehicle_stands_on_its_springs(self):
        found = linkwork_json("equilibrium", model("hmmwv"), "--json")
        self.assertEqual(found["stability"], "stable")
        self.assertEqual(found["dof"], 11)
        self.assertLess(found["residual"], 1e-9 * found["scale"])
        self.assertLess(found["drift"], 1e-12)
        self.assertLess(found["springs"]["spring_fl"]["tension"], -5000)
        self.assertAlmostEqual(found["springs"]["spring_fl"]["tension"],
                               found["springs"]["spring_fr"]["tension"], 3)
        self.assertIn("tie_rod_fl", found["loads"])
        self.assertIn("stable equilibrium", linkwork("equilibrium", model("hmmwv")).stdout)

    def test_a_start_at_an_unstable_equilibrium_is_said_to_be_one(self):
        up = linkwork_json("equilibrium", model("double-pendulum"), "--q", "A=3.141592653589793",
                           "--q", "B=0", "--nearest", "--json")
        self.assertEqual(up["stability"], "unstable")
        self.assertEqual(up["unstable"], 2)
        down = linkwork_json("equilibrium", model("double-pendulum"), "--q", "A=3", "--json")
        self.assertEqual(down["stability"], "stable")
        self.assertAlmostEqual(math.cos(down["q"]["A"]), 1, 12)

    def test_parameters_and_time_count(self):
        a = linkwork_json("equilibrium", model("driven-four-bar"), "--json")
        b = linkwork_json("equilibrium", model("driven-four-bar"), "--t", "1.5", "--json")
        self.assertAlmostEqual(a["q"]["A"], 0.5, 12)
        self.assertAlmostEqual(b["q"]["A"], 6.5, 12)
        self.assertNotAlmostEqual(a["relation_loads"]["crank"], b["relation_loads"]["crank"])

    def test_what_has_none_says_why(self):
        done = linkwork("equilibrium", model("humanoid"), expect=1)
        self.assertIn("nothing holds joint \"pelvis\"", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn("did you mean", linkwork("equilibrium", model("four-bar"), "--q", "AA=1",
                                               expect=2).stderr)


class Modes(Folder):
    def test_frequencies_shapes_and_matrices(self):
        found = linkwork_json("modes", model("double-pendulum"), "--json", "--matrices")
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
        linkwork("modes", model("hmmwv"), "-o", path)
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 13)
        for row in rows:
            self.assertLess(float(row["real"]), 0)
            self.assertIn("im(upper_fl)", row)

    def test_rigid_motions_are_recognised(self):
        found = linkwork_json("modes", model("satellite"), "--json")
        self.assertEqual(found["stability"], "neutral")
        self.assertEqual(sum(m["kind"] == "rigid" for m in found["modes"]), 10)

    def test_states_and_mistakes(self):
        found = linkwork_json("modes", model("governor"), "--at", "start", "--json")
        self.assertEqual(found["at"], "start")
        self.assertAlmostEqual(found["u"]["turn"], 2 * math.pi)
        self.assertNotIn("stability", found)
        for words, message in [(["--at", "end"], "--at"), (["--u", "turn=1"], "--at start")]:
            self.assertIn(message, linkwork("modes", model("governor"), *words, expect=2).stderr)
        self.assertIn("cannot be written",
                      linkwork("modes", model("arm"), "-o", self.path("no/x.csv"), expect=1).stderr)


class Inverse(unittest.TestCase):
    def test_actuators_and_driven_motions(self):
        one = linkwork_json("inverse", model("four-bar"), "--udot", "A=2", "--actuators", "A",
                            "--json")
        self.assertAlmostEqual(one["udot"]["A"], 2)
        self.assertEqual(one["tau"]["B"], 0)
        all_ = linkwork_json("inverse", model("four-bar"), "--udot", "A=2", "--json")
        self.assertLess(sum(x * x for x in all_["tau"].values()), one["tau"]["A"] ** 2)

    def test_mistakes(self):
        self.assertIn("contradict", linkwork("inverse", model("four-bar"), "--udot", "A=2",
                                             "--udot", "B=1", expect=1).stderr)
        self.assertIn("cannot drive", linkwork("inverse", model("cart-pole"), "--actuators",
                                               "rail", "--udot", "rail=1", expect=1).stderr)
        self.assertIn("did you mean", linkwork("inverse", model("cart-pole"), "--actuators",
                                               "rails", expect=2).stderr)
        self.assertIn("twice", linkwork("inverse", model("cart-pole"), "--actuators", "rail,rail",
                                        expect=2).stderr)


class Kinematics(Folder):
    def test_a_driven_mechanism_without_freedoms_runs(self):
        path = self.path("x.csv")
        linkwork("run", model("driven-four-bar"), "-o", path, "--columns", "t,q.A,u.A,udot.A,load.*")
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        last = {k: float(v) for k, v in rows[-1].items()}
        self.assertAlmostEqual(last["q.A"], 27.5, 10)
        self.assertAlmostEqual(last["u.A"], 6, 10)
        self.assertIn("load.crank", last)
        self.assertEqual(linkwork_json("check", model("driven-four-bar"), "--json")["dof"], 0)


class Singular(Folder):
    def test_passages_are_reported(self):
        done = linkwork("run", model("two-four-bar"), "--end", "2", "--json")
        found = json.loads(done.stdout)["singularities"]
        self.assertEqual([(s["dof"], s["dof_there"]) for s in found], [(1, 3)] * 2)
        self.assertAlmostEqual(found[0]["time"], 0.71435551, 6)
        self.assertIn("not determined by the equations alone", found[0]["text"])
        self.assertIn("branch", found[0]["text"])
        self.assertIn("warning", done.stderr)
        self.assertEqual(linkwork("run", model("two-four-bar"), "--end", "2", "--quiet",
                                  "--json").stderr, "")
        self.assertIn("singular at", linkwork("run", model("two-four-bar"), "--end", "2").stdout)
        self.assertEqual(linkwork_json("run", model("four-bar"), "--json")["singularities"], [])

    def test_a_singular_start_is_reported(self):
        path = self.flat_four_bar()
        done = linkwork("check", path, "--json")
        found = json.loads(done.stdout)["singularities"]
        self.assertEqual((found[0]["dof"], found[0]["dof_there"]), (1, 2))
        self.assertIn("starts at a singular configuration", linkwork("check", path).stderr)
        graph = linkwork_json("inspect", path, "--json")
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
        found = linkwork_json("run", self.write(text), "--json")["singularities"]
        self.assertEqual([(s["time"], s["dof"], s["dof_there"]) for s in found], [(40, 1, 2)])
        self.assertIn("ends at", found[0]["text"])


if __name__ == "__main__":
    unittest.main()
