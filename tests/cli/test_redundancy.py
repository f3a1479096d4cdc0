# SPDX-License-Identifier: Apache-2.0
"""Redundant equations in words, proposals that hold, and `inspect --relax`."""
import unittest

from program import Folder, linkwork, linkwork_json, shipped

DOOR = """linkwork: 1
bodies:
  door: {mass: 10, com: [0.4, 0, 0], inertia: [1, 1, 1]}  # of oak
joints:
  H1: {type: revolute, parent: ground, child: door, at: [0, 0, 0.3], child_at: [0, 0, 0.3]}
  H2:
    type: revolute
    parent: ground
    child: door
    at: [0, 0, 1.7]
    child_at: [0, 0, 1.7]
"""
# crank, rod between spherical joints, slide: the rod may spin
ROD = """linkwork: 1
bodies: {crank: {mass: 1, inertia: [1, 1, 1]}, rod: {mass: 1, inertia: [1, 1, 1]},
  slide: {mass: 1, inertia: [1, 1, 1]}}
joints:
  A: {type: revolute, parent: ground, child: crank, q: 0.3}
  B: {type: spherical, parent: crank, child: rod, at: [0.3, 0, 0]}
  C: {type: spherical, parent: rod, child: slide, at: [1, 0, 0]}
  D: {type: prismatic, parent: ground, child: slide, axis: x, q: 1.2}
  drive: {type: driver, joint: A, value: 0.3 + t}
"""
# three cranks and a rod in a plane, two of them driven
CRANKS = """linkwork: 1
planar: true
bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}, c: {mass: 1, inertia: 1}, rod: {mass: 1, inertia: 1}}
joints:
  A: {type: revolute, parent: ground, child: a, at: [0, 0], q: 0.3}
  B: {type: revolute, parent: ground, child: b, at: [1, 0], q: 0.3}
  C: {type: revolute, parent: ground, child: c, at: [2, 0], q: 0.3}
  a1: {type: revolute, parent: a, child: rod, at: [0, 1], q: -0.3}
  b1: {type: revolute, parent: b, child: rod, at: [0, 1], child_at: [1, 0]}
  c1: {type: revolute, parent: c, child: rod, at: [0, 1], child_at: [2, 0]}
  d1: {type: driver, joint: A, value: 0.3 + t}
  d2: {type: driver, joint: B, value: 0.3 + t}
"""
REDUNDANT = ["four-bar", "bricard", "driven-four-bar", "squeezer-spatial", "two-four-bar"]


class Redundancy(Folder):
    def test_a_plane_four_bar_in_space_is_explained(self):
        words = ("A, B, C and D can press against each other along z and about x and y: "
                 "these three loads are not determined")
        for verb in ("check", "inspect", "run"):
            out = linkwork(verb, shipped("four-bar")).stdout
            self.assertIn(words, out, verb)
            self.assertIn("make C cylindrical and D spherical", out, verb)

    def test_a_mechanism_without_redundancy_has_nothing_to_say(self):
        for name in ("hmmwv", "squeezer", "arm"):
            self.assertNotIn("redundancy", linkwork("check", shipped(name)).stdout, name)

    def test_relaxed_models_have_the_same_freedoms_and_no_redundant_equation(self):
        for name in REDUNDANT:
            before = linkwork_json("check", shipped(name))
            to = self.path(name + "-relaxed.yaml")
            linkwork("inspect", shipped(name), "--relax", to)
            after = linkwork_json("check", to)
            self.assertEqual((after["dof"], after["redundant"]), (before["dof"], 0), name)
            self.assertEqual(after["joints"], before["joints"], name)
            released = sum(r["equations"] for g in before["redundancy"]["groups"] for r in g["releases"])
            self.assertEqual(released, before["redundant"], name)

    def test_relaxed_models_move_alike(self):
        to = self.path("relaxed.yaml")
        linkwork("inspect", shipped("four-bar"), "--relax", to)
        moved = [linkwork_json("run", f, "--end", "1")["q"]["A"] for f in (shipped("four-bar"), to)]
        self.assertAlmostEqual(moved[0], moved[1], places=8)

    def test_comments_and_style_stay(self):
        model = self.model(DOOR)
        to = self.path("relaxed.yaml")
        linkwork("inspect", model, "--relax", to)
        with open(to, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("# of oak", text)
        self.assertIn("  H1: {type: spherical, parent: ground", text)
        self.assertIn("    type: point_on_line\n    axis: z\n", text)
        self.assertEqual(linkwork_json("check", to)["redundant"], 0)

    def test_a_freedom_that_drivers_leave_is_named(self):
        model = self.model(ROD)
        said = linkwork_json("check", model)["redundancy"]["not_driven"]
        self.assertEqual([m["bodies"] for m in said], [["rod"]])
        self.assertIn("rod can still turn about (0.996,", linkwork("check", model).stdout)

    def test_many_loads_in_one_group_are_released(self):
        """Spatial four-bars in a row share their cranks: three loads each, in one group."""
        n = 150
        cranks = "".join(f"  A{i}: {{type: revolute, parent: ground, child: c{i}, at: [{i}, 0, 0], q: 70 deg}}\n"
                         for i in range(n + 1))
        rods = "".join(f"  B{i}: {{type: revolute, parent: c{i}, child: b{i}, at: [1, 0, 0], q: -70 deg}}\n"
                       f"  C{i}: {{type: revolute, parent: b{i}, child: c{i + 1}, at: [1, 0, 0], child_at: [1, 0, 0]}}\n"
                       for i in range(n))
        body = "{mass: 1, inertia: [0.1, 0.1, 0.1]}"
        bodies = "".join(f"  c{i}: {body}\n  b{i}: {body}\n" for i in range(n)) + f"  c{n}: {body}\n"
        model = self.model(f"linkwork: 1\nbodies:\n{bodies}joints:\n{cranks}{rods}")
        found = linkwork_json("inspect", model)["redundancy"]
        self.assertEqual((found["dof"], found["equations"], len(found["groups"])), (1, 3 * n, 1))
        self.assertTrue(found["determined_by_proposal"])
        self.assertIn("more changes", found["proposal"])
        linkwork("inspect", model, "--relax", self.path("relaxed.yaml"))
        relaxed = linkwork_json("inspect", self.path("relaxed.yaml"))
        self.assertEqual((relaxed["dof"], relaxed["redundant"]), (1, 0))

    def test_a_driver_too_many_is_removed(self):
        model = self.model(CRANKS)
        self.assertIn("make c1 a point_on_line with axis y, and remove driver d2", linkwork("check", model).stdout)

    def test_joints_of_included_files_are_not_rewritten_silently(self):
        with open(self.path("door.yaml"), "w", encoding="utf-8") as file:
            file.write(DOOR)
        model = self.model("linkwork: 1\ninclude: {front: {file: door.yaml}}\n")
        result = linkwork("inspect", model, "--relax", self.path("x.yaml"), expect=1)
        self.assertIn("change it by hand", result.stderr)


if __name__ == "__main__":
    unittest.main()
