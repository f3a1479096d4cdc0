# SPDX-License-Identifier: Apache-2.0
"""linkwork inspect: text, JSON, picture, aggregation; and eval's inverse, factors and compliance."""
import json
import unittest
import xml.dom.minidom

from program import Folder, linkwork, linkwork_json, shipped

ARM, HUMANOID, SATELLITE, ZOO = map(shipped, ("arm", "humanoid", "satellite", "joint-zoo"))
TREES = [ARM, HUMANOID, SATELLITE, ZOO, shipped("double-pendulum"), shipped("cart-pole")]

FOUR_BAR = """linkwork: 1
name: "four-bar <1> & more"
bodies:
  a: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  b: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  c: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  weight: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  A: {type: revolute, parent: ground, child: a, hold: true}
  B: {type: revolute, parent: a, child: b, at: [1, 0, 0], q: 0.1}
  C: {type: revolute, parent: ground, child: c, at: [1, 0, 0], q: 0.1}
  D: {type: revolute, parent: b, child: c, at: [1, 0, 0], child_at: [1, 0, 0]}
  E: {type: revolute, parent: b, child: weight, at: [0.5, 0, 0]}
  cord: {type: distance, parent: ground, child: weight, length: 1}
  G: {type: gear, joints: [A, C], ratio: 2}
"""
# base - torso - { left - hand, right }
SMALL = """linkwork: 1
bodies: {base: {mass: 1, inertia: [1, 1, 1]}, torso: {mass: 1, inertia: [1, 1, 1]},
  left: {mass: 1, inertia: [1, 1, 1]}, hand: {mass: 1, inertia: [1, 1, 1]},
  right: {mass: 1, inertia: [1, 1, 1]}}
joints:
  J1: {type: revolute, parent: ground, child: base}
  J2: {type: revolute, parent: base, child: torso, axis: x}
  J3: {type: revolute, parent: torso, child: left, at: [1, 0, 0]}
  J4: {type: revolute, parent: left, child: hand, at: [1, 0, 0]}
  J5: {type: revolute, parent: torso, child: right, at: [0, 1, 0]}
"""


class Text(Folder):
    def test_a_chain_a_tree_and_a_loop_are_called_what_they_are(self):
        for path, name in ((ARM, "serial-chain system"), (HUMANOID, "tree-topology system"),
                           (self.model(FOUR_BAR), "closed-chain (constrained) system")):
            self.assertIn(f"system          {name}:", linkwork("inspect", path).stdout)

    def test_the_loops_are_walked_around(self):
        text = linkwork("inspect", self.model(FOUR_BAR)).stdout
        self.assertIn("cut joint D (revolute), between b and c: length 4, through the ground", text)
        self.assertIn("\n     c -C- ground -A- a -B- b -D- c\n", text)
        self.assertIn("constraint cord (distance), between ground and weight", text)
        self.assertIn("1 relation of coordinates", text)
        self.assertIn("1 by rank: 4 of the equations are redundant", text)

    def test_every_body_is_drawn_once(self):
        text = linkwork("inspect", HUMANOID).stdout
        tree = text.split("spanning tree")[1].split("segments:")[0]
        words = tree.replace("│", " ").replace("├─", " ").replace("└─", " ").split()
        for entry in linkwork_json("inspect", HUMANOID)["tree"]:
            self.assertEqual(words.count(entry["body"]), 1, entry["body"])

    def test_large_models_are_abbreviated_unless_all_is_asked_for(self):
        n = 500
        path = self.model("linkwork: 1\nbodies:\n" +
                          "".join(f"  b{i}: {{mass: 1, inertia: [1, 1, 1]}}\n" for i in range(n)) +
                          "joints:\n" + "".join(
                              f"  j{i}: {{type: revolute, parent: {f'b{i - 1}' if i else 'ground'}, "
                              f"child: b{i}, at: [1, 0, 0]}}\n" for i in range(n)))
        self.assertIn("... and 300 more (--all)", linkwork("inspect", path).stdout)
        self.assertIn(f"b{n - 1} ", linkwork("inspect", path, "--all").stdout)


