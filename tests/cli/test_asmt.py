# SPDX-License-Identifier: Apache-2.0
"""Assemblies of FreeCAD and OndselSolver: parts, markers, joints with loops, motions; what is left out; broken files."""
import math
import unittest

from program import Folder, linkwork, linkwork_json

TURNED = ((0, -1, 0), (1, 0, 0), (0, 0, 1))
UPRIGHT = ((1, 0, 0), (0, 0, -1), (0, 1, 0))


def outline(*lines):
    """("key", [below...]) -> text indented by tabs"""
    def write(items, depth):
        text = ""
        for item in items:
            if isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], list):
                text += "\t" * depth + item[0] + "\n" + write(item[1], depth + 1)
            else:
                text += "\t" * depth + str(item) + "\n"
        return text
    return write(lines, 0)


def frame(p=(0, 0, 0), R=((1, 0, 0), (0, 1, 0), (0, 0, 1))):
    return [("Position3D", ["\t".join(map(repr, p))]), ("RotationMatrix", ["\t".join(map(repr, row)) for row in R])]


def points(markers):
    return ("RefPoints", [("RefPoint", frame() + [("Markers", [("Marker", [("Name", [name])] + frame(*where))])])
                          for name, where in markers.items()])


def part(name, markers, p=(0, 0, 0), R=((1, 0, 0), (0, 1, 0), (0, 0, 1)), com=(0, 0, 0), omega=(0, 0, 0)):
    mass = ("PrincipalMassMarker", [("Name", ["MassMarker"])] + frame(com, TURNED)
            + [("Mass", ["2.0"]), ("MomentOfInertias", ["0.1\t0.2\t0.25"])])
    return ("Part", [("Name", [name])] + frame(p, R) + [("Velocity3D", ["0\t0\t0"]), ("Omega3D", ["\t".join(map(repr, omega))]), mass,
                                                         points(markers)])


def joint(kind, name, i, j, *more):
    return (kind, [("Name", [name]), ("MarkerI", ["/A/" + i]), ("MarkerJ", ["/A/" + j])] + list(more))


