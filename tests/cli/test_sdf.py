# SPDX-License-Identifier: Apache-2.0
"""SDFormat files: the same mechanics as other models; frames, loops, included models, hostile files."""
import os
import unittest

from program import Folder, linkwork, linkwork_json

MASS = "<inertial><pose>{at} 0 0 0</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial>"


def link(name, pose="0 0 0 0 0 0", at="0 0 0", inside=""):
    return f'<link name="{name}"><pose>{pose}</pose>{MASS.format(at=at)}{inside}</link>'


def joint(name, parent, child, kind="revolute", axis="0 1 0", pose="", inside=""):
    pose = f"<pose>{pose}</pose>" if pose and not pose.startswith("<") else pose
    return (f'<joint name="{name}" type="{kind}">{pose}<parent>{parent}</parent><child>{child}</child>'
            f"<axis><xyz>{axis}</xyz>{inside}</axis></joint>")


class Sdf(Folder):
    def write(self, inside, name="model.sdf", version="1.9"):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(f'<?xml version="1.0"?>\n<sdf version="{version}">{inside}</sdf>')
        return file.name

    def model(self, inside, version="1.9", name="model.sdf"):
        return self.write(f'<model name="m">{inside}</model>', name, version)

    def native(self, text):
        with open(self.path("native.yaml"), "w") as file:
            file.write("linkwork: 1\ngravity: [0, 0, -9.81]\n" + text)
        return file.name

    def assert_same(self, one, other, *state):
        a, b = (linkwork_json("eval", path, *state) for path in (one, other))
        self.assertEqual(a["q"].keys(), b["q"].keys())
        for name, value in a["udot"].items():
            self.assertAlmostEqual(value, b["udot"][name], 10)

    CHAIN = """
bodies:
  a: {mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.2, 0.25]}
  b: {mass: 2, inertia: [0.1, 0.2, 0.25]}
joints:
  A: {type: revolute, parent: ground, child: a, at: [0, 0, 2], axis: y, damping: 0.3}
  B: {type: prismatic, parent: a, child: b, at: [0, 0, -1], axis: [1, 0, 1]}
"""
    STATE = ("--q", "A=0.4", "--u", "A=-2", "--q", "B=0.3", "--u", "B=1.5")

    def test_files_that_are_nearly_xml(self):
        inside = link("a", "0 0 2 0 0 0", "0 0 -0.5") + joint("A", "world", "a")
        plain = self.model(inside)
        text = f'<model name="m">{inside}</model></sdf>'
        for i, before in enumerate(('<!-- a -- b <!-- c -->\n<?xml version="1.0"?>\n<sdf version="1.9">',
                                    '<?xml version="1.0" encoding="ASCII"?><!-- --- --><sdf version="1.9">',
                                    '\n<?xml version="1.0"?><sdf version="1.9"><![CDATA[<!-- ]]>')):
            with open(self.path(f"near{i}.sdf"), "w") as file:
                file.write(before + text + "\0" * i)
            self.assert_same(file.name, plain, "--q", "A=0.4")
        with open(self.path("lines.sdf"), "w") as file:
            file.write("<!-- a --\n -->\n" + '<?xml version="1.0"?>\n<sdf version="1.9"><model name="m"><link/></model></sdf>')
        self.assertIn("lines.sdf:4:36:", linkwork("check", file.name, expect=1).stderr)

    def test_version_1_10_is_later_than_1_9(self):
        turned = link("a", "0 0 2 0 0 1.5707963267948966", "0 0 -0.5") + joint("A", "world", "a", axis="1 0 0")
        self.assert_same(self.model(turned, "1.10"), self.model(turned, "1.9", "other.sdf"), "--q", "A=0.4")
        one, old = (linkwork_json("eval", self.model(turned, version), "--q", "A=0.4", "--jacobian", "a")["jacobian"]["matrix"]
                    for version in ("1.10", "1.4"))
        self.assertGreater(abs(one[1][0]), 0.9)
        self.assertGreater(abs(old[0][0]), 0.9)

    def test_old_versions(self):
        inside = link("a", "0 0 2 0 0 0", "0 0 -0.5") + joint("A", "world", "a")
        world = '<world name="w"><physics><gravity>0 0 -3</gravity></physics><model name="m">%s</model></world>' % inside
        with open(self.path("old.sdf"), "w") as file:
            file.write(f'<?xml version="1.0"?>\n<gazebo version="1.2">{world}</gazebo>')
        native = self.native(self.CHAIN.split("  b:")[0] + "joints:\n  A: {type: revolute, parent: ground, child: a, "
                             "at: [0, 0, 2], axis: y}\n")
        with open(native) as text:
            text = text.read().replace("-9.81", "-3")
        with open(native, "w") as out:
            out.write(text)
        self.assert_same(file.name, native, "--q", "A=0.4")
        with open(self.path("oldest.sdf"), "w") as file:
            file.write(f'<gazebo version="1.0">{world}</gazebo>')
        self.assertIn("gz sdf -p", linkwork("check", file.name, expect=1).stderr)
        path = self.write('<world name="w"><include><uri>model://nowhere</uri></include></world>')
        self.assertIn("nowhere", linkwork("check", path, expect=1).stderr)

    def test_frames_say_the_same_in_every_way(self):
        damped = "<dynamics><damping>0.3</damping></dynamics>"
        native = self.native(self.CHAIN)
        plain = (link("a", "0 0 2 0 0 0", "0 0 -0.5") + link("b", "0 0 1 0 0 0") + joint("A", "world", "a", inside=damped)
                 + joint("B", "a", "b", "prismatic", "1 0 1"))
        self.assert_same(self.model(plain), native, *self.STATE)
        framed = ('<frame name="hip" attached_to="a"><pose relative_to="a">0 0 -1 0 90 0</pose></frame>'
                  .replace("<pose", '<pose degrees="true"')
                  + '<link name="b"><pose relative_to="hip" rotation_format="quat_xyzw">0 0 0 0 -0.70710678118654752 0 0.70710678118654752</pose>'
                  + MASS.format(at="0 0 0") + "</link>" + link("a", "0 0 2 0 0 0", "0 0 -0.5") + joint("A", "world", "a", inside=damped)
                  + '<joint name="B" type="prismatic"><parent>hip</parent><child>b</child><axis><xyz expressed_in="hip">-1 0 1</xyz></axis></joint>')
        self.assert_same(self.model(framed), native, *self.STATE)
        old = plain.replace("<xyz>1 0 1</xyz>", "<xyz>0 1 1</xyz>").replace("0 0 1 0 0 0", "0 0 1 0 0 1.5707963267948966")
        turned = self.native(self.CHAIN.replace("axis: [1, 0, 1]}", "axis: [0, 1, 1], child_orient: {rpy: [0, 0, -1.5707963267948966]}}"))
        self.assert_same(self.model(old, "1.4"), turned, *self.STATE)

    def test_joints_written_from_the_other_end_have_the_same_coordinate(self):
        native = self.native(self.CHAIN)
        text = (link("a", "0 0 2 0 0 0", "0 0 -0.5") + link("b", "0 0 1 0 0 0")
                + joint("A", "a", "world", axis="0 -1 0", pose='<pose relative_to="a"/>', inside="<dynamics><damping>0.3</damping></dynamics>")
                + joint("B", "b", "a", "prismatic", "-1 0 -1"))
        self.assert_same(self.model(text), native, *self.STATE)

    def test_nested_and_included_models(self):
        inner = self.model(link("b", "0 0 -1 0 0 0"), name="arm/model.sdf")
        self.assertTrue(inner)
        for part in ('<model name="n"><pose>0 0 2 0 0 0</pose>' + link("b", "0 0 -1 0 0 0") + "</model>",
                     "<include><uri>model://arm</uri><name>n</name><pose>0 0 2 0 0 0</pose></include>",
                     '<include placement_frame="b"><uri>arm</uri><name>n</name><pose>0 0 1 0 0 0</pose></include>'):
            text = (link("a", "0 0 2 0 0 0", "0 0 -0.5") + part + joint("B", "a", "n::b", "prismatic", "1 0 1")
                    + joint("A", "world", "a", inside="<dynamics><damping>0.3</damping></dynamics>"))
            path = self.model(text)
            a, b = (linkwork_json("eval", p, *self.STATE) for p in (path, self.native(self.CHAIN)))
            self.assertEqual(set(a["bodies"]), {"a", "n::b"})
            for name, value in a["udot"].items():
                self.assertAlmostEqual(value, b["udot"][name], 10)

    def test_a_free_model_falls_and_a_static_one_stands(self):
        done = linkwork_json("eval", self.write('<world name="w"><model name="x">' + link("a") + '</model><model name="y"><static>true</static>'
                                                + link("a") + "</model></world>"))
        self.assertEqual(list(done["bodies"]), ["x::a"])
        self.assertAlmostEqual(done["bodies"]["x::a"]["acceleration"][2], -9.8)

    def test_loops_are_closed(self):
        text = (link("a", "0 0 0 0 0 0", "0.5 0 0") + link("b", "1 0 0 0 0 0", "0 0 0.5") + link("c", "1 0 1 0 0 0", "-0.5 0 0")
                + joint("A", "world", "a") + joint("B", "a", "b") + joint("C", "b", "c")
                + joint("D", "world", "c", pose="-1 0 0 0 0 0") + joint("E", "c", "world", "fixed").replace('"E"', '"E" x="1"').replace("fixed", "gearbox"))
        done = linkwork("check", self.model(text))
        self.assertIn("1 degree of freedom", done.stdout)
        self.assertIn('does not have are left out: "E"', done.stderr)

    def test_screws_and_universal_joints(self):
        text = link("a") + joint("S", "world", "a", "screw", "0 0 1").replace("<axis>", "<screw_thread_pitch>0.02</screw_thread_pitch><axis>")
        native = self.native("bodies: {a: {mass: 2, inertia: [0.1, 0.2, 0.25]}}\njoints: {S: {type: helical, parent: ground, child: a, axis: z, pitch: 0.02/(2*pi)}}\n")
        self.assert_same(self.model(text), native)
        text = link("a", at="0 0 -1") + joint("U", "world", "a", "universal", "1 0 0").replace("</axis>", "</axis><axis2><xyz>0 1 0</xyz></axis2>")
        native = self.native("bodies: {a: {mass: 2, com: [0, 0, -1], inertia: [0.1, 0.2, 0.25]}}\njoints: {U: {type: universal, parent: ground, child: a, axis: x, axis2: y, q: [0.3, 0.5], u: [1, 2]}}\n")
        a = linkwork_json("eval", self.model(text), "--q", "U=0.3", "--q", "U.2=0.5", "--u", "U=1", "--u", "U.2=2")["udot"]
        b = linkwork_json("eval", native)["udot"]["U"]
        self.assertAlmostEqual(a["U"], b[0], 9)
        self.assertAlmostEqual(a["U.2"], b[1], 9)

    def test_shapes_are_kept(self):
        shape = ('<visual name="v"><pose>0 0 1 0 0 0</pose><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry>'
                 '<material><diffuse>1 0 0</diffuse></material></visual><collision name="c"><geometry><plane/></geometry></collision>')
        linkwork("convert", self.model(link("a", inside=shape)), "-o", self.path("out.yaml"))
        with open(self.path("out.yaml")) as file:
            self.assertIn("{type: ellipsoid, body: a, name: v, at: [0, 0, 1], size: [2, 4, 6], color: [1, 0, 0, 1]}", file.read())

    def test_what_is_missing_is_named(self):
        text = '<link name="a"/><include><uri>model://nowhere</uri></include>' + joint("J", "nobody", "a") + "<plugin/>"
        warnings = linkwork("check", self.model(text)).stderr
        for part in ('1 kg and 1 kg m^2, as the format says: "a"', 'not there are left out: "model://nowhere"', 'two existing links are left out: "J"', "1 plugins"):
            self.assertIn(part, warnings)

    def test_hostile_files_end_in_one_line(self):
        chain = "".join(f'<frame name="f{i}" attached_to="f{i + 1}"/>' for i in range(2000))
        for text in ("", link("a", pose="1 2"), '<link name="a"><pose relative_to="b"/></link><link name="b"><pose relative_to="a"/></link>',
                     '<link name="a"><pose relative_to="f0"/></link>' + chain + '<frame name="f2000"/>', '<link name="a"><pose relative_to="nothing"/></link>',
                     '<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>' + link("a") + joint("J", "world", "f"),
                     "<include><uri>model.sdf</uri></include>"):
            done = linkwork("check", self.model(text), expect=1)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
