# SPDX-License-Identifier: Apache-2.0
"""MJCF files: the same mechanics as native models, however they are written; what is left out; hostile files."""
import json
import math
import os
import random
import struct
import unittest

from program import Folder, SOURCE, linkwork, linkwork_json


def words(numbers):
    return " ".join("%.17g" % x for x in numbers)


def unit(v):
    n = math.sqrt(sum(x * x for x in v))
    return [x / n for x in v]


def turn(quat, v):
    w, x, y, z = quat
    R = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return [sum(a * b for a, b in zip(row, v)) for row in R]


class RandomTree:
    """The same mechanism as an MJCF file and as a native model."""

    def __init__(self, seed, nbody=8):
        rng = random.Random(seed)

        def vector(size=0.5):
            return [rng.uniform(-size, size) for _ in range(3)]

        def quaternion():
            return unit([rng.uniform(-1, 1) for _ in range(4)])
        self.names, self.forces, bodies, joints = [], {}, {}, {}
        text, self.state = [""] * nbody, []
        children = [[] for _ in range(nbody)]
        for i in range(nbody):
            parent = rng.randrange(-1, i) if i else -1
            if parent >= 0:
                children[parent].append(i)
            name, joint = f"body {i}", f"joint-{i}"
            pos, quat, com, axes = vector(), quaternion(), vector(), quaternion()
            mass, side = rng.uniform(0.5, 3), [rng.uniform(0.1, 0.5) for _ in range(3)]
            moments = [mass / 12 * (sum(s * s for s in side) - s * s) for s in side]
            kind = rng.choice(["hinge", "slide", "ball", "free" if parent < 0 else "hinge", "none"])
            at, axis, ref = vector(), vector(), rng.uniform(-1, 1)
            stiffness, rest, damping, armature = (rng.uniform(0, 2) for _ in range(4))
            text[i] = (f'<body name="{name}" pos="{words(pos)}" quat="{words(quat)}"><inertial mass="{mass!r}" '
                       f'pos="{words(com)}" quat="{words(axes)}" diaginertia="{words(moments)}"/>')
            outer = f"body {parent}" if parent >= 0 else "ground"
            native = {"parent": outer, "child": name, "at": [a + b for a, b in zip(pos, turn(quat, at))],
                      "orient": {"quat": quat}, "child_at": at}
            if kind in ("hinge", "slide"):
                text[i] += (f'<joint name="{joint}" type="{kind}" pos="{words(at)}" axis="{words(axis)}" ref="{ref!r}" '
                            f'damping="{damping!r}" stiffness="{stiffness!r}" springref="{rest!r}" armature="{armature!r}"/>')
                native.update(type="revolute" if kind == "hinge" else "prismatic", axis=axis, damping=damping, armature=armature)
                if kind == "hinge":
                    native["child_orient"] = {"axis_angle": axis + [ref]}
                else:
                    native["child_at"] = [a + ref * b for a, b in zip(at, unit(axis))]
                self.state += ["--q", f"{joint}={rng.uniform(-1, 1)!r}", "--u", f"{joint}={rng.uniform(-1, 1)!r}"]
            elif kind == "ball":
                text[i] += f'<joint name="{joint}" type="ball" pos="{words(at)}" damping="{damping!r}"/>'
                native.update(type="spherical")
                self.state += ["--q", f"{joint}={','.join(map(repr, quaternion()))}", "--u", f"{joint}=0.3,-0.2,0.5"]
            elif kind == "free":
                text[i] += f'<freejoint name="{joint}"/>'
                native = {"type": "free", "parent": "ground", "child": name}
                self.state += ["--q", f"{joint}={','.join(map(repr, pos + quaternion()))}", "--u", f"{joint}=1,2,3,0.1,0.2,0.3"]
            else:
                native.update(type="fixed", at=pos, child_at=[0, 0, 0])
            if kind != "none":
                self.names.append(joint)
            joints[joint] = native
            # the inertia in a body of its own, with its principal axes
            bodies[name] = {"mass": mass / 2, "com": com, "inertia": [1e-3] * 3}
            bodies[name + " mass"] = {"mass": mass / 2, "inertia": [m - 1e-3 for m in moments]}
            joints[joint + " mass"] = {"type": "fixed", "parent": name, "child": name + " mass", "at": com,
                                       "orient": {"quat": axes}}
            if kind in ("hinge", "slide"):
                self.forces[joint] = {"type": "joint_spring", "joint": joint, "stiffness": stiffness, "rest": rest}
            if kind == "ball":
                for k in (1, 2, 3):
                    self.forces[f"{joint} {k}"] = {"type": "motor", "joint": joint, "dof": k,
                                                   "value": f'-{damping!r}*u."{joint}".{k}'}

        def nested(i):
            return text[i] + "".join(map(nested, children[i])) + "</body>"
        roots = [i for i in range(nbody) if not any(i in c for c in children)]
        self.mjcf = ('<mujoco model="random"><compiler angle="radian"/><worldbody>' + "".join(map(nested, roots))
                     + "</worldbody></mujoco>")
        self.native = {"linkwork": 1, "bodies": bodies, "joints": joints, "forces": self.forces}


def flat(x):
    return [v for item in x.values() for v in (item if isinstance(item, list) else [item])]


def block(corner, size):
    """Triangles of a box, their normals outward."""
    at = lambda i: [c + s * (i >> k & 1) for k, (c, s) in enumerate(zip(corner, size))]
    quads = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
    return [[at(q[0]), at(q[i]), at(q[i + 1])] for q in quads for i in (1, 2)]