class Json(Folder):
    def test_the_four_bar(self):
        result = linkwork_json("inspect", self.model(FOUR_BAR))
        self.assertEqual(result["class"], "closed-chain (constrained) system")
        self.assertEqual(result["cut_joints"], ["D"])
        self.assertEqual(result["digraph"]["nodes"], 5)
        self.assertEqual(result["digraph"]["edges"], 6)
        self.assertEqual(result["digraph"]["loops"], 2)
        first, second = result["loops"]
        self.assertEqual(first["bodies"], ["c", "ground", "a", "b"])
        self.assertEqual(first["edges"], ["C", "A", "B", "D"])
        self.assertEqual((second["closed_by"], second["kind"]), ("cord", "constraint"))
        self.assertEqual(second["bodies"], ["weight", "b", "a", "ground"])
        node = result["aggregation"]["node_of"]
        self.assertEqual(result["aggregation"]["nodes"], 1)
        self.assertEqual(len(set(node.values())), 1)
        freedoms = result["freedoms"]
        self.assertEqual(freedoms["count"], 6 * 4 - 25 - 2)
        self.assertFalse(freedoms["exact"])
        self.assertEqual((result["dof"], result["redundant"]), (1, 4))

    def test_the_assembly_tree_is_shallow_and_its_speed_up_grows(self):
        for path in (ARM, HUMANOID, self.model(FOUR_BAR)):
            plan = linkwork_json("inspect", path)["assembly_tree"]
            self.assertGreater(plan["depth"], 0)
            self.assertLess(plan["critical"], plan["operations"])
            gain = [plan["speed_up"][k] for k in ("2", "4", "8", "16", "64")]
            self.assertEqual(gain, sorted(gain))
            self.assertLess(gain[-1], plan["operations"] / plan["critical"])
            text = linkwork("inspect", path).stdout
            self.assertIn(f"assembly tree   bisection: depth {plan['depth']}, at most {plan['widest']} bod", text)

    def test_counts_of_trees_are_exact(self):
        for path in TREES:
            result = linkwork_json("inspect", path)
            self.assertTrue(result["freedoms"]["exact"])
            self.assertEqual(result["freedoms"]["count"], result["dof"], path)

    def test_segments_hold_every_body_once_and_hang_on_earlier_ones(self):
        result = linkwork_json("inspect", HUMANOID)
        members = [b for s in result["segments"] for b in s["bodies"]]
        self.assertEqual(sorted(members), sorted(b["body"] for b in result["tree"]))
        parent = {b["body"]: b["parent"] for b in result["tree"]}
        tip = {0: "ground"}
        for s in result["segments"]:
            self.assertEqual(parent[s["bodies"][0]], tip[s["parent"]])
            tip[s["segment"]] = s["bodies"][-1]

    def test_the_pattern_counts_what_is_not_zero_in_the_mass_matrix(self):
        path = self.model(SMALL)
        pattern = linkwork_json("inspect", path)["mass_matrix"]
        words = [w for k in range(1, 6) for w in ("--q", f"J{k}=0.{k}")]
        matrix = linkwork_json("eval", path, *words)["mass_matrix"]["matrix"]
        nonzero = sum(x != 0 for row in matrix for x in row)
        self.assertEqual(pattern["entries"], 25 - 4)
        self.assertLessEqual(nonzero, pattern["entries"])
        self.assertEqual(pattern["factor_entries"], (21 + 5) / 2)


