# SPDX-License-Identifier: Apache-2.0
"""URDF files: the same mechanics as native models, mistakes of real files, hostile files."""
import json
import math
import os
import random
import unittest

from program import Folder, SOURCE, linkwork, linkwork_json


# ---- 3x3 matrices by rows ----

def mul(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def apply(A, x):
    return [sum(a * b for a, b in zip(row, x)) for row in A]


def transpose(A):
    return [list(c) for c in zip(*A)]


def rpy_matrix(rpy):
    (sr, sp, sy), (cr, cp, cy) = [[f(x) for x in rpy] for f in (math.sin, math.cos)]
    return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], [-sp, cp * sr, cp * cr]]


def matrix_rpy(R):
    return [math.atan2(R[2][1], R[2][2]), math.asin(max(-1, min(1, -R[2][0]))), math.atan2(R[1][0], R[0][0])]


def inverse(frame):
    R, p = frame
    return transpose(R), [-x for x in apply(transpose(R), p)]


def compose(a, b):
    return mul(a[0], b[0]), [x + y for x, y in zip(apply(a[0], b[1]), a[1])]


def words(numbers):
    return " ".join("%.17g" % x for x in numbers)


MOVING = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "floating": "free"}


class RandomRobot:
    """The same robot as a URDF file and as a native model.  There each link has its inertial frame as body frame and fixed
    joints are joints, so that nothing is computed in the same way."""

    def __init__(self, seed, nlink=9, types=("revolute", "continuous", "prismatic", "floating", "fixed")):
        rng = random.Random(seed)

        def vector(size=0.5):
            return [rng.uniform(-size, size) for _ in range(3)]
        self.text = ['<?xml version="1.0"?>', f'<robot name="random {seed}">']
        bodies, joints, elements = {}, {}, []
        inertial, self.joints = {}, []
        for i in range(nlink):
            name = f"link-{i}"
            at, rpy = vector(), vector(3)
            side = [rng.uniform(0.1, 0.5) for _ in range(3)]
            mass = rng.uniform(0.5, 3)
            inertia = [mass / 12 * (side[1] ** 2 + side[2] ** 2), mass / 12 * (side[0] ** 2 + side[2] ** 2),
                       mass / 12 * (side[0] ** 2 + side[1] ** 2)]
            inertial[name] = (rpy_matrix(rpy), at)
            elements.append(
                f'<link name="{name}"><inertial><origin xyz="{words(at)}" rpy="{words(rpy)}"/><mass value="{mass!r}"/>'
                f'<inertia ixx="{inertia[0]!r}" iyy="{inertia[1]!r}" izz="{inertia[2]!r}" ixy="0" ixz="0" iyz="0"/>'
                f'</inertial></link>')
            bodies[name] = {"mass": mass, "inertia": inertia}
            kind = "fixed" if i == 0 else rng.choice(types)
            joint, axis, xyz, turn = f"joint {i}", vector(), vector(), vector(3)
            parent = f"link-{rng.randrange(i)}" if i else "ground"
            damping = rng.uniform(0, 1) if kind in ("revolute", "continuous", "prismatic") else 0
            if i:
                elements.append(
                    f'<joint name="{joint}" type="{kind}"><parent link="{parent}"/><child link="{name}"/>'
                    f'<origin xyz="{words(xyz)}" rpy="{words(turn)}"/><axis xyz="{words(axis)}"/>'
                    f'<dynamics damping="{damping!r}"/></joint>')
            place = (rpy_matrix(turn), xyz) if i else (rpy_matrix([0, 0, 0]), [0, 0, 0])
            outer = compose(inverse(inertial[parent]), place) if i else place
            child = inverse(inertial[name])
            joints[joint] = {"type": MOVING.get(kind, "fixed"), "parent": parent, "child": name, "at": outer[1],
                             "orient": {"rpy": matrix_rpy(outer[0])}, "child_at": child[1],
                             "child_orient": {"rpy": matrix_rpy(child[0])}}
            if kind not in ("fixed", "floating"):
                joints[joint]["axis"] = axis
                joints[joint]["damping"] = damping
            if kind != "fixed":
                self.joints.append((joint, 6 if kind == "floating" else 1))
        rng.shuffle(elements)
        self.text += elements + ["</robot>"]
        self.native = {"linkwork": 1, "bodies": bodies, "joints": joints}
        self.state = []
        for name, size in self.joints:
            q = vector() + [0.5, 0.5, -0.5, 0.5] if size == 6 else [rng.uniform(-1, 1)]
            u = [rng.uniform(-1, 1) for _ in range(size)]
            self.state += ["--q", f"{name}={','.join(map(repr, q))}", "--u", f"{name}={','.join(map(repr, u))}"]


