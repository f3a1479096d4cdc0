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
        self.assertEqual(g["chosen"]["numbering"], "perfect")

    def test_the_chosen_numbering_is_the_least_work_unless_digits_would_be_lost(self):
        given_up = []
        for name in ("humanoid", "squeezer", "hmmwv", "arm", "double-pendulum", "double-wishbone", "crane"):
            g = self.graph(name)
            least = min(n["multiplications"] for n in g["numberings"].values())
            if g["chosen"]["multiplications"] > least:
                given_up.append(name)
                self.assertLessEqual(g["chosen"]["weakest_pivot"], 0.01, name)
                self.assertEqual(g["chosen"]["given_up"], least, name)
        self.assertEqual(given_up, ["double-pendulum", "crane"])

    def test_a_chain_of_fifty(self):
        """Planar hinges, two equations each: 14 multiplications per joint but the last."""
        bodies = "".join(f"  b{i}: {{mass: 1, inertia: 0.1}}\n" for i in range(50))
        joints = "".join(f"  J{i}: {{type: revolute, parent: {f'b{i - 1}' if i else 'ground'}, child: b{i}, "
                         f"at: [{min(i, 1)}, 0]}}\n" for i in range(50))
        text = f"linkwork: 1\nplanar: true\nbodies:\n{bodies}joints:\n{joints}"
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(text)
            file.flush()
            chosen = linkwork_json("inspect", file.name)["joint_graph"]["chosen"]
        self.assertEqual((chosen["multiplications"], chosen["hubs"]), (688, 0))
        self.assertGreater(chosen["weakest_pivot"], 0.01)

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
