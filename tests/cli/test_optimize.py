# SPDX-License-Identifier: Apache-2.0
"""linkwork optimize: least objectives with requirements, exact gradients beside differences, designs that fail, starts, results as model files."""
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest

LINKWORK = os.environ["LINKWORK"]
MODELS = os.path.join(os.environ["LINKWORK_SOURCE"], "models")

# the least of (x - 1)^2 + (y - 2)^2, with x + y and x y; `broken` has no value where x > 0.6; `waves` has several minima
FUNCTIONS = """\
linkwork: 1
parameters:
  x: {value: 0.2, min: -5, max: 5}  # stays
  y: {value: 0.1, min: -5, max: 5}
bodies:
  b: {mass: 1, inertia: [1, 1, 1]}
joints:
  j: {type: prismatic, parent: ground, child: b, axis: x}
simulation: {end: 0.01, output_step: 0.01}
sensitivity:
  objectives:
    distance: {final: "(x - 1)^2 + (y - 2)^2"}
    sum: {final: x + y}
    product: {final: x*y}
    broken: {final: "if(x > 0.6, sqrt(0.6 - x), (x - 0.5)^2 + (y - 2)^2)"}
    waves: {final: "(x^2 - 4)^2 + x + y^2"}
"""


class Optimize(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(self.path("f.yaml"), "w", encoding="utf-8") as f:
            f.write(FUNCTIONS)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_it(self, *args, status=0, model=None):
        done = subprocess.run([LINKWORK, "optimize", model or self.path("f.yaml"), *args], capture_output=True, text=True, check=False,
                              cwd=self.folder.name)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def solve(self, *args, **how):
        found = json.loads(self.run_it(*args, "--json", **how).stdout)
        return found, [p["value"] for p in found["parameters"].values()]

    def test_requirements_are_met_by_both_methods(self):
        for method in ("slsqp", "mma"):
            found, (x, y) = self.solve("--require", "sum<=2", "--method", method)
            self.assertAlmostEqual(x, 0.5, delta=1e-4)
            self.assertAlmostEqual(y, 1.5, delta=1e-4)
            self.assertEqual(found["violation"], 0)
        _, (x, y) = self.solve("--require", "product = 1", "--require", "sum>=0")
        self.assertAlmostEqual(x*y, 1, delta=1e-6)
        self.assertAlmostEqual((x - 1)*x, (y - 2)*y, delta=1e-4)
        _, (x, y) = self.solve("--maximize", "product", "--require", "sum<=3")
        self.assertAlmostEqual(x, 1.5, delta=1e-3)
        _, (x, y) = self.solve("--vary", "x=..0.7", "--vary", "y")
        self.assertAlmostEqual(x, 0.7, delta=1e-9)

    def test_values_without_a_run_are_stepped_back_from(self):
        for method in ("slsqp", "mma"):
            found, (x, y) = self.solve("--minimize", "broken", "--set", "x=-4", "--method", method)
            self.assertGreater(found["failed"], 0)
            self.assertLessEqual(x, 0.6)
            self.assertAlmostEqual(x, 0.5, delta=1e-3)
            self.assertAlmostEqual(y, 2, delta=1e-3)

    def test_starts_find_the_lower_minimum(self):
        one, (x, _) = self.solve("--minimize", "waves", "--set", "x=1")
        self.assertGreater(x, 1.8)
        many, (x, _) = self.solve("--minimize", "waves", "--set", "x=1", "--starts", "6")
        self.assertLess(x, -1.8)
        self.assertLess(many["value"], one["value"])
        self.assertAlmostEqual(min(s["value"] for s in many["starts"]), many["value"], delta=1e-12)

    def test_the_result_is_the_model_with_new_values(self):
        self.run_it("--require", "sum<=2", "-o", "new.yaml", "-q")
        with open(self.path("new.yaml"), encoding="utf-8") as f:
            new = f.read()
        self.assertEqual(re.sub(r"value: [-\d.e]+", "value: X", new), re.sub(r"value: [-\d.e]+", "value: X", FUNCTIONS))
        again = json.loads(self.run_it("--require", "sum<=2", "--json", model=self.path("new.yaml")).stdout)
        self.assertLessEqual(again["runs"], 12)  # a restart: it is there already
        self.assertAlmostEqual(again["value"], 0.5, delta=1e-6)

    def test_a_four_bar_passes_through_five_points(self):
        model = os.path.join(MODELS, "path-synthesis.yaml")
        requirements = ("--require", "shortest<=0", "--require", "turns_1<=0", "--require", "turns_2<=0")
        found, _ = self.solve(*requirements, "--rtol", "1e-6", model=model)
        self.assertLess(found["value"], 1e-5)
        self.assertLess(found["runs"], 120)
        exact, lengths = self.solve(*requirements, model=model)  # Hoecken's linkage, on whose path the points are
        self.assertLess(exact["value"], 1e-8)
        for length, known in zip(lengths, (2, 1, 2.5, 2.5, 5, 0), strict=True):
            self.assertAlmostEqual(length, known, delta=1e-3)
        for name in ("shortest", "turns_1", "turns_2"):
            self.assertLessEqual(found["objectives"][name], 1e-6)

    def test_a_suspension_does_not_steer(self):
        model = os.path.join(MODELS, "bump-steer.yaml")
        requirements = ("--require", "camber<=0.045", "--require", "lever>=0.12")
        exact, _ = self.solve(*requirements, "--rtol", "1e-6", model=model)
        self.assertAlmostEqual(exact["value"], 11.3877, delta=2e-3)
        self.assertAlmostEqual(exact["objectives"]["camber"], 0.045, delta=1e-7)
        self.assertLess(exact["runs"], 50)

    def test_differences_take_more_runs_to_the_same_values(self):
        exact, x = self.solve("--require", "sum<=2")
        differences, y = self.solve("--require", "sum<=2", "--differences")
        self.assertGreater(differences["runs"], 2*exact["gradients"])
        self.assertAlmostEqual(x[0], y[0], delta=1e-3)

    def test_requirements_that_cannot_be_met_are_said(self):
        done = self.run_it("--require", "sum>=20", status=1)
        self.assertIn("no values were found that satisfy all requirements", done.stderr)

    def test_an_interrupt_writes_the_best_so_far(self):
        with subprocess.Popen([LINKWORK, "optimize", os.path.join(MODELS, "path-synthesis.yaml"), "--starts", "10000", "-o",
                               self.path("best.yaml")], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            time.sleep(0.5)
            p.send_signal(signal.SIGINT)
            _, text = p.communicate(timeout=100)
            self.assertEqual(p.returncode, -signal.SIGINT, text)
        self.assertTrue(os.path.exists(self.path("best.yaml")))

    def test_mistakes_are_named(self):
        for args, text, status in (
                (("--minimize", "distanc"), 'did you mean "distance"', 2),
                (("--require", "som<=1"), 'did you mean "sum"', 2),
                (("--require", "sum"), "write it as", 2),
                (("--require", "sum=1", "--method", "mma"), "mma takes no equations", 1),
                (("--vary", "z"), "no parameter", 2),
                (("--seed", "3"), "only with --starts", 2),
                (("--minimize", "sum", "--maximize", "sum"), "maximize", 2),
                (("--minimize", "broken", "--set", "x=1"), "f.yaml", 1)):
            self.assertIn(text, self.run_it(*args, status=status).stderr, args)


if __name__ == "__main__":
    unittest.main()