class Mjcf(Folder):
    def write(self, text, name="robot.xml"):
        with open(self.path(name), "w") as file:
            file.write(text)
        return file.name

    def world(self, inside, before="", after=""):
        return self.write(f"<mujoco>{before}<worldbody>{inside}</worldbody>{after}</mujoco>")

    def refused(self, text, message):
        done = linkwork("check", self.write(text), expect=1)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(message, done.stderr)

    def assert_same(self, one, other, *options):
        a, b = (linkwork_json("eval", path, *options) for path in (one, other))
        self.assertEqual(list(a["udot"]), list(b["udot"]))
        scale = max(map(abs, flat(b["udot"])))
        for x, y in zip(flat(a["udot"]), flat(b["udot"])):
            self.assertLessEqual(abs(x - y), 1e-12 * scale)
        for x, y in zip(sum(a["mass_matrix"]["matrix"], []), sum(b["mass_matrix"]["matrix"], [])):
            self.assertLess(abs(x - y), 1e-12 * 10)

    def test_a_random_tree_moves_as_the_same_native_model(self):
        for seed in range(20):
            tree = RandomTree(seed)
            mine = linkwork_json("eval", self.write(tree.mjcf), *tree.state)
            its = linkwork_json("eval", self.model(json.dumps(tree.native)), *tree.state)
            scale = max(map(abs, flat(its["udot"])))
            for name in tree.names:
                for x, y in zip(flat({0: mine["udot"][name]}), flat({0: its["udot"][name]})):
                    self.assertLess(abs(x - y), 1e-10 * scale, (seed, name))
            self.assertAlmostEqual(mine["energies"]["kinetic"] / its["energies"]["kinetic"], 1, 11)

    BODY = ('<body name="a" pos="0.1 0.2 0.3" quat="%s"><inertial mass="2" pos="0.1 0 0" diaginertia="1 1.2 0.7"/>'
            '<joint name="j" axis="0 1 0.5" damping="0.3"/></body>')

    def test_orientations_in_every_form(self):
        s = math.sqrt(0.5)
        plain = self.write("<mujoco><worldbody>" + self.BODY % f"{s} 0 0 {s}" + "</worldbody></mujoco>", "plain.xml")
        for text, compiler in (('axisangle="0 0 3 90"', ""), ('euler="0 0 90"', ""), ('xyaxes="0 1 0 -1 0 0"', ""),
                               ('euler="90 0 0"', '<compiler eulerseq="ZYX"/>'),
                               (f'euler="{math.pi / 2!r} 0 0"', '<compiler eulerseq="zyx" angle="radian"/>')):
            path = self.world((self.BODY % "X").replace('quat="X"', text), compiler)
            self.assert_same(path, plain, "--q", "j=0.4", "--u", "j=1")
        down = self.write("<mujoco><worldbody>" + self.BODY % f"{s} 0 {s} 0" + "</worldbody></mujoco>", "plain.xml")
        self.assert_same(self.world((self.BODY % "X").replace('quat="X"', 'zaxis="2 0 0"')), down)

    def test_defaults_frames_and_includes_say_the_same(self):
        plain = self.write('<mujoco><worldbody><body name="a" pos="0 0 1"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
                           '<joint name="j" type="slide" axis="1 0 0" damping="2" armature="3"/><body name="b" pos="1 0 0">'
                           '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint name="k" axis="0 1 0" damping="0.5"/>'
                           '<body name="c" pos="0 2 0"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
                           '<joint name="l" axis="0 0 1" damping="7"/></body></body></body></worldbody></mujoco>', "plain.xml")
        self.write('<mujocoinclude><body name="c" pos="0 2 0"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
                   '<joint name="l"/></body></mujocoinclude>', "part.xml")
        path = self.world(
            '<frame pos="0 0 1"><body name="a" childclass="slider"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
            '<joint name="j" armature="3"/><frame pos="1 0 0"><body name="b"><inertial mass="1" pos="0 0 0" '
            'diaginertia="1 1 1"/><joint name="k" class="hinge"/><frame childclass="main"><include file="part.xml"/></frame>'
            '</body></frame></body></frame>',
            '<default><joint damping="7"/><default class="slider"><joint type="slide" axis="1 0 0" damping="2"/></default>'
            '<default class="hinge"><joint damping="0.5" axis="0 1 0"/></default></default>')
        self.assert_same(path, plain, "--q", "k=0.3", "--u", "l=2", "--u", "j=1")

    def test_bounds_and_the_sum_of_masses(self):
        bodies = ('<body name="a"><inertial mass="%s" pos="0 0 0" quat="0.8 0 0.6 0" diaginertia="%s"/><freejoint name="j"/></body>'
                  '<body name="b" pos="1 0 0"><inertial mass="%s" pos="0 0 0" diaginertia="1 1 1"/><freejoint name="k"/></body>')
        path = self.world(bodies % ("1e-3", "0.1 0.2 0.25", "3"), '<compiler boundmass="1" boundinertia="0.22" settotalmass="8"/>')
        plain = self.write("<mujoco><worldbody>" + (bodies % ("2", "0.44 0.44 0.5", "6")).replace("1 1 1", "2 2 2")
                           + "</worldbody></mujoco>", "plain.xml")
        self.assert_same(path, plain)

    def test_loads_that_are_not_used_are_named(self):
        done = linkwork("check", self.world(
            '<body name="arm"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint name="ball" type="ball" stiffness="0.1"/>'
            '<body name="hand" pos="1 0 0"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint name="hinge"/></body></body>',
            after='<tendon><fixed name="pull" range="0 1"><joint joint="hinge" coef="1"/></fixed></tendon>'))
        for text in ('are not used: "ball"', 'tendons are not used: "pull"'):
            self.assertIn(text, done.stderr)

    def test_rotors_of_balls_and_free_joints(self):
        """Armature is a ball and a mass without weight; of balls on moving bodies it is named."""
        inside = ('<body name="a" pos="1 2 3"><inertial mass="2" pos="0 0 0" diaginertia="0.1 0.2 0.3"/><joint name="f" type="free" armature="0.5"/>'
                  '</body><body name="fixed"><body name="b"><inertial mass="1" pos="0 0 -1" diaginertia="1 2 3"/>'
                  '<joint name="ball" type="ball" armature="2"/></body></body>')
        path = self.world(inside, '<option gravity="0 0 -10"/>')
        found = linkwork_json("eval", path, "--q", "ball=0.6,0.8,0,0", "--u", "f=1,2,3,0,0,0")
        M = found["mass_matrix"]
        self.assertEqual([round(M["matrix"][i][i], 12) for i in range(9)], [0.6, 0.7, 0.8, 2.5, 2.5, 2.5, 4, 5, 5])
        fall = found["udot"]["f"]
        self.assertAlmostEqual(fall[5], -8, 12)
        self.assertAlmostEqual(fall[0], (0.2 - 0.3) * 2 * 3 / 0.6, 12)
        self.assertAlmostEqual(found["udot"]["ball"][0], -10 * 0.96 / 4, 12)
        self.assertEqual(linkwork("check", path).stderr, "")
        moving = inside.replace('<body name="fixed">', '<body name="fixed"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint/>')
        self.assertIn('moving bodies, are not used: "ball"', linkwork("check", self.world(moving)).stderr)

    def test_bounds_give_mass_to_empty_bodies_where_mujoco_has_it(self):
        path = self.world('<body name="a"><joint name="j"/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>'
                          '<body name="empty" pos="0.5 0 0"/></body>', '<compiler boundmass="1e-2" boundinertia="1e-9"/>')
        self.assertAlmostEqual(linkwork_json("eval", path)["mass_matrix"]["matrix"][0][0], 0.1 + 1e-9 + 1e-2 * 1, 12)

    def test_inertia_of_shapes(self):
        joint = '<body name="a"><freejoint name="j"/>%s</body>'
        shapes = [('<geom type="sphere" size="0.3"/>', 4 / 3 * math.pi * 0.3 ** 3, [0.4 * 0.09] * 3),
                  ('<geom type="box" size="0.1 0.2 0.3"/>', 8 * 0.006, [0.13 / 3, 0.1 / 3, 0.05 / 3]),
                  ('<geom type="ellipsoid" size="0.1 0.2 0.3"/>', 4 / 3 * math.pi * 0.006, [0.13 / 5, 0.1 / 5, 0.05 / 5]),
                  ('<geom type="cylinder" size="0.1 0.4"/>', math.pi * 0.01 * 0.8,
                   [(0.03 + 0.64) / 12, (0.03 + 0.64) / 12, 0.005])]
        for text, volume, radii in shapes:
            M = linkwork_json("eval", self.world(joint % text))["mass_matrix"]["matrix"]
            mass = 1000 * volume
            for i, expected in enumerate([mass * r for r in radii] + [mass] * 3):
                self.assertAlmostEqual(M[i][i] / expected, 1, 12, text)
        # a capsule: a cylinder and two half spheres, by integration along its axis
        r, h, n = 0.1, 0.4, 200000
        mass = inertia = 0
        for i in range(n):
            z = -(r + h) + 2 * (r + h) * (i + 0.5) / n
            d = max(abs(z) - h, 0)
            area = math.pi * (r * r - d * d)
            mass += area * 2 * (r + h) / n
            inertia += area * ((r * r - d * d) / 4 + z * z) * 2 * (r + h) / n
        M = linkwork_json("eval", self.world(joint % '<geom type="capsule" mass="5" size="0.1" fromto="-.4 0 0 .4 0 0"/>'))
        M = M["mass_matrix"]["matrix"]
        self.assertAlmostEqual(M[3][3], 5, 12)
        self.assertAlmostEqual(M[1][1] / (5 * inertia / mass), 1, 7)

    def write_meshes(self, triangles):
        """One mesh in each format."""
        lines = ["".join("vertex %r %r %r\n" % tuple(p) for p in t) for t in triangles]
        self.write("solid x\n" + "".join(f"facet normal 0 0 0\nouter loop\n{x}endloop\nendfacet\n" for x in lines) + "endsolid", "text.stl")
        with open(self.path("binary.stl"), "wb") as file:
            file.write(b"solid".ljust(80) + struct.pack("<I", len(triangles)))
            for t in triangles:
                file.write(struct.pack("<12fH", 0, 0, 0, *t[0], *t[1], *t[2], 0))
        vertices = "".join("v %r %r %r\n" % tuple(p) for t in triangles for p in t)
        faces = "".join(f"f {3 * i + 1}/7 {3 * i + 2}//1 {-3 * (len(triangles) - i) + 2}\n" for i in range(len(triangles)))
        self.write("# a mesh\no thing\n" + vertices + faces, "object.obj")
        return "text.stl", "binary.stl", "object.obj"

    def mesh_model(self, file, mesh="", geom="", compiler=""):
        return self.world(f'<body name="a"><joint axis="0 1 0"/><joint type="slide" axis="0 0 1"/><geom type="mesh" mesh="m" {geom}/></body>',
                          before=f'<compiler {compiler}/><asset><mesh name="m" file="{file}" {mesh}/></asset>')

    def test_mass_of_meshes(self):
        box = self.write('<mujoco><worldbody><body name="a"><joint axis="0 1 0"/><joint type="slide" axis="0 0 1"/>'
                         '<geom type="box" size="0.5 1 1.5" pos="1.5 1 1.5" euler="0 0 20" density="500"/></body></worldbody></mujoco>', "box.xml")
        for file in self.write_meshes(block([-1, -2, -3], [2, 4, 6])):
            for mesh in ('scale="0.5 0.5 0.5"', 'scale="-0.5 0.5 0.5" inertia="exact"'):
                model = self.mesh_model(file, mesh, 'pos="1.5 1 1.5" euler="0 0 20" density="500"')
                self.assert_same(model, box)
                model = self.mesh_model(file, mesh, 'pos="1.5 1 1.5" euler="0 0 20" mass="3000"')
                self.assert_same(model, box)
        # refpos and refquat come before the scale: a quarter turn about z, then stretched along y
        model = self.mesh_model("object.obj", 'refpos="-1 -2 -3" refquat="1 0 0 1" scale="0.5 0.5 0.5"', 'euler="0 0 90" pos="1 0 0" density="1"')
        same = self.write('<mujoco><worldbody><body name="a"><joint axis="0 1 0"/><joint type="slide" axis="0 0 1"/>'
                          '<geom type="box" size="0.5 1 1.5" pos="1.5 1 1.5" density="1"/></body></worldbody></mujoco>', "box.xml")
        self.assert_same(model, same)

    def test_simple_shapes_are_fitted_about_meshes(self):
        file = self.write_meshes(block([-1, -2, -3], [2, 4, 6]))[2]
        joints = '<joint axis="0 1 0"/><joint type="slide" axis="0 0 1"/>'
        for kind, size in (("box", "0.5 1 1.5"), ("ellipsoid", "0.5 1 1.5"), ("sphere", "1"), ("cylinder", "0.75 1.5"), ("capsule", "0.75 1.125")):
            same = self.write(f'<mujoco><worldbody><body name="a">{joints}<geom type="{kind}" size="{size}" pos="1 2 3" euler="0 0 20" density="1"/>'
                              '</body></worldbody></mujoco>', "simple.xml")
            fitted = self.mesh_model(file, 'scale="0.5 0.5 0.5"', 'pos="1 2 3" euler="0 0 20" density="1"')
            with open(fitted) as f:
                text = f.read().replace('type="mesh"', f'type="{kind}"')
            self.assert_same(self.write(text, "fitted.xml"), same)

    def test_mass_of_shells_and_hollow_meshes(self):
        file = self.write_meshes(block([-1, -1, -1], [2, 2, 2]))[2]
        mass = linkwork_json("eval", self.mesh_model(file, 'inertia="shell"', 'mass="1"'))["mass_matrix"]["matrix"]
        self.assertAlmostEqual(mass[0][0], 5 / 18 * 4, 12)
        self.assertAlmostEqual(mass[1][1], 1, 12)
        # a step: exact knows the corner that is missing, the sum of all pyramids from the centre counts too much
        step = block([0, 0, 0], [2, 1, 1]) + block([0, 0, 1], [1, 1, 3])
        file = self.write_meshes(step)[0]
        mass = linkwork_json("eval", self.mesh_model(file, compiler='exactmeshinertia="true"'))["mass_matrix"]["matrix"]
        self.assertAlmostEqual(mass[1][1], 5000, 8)
        mass = linkwork_json("eval", self.mesh_model(file))["mass_matrix"]["matrix"]
        self.assertGreater(mass[1][1], 5100)

    def test_meshes_that_cannot_be_used_are_named(self):
        self.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "broken.obj")
        self.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "flat.obj")
        self.write("what is this", "other.stl")
        for file, why in (("none.stl", "not found"), ("broken.obj", "broken ones"), ("flat.obj", "no volume"), ("other.stl", "neither STL nor OBJ")):
            done = linkwork("check", self.mesh_model(file))
            self.assertIn(f"{file} ({why if why != 'broken ones' else 'no triangles, or broken ones'}", done.stderr.replace("encloses ", ""))
            self.assertIn('bodies "a"', done.stderr)

    def test_files_are_included_from_beside_the_including_file(self):
        os.makedirs(self.path("parts"))
        self.write('<mujoco><body name="hand"><joint/><geom size="1"/></body></mujoco>', "parts/hand.xml")
        self.write('<mujoco><body name="arm"><joint/><geom size="1"/><include file="hand.xml"/></body></mujoco>', "parts/arm.xml")
        self.assertIn("2 bodies", linkwork("check", self.world('<include file="parts/arm.xml"/>')).stdout)

    def test_geoms_become_shapes(self):
        path = self.world(
            '<geom type="plane" size="1 1 1"/><body name="a"><joint/><geom type="capsule" fromto="0 0 0 0 0 2" size="0.1" rgba="1 0 0 1"/>'
            '<geom type="ellipsoid" size="1 2 3" material="m" group="3"/><geom type="mesh" mesh="hull" material="m" mass="0"/></body>',
            before='<compiler meshdir="assets"/><asset><mesh file="hull.obj" scale="1 1 -1"/><material name="m" rgba="0 1 0 1"/></asset>')
        out = self.path("out.yaml")
        linkwork("convert", path, "-o", out)
        with open(out) as f:
            text = f.read()
        self.assertIn("{type: capsule, body: a, at: [0, 0, 1], radius: 0.1, length: 2, color: [1, 0, 0, 1]}", text)
        self.assertIn("{type: mesh, body: a, file: assets/hull.obj, scale: [1, 1, -1], color: [0, 1, 0, 1]}", text)
        self.assertNotIn("ellipsoid", text)
        linkwork("check", out)

    def test_shapes_count_only_where_there_is_no_inertial(self):
        inside = '<body name="a"><freejoint name="j"/>%s<geom size="0.1" mass="3"/><geom size="1" mass="4" group="5"/></body>'
        inertial = '<inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/>'
        for text, compiler, mass in (("", "", 7), (inertial, "", 2), (inertial, 'inertiafromgeom="true"', 7),
                                     ("", 'inertiagrouprange="0 4"', 3)):
            M = linkwork_json("eval", self.world(inside % text, f"<compiler {compiler}/>"))["mass_matrix"]["matrix"]
            self.assertAlmostEqual(M[3][3], mass, 12)

    PAIR = ('<body name="a"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint name="j" type="slide" axis="1 0 0" '
            'ref="0.5"/></body><body name="b"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint name="k" type="slide" '
            'axis="1 0 0"/></body>')

    def test_equality_of_joints(self):
        path = self.world(self.PAIR, after='<equality><joint joint1="j" joint2="k" polycoef="0.1 3 0 0 0"/></equality>')
        found = linkwork_json("eval", path, "--q", "k=0.2", "--u", "k=1")
        self.assertAlmostEqual(found["q"]["j"], 0.5 + 0.1 + 3 * 0.2, 13)
        self.assertAlmostEqual(found["u"]["j"], 3, 13)

    def test_polynomials_of_joints_are_exact(self):
        body = ('<body name="%s"><inertial mass="%g" pos="0 0 0" diaginertia="1 1 1"/><joint name="%s" type="slide" axis="1 0 0" '
                'ref="%g"/></body>')
        path = self.world(body % ("a", 3, "j", 0.5) + body % ("b", 2, "k", -0.2), '<option gravity="-9.81 0 0"/>',
                          '<equality><joint joint1="j" joint2="k" polycoef="0.1 3 -2 0.7 0.4"/></equality>')
        self.assertEqual(linkwork("check", path).stderr, "")
        c, x, u = (0.1, 3, -2, 0.7, 0.4), 0.3 + 0.2, 1.5
        p, slope, bend = (sum(k * x ** i for i, k in enumerate(c)), sum(i * k * x ** (i - 1) for i, k in enumerate(c) if i),
                          sum(i * (i - 1) * k * x ** (i - 2) for i, k in enumerate(c) if i > 1))
        native = self.path("model.yaml")
        again = self.path("again.xml")
        linkwork("convert", path, "-o", native)
        linkwork("convert", native, "-o", again)
        for file in (path, native, again):
            found = linkwork_json("eval", file, "--q", "k=0.3", "--u", f"k={u}")
            self.assertAlmostEqual(found["q"]["j"], 0.5 + p, 12)
            self.assertAlmostEqual(found["u"]["j"], slope * u, 12)
            udot = (-9.81 * (2 + 3 * slope) - 3 * slope * bend * u * u) / (2 + 3 * slope * slope)
            self.assertAlmostEqual(found["udot"]["k"], udot, 10)
            self.assertAlmostEqual(found["udot"]["j"], slope * udot + bend * u * u, 10)

    def test_connect_and_weld_close_loops(self):
        crank = ('<body name="%s" pos="%s"><inertial mass="1" pos="0 0 0.5" diaginertia="0.1 0.1 0.1"/>'
                 '<joint name="%s" axis="0 1 0" range="-170 170"/>%s</body>')
        bars = crank % ("a", "0 0 0", "A", crank % ("b", '0 0 1" euler="0 90 0', "B", "")) + crank % ("c", "1 0 0", "C", "")
        for kind, dof in (("connect", 1), ("weld", 0)):
            path = self.world(bars, after=f'<equality><{kind} name="loop" body1="b" body2="c" anchor="0 0 1"/></equality>')
            found = linkwork_json("check", path)
            self.assertEqual(found["dof"], dof, kind)
        path = self.world(bars, after='<equality><connect name="loop" body1="b" body2="c" anchor="0 0 1"/></equality>')
        found = linkwork_json("eval", path, "--q", "A=0.4")
        # a parallelogram
        self.assertAlmostEqual(found["q"]["C"], 0.4, 9)
        self.assertAlmostEqual(found["q"]["B"], -0.4, 9)
        run = linkwork_json("run", path, "--q", "A=0.4")
        self.assertLess(run["drift"], 1e-9)

    def test_actuators(self):
        one = '<body name="a"><inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/><joint name="j" type="slide" axis="1 0 0"/></body>'
        cases = [('<motor name="m" joint="j" gear="3"/>', 3 * 0.7),
                 ('<motor name="m" joint="j" ctrlrange="-0.5 0.5"/>', 0.5),
                 ('<position name="m" joint="j" kp="10" kv="2"/>', 10 * (0.7 - 0.3) - 2 * 0.2),
                 ('<position name="m" joint="j" kp="10" gear="2" forcerange="-1 1"/>', 2 * 1),
                 ('<velocity name="m" joint="j" kv="5"/>', 5 * (0.7 - 0.2)),
                 ('<damper name="m" joint="j" kv="5" ctrlrange="0 1"/>', -5 * 0.2 * 0.7),
                 ('<general name="m" joint="j" gainprm="4" biastype="affine" biasprm="1 2 3"/>', 4 * 0.7 + 1 + 0.6 + 0.6),
                 ('<motor name="m" tendon="t"/>', 5 * 0.7)]
        tendon = '<tendon><fixed name="t"><joint joint="j" coef="5"/></fixed></tendon>'
        for text, force in cases:
            key = '<keyframe><key name="k" qpos="0.3" qvel="0.2" ctrl="0.7"/></keyframe>'
            path = self.world(one, after=f"{tendon}<actuator>{text}</actuator>{key}")
            found = linkwork_json("eval", path, "--key", "k")
            self.assertAlmostEqual(found["udot"]["j"], force / 2, 12, text)

    def test_damping_ratio_with_the_inertia_that_a_length_moves(self):
        """2 z sqrt(kp m) with m = sum M_ii / arm_i^2, also of paths through sites and their pulleys."""
        inside = ('<site name="o" pos="0 0 1"/><body name="a" pos="0.75 0 0"><inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/>'
                  '<joint name="j" type="slide" axis="1 0 0"/><site name="s"/></body>')
        for pulley, divisor in (("", 1), ('<pulley divisor="4"/>', 4)):
            tendon = f'<tendon><spatial name="t">{pulley}<site site="o"/><site site="s"/></spatial></tendon>'
            path = self.world(inside, after=tendon + '<actuator><position name="p" tendon="t" kp="10" dampratio="0.7" gear="3"/></actuator>')
            arm, length = 3 * 0.6 / divisor, 3 * 1.25 / divisor
            kv = 2 * 0.7 * math.sqrt(10 * 2 / arm ** 2)
            found = linkwork_json("eval", path, "--u", "j=0.2")["udot"]["j"]
            self.assertAlmostEqual(found, arm * (-10 * length - kv * arm * 0.2) / 2, 12)

    def test_default_actuators_of_all_kinds_are_one(self):
        """The gain of a general actuator is that of the position actuators of its class, and of classes within, unless they say more."""
        path = self.world('<body name="b"><inertial mass="1" pos="0 0 0" diaginertia="1 1 2"/><joint name="j"/></body>',
                          before='<compiler angle="radian"/><default><default class="c"><general gainprm="40" biasprm="0 -20 -3" '
                          'ctrlrange="-1 1"/><default class="d"><position kp="5" ctrlrange="-2 2"/></default></default></default>',
                          after='<actuator>%s</actuator><keyframe><key name="k" qpos="0.3" qvel="0.2" ctrl="7"/></keyframe>')
        with open(path) as file:
            text = file.read()
        for actuator, force in (('<position joint="j" class="c"/>', 40 * 1 - 40 * 0.3 - 3 * 0.2),
                                ('<position joint="j" class="c" kp="10" kv="1"/>', 10 * 1 - 10 * 0.3 - 0.2),
                                ('<position joint="j" class="d"/>', 5 * 2 - 5 * 0.3 - 3 * 0.2),
                                ('<velocity joint="j" class="d"/>', 5 * 2 - 5 * 0.2),
                                ('<general joint="j" class="d"/>', 5 * 2 - 5 * 0.3 - 3 * 0.2),
                                ('<motor joint="j" class="c"/>', 1)):
            self.write(text % actuator)
            self.assertAlmostEqual(linkwork_json("eval", path, "--key", "k")["udot"]["j"], force / 2, 12, actuator)

    def test_actuators_on_sites_push_bodies(self):
        path = self.world('<body name="a" euler="0 0 90"><freejoint name="j"/><inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/>'
                          '<site name="s" pos="1 0 0" euler="90 0 0"/></body>', '<option gravity="0 0 0"/>',
                          '<actuator><motor site="s" name="m" gear="0 2 0 0 0 3"/></actuator>'
                          '<keyframe><key name="k" ctrl="5"/></keyframe>')
        found = linkwork_json("eval", path, "--key", "k")
        # in body axes: the force 10 z at 1 x, and the torque -15 y
        for x, y in zip(found["udot"]["j"], (0, -15 - 10, 0, 0, 0, 5)):
            self.assertAlmostEqual(x, y, 12)

    def test_zeros_for_quaternions_and_sizes_of_spheres_are_converted(self):
        path = self.world('<body name="a"><inertial mass="2" pos="0 0 0" diaginertia="1 2 3"/><freejoint name="j"/><geom size="1 2 3"/></body>',
                          after='<keyframe><key name="k" qpos="0 0 1 0 0 0 0"/></keyframe>')
        out = self.path("out.yaml")
        linkwork("convert", path, "-o", out, "--key", "k")
        self.assertEqual(linkwork_json("eval", out)["q"]["j"], [0, 0, 1, 1, 0, 0, 0])

    def test_springs_and_dampers_of_third_degree(self):
        path = self.world('<body name="a"><inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/><joint name="j" type="slide" axis="1 0 0" '
                          'stiffness="3 4 5" damping="0.1 0.2 0.3" springref="0.5"/></body>')
        found = linkwork_json("eval", path, "--q", "j=0.2", "--u", "j=-0.7")
        x, u = 0.2 - 0.5, -0.7
        force = -(3 * x + 4 * x ** 2 + 5 * x ** 3) - (0.1 * u + 0.2 * u * abs(u) + 0.3 * u ** 3)
        self.assertAlmostEqual(found["udot"]["j"], force / 2, 12)

    def test_equal_tendons_are_couplers(self):
        body = ('<body name="%s" pos="0 %g 0"><inertial mass="%g" pos="0 0 0" diaginertia="1 1 1"/><joint name="%s" type="slide" axis="1 0 0" '
                'ref="%g"/></body>')
        path = self.world(body % ("a", 0, 1, "i", 0.3) + body % ("b", 1, 2, "j", -0.2) + body % ("c", 2, 3, "k", 0),
                          '<option gravity="-9.81 0 0"/>',
                          '<tendon><fixed name="s"><joint joint="i" coef="2"/><joint joint="j" coef="1"/></fixed>'
                          '<fixed name="t"><joint joint="j" coef="3"/><joint joint="k" coef="4"/></fixed></tendon>'
                          '<equality><tendon tendon1="s" tendon2="t" polycoef="0.5 2"/></equality>')
        # 2 i + j - 2 (3 j + 4 k) = 0.5 + (0.6 - 0.2) - 2 (-0.6)
        found = linkwork_json("eval", path)
        q, n = found["q"], (2, -5, -8)
        self.assertAlmostEqual(sum(c * q[x] for c, x in zip(n, "ijk")), 0.5 + 0.4 + 1.2, 9)
        force = 9.81 * sum(n) / sum(c * c / m for c, m in zip(n, (1, 2, 3)))
        for c, m, x in zip(n, (1, 2, 3), "ijk"):
            self.assertAlmostEqual(found["udot"][x], -9.81 + force * c / m, 9)

    def test_keyframes_have_the_states_of_actuators(self):
        one = '<body name="a"><inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/><joint name="j" type="slide" axis="1 0 0"/></body>'
        path = self.world(one, after='<actuator><motor name="n" joint="j"/><muscle name="m" joint="j"/><general name="f" joint="j" '
                          'dyntype="filter" dynprm="0.5"/></actuator><keyframe><key name="k" act="7, 3" ctrl="1 0 2"/></keyframe>')
        self.assertAlmostEqual(linkwork_json("eval", path, "--key", "k")["udot"]["j"], (1 + 3) / 2, 12)

    def test_laws_and_friction_of_own_loads_are_converted(self):
        native = self.write("""linkwork: 1
gravity: [0, 0, -9.81]
bodies: {a: {mass: 1, com: [1, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints: {A: {type: revolute, parent: ground, child: a, axis: y, friction: {coefficient: 0.1, radius: 0.05}}}
forces: {s: {type: spring, from: {body: ground, at: [0, 0, 2]}, to: {body: a, at: [1, 0, 0]}, tension: "30*(l - 1)^3 + 2*ldot"}}
""", "own.yaml")
        out = self.path("out.yaml")
        linkwork("convert", native, "-o", out)
        with open(out) as file:
            self.assertNotIn("bearing", file.read())
        a, b = (linkwork_json("run", path, "--end", "1") for path in (native, out))
        self.assertEqual(a["q"], b["q"])
        self.assertEqual(a["u"], b["u"])

    def test_filtered_actuators_have_a_state(self):
        one = '<body name="a"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint name="j" type="slide" axis="1 0 0"/></body>'
        path = self.world(one, after='<actuator><general name="m" joint="j" dyntype="filter" dynprm="0.5"/></actuator>'
                          '<keyframe><key name="k" ctrl="2"/></keyframe>')
        run = linkwork_json("run", path, "--key", "k")
        # u' = 2 (1 - exp(-2 t))
        self.assertAlmostEqual(run["u"]["j"], 2 * (1 - (1 - math.exp(-2)) / 2), 7)

    def test_a_start_outside_the_range_is_replaced_by_a_keyframe(self):
        one = ('<body name="a"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint name="j" type="slide" axis="1 0 0" '
               'range="1 2"/></body>')
        key = '<keyframe><key name="home" qpos="1.5"/><key name="other" qpos="1.7"/></keyframe>'
        self.assertEqual(linkwork_json("eval", self.world(one))["q"]["j"], 1)
        self.assertEqual(linkwork_json("eval", self.world(one, after=key))["q"]["j"], 1.5)
        self.assertIn('keyframe "home"', linkwork("check", self.path("robot.xml")).stderr)
        self.assertEqual(linkwork_json("eval", self.path("robot.xml"), "--key", "other")["q"]["j"], 1.7)
        self.assertIn("no keyframe", linkwork("check", self.path("robot.xml"), "--key", "x", expect=1).stderr)

    def test_several_joints_of_one_body_act_one_after_the_other(self):
        inertial = '<inertial mass="2" pos="0.3 0.1 0" diaginertia="0.1 0.2 0.25"/>'
        body = {"mass": 2, "com": [0.3, 0.1, 0], "inertia": [0.1, 0.2, 0.25]}
        axes = ([1, 0, 0], [0.2, 1, 0], [0, 0.1, 1])
        state = (0.3, -0.4, 0.5), (1, -2, 0.7)
        for n, kind in ((2, "universal"), (3, "gimbal")):
            hinges = "".join(f'<joint name="j{i}" pos="0 0.2 0" axis="{words(axes[i])}"/>' for i in range(n))
            path = self.world(f'<body name="a" pos="0 0 1">{hinges}{inertial}</body>')
            joint = {"type": kind, "parent": "ground", "child": "a", "at": [0, 0.2, 1], "child_at": [0, 0.2, 0], "axis": axes[0],
                     "axis2": axes[1]}
            if n == 3:
                joint["axis3"] = axes[2]
            native = self.model(json.dumps({"linkwork": 1, "bodies": {"a": body}, "joints": {"J": joint}}))
            each = [w for i in range(n) for w in ("--q", f"j{i}={state[0][i]}", "--u", f"j{i}={state[1][i]}")]
            mine = linkwork_json("eval", path, *each)
            its = linkwork_json("eval", native, *(w for o, s in zip(("--q", "--u"), state)
                                                  for w in (o, "J=" + ",".join(map(str, s[:n])))))
            for i in range(n):
                self.assertAlmostEqual(mine["udot"][f"j{i}"] / its["udot"]["J"][i], 1, 10)

    def test_converted_files_move_the_same_way(self):
        for seed in range(6):
            tree = RandomTree(seed)
            path, out = self.write(tree.mjcf), self.path("out.yaml")
            linkwork("convert", path, "-o", out)
            self.assert_same(out, path, *tree.state)

    def test_a_keyframe_has_the_closed_loop_also_of_joints_that_the_model_cuts(self):
        native = self.write("""linkwork: 1
gravity: [0, -9.81, 0]
bodies:
  a: {solid: {rod: {length: 0.5, mass: 1, axis: x}}}
  b: {solid: {rod: {length: 1.2, mass: 1, axis: x}}}
  c: {solid: {rod: {length: 1, mass: 1, axis: x}}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 60 deg, hold: true}
  C: {type: spherical, parent: b, child: c, at: [1.2, 0, 0], child_at: [1, 0, 0]}
  B: {type: revolute, parent: b, child: a, child_at: [0.5, 0, 0]}
  D: {type: revolute, parent: ground, child: c, at: [1.1, 0, 0], q: 100 deg}
forces: {s: {type: joint_spring, joint: B, stiffness: 100}}
""", "loop.yaml")
        out = self.path("loop.xml")
        linkwork("convert", native, "-o", out)
        expected, found = linkwork_json("eval", native), linkwork_json("eval", out, "--key", "start")
        for name in "ABD":
            self.assertAlmostEqual(found["q"][name], expected["q"][name], delta=1e-12)
            self.assertAlmostEqual(found["udot"][name], expected["udot"][name], delta=1e-9)

    def test_replicas(self):
        path = self.world('<replicate count="3" offset="1 0 0" euler="0 0 90" sep="-"><body name="b" pos="1 0 0">'
                          '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint name="j"/><site name="s" pos="0 0 1"/>'
                          '</body></replicate>')
        found = linkwork_json("eval", path)
        self.assertEqual(list(found["q"]), ["j-0", "j-1", "j-2"])
        places = [found["bodies"][f"b-{i}"]["position"] for i in range(3)]
        for place, expected in zip(places, ([1, 0, 0], [1, 1, 0], [0, 1, 0])):
            for x, y in zip(place, expected):
                self.assertAlmostEqual(x, y, 12)

    ARM = """<mujoco model="arm">
      <compiler angle="radian" eulerseq="zyx"/>
      <default><joint damping="0.3"/><default class="big"><geom size="0.2"/><joint armature="0.05"/></default></default>
      <worldbody><body name="base" pos="0 0 1" childclass="big"><body name="upper" pos="0.1 0 0" euler="0.3 0.1 0.2">
        <joint name="sh" axis="0 1 0" range="-1 1"/><geom/>
        <body name="lower" pos="1 0 0"><joint name="el" axis="0 1 0.2" class="main"/><geom/></body></body></body></worldbody>
      <tendon><fixed name="T" stiffness="3"><joint joint="sh" coef="1"/><joint joint="el" coef="-0.5"/></fixed></tendon>
      <equality><joint name="eq" joint1="sh" joint2="el" polycoef="0 0.5 0 0 0"/><connect body1="lower" body2="base"/></equality>
      <actuator><motor name="m" joint="el"/><position name="p" joint="sh" kp="4"/><motor name="mt" tendon="T"/></actuator>
      <keyframe><key name="bent" qpos="0.5 1"/></keyframe></mujoco>"""

    def test_attached_models_are_the_same_written_out(self):
        """Twice, by replicas: with its own angles, classes and what refers to the part, under names with prefix and suffix."""
        os.mkdir(self.path("part"))
        self.write(self.ARM, "part/arm.xml")
        attached = self.write("""<mujoco><asset><model name="a" file="part/arm.xml"/></asset><default><joint damping="7"/></default>
          <worldbody><body name="cart" euler="0 0 30"><joint name="x" type="slide" axis="1 0 0"/><geom size="0.3"/>
          <replicate count="2" offset="0 1 0" sep="-"><frame pos="0 0 0.5"><attach model="a" body="upper" prefix="R_"/></frame>
          </replicate></body></worldbody><keyframe><key name="k" ctrl="0 0 0 2 0 0"/></keyframe></mujoco>""", "attached.xml")
        arms = "".join(f"""<body name="R_upper-{i}" pos="0.1 {i} 0.5" euler="0.3 0.1 0.2"><geom size="0.2"/>
          <joint name="R_sh-{i}" axis="0 1 0" range="-1 1" damping="0.3" armature="0.05"/><body name="R_lower-{i}" pos="1 0 0">
          <joint name="R_el-{i}" axis="0 1 0.2" damping="0.3"/><geom size="0.2"/></body></body>""" for i in range(2))
        after = "".join(f"""<tendon><fixed name="T{i}" stiffness="3"><joint joint="R_sh-{i}" coef="1"/>
          <joint joint="R_el-{i}" coef="-0.5"/></fixed></tendon><equality><joint joint1="R_sh-{i}" joint2="R_el-{i}"
          polycoef="0 0.5 0 0 0"/></equality><actuator><motor name="R_m-{i}" joint="R_el-{i}"/><position joint="R_sh-{i}" kp="4"/>
          </actuator>""" for i in range(2))
        flat_file = self.write(f"""<mujoco><compiler angle="radian" eulerseq="zyx"/><worldbody><body name="cart"
          euler="{math.pi / 6!r} 0 0"><joint name="x" type="slide" axis="1 0 0" damping="7"/><geom size="0.3"/>{arms}</body></worldbody>
          {after}</mujoco>""", "flat.xml")
        for options in ([], ["--u", "x=0.3", "--q", "R_el-0=0.2", "--q", "R_sh-0=0.1"]):
            self.assert_same(attached, flat_file, *options)
        self.assertIn("2 keyframes of attached models", linkwork("check", attached).stderr)
        free, pushed = linkwork_json("eval", attached)["udot"], linkwork_json("eval", attached, "--key", "k")["udot"]
        self.assertGreater(pushed["R_el-1"], max(pushed["R_el-0"], free["R_el-1"]) + 0.1)

    def test_parts_of_the_model_itself_and_models_of_models_are_attached(self):
        self.write(self.ARM, "arm.xml")
        self.write('<mujoco><asset><model file="arm.xml"/></asset><worldbody><body name="b"><joint name="j"/><geom size="1"/>'
                   '<attach model="arm" prefix="in/"/></body></worldbody></mujoco>', "outer.xml")
        path = self.write('<mujoco><asset><model name="o" file="outer.xml"/></asset><worldbody><attach model="o" prefix="A/"/>'
                          '<frame name="f" pos="0 0 1"><body name="c"><joint name="k" damping="2"/><geom size="1"/></body></frame>'
                          '<attach frame="f" prefix="two_"/></worldbody><actuator><motor name="m" joint="k"/></actuator><keyframe><key name="k" ctrl="0 3 0 0 0"/></keyframe></mujoco>')
        found = linkwork_json("eval", path, "--key", "k")
        self.assertEqual(list(found["q"]), ["A/j", "A/in/sh", "A/in/el", "k", "two_k", "connect.A/in/lower.A/in/base"])
        self.assertEqual(found["udot"]["k"], 0)
        self.assertGreater(found["udot"]["two_k"], 0)

    def test_attached_models_that_cannot_be_read_say_why(self):
        attached = '<asset><model name="a" file="%s"/></asset><worldbody><attach model="a" %sprefix="x"/></worldbody></mujoco>'
        self.refused("<mujoco>" + attached % ("none.xml", ""), '"none.xml" cannot be read')
        self.refused("<mujoco>" + attached % ("../a.xml", ""), "leads out of the folder")
        self.refused("<mujoco>" + attached % ("robot.xml", ""), '"robot.xml" includes itself')
        self.write("<robot name='r'/>", "r.urdf")
        self.refused("<mujoco>" + attached % ("r.urdf", ""), '"r.urdf" is not MJCF')
        self.write(self.ARM, "arm.xml")
        path = self.write("<mujoco>" + attached % ("arm.xml", 'body="none" '))
        self.assertIn('bodies are missing: "x"', linkwork("check", path).stderr)
        bomb = "<body><geom size='1'/></body>"
        for _ in range(9):
            bomb = f'<replicate count="10">{bomb}</replicate>'
        self.refused(f"<mujoco><worldbody>{bomb}</worldbody></mujoco>", "more than 2,000,000 elements")

    def test_what_refers_to_replicas_is_replicated(self):
        path = self.world('<replicate count="2" offset="1 0 0"><body name="b"><joint name="j"/><geom size="0.1" pos="1 0 0"/></body>'
                          '</replicate>', after='<actuator><motor name="m" joint="j"/></actuator><sensor><jointpos name="s" joint="j"/>'
                          '<clock name="c"/></sensor><keyframe><key name="k" ctrl="0 2"/></keyframe><option gravity="0 0 0"/>')
        found = linkwork_json("eval", path, "--key", "k")
        self.assertEqual(found["udot"]["j0"], 0)
        self.assertGreater(found["udot"]["j1"], 0)
        self.assertEqual(linkwork("check", path).stderr.count("left out"), 0)

    def test_what_is_not_used_is_listed(self):
        path = self.world('<geom type="plane" size="1 1 1"/><body name="a"><freejoint/><geom type="mesh" mesh="m"/>'
                          '<geom size="1"/></body>', after='<contact><pair geom1="a" geom2="b"/></contact><sensor><gyro site="s"/>'
                          '</sensor><actuator><muscle joint="x"/></actuator>')
        warnings = linkwork("check", path).stderr
        for part in ("3 contacts of geoms", "1 contact pairs", 'not outputs: "sensor1 (gyro)"', 'forces are missing: "muscle"', 'that are not there is missing: bodies "a"'):
            self.assertIn(part, warnings)

    def test_files_that_cannot_be_read_say_where_and_why(self):
        body = '<body name="a"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>%s</body>'

        def model(inside):
            return f"<mujoco>\n<worldbody>{inside}</worldbody></mujoco>"
        self.refused(model(body % '<joint axis="0 0 0"/>'), "axis is zero")
        self.refused(model(body % '<joint type="screw"/>'), 'joint type "screw"')
        self.refused(model(body % "" + body % ""), 'a body "a" already')
        self.refused(model(body % '<body quat="0 0 0 0"/>'), "no direction")
        self.refused(model(body % '<joint pos="1 2"/>'), "pos needs 3 numbers, found 2")

    def test_what_names_missing_parts_is_left_out_by_name(self):
        path = self.world('<body name="a"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint name="j" class="none"/></body>'
                          '<composite prefix="cloth"/><attach model="arm"/>',
                          after='<equality><weld body1="a" body2="mocap"/><joint joint1="j" joint2="k"/></equality>'
                          '<actuator><motor name="m" joint="l"/></actuator>')
        warnings = linkwork("check", path).stderr
        for part in ('"joint j: none"', '"weld: mocap"', '"joint: k"', '"motor m: l"', 'bodies are missing: "cloth", "arm"'):
            self.assertIn(part, warnings)

    def test_a_folder_around_the_model_may_be_allowed(self):
        os.mkdir(self.path("deep"))
        self.write('<mujocoinclude><body name="a"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint name="j"/></body></mujocoinclude>',
                   "part.xml")
        path = self.write('<mujoco><worldbody><include file="../part.xml"/></worldbody></mujoco>', "deep/robot.xml")
        self.assertIn("--root FOLDER", linkwork("check", path, expect=1).stderr)
        self.assertEqual(list(linkwork_json("eval", path, "--root", self.path(""))["q"]), ["j"])
        outside = linkwork("check", path, "--root", self.path("deep"), expect=1).stderr
        self.assertIn("is not in the folder", outside)
        self.assertIn("made to be included", linkwork("check", self.path("part.xml"), expect=1).stderr)

    def test_tendons_through_sites_pull_along_their_segments(self):
        """The length and its gradient by hand: L = |w s0| + |s0 s1| / 2 behind a pulley, of two bodies that slide."""
        slider = ('<body name="%s" pos="%g 0 0"><inertial mass="%g" pos="0 0 0" diaginertia="1 1 1"/><joint name="%s" type="slide" '
                  'axis="1 0 0"/><site name="s%s" pos="0 %g 0"/></body>')
        tendon = '<spatial name="T" %s><site site="w"/><site site="sa"/><pulley divisor="2"/><site site="sa"/><site site="sb"/></spatial>'
        after = ('<tendon>' + tendon % 'stiffness="30" damping="4" springlength="1.5"' + '</tendon>'
                 '<actuator><motor name="m" tendon="T" gear="3"/></actuator><sensor><tendonpos tendon="T" name="l"/></sensor>'
                 '<keyframe><key name="k" qpos="0.1 0.4" qvel="0.5 -0.7" ctrl="2"/></keyframe>')
        path = self.world('<site name="w" pos="-1 0 0"/>' + slider % ("a", 0, 2, "j", "a", 0.3) + slider % ("b", 1, 3, "k", "b", -0.2),
                          '<option gravity="0 0 0"/>', after)
        found = linkwork_json("eval", path, "--key", "k")
        one, two = (1.1, 0.3), (1.3, -0.5)
        n1, n2 = math.hypot(*one), math.hypot(*two)
        gradient = (one[0] / n1 - two[0] / n2 / 2, two[0] / n2 / 2)
        length, rate = n1 + n2 / 2, gradient[0] * 0.5 - gradient[1] * 0.7
        force = -30 * (length - 1.5) - 4 * rate + 3 * 2
        self.assertAlmostEqual(found["udot"]["j"], force * gradient[0] / 2, 11)
        self.assertAlmostEqual(found["udot"]["k"], force * gradient[1] / 3, 11)

    def test_sensors_are_outputs(self):
        path = self.world('<body name="a"><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><joint name="j" axis="0 0 1"/>'
                          '<site name="s" pos="2 0 0"/></body>', '<option gravity="0 -9.81 0"/>',
                          '<sensor><jointpos name="p" joint="j"/><jointvel name="v" joint="j"/><gyro name="g" site="s"/>'
                          '<accelerometer name="acc" site="s"/><velocimeter name="vel" site="s"/><framepos name="f" objtype="site" '
                          'objname="s"/></sensor>')
        out = self.path("out.csv")
        linkwork("run", path, "--end", "0.5", "--q", "j=0.3", "--u", "j=3", "-o", out)
        with open(out) as file:
            header, rows = file.readline().strip().split(","), [list(map(float, line.split(","))) for line in file]
        last = dict(zip(header, rows[-1]))
        q = 0.3 + 3 * 0.5
        expected = {"p": q, "v": 3, "g.z": 3, "vel.x": 0, "vel.y": 6, "acc.x": -18 + 9.81 * math.sin(q), "acc.y": 9.81 * math.cos(q),
                    "f.x": 2 * math.cos(q), "f.y": 2 * math.sin(q)}
        for name, value in expected.items():
            self.assertAlmostEqual(last[name], value, 6, name)

    def test_weights_are_balanced(self):
        path = self.world('<body name="a" gravcomp="0.25"><inertial mass="2" pos="1 0 0" diaginertia="1 1 1"/><joint name="j" axis="0 -1 0"/></body>')
        self.assertAlmostEqual(linkwork_json("eval", path)["udot"]["j"], -0.75 * 2 * 9.81 / 3, 12)

    def test_springs_by_time_constant_and_damping_ratio(self):
        """Of a slider on a slider of mass 3: the inertia of both, while the other is free, is 1/(1/2 + 1/3)."""
        inside = ('<body name="a"><inertial mass="3" pos="0 0 0" diaginertia="1 1 1"/><joint name="i" type="slide" axis="1 0 0"/>'
                  '<body name="b"><inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/><joint name="j" type="slide" axis="1 0 0" '
                  'springdamper="0.2 0.5"/></body></body>')
        m = 1 / (1 / 2 + 1 / 3)
        found = linkwork_json("eval", self.world(inside, '<option gravity="0 0 0"/>'), "--q", "j=0.3", "--u", "j=0.7")
        force = -m / 0.01 * 0.3 - 2 * m / 0.2 * 0.7
        self.assertAlmostEqual(found["udot"]["j"], force / m, 9)

    def test_global_coordinates(self):
        inside = ('<body name="a" pos="%s" euler="0 0 30"><joint name="i" axis="%s" pos="%s"/><inertial mass="1" pos="%s" diaginertia="1 2 3"/>'
                  '<body name="b" pos="%s" quat="%s"><joint name="j" axis="0 0 1"/><inertial mass="1" pos="%s" diaginertia="1 2 3"/></body></body>')
        c, s = math.cos(math.pi / 6), math.sin(math.pi / 6)
        half = (math.cos(math.pi / 12), math.sin(math.pi / 12))
        plain = self.write("<mujoco><worldbody>" + inside % ("1 0 0", "0 0 1", "0 0 0", "0.5 0 0", "1 0 0", "1 0 0 0", "0.5 0 0")
                           + "</worldbody></mujoco>", "plain.xml")
        path = self.world((inside % ("1 0 0", "0 0 1", "1 0 0", words((1 + 0.5 * c, 0.5 * s, 0)), words((1 + c, s, 0)),
                                     words((half[0], 0, 0, half[1])), words((1 + 1.5 * c, 1.5 * s, 0))))
                          .replace('axis="0 0 1"/><inertial', 'axis="0 0 1" pos="%s"/><inertial' % words((1 + c, s, 0)))
                          .replace('pos="1 0 0"/><inertial mass="1" pos', 'pos="1 0 0"/><inertial mass="1" quat="%s" pos' % words((half[0], 0, 0, half[1])))
                          .replace('<inertial mass="1" pos', '<inertial mass="1" quat="%s" pos' % words((half[0], 0, 0, half[1]))),
                          '<compiler coordinate="global"/>')
        self.assert_same(path, plain, "--q", "j=0.3", "--u", "i=1")

    def test_loops_may_close_at_joints_without_armature(self):
        """A long chain of joints with armature, welded to the ground: the weld is cut, not one of them."""
        inside = "".join(f'<body name="b{i}" pos="0.3 {i % 2} {i % 3}"><inertial mass="1" pos="0.1 0 0" diaginertia="1 1 1"/>'
                         f'<joint name="j{i}" axis="{("1 0 0", "0 1 0", "0 0 1")[i % 3]}" armature="0.1"/>' for i in range(8)) + "</body>" * 8
        found = linkwork_json("check", self.world(inside, after='<equality><weld name="w" body1="b7"/></equality>'))
        self.assertEqual(found["dof"], 2)

    def test_hostile_files_end_in_one_line(self):
        self.refused('<mujoco><include file="/etc/passwd"/></mujoco>', "leads out of the folder")
        self.refused('<mujoco><include file="a/../../x.xml"/></mujoco>', "leads out of the folder")
        self.refused('<mujoco><include file="none.xml"/></mujoco>', "cannot be read")
        self.refused('<mujoco><include file="robot.xml"/></mujoco>', "includes itself")
        self.write('<mujoco><include file="robot.xml"/></mujoco>', "other.xml")
        self.refused('<mujoco><include file="other.xml"/></mujoco>', "includes itself")
        self.refused('<mujoco><worldbody><replicate count="1e9"><site/></replicate></worldbody></mujoco>', "count must be 1 to")
        self.refused('<mujoco><worldbody>' + "<body>" * 300 + "</body>" * 300 + "</worldbody></mujoco>", "nested")

    def test_every_robot_that_is_at_hand_loads_evaluates_and_runs(self):
        folder = os.path.join(SOURCE, "..", "shared", "robots", "mjcf")
        if not os.path.isdir(folder):
            self.skipTest("no robot files beside the repository")
        for base, _, files in sorted(os.walk(folder)):
            for name in files:
                with self.subTest(name):
                    path = os.path.join(base, name)
                    linkwork_json("eval", path)
                    linkwork_json("inspect", path)
                    linkwork_json("run", path, "--end", "0.02")


if __name__ == "__main__":
    unittest.main()
