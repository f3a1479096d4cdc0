# SPDX-License-Identifier: Apache-2.0
"""include, repeat, mirror and merge keys: the same results as models written out by hand; places of mistakes."""
import json
import os
import random
import re
import subprocess
import unittest

from program import LINKWORK, Folder, linkwork, linkwork_json, read_csv, shipped

FORMULATIONS = ("tree", "dca", "cartesian")
HEAD = "linkwork: 1\n"


class Files(Folder):
    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def table(self, model, *words, name="out.csv"):
        linkwork("run", model, "-o", self.path(name), "-q", *words)
        heads, rows = read_csv(self.path(name))
        return {h: [r[i] for r in rows] for i, h in enumerate(heads)}

    def text(self, name):
        with open(name) as file:
            return file.read()

    def said(self, model, *words, verb="check"):
        return linkwork(verb, model, *words, expect=1).stderr.strip()

    def assert_close(self, a, b, tolerance, what):
        scale = max([1] + [abs(x) for x in a])
        worst = max(abs(x - y) for x, y in zip(a, b))
        self.assertLessEqual(worst, tolerance * scale, what)


# ---- repeat ----

class Repeat(Files):
    def test_a_crane_of_50_links_equals_the_one_written_out(self):
        joint = "{type: universal, parent: %s, child: %s, axis: x, axis2: y, q: [%s, 0]%s}"
        text = [HEAD + "parameters: {L: 0.2, m: 0.4, swing: 0.3}", "bodies:",
                "  load: {solid: {box: {size: [0.4, 0.4, 0.4], mass: 200, at: [0, 0, -0.2]}}}"]
        text += [f"  link{i}: {{solid: {{rod: {{length: L, mass: m, axis: -z, radius: 0.01}}}}}}"
                 for i in range(1, 51)]
        text += ["joints:", "  joint1: " + joint % ("ground", "link1", "swing", ""),
                 "  hook: " + joint % ("link50", "load", "0", ", at: [0, 0, -L]")]
        text += [f"  joint{i}: " + joint % (f"link{i-1}", f"link{i}", "0", ", at: [0, 0, -L]")
                 for i in range(2, 51)]
        model = self.write("crane.yaml", "\n".join(text) + "\nsimulation: {end: 2, output_step: 0.05}\n")
        a = self.table(shipped("crane"), "--end", "0.1")
        b = self.table(model, "--end", "0.1")
        self.assertEqual(a, b)
        with open(shipped("crane")) as file:
            lines = [l for l in file if not l.startswith("#")]
        self.assertLessEqual(len(lines), 14)

    def test_an_engine_of_six_cylinders_equals_the_one_written_out(self):
        with open(shipped("engine")) as file:
            text = file.read()
        head, block = text.split("repeat:\n")
        block, tail = block.split("simulation:")
        sections, name = {}, None
        for line in block.splitlines():
            if re.match(r"    (\w+):", line) and not line.strip().startswith("fires"):
                name = re.match(r"    (\w+):", line).group(1)
                sections[name] = []
            elif name and line.startswith("      "):
                sections[name].append(line[4:])
        for name, lines in sections.items():
            made = []
            for i, fires in zip(range(1, 7), (0, 480, 240, 600, 120, 360)):
                made += [l.replace("${i}", str(i)).replace("${fires}", str(fires)) for l in lines]
            head = re.sub(rf"(?m)^{name}:\n(?:  .*\n)*", lambda m: m.group(0) + "\n".join(made) + "\n", head)
        model = self.write("engine.yaml", head + "simulation:" + tail)
        self.assertNotIn("${", self.text(model))
        for formulation in FORMULATIONS:
            words = ("--end", "0.01", "--formulation", formulation)
            self.assertEqual(self.table(shipped("engine"), *words), self.table(model, *words))

    def test_blocks_nest_and_variables_run_together(self):
        text = HEAD + """bodies: {b: {mass: 1}}
joints: {J: {type: prismatic, parent: ground, child: b}}
repeat:
  i: 1..3
  w: [a, b, c]
  repeat:
    - j: i..3 by 2
      bodies: {"x${i}_${j}_${w}": {mass: "${i*j}"}}
    - k: [-1]
      parameters: {"p${i}": "${k}^2 + ${(i - 2) * 4 / 2} + ${(k - i) % 3}"}
"""
        found = linkwork_json("eval", self.write("m.yaml", text))
        self.assertEqual(set(found["bodies"]), {"b", "x1_1_a", "x1_3_a", "x2_2_b", "x3_3_c"})
        for p, value in (("p1", 1 - 2 + 1), ("p2", 1 + 0 + 0), ("p3", 1 + 2 + 2)):
            model = self.write("n.yaml", text + "forces: {M: {type: motor, joint: J, value: %s}}\ngravity: [0, 0, 0]\n" % p)
            self.assertAlmostEqual(linkwork_json("eval", model)["udot"]["J"], value, places=12)

    def test_mistakes_have_places(self):
        for text, said in (
                ("repeat: {bodies: {a: {mass: 1}}}", ":2:9: `repeat` needs a variable and its range"),
                ("repeat: {i: 1..3, bodies: {a: {mass: 1}}}", ":2:28: `a` of `bodies` is already defined at"),
                ("repeat: {i: 3..1, bodies: {a: {mass: 1}}}", ':2:13: range "3..1" is empty'),
                ("repeat: {i: 1..n, bodies: {a: {mass: 1}}}", ':2:13: range "1..n": "n" is no variable'),
                ("repeat: {i: 1..2, j: [1], bodies: {a: {mass: 1}}}", ":2:19: `j` has 1 values, and `i` has 2"),
                ("repeat: {i: 1..2, bodies: {'a${k}': {mass: 1}}}", ':2:28: `a${k}`: "k" is no variable'),
                ("repeat: {i: 1..2, bodies: {'a${i': {mass: 1}}}", ":2:28: `a${i`: `${` is not closed"),
                ("repeat: {i: 1..2, bodies: {'a${i/2}': {mass: 1}}}", ":2:28: `a${i/2}`: a division leaves a remainder"),
                ("repeat: {i: 1..2, bodies: {'a${i/0}': {mass: 1}}}", ":2:28: `a${i/0}`: division by 0"),
                ("repeat: {i: 1..2, gravity: [0, 0, 1]}", ":2:19: `gravity` cannot be repeated"),
                ("repeat: {i: 1..2, bodes: {'a${i}': {mass: 1}}}", ':2:19: unknown key "bodes", did you mean "bodies"?'),
                ("repeat: {i: 1..1000000000, bodies: {'a${i}': {mass: 1}}}", "make more than 5000000 values"),
                ("repeat: {i: 1..1000000000000, bodies: }", "make more than 5000000 values"),
                ("repeat: [1]", ":2:10: expected a mapping for `repeat`"),
                ("repeat: {i: 1..2, bodies: {'a${i}': {mass: 'm*${i}'}}}", ':2:45: body "a1": mass: there is no parameter "m"'),
        ):
            model = self.write("m.yaml", HEAD + text + "\n")
            self.assertIn(said, self.said(model), text)

    def test_many_blocks_in_one_another_are_refused(self):
        text = "bodies: {a: {mass: 1}}"
        for _ in range(40):
            text = "repeat: {i: 1..2, " + text + "}"
        self.assertIn("more than 30 blocks in one another", self.said(self.write("m.yaml", HEAD + text + "\n")))