class Assembly(Folder):
    def write(self, parts, joints, motions=(), ground=None, more=()):
        text = outline("OndselSolver", ("Assembly", [
            ("Notes", ["(Text string: 'any text')"]), ("Name", ["A"])] + frame() + [points(ground or {"G": ()}), ("Parts", list(parts)),
            ("ConstraintSets", [("Joints", list(joints)), ("Motions", list(motions))]), ("ForceTorques", list(more)),
            ("ConstantGravity", ["0.0\t0.0\t-9.81"]), ("SimulationParameters", [("tstart", ["0.0"]), ("tend", ["2.0"]), ("hout", ["0.5"])])]),
            "TimeSeries", "Number\tInput\t1")
        with open(self.path("model.asmt"), "w") as file:
            file.write(text)
        return file.name

    def native(self, text):
        with open(self.path("native.yaml"), "w") as file:
            file.write("linkwork: 1\n" + text)
        return file.name

    def test_a_part_on_a_joint_moves_as_the_same_native_model(self):
        # the markers stand upright: the axis z of both is y of the ground
        path = self.write([part("arm", {"M": ((-0.5, 0, 0), UPRIGHT)}, p=(0.5, 0, 0), com=(0.1, 0, 0), omega=(0, -3, 0))],
                          [joint("RevoluteJoint", "J", "G", "arm/M")], ground={"G": ((0, 0, 0), UPRIGHT)})
        native = self.native("bodies: {arm: {mass: 2, com: [0.1, 0, 0], inertia: [0.2, 0.1, 0.25]}}\n"
                             "joints: {J: {type: revolute, parent: ground, child: arm, child_at: [-0.5, 0, 0], axis: [0, -1, 0], u: 3}}\n")
        a, b = linkwork_json("eval", path), linkwork_json("eval", native)
        self.assertAlmostEqual(a["u"]["J"], 3, 12)
        self.assertAlmostEqual(a["udot"]["J"], b["udot"]["J"], 9)

    def crank(self, motion):
        z = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        x = ((0, 0, 1), (0, 1, 0), (-1, 0, 0))
        return self.write(
            [part("crank", {"a": (), "b": ((1, 0, 0),)}), part("rod", {"a": (), "b": ((2, 0, 0),)}, p=(1, 0, 0)),
             part("slider", {"a": ((0, 0, 0), z), "b": ((0, 0, 0), x)}, p=(3, 0, 0))],
            [joint("RevoluteJoint", "A", "G", "crank/a"), joint("RevoluteJoint", "B", "crank/b", "rod/a"),
             joint("RevoluteJoint", "C", "rod/b", "slider/a"), joint("CylindricalJoint", "D", "R", "slider/b")],
            [("RotationalMotion", [("Name", ["drive"]), ("MotionJoint", ["/A/A"]), ("RotationZ", [motion])])], ground={"G": (), "R": ((0, 0, 0), x)})

    def test_comments_and_functions_of_motions(self):
        path = self.crank('"as T1 < time" 0.5 + <n>arctan(time)*2.0d<n>')
        value = linkwork_json("eval", path)
        self.assertAlmostEqual(value["q"]["A"], 0.5, 12)
        self.assertAlmostEqual(value["u"]["A"], 2, 10)

    def test_parts_without_mass_are_given_some(self):
        path = self.crank("0.1 + time")
        with open(path) as file:
            text = file.read().replace("\t2.0\n", "\t0.0\n").replace("0.1\t0.2\t0.25", "0.0\t0.0\t0.0")
        with open(path, "w") as file:
            file.write(text)
        done = linkwork("check", path)
        self.assertIn("no part has mass", done.stderr)
        self.assertAlmostEqual(linkwork_json("eval", path)["u"]["A"], 1, 10)

    def test_a_loop_is_driven(self):
        path = self.crank("(30.0d + 360.0d*time)*pi/180.0d")
        done = linkwork("check", path)
        self.assertIn("0 degrees of freedom", done.stdout)
        value = linkwork_json("eval", path)
        angle = math.radians(30)
        self.assertAlmostEqual(value["q"]["A"], angle, 12)
        self.assertAlmostEqual(value["u"]["A"], 2 * math.pi, 10)
        self.assertAlmostEqual(value["bodies"]["slider"]["position"][0], math.cos(angle) + math.sqrt(4 - math.sin(angle) ** 2), 10)
        linkwork("run", path, "-o", self.path("out.csv"))
        with open(self.path("out.csv")) as file:
            times = [line.split(",")[0] for line in file if line[:1].isdigit()]
        self.assertEqual(times, ["0", "0.5", "1", "1.5", "2"])

    def test_constraints_and_free_parts(self):
        ground = {"G": (), "P": ((0, 0, 1),)}
        path = self.write([part("a", {"m": ()}, p=(0, 0, 1.5)), part("b", {"m": ()}, p=(2, 0, 0)), part("c", {"m": ()}, p=(5, 5, 5))],
                          [joint("PointInPlaneJoint", "plane", "P", "a/m", ("offset", ["0.5"])), joint("SphSphJoint", "rod", "a/m", "b/m", ("distanceIJ", ["2.5"])),
                           joint("GearJoint", "gear", "a/m", "b/m")], ground=ground, more=[("InLineForceTorque", [("Name", ["pull"])])])
        done = linkwork("check", path)
        self.assertIn("16 degrees of freedom", done.stdout)
        for text in ('are left out: "gear"', 'forces are left out: "pull"'):
            self.assertIn(text, done.stderr)
        self.assertEqual(linkwork_json("eval", path)["bodies"]["c"]["position"], [5, 5, 5])

    def test_broken_files_say_where(self):
        good = self.crank("2*pi*time")
        with open(good) as file:
            text = file.read()
        for old, new, message in (("/A/rod/a", "/A/rod/x", 'there is no marker "/A/rod/x"'), ("1\t0\t0", "1\t1\t0", "no rotation"), ("\t\tPart\n", "\t\t\t\t\t\tPart\n", "is indented"),
                                  ("2*pi*time", "2*pi*tim", "tim"), ("2.0\n", "two\n", "is not a number"), ("0.1\t0.2\t0.25", "0.1\t0.2", "3 numbers are needed")):
            self.assertIn(old, text)
            with open(good, "w") as file:
                file.write(text.replace(old, new, 1))
            done = linkwork("check", good, expect=1)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