class Aggregate(Folder):
    def ask(self, names):
        return linkwork_json("inspect", self.model(SMALL), "--aggregate", names)["aggregate"]

    def test_a_set_with_one_parent_can_be_aggregated(self):
        for names, parent in (("torso,left", "base"), ("left,right", "torso"), ("base", "ground"),
                              ("base,torso,left,hand,right", "ground"), ("left,hand", "torso")):
            answer = self.ask(names)
            self.assertTrue(answer["possible"], names)
            self.assertEqual(answer["parent"], parent)
            self.assertEqual(answer["parents"], [parent])
            self.assertEqual(answer["add"], [])

    def test_a_gap_on_a_path_is_named(self):
        answer = self.ask("torso,hand")
        self.assertFalse(answer["possible"])
        self.assertFalse(answer["path_induced"])
        self.assertEqual(answer["on_paths"], ["left"])
        self.assertEqual(answer["add"], ["left"])
        self.assertEqual(answer["parent"], "base")

    def test_two_parents_are_named_and_what_to_add(self):
        answer = self.ask("hand,right")
        self.assertFalse(answer["possible"])
        self.assertTrue(answer["path_induced"])
        self.assertEqual(answer["parents"], ["torso", "left"])
        self.assertEqual(answer["add"], ["left"])
        self.assertEqual(answer["parent"], "torso")

    def test_what_must_be_added_makes_it_possible(self):
        for names in ("torso,hand", "hand,right", "base,hand"):
            answer = self.ask(names)
            self.assertTrue(self.ask(",".join(answer["bodies"] + answer["add"]))["possible"])

    def test_the_answer_in_words(self):
        path = self.model(SMALL)
        self.assertIn("yes: exactly one node outside", linkwork(
            "inspect", path, "--aggregate", "left,right").stdout)
        text = linkwork("inspect", path, "--aggregate", "torso,hand").stdout
        self.assertIn("not path-induced", text)
        self.assertIn("add left:", text)

    def test_an_unknown_body_is_answered_with_the_nearest(self):
        path = self.model(SMALL)
        for names, message in (("torso,rigth", 'did you mean "right"?'), ("ground", "not a body"),
                               ("", 'no body ""')):
            self.assertIn(message, linkwork("inspect", path, "--aggregate", names, expect=2).stderr)


class Drawing(Folder):
    """Draws a model, as the option says; boxes are those of these classes."""
    option, boxed = "--svg", ("node", "ground", "segment")

    def draw(self, model):
        linkwork("inspect", model, self.option, self.path("x.svg"))
        with xml.dom.minidom.parse(self.path("x.svg")) as document:
            texts = [(t.getAttribute("class"), "".join(c.data for c in t.childNodes))
                     for t in document.getElementsByTagName("text")]
            root = document.documentElement
            size = float(root.getAttribute("width")), float(root.getAttribute("height"))
            boxes = [tuple(float(r.getAttribute(k)) for k in ("x", "y", "width", "height"))
                     for r in document.getElementsByTagName("rect")
                     if r.getAttribute("class") in self.boxed]
        return texts, boxes, size


class Picture(Drawing):
    def test_every_body_and_every_written_joint_has_its_label_once(self):
        for path in TREES + [self.model(FOUR_BAR)]:
            texts, _, _ = self.draw(path)
            result = linkwork_json("inspect", path)
            labels = [t for kind, t in texts if kind == "body"]
            self.assertEqual(sorted(labels), sorted(b["body"] for b in result["tree"]), path)
            joints = [t for kind, t in texts if kind in ("joint", "cutname")]
            self.assertEqual(len(joints), result["joints"] - result["implicit_joints"], path)

    def test_boxes_do_not_overlap_and_stay_on_the_page(self):
        for path in TREES + [self.model(FOUR_BAR)]:
            _, boxes, (width, height) = self.draw(path)
            for i, (x, y, w, h) in enumerate(boxes):
                self.assertTrue(0 <= x and x + w <= width and 0 <= y and y + h <= height, path)
                for x2, y2, w2, h2 in boxes[:i]:
                    apart = x >= x2 + w2 or x2 >= x + w or y >= y2 + h2 or y2 >= y + h
                    self.assertTrue(apart, path)

    def test_loops_and_relations_are_in_it_and_the_title_is_escaped(self):
        texts, _, _ = self.draw(self.model(FOUR_BAR))
        self.assertIn(("title", "four-bar <1> & more"), texts)
        self.assertIn(("cutname", "D"), texts)
        self.assertIn(("tiename", "cord"), texts)
        self.assertTrue(any("gear G" in t for _, t in texts))

    def test_a_huge_model_falls_back(self):
        bodies = "".join(f"  b{i}: {{mass: 1, inertia: [1, 1, 1]}}\n" for i in range(3000))
        texts, _, _ = self.draw(self.model("linkwork: 1\nbodies:\n" + bodies))
        self.assertFalse([t for kind, t in texts if kind == "body"])
        self.assertTrue(any("Too many bodies" in t for _, t in texts))

    def test_a_file_that_cannot_be_written_is_an_error(self):
        done = linkwork("inspect", ARM, "--svg", self.path("no/such.svg"), expect=1)
        self.assertIn("no/such.svg", done.stderr)