# ---- merge keys ----

class Merge(Files):
    def test_merged_keys_are_those_that_are_not_written(self):
        text = HEAD + """bodies:
  a: &a {mass: 1, inertia: [1, 2, 3]}
  b: {<<: *a, mass: 5}
  c: {mass: 7, <<: [{com: [1, 0, 0]}, *a]}
"""
        out = HEAD + """bodies:
  a: {mass: 1, inertia: [1, 2, 3]}
  b: {inertia: [1, 2, 3], mass: 5}
  c: {mass: 7, com: [1, 0, 0], inertia: [1, 2, 3]}
"""
        a = linkwork_json("eval", self.write("a.yaml", text))
        self.assertEqual(a, linkwork_json("eval", self.write("b.yaml", out)))
        self.assertIn(":2:14: `<<` takes a mapping", self.said(self.write("c.yaml", HEAD + "bodies: {<<: 3}\n")))


# ---- include ----

PART = HEAD + """name: part
gravity: [1, 2, 3]
parameters: {L: 0.5, m: {value: 2*L, min: 0.1, doc: mass}, unused: 3}
bodies:
  arm: {mass: m, com: [L/2, 0.01, 0.02], inertia: [0.01, 0.02, 0.03, 0.001, 0.002, -0.001]}
joints:
  A: {type: revolute, parent: ground, child: arm, at: [0.1, 0.2, L], orient: {rpy: [0.1, L, 0.3]}, axis: y, q: L}
forces:
  s: {type: spring, from: {body: ground, at: [L, 1, 0]}, to: {body: arm}, stiffness: 30, length: L}
  b: {type: bushing, parent: ground, child: arm, at: [0, L, 0], orient: {axis_angle: [0, 1, 1, L]}, stiffness: [1, 2, 3], angular_stiffness: 2}
  w: {type: torsion, parent: arm, child: ground, child_orient: {quat: [1, L, 0, 0]}, axis: y, stiffness: 3}
  M: {type: motor, joint: A, value: "m*sin(t) - 0.1*u.A"}
events:
  - {name: hit, when: "q.A - 2*L", impulse: {body: arm, linear: [0, L, 0]}, once: true}
  - {at: 0.2, connect: {name: pin, type: distance, parent: ground, child: arm, at: [0, 0.2, 3], child_at: [1, 0, 0], length: 2.5, move: true}}
  - {at: 0.25, disconnect: pin}
simulation: {end: 0.3}
"""