def flat(x):
    return [v for item in x.values() for v in (item if isinstance(item, list) else [item])]


class Urdf(Folder):
    def write(self, text, name="robot.urdf"):
        with open(self.path(name), "w") as file:
            file.write(text)
        return file.name

    def warnings(self, text, *options):
        done = linkwork("check", self.write(text), *options)
        return done.stderr

    def refused(self, text, message):
        done = linkwork("check", self.write(text), expect=1)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(message, done.stderr)

    def test_a_random_robot_moves_as_the_same_native_model(self):
        for seed in range(20):
            robot = RandomRobot(seed)
            mine = linkwork_json("eval", self.write("\n".join(robot.text)), *robot.state)
            its = linkwork_json("eval", self.model(json.dumps(robot.native)), *robot.state)
            for name, _ in robot.joints:
                a, b = ([x] if not isinstance(x, list) else x for x in (mine["udot"][name], its["udot"][name]))
                scale = max(map(abs, flat(its["udot"])))
                for x, y in zip(a, b):
                    self.assertLess(abs(x - y), 1e-11 * scale, (seed, name))
            self.assertAlmostEqual(mine["energies"]["kinetic"] / its["energies"]["kinetic"], 1, 12)
            order = [its["mass_matrix"]["order"].index(name) for name in mine["mass_matrix"]["order"]]
            for row, i in zip(mine["mass_matrix"]["matrix"], order):
                for x, j in zip(row, order):
                    self.assertLess(abs(x - its["mass_matrix"]["matrix"][i][j]), 1e-12 * 50)

    def test_converted_files_move_the_same_way(self):
        for seed in range(6):
            robot = RandomRobot(seed)
            path, out = self.write("\n".join(robot.text)), self.path("out.yaml")
            linkwork("convert", path, "-o", out)
            a, b = (linkwork_json("eval", p, *robot.state) for p in (path, out))
            scale = max(map(abs, flat(a["udot"])))
            for x, y in zip(flat(a["udot"]), flat(b["udot"])):
                self.assertLess(abs(x - y), 1e-12 * scale)
        out = self.path("arm.yaml")
        linkwork("convert", self.write(ARM), "-o", out, "--floating-base")
        for verb in ("eval", "run"):
            a, b = (linkwork_json(verb, p, *w) for p, w in ((self.path("robot.urdf"), ["--floating-base"]), (out, [])))
            self.assertEqual(a["q"], b["q"])
        self.assertIn("-o FILE is missing", linkwork("convert", self.path("robot.urdf"), expect=2).stderr)

    def assert_same_motion(self, one, other, *options):
        a, b = linkwork_json("eval", one), linkwork_json("eval", other, *options)
        x, y = flat(a["udot"]), flat({k: b["udot"][k] for k in a["udot"]})
        size = max(map(abs, x))
        for p, q in zip(x, y):
            self.assertLess(abs(p - q), 1e-12 * size)

    def test_robots_go_out_and_come_back_with_the_same_accelerations(self):
        for seed in range(1, 6):
            robot = RandomRobot(seed, types=("revolute", "continuous", "prismatic", "fixed"))
            urdf = self.write("\n".join(robot.text))
            for name in ("out.urdf", "out.xml"):
                out = self.path(name)
                linkwork("convert", urdf, "-o", out)
                a, b = (linkwork_json("eval", path, *robot.state)["udot"] for path in (urdf, out))
                self.assertEqual(set(a), set(b))
                for joint, value in a.items():
                    self.assertLess(abs(value - b[joint]), 1e-12 * max(map(abs, a.values())))

    def test_native_models_go_out_as_mjcf_with_their_start(self):
        for model in ("four-bar", "satellite", "governor", "double-pendulum"):
            path, out = os.path.join(SOURCE, "models", model + ".yaml"), self.path("out.xml")
            linkwork("convert", path, "-o", out)
            a, b = linkwork_json("eval", path)["udot"], linkwork_json("eval", out, "--key", "start")["udot"]
            kept = {k: v for k, v in a.items() if k in b}
            self.assertGreaterEqual(len(kept), len(a) - 1)  # the joint that closes the loop is another one
            x, y = flat(kept), flat({k: b[k] for k in kept})
            for p, q in zip(x, y):
                self.assertLess(abs(p - q), 1e-12 * max(map(abs, x)))

    def test_what_a_format_cannot_say_is_listed(self):
        with open(self.path("model.yaml"), "w") as file:
            file.write("linkwork: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
                       "joints: {A: {type: cylindrical, parent: ground, child: a}, B: {type: revolute, parent: a, child: b, armature: 1, q: 0.5},\n"
                       "  C: {type: coupler, joints: {B: 2, A.1: 1}}}\n"
                       "forces: {M: {type: motor, joint: B, value: t}}\noutputs: {o: q.B}\n")
            file.flush()
            done = linkwork("convert", file.name, "-o", self.path("out.urdf"))
            for part in ('motor "M"', 'output "o"', 'armature of "B"', 'start of "B"', 'constraint "C"'):
                self.assertIn(part, done.stderr)
            done = linkwork("convert", file.name, "-o", self.path("out.xml"))
            self.assertIn('motor "M", output "o"', done.stderr)
            self.assertNotIn("armature", done.stderr)
            self.assertEqual(list(linkwork_json("eval", self.path("out.xml"))["q"]), ["A_1", "A_2", "B"])
        linkwork("convert", os.path.join(SOURCE, "models", "joint-zoo.yaml"), "-o", self.path("out.xml"), expect=1)
        linkwork("convert", os.path.join(SOURCE, "models", "cart-pole.yaml"), "-o", self.path("out.urdf"), expect=1)

    def test_loops_go_out_as_constraints(self):
        close = ("<constraint name='D' type='revolute'><parent link='c'/><parent_origin xyz='-1 0 0'/><parent_axis xyz='0 1 0'/>"
                 "<child link='base'/><child_origin xyz='0 0 1'/></constraint>")
        path, out = self.write(self.bars(close)), self.path("out.urdf")
        linkwork("convert", path, "-o", out)
        self.assert_same_motion(path, out)

    def test_native_models_are_converted_too(self):
        for name in ("joint-zoo", "hmmwv", "engine", "satellite"):
            path, out = os.path.join(SOURCE, "models", name + ".yaml"), self.path("out.yaml")
            linkwork("convert", path, "-o", out)
            a, b = (linkwork_json("eval", p) for p in (path, out))
            self.assertEqual((a["udot"], a["loads"]), (b["udot"], b["loads"]), name)
            linkwork("check", out)

    def test_what_cannot_be_written_is_said(self):
        with open(self.path("m.yaml"), "w") as file:
            file.write("linkwork: 1\nfunctions: {f: {of: [x], is: x^2}}\nbodies: {a: {mass: f(2), inertia: [1, 1, 1]}}\n")
        done = linkwork("convert", file.name, "-o", self.path("x.yaml"), expect=1)
        self.assertIn("functions and tables cannot be written yet", done.stderr)
        self.assertFalse(os.path.exists(self.path("x.yaml")))

    def test_joints_keep_names_and_order_of_the_file(self):
        robot = RandomRobot(3)
        written = [e.split('"')[1] for e in robot.text if e.startswith("<joint") and "fixed" not in e]
        found = linkwork_json("eval", self.write("\n".join(robot.text)), *robot.state)
        self.assertEqual(list(found["q"]), written)

    def test_links_of_fixed_joints_are_points(self):
        path = self.write(ARM)
        linkwork("run", path, "-q", "--columns", "x.tool,z.tool,x.camera", "-o", self.path("a.csv"))
        with open(self.path("a.csv")) as table:
            rows = table.read().splitlines()
        self.assertEqual(rows[0], "t,x.tool,z.tool,x.camera")
        for x, expected in zip(rows[1].split(","), (0, 0, 1.7, 0.25)):
            self.assertAlmostEqual(float(x), expected, 13)

    def test_floating_base(self):
        fixed = linkwork_json("check", self.write(ARM))
        floating = linkwork_json("check", self.write(ARM), "--floating-base")
        self.assertEqual(floating["dof"], fixed["dof"] + 6)
        found = linkwork_json("eval", self.write(ARM), "--floating-base")
        self.assertAlmostEqual(found["bodies"]["base"]["acceleration"][2], -9.81, 12)

    def test_mimic_is_a_coupler(self):
        found = linkwork_json("eval", self.write(ARM), "--q", "finger=0.02", "--u", "finger=0.1")
        self.assertAlmostEqual(found["q"]["thumb"], 0.01 - 2 * 0.02, 13)
        self.assertAlmostEqual(found["u"]["thumb"], -0.2, 13)

    def test_limits_damping_and_friction(self):
        path = self.write(ARM)
        run = linkwork_json("run", path, "--q", "shoulder=1.4", "--end", "2")
        names = {n for e in run["events"] for n in e["names"]}
        self.assertIn("upper.shoulder", names)
        self.assertLessEqual(run["q"]["shoulder"], 1.5 + 1e-9)
        self.assertTrue(any(n.startswith("friction.elbow") or n.startswith("slip friction.elbow") for n in names))

    def test_a_start_outside_the_range_is_moved_to_its_end(self):
        text = ARM.replace('lower="-1.5" upper="1.5"', 'lower="0.3" upper="1.5"')
        self.assertIn("shoulder: 0.3", self.warnings(text))
        self.assertEqual(linkwork_json("eval", self.path("robot.urdf"))["q"]["shoulder"], 0.3)

    def test_what_is_not_used_is_listed(self):
        text = ARM.replace("</robot>", '<gazebo/><gazebo/><transmission name="t"/><ros2_control/><what/></robot>')
        warnings = self.warnings(text)
        for part in ("2 gazebo", "1 transmission", "1 ros2_control", "<what>"):
            self.assertIn(part, warnings)

    def test_visuals_become_shapes_of_the_merged_body(self):
        os.makedirs(self.path("arm/meshes"))
        self.write("solid s\nendsolid s\n", "arm/meshes/hand.stl")
        visual = '<visual><origin xyz="0 0 {z}"/><geometry>{g}</geometry><material name="red"/></visual>'
        path = self.write('<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material><link name="a">'
                          + visual.format(z=1, g='<box size="1 2 3"/>')
                          + '<collision><geometry><sphere radius="9"/></geometry></collision></link>'
                          '<link name="b"><inertial><mass value="1"/></inertial>'
                          + visual.format(z=0, g='<mesh filename="package://arm/meshes/hand.stl" scale="2 2 2"/>') + "</link>"
                          '<link name="c"><collision><geometry><sphere radius="7"/></geometry></collision>'
                          '<visual><geometry><cone/></geometry></visual></link>'
                          '<joint name="j" type="prismatic"><parent link="a"/><child link="b"/></joint>'
                          '<joint name="f" type="fixed"><origin xyz="0 5 0"/><parent link="b"/><child link="c"/></joint></robot>',
                          "arm/robot.urdf")
        out = self.path("out.yaml")
        self.assertIn("1 shapes are incomplete", linkwork("convert", path, "-o", out).stderr)
        with open(out) as f:
            text = f.read()
        self.assertIn("{type: box, body: ground, at: [0, 0, 1], size: [1, 2, 3], color: [1, 0, 0, 1]}", text)
        self.assertIn("file: arm/meshes/hand.stl, scale: [2, 2, 2], color: [1, 0, 0, 1]}", text)
        self.assertNotIn("package://", text)
        self.assertIn("{type: sphere, body: b, at: [0, 5, 0], radius: 7}", text)
        self.assertNotIn("radius: 9", text)
        linkwork("check", out)

    BODY = "<inertial><mass value='1'/><inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial>"

    def bars(self, last, names="abc"):
        """A four-bar linkage of bars of 1 m, open at its end: a right, b up, c back to the left."""
        text = "<robot name='r'><link name='base'/>" + "".join(f"<link name='{n}'>{self.BODY}</link>" for n in names)
        parents = ["base"] + list(names)
        places = ("0 0 0", "1 0 0", "0 0 1")
        for parent, child, at in zip(parents, names, places):
            text += (f"<joint name='{child.upper()}' type='continuous'><origin xyz='{at}'/><parent link='{parent}'/><child link='{child}'/>"
                     "<axis xyz='0 1 0'/></joint>")
        return text + last + "</robot>"

    def test_constraints_close_loops(self):
        close = ("<constraint name='D' type='{}'><parent link='c'/><parent_origin xyz='-1 0 0'/><parent_axis xyz='0 1 0'/>"
                 "<child link='base'/><child_origin xyz='0 0 1'/><child_axis xyz='0 1 0'/></constraint>")
        done = linkwork("check", self.write(self.bars(close.format("revolute"))))
        self.assertIn("1 degree of freedom", done.stdout)
        done = linkwork("check", self.write(self.bars(close.format("spherical"))))
        self.assertIn("1 degree of freedom", done.stdout)
        done = linkwork("check", self.write(self.bars(close.format("magnetic"))))
        self.assertIn('are left out: "D"', done.stderr)
        self.assertIn("3 degrees of freedom", done.stdout)
        value = linkwork_json("eval", self.write(self.bars(close.format("revolute"))), "--q", "A=0.3", "--u", "A=2")
        self.assertAlmostEqual(value["bodies"]["c"]["position"][0], math.cos(0.3), 9)
        self.assertAlmostEqual(value["q"]["B"], -0.3, 9)

    def test_the_file_beside_it_closes_loops(self):
        text = self.bars("<link name='x'/><joint name='endA' type='fixed'><origin xyz='-1 0 0'/><parent link='c'/><child link='x'/></joint>"
                         "<link name='y'/><joint name='endB' type='fixed'><origin xyz='0 0 1'/><parent link='base'/><child link='y'/></joint>")
        path = self.write(text)
        with open(self.path("robot.yaml"), "w") as file:
            file.write("closed_loop: [['endA', 'endB'], ['endA', 'nowhere']]\ntype: ['3d', '6d']\nname_mot: [A]\n"
                       "joint_name: [B, C, nobody]\njoint_type: [UJOINT_YZ, SPHERICAL, FIXED]\n")
        done = linkwork("check", path)
        self.assertIn("5 joints", done.stdout)
        self.assertIn("3 degrees of freedom", done.stdout)
        self.assertIn('left out: "endA.nowhere"', done.stderr)
        self.assertIn('not used: "nobody"', done.stderr)
        self.assertEqual(list(linkwork_json("eval", path)["q"])[:3], ["A", "B_Y", "B_Z"])
        linkwork("run", path, "--end", "0.01", "-o", self.path("run.h5"))  # results carry this file, too
        os.rename(self.path("robot.yaml"), self.path("elsewhere"))
        self.assertNotIn("robot.yaml", linkwork("view", self.path("run.h5"), "-o", self.path("page.html")).stderr)
        with open(self.path("page.html")) as file:
            self.assertIn('"B_Y"', file.read())  # the joint
        with open(self.path("robot.yaml"), "w") as file:
            file.write("something: else\n")
        self.assertIn("3 degrees of freedom", linkwork("check", path).stdout)
        with open(self.path("robot.yaml"), "w") as file:
            file.write("closed_loop: [")
        self.assertIn("not used:", linkwork("check", path).stderr)

    def test_blank_lines_may_come_first(self):
        done = linkwork("check", self.write("\n \n<?xml version='1.0'?>\n<robot name='r'>\n<link/></robot>"), expect=1)
        self.assertIn("robot.urdf:5:1: <link>: the link has no name", done.stderr)

    def test_mistakes_of_real_files_are_named_and_survived(self):
        link = '<link name="%s"><inertial><mass value="1"/><inertia ixx="%s" iyy="1" izz="1"/></inertial></link>'
        joint = ('<joint name="%s" type="revolute"><parent link="%s"/><child link="%s"/><axis xyz="0 1 0"/>'
                 '<limit lower="0" upper="0"/>%s</joint>')
        text = ('<robot name="odd"><link name="world"/>' + link % ("ground", 1) + link % ("thin", 3) + link % ("minus", -1)
                + '<link name="empty"/><link name="thin"/>'
                + joint % ("a", "world", "ground", '<mimic joint="nobody"/>') + joint % ("b", "ground", "thin", "")
                + joint % ("c", "thin", "minus", '<mimic joint="c"/>') + joint % ("d", "minus", "empty", "")
                + joint % ("e", "nowhere", "thin", "") + joint % ("f", "world", "minus", "")
                + joint % ("b", "thin", "world", "") + '</robot>')
        warnings = self.warnings(text)
        for part in ('several links "thin"', 'without two existing links are left out: "e"', 'ground -> ground_2',
                     'have a parent already are left out: "f"', 'there are several joints "b"',
                     'leave no range are not used: "a", "b", "c", "d"', 'mimic is not used where', '"a"',
                     'the inertia of "minus": repaired', 'the inertia of "thin": used as written',
                     'in a circle: they move by themselves', '"c"', 'joints "d" has mass: they are fixed'):
            self.assertIn(part, warnings)
        found = linkwork_json("eval", self.path("robot.urdf"))
        self.assertEqual(list(found["q"]), ["a", "b", "c"])
        kept, repaired = (self.warnings(text, "--inertia", rule) for rule in ("keep", "repair"))
        self.assertIn('"thin", "minus": used as written', kept)
        self.assertIn('"thin", "minus": repaired', repaired)

    def test_points_that_joints_only_turn_become_spheres(self):
        point = '<link name="%s"><inertial><origin xyz="%s"/><mass value="2"/><inertia ixx="0"/></inertial></link>'
        joint = ('<joint name="%s" type="continuous"><parent link="%s"/><child link="%s"/><axis xyz="%s"/></joint>')
        pendulum = "<robot><link name='w'/>" + point % ("a", "1 0 0") + joint % ("j", "w", "a", "0 1 0")
        self.assertNotIn("spheres", self.warnings(pendulum + "</robot>"))
        self.assertEqual(linkwork_json("eval", self.path("robot.urdf"))["mass_matrix"]["matrix"], [[2]])
        neck = pendulum + point % ("b", "1 0 0") + joint % ("k", "a", "b", "1 0 0") + "</robot>"
        self.assertIn('the links "b" have mass', self.warnings(neck))
        sphere = 0.4 * 2 * (3 * 2 / (4 * math.pi * 1000)) ** (2 / 3)
        M = linkwork_json("eval", self.path("robot.urdf"))["mass_matrix"]["matrix"]
        self.assertAlmostEqual(M[1][1] / sphere, 1, 12)
        self.assertIn("singular", linkwork("eval", self.path("robot.urdf"), "--inertia", "keep", expect=1).stderr)

    def test_infinite_limits_are_none(self):
        text = ARM.replace('lower="-1.5" upper="1.5"', 'lower="-inf" upper="Infinity"')
        self.assertNotIn("no range", self.warnings(text))
        run = linkwork_json("run", self.path("robot.urdf"), "--q", "shoulder=1.4", "--end", "2")
        self.assertGreater(run["q"]["shoulder"], 1.6)

    def test_links_in_a_circle(self):
        link = '<link name="%s"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
        joint = '<joint name="%s" type="continuous"><parent link="%s"/><child link="%s"/></joint>'
        text = ("<robot>" + "".join(link % n for n in "abc") + joint % ("ab", "a", "b") + joint % ("bc", "b", "c")
                + joint % ("ca", "c", "a") + "</robot>")
        self.assertIn('the joints "ca" are left out', self.warnings(text))
        self.assertEqual(linkwork_json("check", self.path("robot.urdf"))["dof"], 2)

    def test_calls_of_macros_that_are_left_are_named(self):
        link = '<link name="a"><inertial><mass value="1"/></inertial><xacro:grey/></link>'
        text = self.warnings(f'<robot xmlns:xacro="x">{link}<xacro:sensors parent="a"/></robot>')
        self.assertIn('are missing: "xacro:grey", "xacro:sensors"', text)
        self.refused('<robot xmlns:xacro="x"><xacro:arm/></robot>', "this is a xacro file")

    def test_files_that_cannot_be_read_say_where_and_why(self):
        link = '<link name="a"><inertial><mass value="%s"/></inertial></link>'
        self.refused('<robot name="x">\n <xacro:property name="a"/></robot>', "xacro")
        self.refused('<robot xmlns:xacro="x"><link name="a"/>\n<joint name="${n}" type="fixed"/></robot>', "xacro")
        self.refused("<robot>\n" + link % "1e999" + "</robot>", 'robot.urdf:2:26: <mass>: value="1e999" is too large')
        self.refused("<robot>\n" + link % "1 2" + "</robot>", "more than 1 number")
        self.refused("<robot>\n" + link % "one" + "</robot>", "is not a number")
        self.refused("<robot>\n" + link % "-1" + "</robot>", "is negative")
        self.refused("<robot>\n<link/></robot>", "robot.urdf:2:1: <link>: the link has no name")
        self.refused("<robot></robot>", "no links")
        self.refused('<robot><link name="a"/><link name="b"/><joint name="j" type="elastic"><parent link="a"/>'
                     '<child link="b"/></joint></robot>', '"elastic"; known are fixed, revolute')
        self.refused("<robot>\n<link name='a'>\n</robot>", "mismatched tag")

    def test_urdf_is_known_by_its_contents(self):
        robot = '<?xml version="1.0"?>\n<!-- <mujoco> -->\n<robot name="x"><link name="a"/></robot>\n'
        for text in (robot, "\ufeff" + robot, "\n <robot><link name='a'/></robot>"):
            linkwork("check", self.write(text, "robot.txt"))

    def test_hostile_files_end_in_one_line(self):
        bomb = '<!DOCTYPE r [<!ENTITY a "ha">' + "".join(
            f'<!ENTITY {b} "{"&" + a + ";" * 1}{"&" + a + ";"}">' for a, b in zip("abcdefgh", "bcdefghi")) + "]>"
        self.refused(bomb + "<robot>&i;</robot>", "declarations in the document type")
        self.refused('<robot>' + "<a>" * 300 + "</a>" * 300 + "</robot>", "nested more than 200 deep")
        self.refused('<robot name="a"><link name="&undefined;"/></robot>', "undefined entity")
        self.refused("<robot><link", "robot.urdf:1")
        self.refused('<?xml version="1.0" encoding="no-such-code"?><robot/>', "encoding")

    def test_every_robot_that_is_at_hand_loads_evaluates_and_runs(self):
        folder = os.path.join(SOURCE, "..", "shared", "robots", "urdf")
        if not os.path.isdir(folder):
            self.skipTest("no robot files beside the repository")
        for name in sorted(os.listdir(folder)):
            with self.subTest(name):
                path = os.path.join(folder, name)
                linkwork_json("eval", path)
                linkwork_json("inspect", path)
                linkwork_json("run", path, "--end", "0.1", "--floating-base")