class AssemblyPicture(Drawing):
    option, boxed = "--assembly-svg", ("node", "band", "segment")

    def test_every_body_is_there_and_every_joint_that_is_eliminated(self):
        for path in (HUMANOID, shipped("squeezer-spatial"), shipped("four-bar"), ARM):
            texts, _, _ = self.draw(path)
            result = linkwork_json("inspect", path)
            labels = [t for kind, t in texts if kind == "body"]
            whole = [t for t in labels if t.endswith((" bodies", " body"))]
            self.assertEqual(len(whole), 1)
            self.assertEqual(sorted(set(labels) - set(whole)),
                             sorted(b["body"] for b in result["tree"]), path)
            joints = [t for kind, t in texts if kind in ("joint", "cutname")]
            self.assertEqual(len(joints), len(set(joints)), path)
            self.assertTrue(any(f"depth {result['assembly_tree']['depth']} " in t
                                for _, t in texts), path)
        texts, _, _ = self.draw(shipped("four-bar"))
        self.assertEqual(len([t for kind, t in texts if kind == "cutname"]), 1)

    def test_boxes_do_not_overlap_and_stay_on_the_page(self):
        for path in TREES + [self.model(FOUR_BAR), shipped("squeezer-spatial"), shipped("hmmwv")]:
            _, boxes, (width, height) = self.draw(path)
            for i, (x, y, w, h) in enumerate(boxes):
                self.assertTrue(0 <= x and x + w <= width and 0 <= y and y + h <= height, path)
                for x2, y2, w2, h2 in boxes[:i]:
                    apart = x >= x2 + w2 or x2 >= x + w or y >= y2 + h2 or y2 >= y + h
                    self.assertTrue(apart, path)

    def test_a_huge_model_shows_its_outer_levels(self):
        bodies = "".join(f"  b{i}: {{mass: 1, inertia: [1, 1, 1]}}\n" for i in range(2000))
        joints = "".join(f"  j{i}: {{type: revolute, parent: {f'b{i - 1}' if i else 'ground'}, "
                         f"child: b{i}, at: [1, 0, 0]}}\n" for i in range(2000))
        texts, boxes, _ = self.draw(self.model(f"linkwork: 1\nbodies:\n{bodies}joints:\n{joints}"))
        self.assertTrue(100 < len(boxes) <= 301, len(boxes))
        self.assertTrue(any("outer" in t for kind, t in texts if kind == "note"))

    def test_a_file_that_cannot_be_written_is_an_error(self):
        done = linkwork("inspect", ARM, "--assembly-svg", self.path("no/such.svg"), expect=1)
        self.assertIn("no/such.svg", done.stderr)


# ---- eval: matrices as lists of rows ----

def times(a, b):
    columns = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, c)) for c in columns] for row in a]


def transposed(a):
    return [list(r) for r in zip(*a)]


def block_diagonal(blocks):
    n = sum(len(b) for b in blocks)
    out, at = [], 0
    for b in blocks:
        for row in b:
            out.append([0.0] * at + row + [0.0] * (n - at - len(b)))
        at += len(b)
    return out


