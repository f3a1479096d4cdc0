# SPDX-License-Identifier: Apache-2.0
"""linkwork make, and solver and ordering of the Cartesian form by name and in model files."""
import unittest

from program import Folder, linkwork, linkwork_json, shipped

# kind, N: bodies, freedoms, loops
MADE = {("chain", 7): (7, 7, 0), ("tree", 7): (7, 7, 0), ("ladder", 4): (12, 4, 4), ("ring", 6): (6, 4, 1),
        ("grid", 3): (9, 27 - 3 - 6 - 4, None)}
CARTESIAN = """linkwork: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1], com: [1, 0, 0]}, b: {mass: 1, inertia: [1, 1, 1], com: [1, 0, 0]}}
joints: {A: {type: revolute, parent: ground, child: a, axis: y}, B: {type: revolute, parent: a, child: b, at: [1, 0, 0], axis: y}}
simulation: {end: 0.5, formulation: cartesian, solver: augmented-klu}
"""


class Make(Folder):
    def test_every_kind_compiles_runs_and_has_the_freedoms_of_its_kind(self):
        for (kind, n), (bodies, dof, loops) in MADE.items():
            model = self.model(linkwork("make", kind, str(n)).stdout)
            facts = linkwork_json("check", model)
            self.assertEqual((facts["bodies"], facts["dof"], facts["redundant"]), (bodies, dof, 0), kind)
            if loops is not None:
                self.assertEqual(len(linkwork_json("inspect", model)["loops"]), loops, kind)
            run = linkwork_json("run", model, "--end", "0.05")
            self.assertTrue(run["complete"], kind)
            self.assertLess(run["drift"], 1e-9, kind)

    def test_a_file_is_written_on_request(self):
        path = self.path("ring.yaml")
        self.assertEqual(linkwork("make", "ring", "5", "-o", path).stdout, "")
        self.assertEqual(linkwork_json("check", path)["bodies"], 5)

    def test_what_cannot_be_made_is_a_usage_error(self):
        for words in (["cube", "3"], ["chain"], ["chain", "0"], ["chain", "2.5"], ["ring", "1"], ["chain", "3", "4"]):
            self.assertIn("linkwork make", linkwork("make", *words, expect=2).stderr)


class Solver(Folder):
    def ends(self, *words):
        return linkwork_json("run", self.model(CARTESIAN), *words)["q"]["B"]

    def test_the_file_and_the_options_choose_the_solver(self):
        reference = self.ends("--formulation", "tree")
        for words in ([], ["--solver", "reduced-band", "--ordering", "rcm"], ["--solver", "reduced-sparse", "--ordering", "nd"],
                      ["--solver", "reduced-envelope", "--ordering", "gps"], ["--solver", "reduced-sparse", "--ordering", "amd"]):
            self.assertAlmostEqual(self.ends(*words), reference, places=6)

    def test_an_unknown_solver_of_the_file_is_found_at_its_place(self):
        error = linkwork("check", self.model(CARTESIAN.replace("augmented-klu", "augmented-kul")), expect=1).stderr
        self.assertIn("model.yaml:4:", error)
        self.assertIn("augmented-klu", error)

    def test_a_solver_without_the_cartesian_form_is_an_error(self):
        text = CARTESIAN.replace("formulation: cartesian, ", "")
        self.assertIn("formulation: cartesian", linkwork("check", self.model(text), expect=1).stderr)
        self.assertIn("cartesian", linkwork("run", shipped("four-bar"), "--ordering", "rcm", expect=2).stderr)
        self.assertIn("cartesian", linkwork("run", shipped("four-bar"), "--formulation", "tree", "--solver",
                                            "reduced-band", expect=2).stderr)

    def test_a_cartesian_run_reports_its_coordinate_partition(self):
        run = linkwork_json("run", shipped("four-bar"), "--formulation", "cartesian", "--end", "3")
        p = run["partition"]
        self.assertEqual((p["displacements"], p["rank"], p["freedoms"]), (18, 17, 1))
        self.assertEqual(len(p["independent"]), 1)
        self.assertIn(p["independent"][0]["body"], ("a", "b", "c"))
        self.assertEqual((p["choices"]["start"], p["last_reason"]), (1, "start"))
        turned = linkwork_json("run", shipped("bricard"), "--formulation", "cartesian", "--end", "5")["partition"]
        self.assertGreaterEqual(turned["choices"]["pivots"], 1)  # it has moved on: other displacements serve better
        self.assertEqual(turned["last_reason"], "pivots")
        self.assertTrue(0 < turned["last_time"] <= 5)
        self.assertTrue(p["newton_iterations"] > 0 and p["factors"] > 0)
        self.assertNotIn("partition", linkwork_json("run", shipped("four-bar"), "--end", "0.1"))
        self.assertIn("displacements independent", linkwork("run", shipped("squeezer"), "--formulation", "cartesian",
                                                            "--end", "0.001").stdout)

    def test_help_lists_solvers_and_orderings(self):
        text = linkwork("run", "--help").stdout
        for word in ("reduced-sparse", "-cholmod", "augmented-klu", "rcm", "gps", "amd", "nd"):
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()