BOX = '<inertial><origin xyz="0 0 %s"/><mass value="%s"/><inertia ixx="0.1" iyy="0.1" izz="0.02"/></inertial>'
ARM = ('<robot name="arm"><link name="base">' + BOX % (0.1, 2)
       + '<visual><geometry><mesh filename="package://arm/none.dae"/></geometry></visual>'
       + '<collision><geometry><box size="1 1 1"/></geometry></collision></link>'
       + "".join(f'<link name="{n}">{BOX % (0.3, m)}</link>'
                 for n, m in (("upper", 2), ("lower", 1), ("hand", 0.5), ("left", 0.1), ("right", 0.1)))
       + '<link name="tool"/><link name="camera"/>'
       '<joint name="to camera" type="fixed"><parent link="base"/><child link="camera"/><origin xyz="0.25 0 0.1"/></joint>'
       '<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2"/>'
       '<axis xyz="0 2 0"/><limit lower="-1.5" upper="1.5" effort="10" velocity="1"/><dynamics damping="0.1"/></joint>'
       '<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.6"/>'
       '<axis xyz="0 1 0"/><dynamics friction="0.5"/></joint>'
       '<joint name="wrist" type="fixed"><parent link="lower"/><child link="hand"/><origin xyz="0 0 0.6"/></joint>'
       '<joint name="to tool" type="fixed"><parent link="hand"/><child link="tool"/><origin xyz="0 0 0.3"/></joint>'
       '<joint name="thumb" type="prismatic"><parent link="hand"/><child link="left"/><axis xyz="1 0 0"/>'
       '<mimic joint="finger" multiplier="-2" offset="0.01"/></joint>'
       '<joint name="finger" type="prismatic"><parent link="hand"/><child link="right"/><axis xyz="1 0 0"/>'
       '<limit lower="0" upper="0.04"/></joint></robot>')

if __name__ == "__main__":
    unittest.main()