class Operators(Folder):
    def close(self, a, b, tolerance, message=None):
        scale = max(1.0, max(abs(x) for row in b for x in row))
        worst = max(abs(x - y) for r, s in zip(a, b) for x, y in zip(r, s))
        self.assertEqual((len(a), len(a[0])), (len(b), len(b[0])))
        self.assertLess(worst, tolerance * scale, message)

    def test_the_inverse_times_the_mass_matrix_is_one(self):
        for path in TREES:
            result = linkwork_json("eval", path)
            mass, inverse = result["mass_matrix"], result["mass_matrix_inverse"]
            self.assertEqual(mass["order"], inverse["order"])
            n = len(mass["order"])
            one = [[float(i == k) for k in range(n)] for i in range(n)]
            scale = max(abs(x) for r in inverse["matrix"] for x in r)
            self.close(times(inverse["matrix"], mass["matrix"]), one, 1e-11 * max(1, scale), path)

    def test_the_factors_make_the_mass_matrix(self):
        for path in TREES:
            result = linkwork_json("eval", path)
            mass, factors = result["mass_matrix"], result["factorisation"]
            place = [mass["order"].index(name) for name in factors["order"]]
            reordered = [[mass["matrix"][i][k] for k in place] for i in place]
            F, D = factors["factor"], block_diagonal(factors["D"])
            self.close(times(times(F, D), transposed(F)), reordered, 1e-12, path)

    def test_compliance_is_J_inverse_mass_J_transposed(self):
        for path, bodies in ((ARM, "tool,forearm"), (SATELLITE, "left_boom,bus,right"),
                             (HUMANOID, "l_hand,r_foot,head")):
            result = linkwork_json("eval", path, "--compliance", bodies)
            self.assertEqual(result["compliance"]["bodies"], bodies.split(","))
            J = transposed([self.motion(path, result, name, bodies.split(","))
                            for name in result["mass_matrix"]["order"]])
            expected = times(times(J, result["mass_matrix_inverse"]["matrix"]), transposed(J))
            self.close(result["compliance"]["matrix"], expected, 1e-10, path)

    def motion(self, path, at_rest, speed, bodies):
        """What the bodies do when one speed is 1 and the others are 0: a column of J."""
        words = []
        for joint, value in at_rest["u"].items():
            n = len(value) if isinstance(value, list) else 1
            parts = ["1" if speed == (joint if n == 1 else f"{joint}.{k + 1}") else "0"
                     for k in range(n)]
            words += ["--u", f"{joint}={','.join(parts)}"]
        result = linkwork_json("eval", path, *words)["bodies"]
        return [x for b in bodies
                for x in result[b]["angular_velocity"] + result[b]["velocity"]]

    def test_rotations_of_a_free_particle_are_left_out(self):
        path = self.model("linkwork: 1\nbodies: {p: {mass: 2}}\n")
        inverse = linkwork_json("eval", path)["mass_matrix_inverse"]
        self.assertEqual(inverse["order"], ["p.4", "p.5", "p.6"])
        self.close(inverse["matrix"], [[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]], 1e-15)

    def test_large_models_have_matrices_on_request_only(self):
        path = self.model("linkwork: 1\nbodies:\n" + "".join(
            f"  b{i}: {{mass: 1, inertia: [1, 1, 1]}}\n" for i in range(40)))
        self.assertNotIn("mass_matrix_inverse", linkwork_json("eval", path))
        self.assertNotIn("factorisation", linkwork_json("eval", path))
        self.assertIn("mass_matrix_inverse", linkwork_json("eval", path, "--inverse"))
        self.assertIn("factorisation", linkwork_json("eval", path, "--factors"))

    def test_tables_show_them_on_request(self):
        text = linkwork("eval", ARM, "--inverse", "--factors", "--compliance", "tool,roll").stdout
        self.assertIn("inverse of the mass matrix", text)
        self.assertIn("innovations factor", text)
        self.assertIn("tool under loads on roll", text)
        self.assertNotIn("inverse", linkwork("eval", ARM).stdout)

    def test_the_inverse_of_a_closed_mechanism_is_its_response_to_unit_loads(self):
        for name in ("four-bar", "squeezer", "hmmwv", "double-wishbone", "slider-crank"):
            result = linkwork_json("eval", shipped(name), "--inverse", "--factors")
            inverse, order = result["mass_matrix_inverse"]["matrix"], result["mass_matrix_inverse"]["order"]
            self.assertEqual(len(order), result["dof"], name)
            single = [o for o in order if isinstance(result["udot"].get(o), float)]
            self.assertTrue(single, name)
            for load in single[:3]:
                i = order.index(load)
                moved = linkwork_json("eval", shipped(name), "--tau", f"{load}=1")
                for k, speed in enumerate(order):
                    joint, _, index = speed.partition(".")
                    if joint not in result["udot"]:
                        joint, index = speed, ""
                    a, b = moved["udot"][joint], result["udot"][joint]
                    change = a[int(index) - 1] - b[int(index) - 1] if index else a - b
                    scale = max(abs(x) for row in inverse for x in row) + max(1, abs(a if not index else a[0]))
                    self.assertAlmostEqual(change / scale, inverse[k][i] / scale, delta=1e-8,
                                           msg=f"{name} {load} {speed}")

    def test_all_operators_of_a_closed_mechanism_at_once(self):
        for name, body in (("four-bar", "b"), ("squeezer", "K1"), ("hmmwv", "chassis")):
            done = linkwork("eval", shipped(name), "--inverse", "--factors", "--compliance", body, "--json")
            self.assertEqual(done.stderr, "")
            self.assertEqual(json.loads(done.stdout)["sign"], 1)

    def test_the_compliance_of_a_closed_mechanism_is_the_response_of_its_bodies(self):
        body = "K3"
        matrix = linkwork_json("eval", shipped("squeezer"), "--compliance", body)["compliance"]["matrix"]
        self.assertEqual(matrix[0], [0] * 6)  # a mechanism in a plane
        self.assertGreater(matrix[2][2], 0)
        dof = 1  # so that the block has rank one
        self.assertAlmostEqual(matrix[3][3] * matrix[4][4] / matrix[3][4] ** 2, dof, places=9)

    def test_a_rotor_in_a_loop_is_inertia_about_its_axis(self):
        """At the ground an armature is the same as moment of inertia of the body that it turns."""
        with open(shipped("four-bar"), encoding="utf-8") as file:
            text = file.read()
        rotor = text.replace("q: 30 deg, hold: true", "q: 30 deg, hold: true, armature: 5")
        heavy = text.replace("  a: {solid: {rod: {length: La, mass: ma, axis: [0, -1, 0]}}}",
                             "  a: {mass: ma, com: [0, -La/2, 0], inertia: [ma*La^2/12, 0, ma*La^2/12 + 5], any_inertia: true}")
        found = [linkwork_json("eval", self.model(m))["mass_matrix_inverse"]["matrix"][0][0] for m in (rotor, heavy)]
        self.assertAlmostEqual(found[0], found[1], places=12)
        self.assertLess(found[0], linkwork_json("eval", shipped("four-bar"))["mass_matrix_inverse"]["matrix"][0][0])

    def test_a_mechanism_without_freedoms_has_an_empty_inverse(self):
        result = linkwork_json("eval", shipped("driven-four-bar"), "--inverse")
        self.assertEqual(result["mass_matrix_inverse"]["matrix"], [])
        self.assertEqual((result["independent"]["log_determinant"], result["sign"]), (0, 1))

    def test_an_unknown_body_is_answered_with_the_nearest(self):
        self.assertIn('did you mean "column"?',
                      linkwork("eval", ARM, "--compliance", "colum", expect=2).stderr)


if __name__ == "__main__":
    unittest.main()