class Include(Files):
    def test_names_positions_and_parameters_are_those_of_the_file(self):
        self.write("part.yaml", PART)
        model = self.write("m.yaml", HEAD + """gravity: [1, 2, 3]
include: {file: part.yaml, as: p}
simulation: {end: 0.3}
""")
        a, b = self.table(model), self.table(self.path("part.yaml"), name="b.csv")
        def renamed(h):
            return re.sub(r"\.(arm|A|pin)(?=\.|$)", r".p.\1", h)
        self.assertEqual(a, {renamed(h): c for h, c in b.items()})

    def test_a_placed_part_equals_one_on_a_body_that_is_welded_there(self):
        """An independent way to say the same: a heavy fixed body stands for the ground of the part."""
        self.write("part.yaml", PART)
        place = "at: [w, 2*w, 0.3], orient: {rpy: [0.2, w, -0.4]}"
        base = "  base: {mass: 3, inertia: [1, 1, 1]}\n"
        J = "  J: {type: revolute, parent: ground, child: base, axis: [1, 1, 0], q: 0.3, u: 2}\n"
        model = self.write("m.yaml", HEAD + f"parameters: {{w: 0.7}}\nbodies:\n{base}joints:\n{J}"
                           f"include: {{file: part.yaml, as: p, ground: base, {place}, parameters: {{L: w/2}}}}\n"
                           "simulation: {end: 0.3, rtol: 1e-11}\n")
        text = PART.split("simulation")[0].replace("ground", "mount").replace("gravity: [1, 2, 3]\n", "")
        text = text.replace("L: 0.5,", "w: 0.7, L: w/2,")
        text = text.replace("bodies:\n", "bodies:\n" + base + "  mount: {mass: 1e-9, inertia: [1e-9, 1e-9, 1e-9]}\n")
        text = text.replace("joints:\n", "joints:\n" + J +
                            f"  weld: {{type: fixed, parent: base, child: mount, {place}}}\n")
        welded = self.write("welded.yaml", text + "simulation: {end: 0.3, rtol: 1e-11}\n")
        for formulation in FORMULATIONS:
            a = self.table(model, "--formulation", formulation)
            b = self.table(welded, "--formulation", formulation, name="b.csv")
            for h in ("q.J", "u.J", "udot.J"):
                self.assert_close(a[h], b[h], 1e-6, h)
            self.assert_close(a["q.p.A"], b["q.A"], 1e-6, formulation)
        a, b = (linkwork_json("eval", m) for m in (model, welded))
        self.assertAlmostEqual(a["udot"]["J"], b["udot"]["J"], delta=1e-7)
        self.assertAlmostEqual(a["energies"]["potential"], b["energies"]["potential"], delta=1e-7)
        for x, y in zip(a["bodies"]["p.arm"]["position"] + a["bodies"]["p.arm"]["quat"],
                        b["bodies"]["arm"]["position"] + b["bodies"]["arm"]["quat"]):
            self.assertAlmostEqual(x, y, delta=1e-12)

    def test_derivatives_pass_from_the_parameters_of_the_includer_and_set_works(self):
        self.write("part.yaml", PART.split("events:")[0] + "simulation: {end: 0.3}\n")
        model = self.write("m.yaml", HEAD + """parameters: {w: 0.7}
include: {file: part.yaml, as: p, at: [w, w^2, 0.3], orient: {rpy: [0.2, w, -0.4]}, parameters: {L: w/2}}
simulation: {end: 0.2, rtol: 1e-10}
""")
        done = linkwork("sens", model, "--parameters", "w,p.L,p.m", "--check")
        self.assertIn("p.m", done.stdout)
        a = linkwork_json("eval", model, "--set", "p.L=0.6", "--set", "p.m=3")
        b = linkwork_json("eval", self.write("n.yaml", self.text(model).replace("w/2", "0.6, m: 3")))
        self.assertEqual(a, b)

    def test_values_of_parameters_keep_limits_and_nested_files_are_reached(self):
        self.write("parts/part.yaml", PART)
        self.write("sub/pair.yaml", HEAD + """parameters: {k: 1}
include:
  a: {file: ../parts/part.yaml, parameters: {L: 0.3*k}}
  b: {file: ../parts/part.yaml, at: [0, 3, 0]}
joints: {G: {type: gear, joints: [a.A, b.A], ratio: 2}}
forces: {F: {type: motor, joint: b.A, value: a.L + 0*q.a.A}}
""")
        model = self.write("m.yaml", HEAD + """include:
  - {file: sub/pair.yaml, as: l, parameters: {k: 2, b.m: 7}}
  - {file: sub/pair.yaml, as: r, ground: l.b.arm}
""")
        found = linkwork_json("eval", model)
        self.assertEqual(set(found["bodies"]), {"l.a.arm", "l.b.arm", "r.a.arm", "r.b.arm"})
        self.assertAlmostEqual(found["q"]["l.a.A"], 0.6)
        self.assertIn('parts/part.yaml:4:22: parameter "l.a.m": 0.05 is below its minimum 0.1',
                      self.said(model, "--set", "l.a.m=0.05"))
        self.assertIn('"l.b.unused"', linkwork("eval", model, "--set", "l.b.unusd=3", expect=2).stderr)

    def test_values_given_to_a_parameter_with_a_unit(self):
        self.write("part.yaml", HEAD + "parameters: {R: {value: 300, unit: mm, min: 10}}\nbodies: {b: {mass: 1}}\n"
                   "joints: {J: {type: prismatic, parent: ground, child: b, axis: x, q: R}}\n")
        for given, wanted in (("450", 0.45), ("0.5 m", 0.5), ("2*q", 0.6), ("2*n", 0.8)):
            model = self.write("m.yaml", HEAD + "parameters: {q: 300 mm, n: 0.4}\ninclude: {file: part.yaml, as: p, parameters: {R: %s}}\n" % given)
            self.assertAlmostEqual(linkwork_json("eval", model)["q"]["p.J"], wanted, places=12, msg=given)
        for given, said in (("3 kg", 'm.yaml:3:51: m for `value` is expected, "3 kg" is kg'), ("q", 'm.yaml:3:51: m for `value` is expected, "q" is kg')):
            model = self.write("m.yaml", HEAD + "parameters: {q: 3 kg}\ninclude: {file: part.yaml, as: p, parameters: {R: %s}}\n" % given)
            self.assertIn(said, self.said(model))

    def test_values_given_to_a_parameter_have_the_dimension_of_its_own(self):
        self.write("part.yaml", HEAD + "parameters: {L: 300 mm, M: {value: 2 kg}, D: L + 1 m}\nbodies: {b: {mass: 1}}\n"
                   "joints: {J: {type: prismatic, parent: ground, child: b, axis: x}}\n")
        for given, own, wanted, found in (("L: 3 kg", "300 mm", "m", "kg"), ("M: len", "2 kg", "kg", "m"), ("D: 3 kg", "p.L + 1 m", "m", "kg"),
                                          ("L: m + 1 kg", "300 mm", "m", "kg")):
            model = self.write("m.yaml", HEAD + "parameters: {m: 3 kg, len: 2 m}\ninclude: {file: part.yaml, as: p, parameters: {%s}}\n" % given)
            self.assertIn('m.yaml:3:51: %s is expected instead of "%s" of the included file, "%s" is %s'
                          % (wanted, own, given[3:], found), self.said(model))
        for given in ("L: 2*len", "L: 0.2", "M: 4", "D: 4 mm", "D: len"):
            linkwork("check", self.write("m.yaml", HEAD + "parameters: {len: 2 m}\ninclude: {file: part.yaml, as: p, parameters: {%s}}\n" % given))
        self.assertIn('"3 kg" is kg, but parameter "L" is m', linkwork("check", self.path("part.yaml"), "--set", "L=3 kg", expect=2).stderr)

    def test_bodies_of_a_file_may_be_those_of_the_includer(self):
        self.write("part.yaml", HEAD + """bodies:
  base: {mass: 1, inertia: [1, 1, 1]}
  arm: {mass: 1, inertia: [1, 1, 1]}
joints: {A: {type: revolute, parent: base, child: arm, at: [0, 0.3, 0.1], child_at: [0, 1, 0], axis: x, q: 0.3}}
forces: {F: {type: force, body: base, force: [0, 1, 0]}}
events: [{when: "z.base - 0.2*z.arm", stop: true}]
""")
        model = self.write("m.yaml", HEAD + """bodies: {chassis: {mass: 5, inertia: [2, 2, 2]}}
include:
  l: {file: part.yaml, bodies: {base: chassis}}
  r: {file: part.yaml, bodies: {base: chassis}, mirror: y}
""")
        a = self.table(model)
        self.assertEqual([h for h in a if h.startswith("x.")], ["x.chassis", "x.l.arm", "x.r.arm"])
        self.assert_close(a["q.l.A"], a["q.r.A"], 1e-9, "symmetric")
        self.assert_close(a["y.chassis"], [0] * len(a["y.chassis"]), 1e-9, "symmetric")
        self.assertIn('part.yaml has no body "bas"',
                      self.said(self.write("n.yaml", self.text(model).replace("{base:", "{bas:"))))

    def test_the_ground_of_a_part_may_be_a_point(self):
        """A point stands for its body, place and axes, also one of another part, in a mirrored one and on its ground."""
        self.write("part.yaml", PART.replace("gravity: [1, 2, 3]\n", ""))
        base = "bodies: {b: {mass: 3, inertia: [1, 2, 2]}}\njoints: {J: {type: revolute, parent: ground, child: b, axis: x, q: 0.3, u: 2}}\n"
        place = "at: [w, 0.1, 0.2], orient: {rpy: [0.2, w, -0.4]}"
        self.write("base.yaml", HEAD + "parameters: {w: 0.7}\n" + base +
                   "points: {here: {body: b, %s}, still: {body: ground, %s}}\n" % (place, place))
        for mirror in ("", ", mirror: y"):
            points = self.write("m.yaml", HEAD + "include:\n  - {file: base.yaml, as: c%s}\n"
                                "  - {file: part.yaml, as: p, ground: c.here}\n  - {file: part.yaml, as: r, ground: c.still}\n"
                                "simulation: {end: 0.2}\n" % mirror)
            flip = place.replace("0.1", "-0.1").replace("[0.2, w, -0.4]", "[-0.2, w, 0.4]") if mirror else place
            places = self.write("n.yaml", HEAD + "parameters: {w: 0.7}\ninclude:\n  - {file: base.yaml, as: c%s}\n"
                                "  - {file: part.yaml, as: p, ground: c.b, %s}\n  - {file: part.yaml, as: r, %s}\n"
                                "simulation: {end: 0.2}\n" % (mirror, flip, flip))
            a, b = self.table(points), self.table(places)
            for h, column in a.items():
                self.assert_close([x or 0 for x in column], [x or 0 for x in b[h]], 1e-9, h)
        self.assertIn("m.yaml:4:50: `ground: c.here` is a point, which says where: leave out `at`", self.said(self.write(
            "m.yaml", HEAD + "include:\n  - {file: base.yaml, as: c}\n"
            "  - {file: part.yaml, as: p, ground: c.here, at: [1, 0, 0]}\n")))

    def test_the_double_wishbones_equal_those_written_out(self):
        """All composed places as numbers; parameters in place."""
        corners = {"fl": (1, 1, 1, 1.65), "fr": (1, -1, 1, 1.65), "rl": (-1, 1, 1, -1.65), "rr": (-1, -1, 1, -1.65)}
        bodies, joints, forces = [], [], []

        def vec(s, v, shift=0.0):
            return "[%.17g, %.17g, %.17g]" % (s[0]*v[0] + shift, s[1]*v[1], s[2]*v[2])

        def axial(s, v):
            det = s[0]*s[1]*s[2]
            return vec([det*x for x in s], v)
        for c, (sx, sy, sz, x) in corners.items():
            s, n = (sx, sy, sz), c + "_"
            k, free = (1.8e5, 0.339) if c[0] == "f" else (1.2*1.8e5, 0.35)
            bodies += [f"  {n}upper: {{mass: 5.8, inertia: [0.03, 0.03, 0.063]}}",
                       f"  {n}lower: {{mass: 24, inertia: [0.4, 0.4, 0.89, {0.01*sx*sy}, 0, {-0.005*sy*sz}]}}",
                       f"  {n}hub: {{mass: 34.2, com: {vec(s, (0, -0.09, 0))}, inertia: [0.418, 0.267, 0.297]}}"]

            def joint(name, kind, parent, child, at, child_at, more=""):
                shift = x if parent == "chassis" else 0
                joints.append(f"  {n}{name}: {{type: {kind}, parent: {parent if parent == 'chassis' else n + parent}, "
                              f"child: {n}{child}, at: {vec(s, at, shift)}, child_at: {vec(s, child_at)}{more}}}")
            joint("upper", "revolute", "chassis", "upper", (-0.048, 0.446, 0.245), (0.058, -0.143, 0.027),
                  ", axis: " + axial(s, (0.22, -0.032, 0.049)))
            joint("lower", "revolute", "chassis", "lower", (0.223, 0.307, 0), (0.223, -0.24, 0.059),
                  ", axis: " + axial(s, (1, 0, 0)))
            joint("lower_ball", "spherical", "lower", "hub", (-0.036, 0.24, -0.059), (0.004, -0.123, -0.092))
            joint("upper_ball", "spherical", "upper", "hub", (0.053, 0.127, -0.003), (-0.013, -0.194, 0.241))
            joint("tie_rod", "distance", "chassis", "hub", (-0.25, 0.448, 0.054), (-0.136, -0.089, 0.01),
                  ", length: sqrt(0.074^2 + 0.373^2 + 0.07^2)")
            spring = "  {}: {{type: spring, from: {{body: chassis, at: {}}}, to: {{body: {}lower, at: {}}}, {}}}"
            forces += [spring.format(n + "spring", vec(s, (0.104, 0.51, 0.197), x), n, vec(s, (0.097, -0.004, 0.012)),
                                     f"stiffness: {k:.17g}, length: {free}"),
                       spring.format(n + "damper", vec(s, (0.104, 0.498, 0.323), x), n, vec(s, (0.097, -0.004, 0.012)),
                                     "stiffness: 0, damping: 1.9e4"),
                       f"  tyre_{c}: {{type: bushing, parent: ground, child: {n}hub, at: [{x}, {sy*0.91}, 0], "
                       f"child_at: [0, 0, -0.47], stiffness: [1.5e5, 1.5e5, 3e5], damping: 1500}}"]
        model = self.write("m.yaml", HEAD + "bodies:\n  chassis: {mass: 2086, com: [0.05, 0, 0.21], "
                           "inertia: [1078, 2955, 3570], pose: {at: [0, 0, 0.5]}}\n" + "\n".join(bodies) +
                           "\njoints:\n" + "\n".join(joints) + "\nforces:\n" + "\n".join(forces) +
                           "\nsimulation: {integrator: bdf, end: 2, output_step: 0.02}\n")
        for formulation in FORMULATIONS:
            words = ("--end", "0.2", "--rtol", "1e-12", "--integrator", "rk", "--formulation", formulation)
            a = self.table(shipped("double-wishbone"), *words)
            b = self.table(model, *words, name="b.csv")
            for h in ("x.chassis", "z.chassis", "e2.chassis", "vz.chassis", "wy.chassis", "energy.total"):
                self.assert_close(a[h], b[h], 1e-10, h)
            for c in ("fl", "fr", "rl"):  # the turned one has another body frame
                for h in ("q.upper", "q.lower", "z.hub"):
                    kind, part = h.split(".")
                    self.assert_close(a[f"{kind}.{c}.{part}"], b[f"{kind}.{c}_{part}"], 1e-10, h)
            self.assert_close(a["z.rr.hub"], b["z.rr_hub"], 1e-10, "rr")

    def test_mistakes_have_places_in_both_files(self):
        part = self.write("part.yaml", HEAD + "bodies:\n  a: {mass: x}\nforces:\n  f: {type: force, body: a, force: [1, 2, \"3 + *4\"]}\n")
        for include, said in (
                ("include: {file: part.yaml, as: p}", 'part.yaml:5:48: force "p.f": expression "3 + *4": unexpected "*"'),
                ("include: {file: none.yaml, as: p}", "m.yaml:2:17: "),
                ("include: {file: none.yaml, as: p}", "none.yaml cannot be opened: No such file"),
                ("include: [{file: part.yaml, as: p}, {file: part.yaml, as: p}]", "part.yaml:3:3: `p.a` of `bodies` is already defined at"),
                ("include: [{file: part.yaml, as: p}, {file: part.yaml, as: p}]", "part.yaml:3:3, which is included from"),
                ("include: [{file: part.yaml, as: p}, {file: part.yaml, as: p}]", "m.yaml:2:18 (included from"),
                ("include: {file: ., as: p}", "is not a file"),
                ("include: {file: m.yaml, as: p}", 'm.yaml:2:17: "m.yaml" includes itself'),
                ("include: {file: part.yaml, as: p-q}", 'part.yaml:5:48: force "p-q.f": expression "3 + *4": unexpected "*"'),
                ("include: {file: part.yaml, as: \"p\\tq\"}", "m.yaml:2:32: `as`: a name is a text without control"),
                ("include: {file: part.yaml, is: p}", "m.yaml:2:28: unknown key `is` of an include"),
                ("include: {a: {as: b}}", "m.yaml:2:14: an include needs `file`"),
                ("include: {file: part.yaml, as: p, parameters: {y: 1}}", 'm.yaml:2:48: '),
                ("include: {file: part.yaml, as: p, mirror: xz}", 'm.yaml:2:43: unknown mirror "xz"'),
                ("include: 3", "m.yaml:2:10: expected a mapping for `include`"),
        ):
            self.assertIn(said, self.said(self.write("m.yaml", HEAD + include + "\n")), include)
        self.write("part.yaml", HEAD + "bodies:\n  a: {mass: x}\n")
        model = self.write("m.yaml", HEAD + "include: {file: part.yaml, as: p}\n")
        self.assertIn('part.yaml:3:13: body "p.a": mass: there is no parameter "p.x"', self.said(model))
        error = json.loads(linkwork("check", model, "--json", expect=1).stdout)
        self.assertTrue(error["file"].endswith("part.yaml"))
        self.assertEqual((error["line"], error["column"]), (3, 13))
        self.write("part.yaml", HEAD + "bodies:\n  a: {mas: 1}\n")
        self.assertRegex(self.said(model), r'^\S*part.yaml:3:7: body "p.a": unknown key `mas` of a body, did you mean `mass`\? '
                                           r"\(included from \S*m.yaml:2:17\)$")
        self.write("part.yaml", HEAD + "bodies:\n  a: {mass: 1\n")
        self.assertRegex(self.said(model), r"^\S*part.yaml:4:1: .* \(included from \S*m.yaml:2:17\)$")
        self.write("part.yaml", HEAD + "bodies:\n  a: {mass: 1}\n")
        model = self.write("m.yaml", HEAD + "bodies: {p.a: {mass: 2}}\ninclude: {file: part.yaml, as: p}\n")
        self.assertRegex(self.said(model), r"^\S*part.yaml:3:3: `p.a` of `bodies` is already defined at \S*m.yaml:2:10 "
                                           r"\(included from \S*m.yaml:3:17\)$")
        self.write("part.yaml", "bodies:\n  a: {mass: 1}\n")
        self.assertIn("part.yaml:1:1: an included file is a model file: it has `linkwork: 1` (included from", self.said(model))
        self.write("part.yaml", HEAD + "planar: true\nbodies:\n  a: {mass: 1}\n")
        self.assertIn("part.yaml:2:9: a planar file cannot be included in a model in space", self.said(model))
        self.assertTrue(part)

    def test_later_mistakes_name_the_file_too(self):
        self.write("part.yaml", HEAD + """bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 0.1}
  D: {type: distance, parent: ground, child: a, child_at: [1, 0, 0], length: 50}
""")
        model = self.write("m.yaml", HEAD + "include: {file: part.yaml, as: p}\n")
        self.assertRegex(self.said(model, verb="run"), r"part.yaml:5:3: ")
        self.write("part.yaml", HEAD + """bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {A: {type: revolute, parent: ground, child: a, axis: y, q: 0.1}}
forces:
  M: {type: motor, joint: A, value: "sqrt(0.01 - t)"}
""")
        self.assertRegex(linkwork("run", model, expect=1).stderr, r'part.yaml:5:38: .*motor "p.M"')
        self.write("part.yaml", HEAD + """bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {A: {type: revolute, parent: ground, child: a, axis: y, q: 0.1}}
functions: {root: {of: [x], is: "1 + sqrt(x)"}}
forces:
  M: {type: motor, joint: A, value: "a1*root(a1 - t)"}
parameters: {a1: 0.01}
""")
        self.assertRegex(linkwork("run", model, expect=1).stderr,
                         r'part.yaml:6:41: .*motor "p.M".*in function "p.root" \(.*part.yaml:4:38\)')
        self.write("part.yaml", HEAD + """bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {A: {type: revolute, parent: ground, child: a, axis: y, q: 0.1}}
events:
  - {at: 0.1, unlock: A}
""")
        self.assertRegex(linkwork("run", model, expect=1).stderr, r'part.yaml:5:5: event ')

    def test_files_are_seen_from_the_file_that_names_them(self):
        # a mesh, a table and a file, two folders down, from wherever the program runs, and through standard input
        self.write("parts/shapes/tet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        self.write("parts/shapes/load.csv", "t,f\n0,0\n1,2\n")
        self.write("parts/arm.yaml", HEAD + """tables: {load: {file: shapes/load.csv, outside: hold}}
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {A: {type: revolute, parent: ground, child: a, axis: y}}
forces: {M: {type: motor, joint: A, value: "load(t)"}}
shapes: [{type: mesh, body: a, file: shapes/tet.obj}]
""")
        text = HEAD + "include: {file: parts/arm.yaml, as: p}\n"
        model = self.write("m.yaml", text)
        self.table(model)
        for folder, name in ((self.path("."), "m.yaml"), ("/", model), (self.path("."), "-")):
            subprocess.run([LINKWORK, "run", name, "-o", self.path("o.csv")], cwd=folder, input=text, text=True,
                           capture_output=True, check=True)
            self.assertEqual(self.text(self.path("o.csv")), self.text(self.path("out.csv")))
            drawn = subprocess.run([LINKWORK, "view", name, "-o", self.path("o.html")], cwd=folder, input=text, text=True,
                                   capture_output=True, check=True)
            self.assertNotIn("tet.obj", drawn.stderr)
        linkwork("convert", self.write("parts/plain.yaml", HEAD + "bodies: {a: {mass: 1}}\nshapes: [{type: mesh, body: a, "
                                       "file: shapes/tet.obj}]\n"), "-o", self.write("other/down/plain.yaml", ""))
        self.assertIn("../../parts/shapes/tet.obj", self.text(self.path("other/down/plain.yaml")))

    def test_files_that_include_one_another_end(self):
        self.write("a.yaml", HEAD + "include: {b: {file: b.yaml}}\n")
        self.write("b.yaml", HEAD + "include: {a: {file: ./a.yaml}}\n")
        self.assertRegex(self.said(self.path("a.yaml")),
                         r'b.yaml:2:21: "./a.yaml" includes itself \(included from \S*a.yaml:2:21\)')
        for i in range(40):
            self.write(f"d{i}.yaml", HEAD + f"include: {{d: {{file: d{i+1}.yaml}}}}\n")
        self.assertIn("more than 30 files that include one another", self.said(self.path("d0.yaml")))
        for i in range(25):  # 2^25 parts
            self.write(f"e{i}.yaml", HEAD + "bodies: {b: {mass: 1}}\n" +
                       f"include: {{l: {{file: e{i+1}.yaml}}, r: {{file: e{i+1}.yaml}}}}\n")
        self.write("e25.yaml", HEAD + "bodies: {b: {mass: 1}}\n")
        self.assertIn("make more than 5000000 values", self.said(self.path("e0.yaml")))

    def test_names_without_a_prefix_are_shared(self):
        self.write("steel.yaml", HEAD + "parameters: {rho: 7860}\n")
        model = self.write("m.yaml", HEAD + "include: {file: steel.yaml}\nbodies: {b: {solid: {box: {size: [1, 1, 1], density: rho}}}}\n")
        self.assertAlmostEqual(linkwork_json("eval", model)["mass_matrix"]["matrix"][3][3], 7860)


# ---- mirror ----

JOINTS = {"revolute": 1, "prismatic": 1, "helical": 1, "cylindrical": 2, "universal": 2, "spherical": 3, "planar": 3}


def random_part(seed):
    """A tree with a joint of each type, a loop, constraints, forces and events, all at random places."""
    r = random.Random(seed)

    def vec(scale=0.5):
        return "[%.3f, %.3f, %.3f]" % tuple(r.uniform(-scale, scale) for _ in range(3))

    def orient():
        return r.choice(["{rpy: %s}" % vec(2), "{axis_angle: [%s, %.3f]}" % (vec()[1:-1], r.uniform(-2, 2)),
                         "{quat: [%.3f, %s]}" % (r.uniform(0.3, 1), vec()[1:-1])])
    types = list(JOINTS) * 1
    r.shuffle(types)
    bodies, joints, forces = [], [], []
    for i, kind in enumerate(types):
        if r.random() < 0.3:
            bodies.append(f"  b{i}: {{solid: {{rod: {{length: 0.6, mass: 2, at: {vec()}, radius: 0.2}}}}}}")
        else:
            bodies.append(f"  b{i}: {{mass: 2, com: {vec(0.2)}, inertia: [1, 1.2, 1.4, 0.1, -0.2, 0.15]}}")
        parent = "ground" if i == 0 else f"b{r.randrange(i)}"
        keys = [f"type: {kind}", f"parent: {parent}", f"child: b{i}", f"at: {vec()}", f"child_at: {vec()}",
                f"orient: {orient()}"]
        if r.random() < 0.5:
            keys.append(f"child_orient: {orient()}")
        if kind not in ("spherical", "planar") and r.random() < 0.7:
            keys.append(f"axis: {vec()}")
        if kind == "cylindrical":
            keys.append("limits: [{lower: -9, stiffness: 1}, {lower: -0.3, upper: 0.2, stiffness: 500, damping: 3}]")
        if kind == "helical":
            keys.append("pitch: 0.3")
        n = JOINTS[kind]
        values = ", ".join("%.3f" % r.uniform(-0.5, 0.5) for _ in range(n))
        if kind == "spherical":
            keys.append(r.choice(["q: {rpy: %s}" % vec(), "q: [0.9, 0.1, -0.2, 0.3]"]))
        else:
            keys.append(f"q: [{values}]" if n > 1 else f"q: {values}")
        keys.append("u: " + ("[%s]" if n > 1 else "%s") % ", ".join("%.3f" % r.uniform(-1, 1) for _ in range(n)))
        joints.append(f"  J{i}: {{{', '.join(keys)}}}")
        dof = r.randrange(n) + 1
        name = f"q.J{i}.{dof}" if n > 1 else f"q.J{i}"
        if kind != "spherical":
            forces.append(f"  k{i}: {{type: joint_spring, joint: J{i}, dof: {dof}, stiffness: 8, damping: 0.2, rest: 0.3}}")
        speed = f"u.J{i}.{dof}" if n > 1 else f"u.J{i}"
        forces.append(f"  m{i}: {{type: motor, joint: J{i}, dof: {dof}, value: \"0.5*sin(3*t) - 0.3*{speed}" +
                      (f" + 0.2*{name}^2" if kind != "spherical" else "") + "\"}")
    forces += [f"  s: {{type: spring, from: {{body: ground, at: {vec()}}}, to: {{body: b3, at: {vec()}}}, stiffness: 20}}",
               f"  f: {{type: force, body: b4, at: {vec()}, force: [\"1 - 0.3*vx.b4 + 0.1*y.b4.in.b2\", \"2*cos(t) - 0.2*vy.tip + 0.3*xy.b3\", -1], torque: [0.3, \"-0.1*wy.b4\", \"0.1*t\"], axes: {r.choice(['ground', 'body'])}}}",
               f"  b: {{type: bushing, parent: b1, child: b5, at: {vec()}, orient: {orient()}, stiffness: [3, 4, 5], angular_stiffness: [0.3, 0.4, 0.5], damping: 0.2}}",
               f"  t: {{type: torsion, parent: ground, child: b0, orient: {orient()}, axis: {vec()}, stiffness: 1, angle: 0.4}}"]
    cyl, pla = types.index("cylindrical"), types.index("planar")
    rev, pri = types.index("revolute"), types.index("prismatic")
    joints += [f"  C: {{type: coupler, joints: {{J{cyl}.2: 1, J{rev}: 0.5}}, offset: 0.1}}",
               f"  G: {{type: gear, joints: [J{pri}, J{pla}.3], ratio: 1.3}}"]
    events = [f"  - {{when: \"q.J{cyl}.2 - 0.12\", impulse: {{body: b2, at: {vec()}, linear: [0.3, 0.2, 0.1], angular: [0.1, 0.2, 0.3]}}}}",
              f"  - {{when: \"x.b3 + 0.7*y.b3 - 0.5*z.b3 + 0.1*vy.b3 + 0.2*wx.b3\", impulse: {{body: b1, linear: [0.1, 0, 0.2]}}}}",
              f"  - {{at: 0.15, lock: {{joint: J{pla}, dofs: [1]}}}}",
              f"  - {{at: 0.2, connect: {{name: N, type: point_on_plane, parent: ground, child: b6, axis: {vec()}}}}}"]
    points = [f"  tip: {{body: b4, at: {vec()}, orient: {orient()}}}"]
    outputs = ["  even: \"y.tip*vy.b3 + xy.tip^2 + length.s\"", "  more: 2*even"]
    return HEAD + "%sbodies:\n" + "\n".join(bodies) + "\njoints:\n" + "\n".join(joints) + "\nforces:\n" + \
        "\n".join(forces) + "\nevents:\n" + "\n".join(events) + "\npoints:\n" + "\n".join(points) + "\noutputs:\n" + "\n".join(outputs) + "\nsimulation: {end: 0.3, output_step: 0.05, rtol: 1e-11}\n"


def parity(column, axis, types):
    """The sign with which a column of the mirrored part equals that of the part."""
    s = [1, 1, 1]
    s[axis] = -1
    head, name = column.split(".", 1)
    if head in ("t", "energy", "drift", "load"):
        return 1
    if head in ("e0", "e1", "e2", "e3"):
        return 1 if head == "e0" else -s[int(head[1]) - 1]
    if head in ("x", "y", "z", "vx", "vy", "vz", "fx", "fy", "fz", "ax", "ay", "az"):
        return s["xyz".index(head[-1])]
    if head in ("wx", "wy", "wz", "tx", "ty", "tz"):
        return -s["xyz".index(head[-1])]
    joint, _, k = name.partition(".")
    kind, k = types[joint], int(k or 1) - 1
    if kind == "cylindrical":
        return -1 if k == 1 else 1
    if kind == "planar":
        return (s[0], s[1], -s[2])[k]
    if kind == "spherical":
        return (1, -s[0], -s[1], -s[2])[k] if head == "q" else -s[k]
    return 1


LOADS = """bodies:
  a: {mass: 2, inertia: [0.3, 0.2, 0.1], com: [0.1, 0.05, 0.02]}
  b: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0.1, 0.2]}
  c: {mass: 1}
points: {tip: {body: b, at: [0.1, 0.2, 0.3]}}
joints:
  C: {type: cylindrical, parent: ground, child: a, axis: [0.1, 1, 0.3], at: [0.2, 0.5, 0.1], q: [0.2, 0.3], u: [0.5, -0.4]}
  P: {type: planar, parent: a, child: b, q: [0.1, 0.2, 0.3], u: [0.3, 0.1, -1]}
  G: {type: prismatic, parent: ground, child: c, axis: x}
  H: {type: gear, joints: [G, C.2], ratio: 2}
  D: {type: driver, joint: P, dof: 3, value: "0.3 - t + 0.1*t^2"}
  K: {type: coupler, joints: {P.1: 1, P.2: 0.5}, offset: 0.2}
states:
  xi: {rate: "q.C.2 - 0.1*xi + u.C.1 + vy.tip"}
  sampled: {every: 0.05, value: "load.M + load.D + load.K + load.H + power.M + fy.C + tz.C + ay.tip"}
forces:
  M: {type: motor, joint: C, dof: 2, value: "3*sin(3*t) - u.C.2 + 0.2*q.C.2 + 0.1*xi + 0.001*sampled"}
  S: {type: spring, from: tip, to: {body: ground, at: [0.1, 1, 1]}, tension: "20*l^2 + 2*ldot", length: 0.4}
  J: {type: joint_spring, joint: C, dof: 2, load: "-10*q - 3*q^2 - u"}
  F: {type: force, body: a, at: [0.1, 0.2, 0.1], force: ["sin(t)", "vy.a*q.C.2", "vz.a"], torque: [0, "t", 1]}
  B: {type: bushing, parent: ground, child: a, at: [0.2, 0.5, 0.1], stiffness: [10, 20, 30], torque: ["-rx^3", 0, "-2*rz - dwz"]}
  T: {type: torsion, parent: a, child: b, stiffness: 2, damping: 0.1}
outputs:
  all: "load.M + 2*load.D + 3*load.K + 0.7*load.H + fy.C - tx.C + 0.3*ty.P + fy.F + fx.B + ty.B + load.T + load.J + udot.C.2"
events:
  - {name: M, when: "load.M - 2", once: true, impulse: {body: b, linear: [0.1, 0.2, 0.3], angular: [0.02, 0.01, 0]}}
  - {name: D, when: "load.D + 1", once: true, impulse: {body: b, linear: [0.1, 0.2, 0.3]}}
  - {name: H, when: "load.H - 1", once: true, impulse: {body: b, linear: [0.1, 0.2, 0.3]}}
"""


class Mirror(Files):
    def compare(self, a, b, axis, types, tolerance, prefix="p."):
        for h, column in a.items():
            head, _, name = h.partition(".")
            if h in ("even", "more"):
                self.assert_close(column, b[prefix + h], tolerance, h)
                continue
            other = h if head in ("t", "energy", "drift") else f"{head}.{prefix}{name}"
            if head in ("load", "drift") or "error" in h or column[0] is None:
                continue
            sign = parity(h, axis, types) if "." in h else 1
            image = b[other]
            if re.match(r"e\d|q\.J\d\.[1-4]$", h) and column[0] * image[0] * sign < 0 and head[0] == "e":
                sign = -sign
            pairs = [(x, sign * y) for x, y in zip(column, image) if x is not None and y is not None]
            self.assertEqual([x is None for x in column], [x is None for x in image], h)
            self.assert_close([x for x, _ in pairs], [y for _, y in pairs], tolerance, h)

    def test_a_mirrored_mechanism_has_the_mirrored_motion(self):
        for seed in range(1, 7):
            text = random_part(seed)
            types = dict(re.findall(r"(J\d): \{type: (\w+)", text))
            part = self.write("part.yaml", text % "gravity: [1, 2, -9]\n")
            a = self.table(part)
            for axis in range(3):
                g = [1, 2, -9]
                g[axis] = -g[axis]
                model = self.write("m.yaml", HEAD + f"gravity: {g}\ninclude: {{file: part.yaml, as: p, mirror: {'xyz'[axis]}}}\n"
                                   "simulation: {end: 0.3, output_step: 0.05, rtol: 1e-11}\n")
                formulation = FORMULATIONS[(seed + axis) % 3]
                b = self.table(model, "--formulation", formulation, name="b.csv")
                with self.subTest(seed=seed, axis=axis, formulation=formulation):
                    self.compare(a, b, axis, types, 1e-6)

    def test_loads_in_a_mirrored_part_are_those_of_its_own_world(self):
        # what the part says of itself (outputs, states, samples, events) does not change, whatever changes its sign
        self.write("part.yaml", HEAD + LOADS)
        found = {}
        for axis in ("", "x", "y", "z"):
            model = self.write("m.yaml", HEAD + f"gravity: [0, 0, {9.81 if axis == 'z' else -9.81}]\n"
                               "include: {p: {file: part.yaml" + (f", mirror: {axis}" if axis else "") + "}}\n"
                               "simulation: {end: 0.5, rtol: 1e-11}\n")
            done = linkwork_json("run", model, "-o", self.path("o.csv"), "--columns", "t,p.all,p.xi,p.sampled,load.p.K")
            heads, rows = read_csv(self.path("o.csv"))
            found[axis] = rows[-1], [name for event in done["events"] for name in event["names"]]
            self.assertEqual(len(found[axis][1]), 3, axis)
            self.assertEqual(found[axis][1], found[""][1])
            self.assert_close(found[axis][0], found[""][0], 1e-9, axis)

    def test_mirrored_twice_is_turned(self):
        part = random_part(9)
        self.write("part.yaml", part % "")
        self.write("once.yaml", HEAD + "include: {file: part.yaml, mirror: y}\n")
        end = "gravity: [1, 2, -9]\nsimulation: {end: 0.1, output_step: 0.05, rtol: 1e-11}\n"
        twice = self.table(self.write("m.yaml", HEAD + "include: {file: once.yaml, mirror: y}\n" + end))
        self.write("n.yaml", HEAD + "include: {file: part.yaml}\n" + end)
        self.assertEqual(twice, self.table(self.path("n.yaml"), name="b.csv"))

    def test_a_mirrored_block_is_there_twice(self):
        model = self.write("m.yaml", HEAD + """parameters: {k: 20}
bodies: {trunk: {mass: 10, inertia: [1, 1, 1]}}
joints: {T: {type: prismatic, parent: ground, child: trunk}}
mirror:
  - across: y
    rename: {left: right}
    bodies: {left_arm: {mass: 2, com: [0.1, 0.2, -0.3], inertia: [0.1, 0.2, 0.15, 0.01, 0.02, 0.03]}}
    joints: {left: {type: cylindrical, parent: trunk, child: left_arm, at: [0, 0.3, 0.5], axis: [1, 1, 0.2], q: [0.3, 0.1]}}
    forces:
      left_spring: {type: spring, from: {body: trunk, at: [0, 0.5, 0]}, to: {body: left_arm, at: [0, 0, -0.4]}, stiffness: k, length: 0.3}
      left_motor: {type: motor, joint: left, dof: 2, value: "-50*q.left.2 + q.T + 1"}
simulation: {end: 0.3}
""")
        a = self.table(model)
        self.assert_close(a["q.left.1"], a["q.right.1"], 1e-9, "angle")
        self.assert_close(a["q.left.2"], [-x for x in a["q.right.2"]], 1e-9, "shift")
        self.assert_close(a["y.left_arm"], [-x for x in a["y.right_arm"]], 1e-9, "y")
        self.assertGreater(max(abs(x - a["q.left.1"][0]) for x in a["q.left.1"]), 0.01)
        self.assertIn("m.yaml:8:14: `left_arm` has none of the words that `rename` replaces",
                      self.said(self.write("m.yaml", self.text(model).replace("left: right", "Left: right"))))

    def test_planar_models_are_mirrored_too(self):
        part = HEAD + """planar: true
bodies:
  a: {mass: 1, com: [0.3, 0.1], inertia: 0.2}
  b: {mass: 1, com: [0.2, 0.2], inertia: 0.1}
  c: {mass: 2, inertia: 0.4, pose: {at: [1, 2], orient: 0.3}, velocity: {linear: [1, 0.5], angular: 0.7}}
joints:
  A: {type: revolute, parent: ground, child: a, at: [0.1, 0.2], q: 0.4, u: 1}
  B: {type: prismatic, parent: a, child: b, at: [0.5, 0.1], orient: 0.3, q: 0.2}
forces:
  s: {type: spring, from: {body: ground, at: [1, 1]}, to: {body: b}, stiffness: 10}
  t: {type: torsion, parent: ground, child: c, stiffness: 2, angle: 0.2}
"""
        self.write("part.yaml", part + "gravity: [1, -9]\n")
        a = self.table(self.path("part.yaml"))
        b = self.table(self.write("m.yaml", HEAD + "planar: true\ngravity: [-1, -9]\ninclude: {file: part.yaml, as: p, mirror: x}\n"), name="b.csv")
        self.compare({h: c for h, c in a.items() if not h.startswith(("q.c", "u.c", "udot.c"))}, b, 0,
                     {"A": "revolute", "B": "prismatic"}, 1e-7)
        self.assertIn("m.yaml:3:43: a planar model is mirrored across x or y",
                      self.said(self.write("m.yaml", HEAD + "planar: true\ninclude: {file: part.yaml, as: p, mirror: z}\n")))


if __name__ == "__main__":
    unittest.main()
