# SPDX-License-Identifier: Apache-2.0
"""linkwork bench solvers, and the joint graph of inspect.  No test looks at a time."""
import os
import tempfile
import unittest

from program import linkwork, linkwork_json, shipped


class Bench(unittest.TestCase):
    def test_all_solvers_give_the_same_accelerations(self):
        result = linkwork_json("bench", "solvers", "--quick")
        sizes = {"squeezer": (20, 41), "hmmwv": (73, 185)}
        self.assertEqual(set(result), set(sizes))
        for name, (reduced, augmented) in sizes.items():
            self.assertLess(result[name]["difference"], 1e-10)
            for solver in result[name]["solvers"]:
                self.assertEqual(solver["size"], reduced if solver["system"] == "reduced" else augmented)
                self.assertGreater(solver["seconds"], 0)

    def test_three_tables(self):
        done = linkwork("bench", "solvers", "--quick")
        for table in ("Table 1.", "Table 2.", "Table 3."):
            self.assertIn(table, done.stdout)

    def test_a_model_of_the_users_own(self):
        name = shipped("double-wishbone")
        result = linkwork_json("bench", "solvers", name, "--quick")[name]
        self.assertLess(result["difference"], 1e-10)
        self.assertTrue(all(s["available"] for s in result["solvers"]))
        self.assertIn("augmented sparse LU with pivoting", linkwork("bench", "solvers", name, "--quick").stdout)

    def test_a_thousand_equations_by_every_solver_but_large_dense_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "ladder.yaml")
            linkwork("make", "ladder", "125", "-o", name)
            result = linkwork_json("bench", "solvers", name, "--quick")[name]
        self.assertLess(result["difference"], 1e-10)
        left_out = {s["solver"] for s in result["solvers"] if not s["available"]}
        self.assertEqual(left_out, {"augmented-symmetric", "augmented-lu"})
        self.assertEqual(result["solvers"][0]["size"], 1000)

    def test_solvers_that_cannot_solve_a_redundant_model_are_named(self):
        name = shipped("four-bar")
        result = linkwork_json("bench", "solvers", name, "--quick")[name]
        solvers = {s["solver"]: s["available"] for s in result["solvers"]}
        self.assertLess(result["difference"], 1e-6)
        self.assertTrue(solvers["reduced-sparse"])
        self.assertFalse(solvers["reduced-band"])
        self.assertIn("cannot solve this model", linkwork("bench", "solvers", name, "--quick").stdout)

    def test_other_benchmarks_are_usage_errors(self):
        for words in (["bench"], ["bench", "everything"]):
            self.assertIn("solvers", linkwork(*words, expect=2).stderr)


class JointGraph(unittest.TestCase):
    def graph(self, name):
        return linkwork_json("inspect", shipped(name))["joint_graph"]

    def test_the_squeezer(self):
        g = self.graph("squeezer")
        self.assertEqual((g["nodes"], g["edges"], g["equations"]), (10, 12, 20))
        self.assertEqual(g["numberings"]["search"]["work"], 37)
        self.assertEqual(min(n["bandwidth"] for n in g["numberings"].values()), 3)

    def test_trees_are_numbered_without_fill(self):
        g = self.graph("humanoid")
        self.assertEqual(g["numberings"]["perfect"]["fill"], 0)
        self.assertEqual(g["chosen"]["numbering"], "leaves-inward")

    def test_the_chosen_numbering_is_the_least_work_with_what_forming_takes(self):
        for name in ("humanoid", "squeezer", "hmmwv", "double-pendulum", "double-wishbone", "crane"):
            g = self.graph(name)
            least = min(n["multiplications"] for n in g["numberings"].values()) + g["forming"]
            self.assertLessEqual(g["chosen"]["multiplications"] + g["chosen"]["forming"], least, name)

    def test_the_vehicle_keeps_its_chassis(self):
        g = self.graph("hmmwv")
        self.assertEqual((g["nodes"], g["equations"], g["chosen"]["hubs"]), (21, 73, 1))
        self.assertLess(g["chosen"]["multiplications"],
                        min(n["multiplications"] for n in g["numberings"].values()))

    def test_the_table(self):
        done = linkwork("inspect", shipped("squeezer"))
        self.assertIn("gibbs-poole-stockmeyer", done.stdout)
        self.assertIn("chosen: ", done.stdout)


if __name__ == "__main__":
    unittest.main()
