# SPDX-License-Identifier: Apache-2.0
"""inspect: partitions, numberings, aggregation of the whole digraph, queries, pictures of large models."""
import re
import unittest

from program import Folder, linkwork, linkwork_json, shipped


class Topology(Folder):
    def test_a_partition_leaves_the_outer_mass_matrix_as_it_is(self):
        for name, body in (("humanoid", "chest"), ("arm", "forearm"), ("hmmwv", "chassis"), ("hmmwv", "upper_fl"),
                           ("squeezer", "K3"), ("quadruped", "trunk")):
            bodies = linkwork_json("inspect", shipped(name))["tree"]
            names = {b["body"] for b in bodies} if bodies and "body" in bodies[0] else None
            if names and body not in names:
                body = sorted(names)[0]
            p = linkwork_json("inspect", shipped(name), "--partition", body)["partition"]
            self.assertIn(body, p["set"], name)
            for op in ("E", "A"):  # children first: lower block triangular in this order
                self.assertEqual([p[op][0][1], p[op][0][2], p[op][1][2]], [0, 0, 0], name)
            self.assertLessEqual(p["outer_mass_difference"], 1e-12 * p["mass"], name)
            self.assertLessEqual(p["coupling_difference"], 1e-12 * p["mass"], name)

    def test_bodies_of_a_loop_stay_together(self):
        p = linkwork_json("inspect", shipped("four-bar"), "--partition", "b")["partition"]
        self.assertEqual(p["set"], ["a", "b", "c"])

    def test_numberings_are_permutations_with_their_costs(self):
        every = linkwork_json("inspect", shipped("squeezer"), "--numbering", "all")
        joints = sorted(every["numberings"]["natural"]["order"])
        self.assertEqual(len(joints), 10)
        for name, n in every["numberings"].items():
            self.assertEqual(sorted(n["order"]), joints, name)
            cost = every["joint_graph"]["numberings"][name]
            self.assertEqual((n["bandwidth"], n["envelope"], n["work"]), (cost["bandwidth"], cost["envelope"], cost["work"]))
            self.assertEqual(n["row_bandwidth"], 2 * n["bandwidth"] + 1, name)  # pins in a plane: two rows each
        self.assertEqual(every["numberings"]["search"]["work"], 37)
        one = linkwork_json("inspect", shipped("squeezer"), "--numbering", "rcm")["numberings"]
        self.assertEqual(list(one), ["reverse-cuthill-mckee"])
        linkwork("inspect", shipped("squeezer"), "--numbering", "best", expect=2)

    def test_aggregation_is_judged_on_the_whole_digraph(self):
        part = linkwork_json("inspect", shipped("four-bar"), "--aggregate", "a,b")["aggregate"]
        self.assertEqual((part["possible"], part["becomes_tree"], part["loops_left"]), (True, False, ["D"]))
        self.assertIn("D still closes a loop", linkwork("inspect", shipped("four-bar"), "--aggregate", "a,b").stdout)
        whole = linkwork_json("inspect", shipped("four-bar"), "--aggregate", "a,b,c")["aggregate"]
        self.assertEqual((whole["becomes_tree"], whole["loops_left"]), (True, []))

    def test_bodies_with_several_parents_and_their_order(self):
        graph = linkwork_json("inspect", shipped("squeezer"))["digraph"]
        self.assertEqual((graph["multiply_connected"], graph["canonical"]), (["K3", "K4", "K6"], False))
        graph = linkwork_json("inspect", shipped("four-bar"))["digraph"]
        self.assertEqual((graph["multiply_connected"], graph["canonical"]), (["c"], True))

    def test_plans_of_divide_and_conquer(self):
        model = self.model(linkwork("make", "chain", "16").stdout)
        plan = {p: linkwork_json("inspect", model, "--assembly", p, "--levels")["assembly_tree"]
                for p in ("bisection", "pairs", "inward", "J2,J4,J6,J8,J10,J12,J14,J16,J3,J7,J11,J15,J5,J13,J9,J1")}
        depths = {p: x["depth"] for p, x in plan.items()}
        self.assertEqual(list(depths.values()), [5, 5, 16, 5])  # halves, pairs, one by one, pairs by hand
        for x in plan.values():
            self.assertEqual(len(x["levels"]), x["depth"] + 1)
            self.assertAlmostEqual(sum(level["operations"] for level in x["levels"]), x["operations"], delta=1e-6 * x["operations"])
            self.assertEqual(x["levels"][0]["assemblies"], 16)
            self.assertGreater(sum(level["seconds"] for level in x["levels"]), 0)
            self.assertAlmostEqual(x["relative_time"]["8"] * x["speed_up"]["8"], x["operations"] / x["recursion"], delta=1e-6)
        with open(self.path("plan.txt"), "w", encoding="utf-8") as file:
            file.write("J2 J4\nJ3\n")
        self.assertEqual(linkwork_json("inspect", model, "--assembly", self.path("plan.txt"))["assembly_tree"]["plan"], "given")
        self.assertIn("named twice", linkwork("inspect", model, "--assembly", "J2,J2", expect=2).stderr)
        self.assertIn("\"J77\"", linkwork("inspect", model, "--assembly", "J77", expect=2).stderr)

    def test_directed_spanning_trees(self):
        four = linkwork_json("inspect", shipped("four-bar"))["digraph"]["directed_tree"]
        self.assertEqual((four["exists"], four["joints_backward"], len(four["cut_edges"])), (True, 0, 1))
        text = """linkwork: 1
bodies: {a: {mass: 1}, b: {mass: 1}}
joints:
  A: {type: spherical, parent: ground, child: a}
  B: {type: fixed, parent: b, child: a}
"""
        model = self.model(text)
        tree = linkwork_json("inspect", model)["digraph"]["directed_tree"]
        self.assertEqual((tree["exists"], tree["joints_backward"], tree["parents"]), (False, 1, {"a": "ground"}))

    def test_patterns_and_elements_are_drawn(self):
        def read(name, *words):
            linkwork("inspect", name, *words, self.path("x.svg"))
            with open(self.path("x.svg"), encoding="utf-8") as file:
                return file.read()
        text = read(shipped("hmmwv"), "--numbering", "rcm", "--patterns")
        self.assertIn("B, numbered by reverse-cuthill-mckee", text)
        for n in ("14 × 14, 6.63 % not zero", "27 × 27", "73 × 73"):  # E has 13 blocks of 196
            self.assertIn(n, text)
        with_elements = read(shipped("catapult"), "--elements", "--svg")
        without = read(shipped("catapult"), "--svg")
        for words in ("let go", ">spring<", ">floor<"):
            self.assertIn(words, with_elements)
            self.assertNotIn(words, without)
        model = self.model(linkwork("make", "chain", "3").stdout.replace("link1", "S1").replace("chain of 3", "long title " * 20))
        text = read(model, "--svg")
        self.assertGreater(float(re.search(r'width="([0-9.]+)"', text)[1]), 1500)
        self.assertNotIn(">S2<", text)  # segments are called otherwise where a body is S1

    def test_pictures_of_large_models_can_be_opened(self):
        for kind, n in (("chain", 2000), ("grid", 16)):
            model = self.model(linkwork("make", kind, str(n)).stdout)
            for option in ("--svg", "--assembly-svg"):
                linkwork("inspect", model, option, self.path("x.svg"))
                with open(self.path("x.svg"), encoding="utf-8") as file:
                    size = re.search(r'width="([0-9.]+)" height="([0-9.]+)"', file.read(2000))
                self.assertLess(max(map(float, size.groups())), 4000, (kind, option))

    def test_pictures_of_many_mechanisms_can_be_opened(self):
        n = 500
        bodies = "".join(f"  a{i}: {{mass: 1, inertia: 1}}\n  b{i}: {{mass: 1, inertia: 1}}\n" for i in range(n))
        joints = "".join(f"  A{i}: {{type: revolute, parent: ground, child: a{i}, at: [0, {i}]}}\n"
                         f"  B{i}: {{type: revolute, parent: a{i}, child: b{i}, at: [1, 0]}}\n" for i in range(n))
        model = self.model(f"linkwork: 1\nplanar: true\nbodies:\n{bodies}joints:\n{joints}")
        for option in ("--svg", "--assembly-svg", "--patterns"):
            linkwork("inspect", model, option, self.path("x.svg"))
            with open(self.path("x.svg"), encoding="utf-8") as file:
                text = file.read()
            size = re.search(r'width="([0-9.]+)" height="([0-9.]+)"', text)
            self.assertLess(max(map(float, size.groups())), 4000, option)
            if option == "--assembly-svg":
                self.assertIn("40 of 500 separate mechanisms.", text)


if __name__ == "__main__":
    unittest.main()
