# SPDX-License-Identifier: Apache-2.0
"""linkwork codegen: the code compiles without warnings, agrees with the library, and moves as runs do."""
import os
import random
import subprocess
import unittest

from program import Folder, linkwork, linkwork_json, read_csv, shipped

KINDS = ["revolute", "prismatic", "helical", "cylindrical", "universal", "gimbal", "spherical", "planar", "free"]


def random_tree(seed):
    """Bodies on joints of all types, some of which the tree runs through backwards."""
    r = random.Random(seed)
    lines = ["linkwork: 1", "gravity: [1, -2, -9]", "bodies:"]
    n = 5
    for i in range(n):
        com = ", ".join(f"{r.uniform(-0.3, 0.3):.3f}" for _ in range(3))
        lines.append(f"  b{i}: {{mass: {r.uniform(0.5, 3):.3f}, com: [{com}], inertia: [0.9, 0.8, 0.7, 0.02, -0.03, 0.01]}}")
    lines.append("joints:")
    for i in range(n):
        kind, other = r.choice(KINDS), "ground" if i == 0 else f"b{r.randrange(i)}"
        parent, child = (other, f"b{i}") if r.random() < 0.6 or i == 0 else (f"b{i}", other)
        place = ", ".join(f"{r.uniform(-1, 1):.3f}" for _ in range(3))
        extra = {"revolute": ", axis: [1, 2, 3], armature: 0.1", "helical": ", axis: [0, 1, 1], pitch: 0.3"}.get(kind, "")
        if kind == "revolute":
            extra += ", damping: 0.2"
        lines.append(f"  J{i}: {{type: {kind}, parent: {parent}, child: {child}, at: [{place}]{extra}}}")
    lines += ["forces:", "  s: {type: spring, from: {body: b0, at: [0.1, 0, 0]}, to: {body: b4, at: [0, 0.2, 0]}, length: 0.4, stiffness: 30, damping: 2}",
              "  f: {type: force, body: b3, at: [0, 0, 0.1], force: [\"sin(3*t)\", 1, \"if(t > 1, 2, 0)\"], torque: [0, 0.3, 0]}"]
    return "\n".join(lines) + "\n"


class Codegen(Folder):
    def build(self, model, *words, main=None):
        """Writes, compiles and runs the code's own test, or another main program; its output."""
        source = self.path("m.c")
        report = linkwork_json("codegen", model, "-o", source, *words)
        files = [source]
        if main:
            files.append(self.path("main.c"))
            with open(files[-1], "w") as file:
                file.write(main)
        options = [] if main else ["-DM_TEST"]
        subprocess.run(["cc", "-O0", "-std=c99", "-Wall", "-Wextra", "-Werror", *options, *files, "-o", self.path("m"), "-lm"],
                       check=True, cwd=os.path.dirname(source))
        done = subprocess.run([self.path("m")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        return report, done.stdout

    def test_shipped_models_agree_with_the_library(self):
        for name in ("arm", "governor", "squeezer", "driven-four-bar", "engine"):
            report, text = self.build(shipped(name))
            self.assertIn("forward dynamics", text, name)
            self.assertEqual(report["constraints"] == 0, "derivatives by q" in text, name)

    def test_random_trees_of_all_joint_types_agree(self):
        for seed in range(3):
            self.build(self.model(random_tree(seed)))

    def test_float(self):
        self.assertIn("ok", self.build(shipped("arm"), "--float")[1])

    def steps(self, model, h, end):
        """First and last row of rk4 of the library with steps h."""
        table = self.path("run.csv")
        linkwork("run", model, "--integrator", "rk4", "--step", str(h), "--end", str(end), "--output-step", str(end), "-o", table)
        head, rows = read_csv(table)
        return dict(zip(head, rows[0])), dict(zip(head, rows[-1]))

    def test_steps_move_as_a_run_does(self):
        for name, coordinates in (("double-pendulum", ["q.A", "q.B"]), ("four-bar", ["q.A", "q.B", "q.C"])):
            h = 0.001
            first, last = self.steps(shipped(name), h, 0.5)
            speeds = [c.replace("q.", "u.") for c in coordinates]
            start = ", ".join(repr(first[c]) for c in coordinates), ", ".join(repr(first[c]) for c in speeds)
            main = ("#include \"m.h\"\n#include <stdio.h>\nint main(void)\n{\n"
                    f"  double q[] = {{{start[0]}}}, u[] = {{{start[1]}}}, tau[8] = {{0}};\n"
                    f"  for (int i = 0; i < 500; i++) m_step(i * {h}, {h}, q, u, tau);\n"
                    "  for (int i = 0; i < M_NQ; i++) printf(\"%.17g \", q[i]);\n  return 0;\n}\n")
            _, text = self.build(shipped(name), main=main)
            for value, column in zip(map(float, text.split()), coordinates):
                self.assertAlmostEqual(value, last[column], delta=1e-8, msg=f"{name} {column}")

    def test_jacobians_of_the_bodies_that_are_named(self):
        linkwork("codegen", shipped("double-pendulum"), "-o", self.path("m.c"), "--jacobian", "upper")
        with open(self.path("m.h")) as file:
            text = file.read()
        self.assertIn("m_jacobian_upper(const m_real q[], m_real J[])", text)
        self.assertNotIn("jacobian_lower", text)
        self.assertIn('"nobody"', linkwork("codegen", shipped("double-pendulum"), "-o", self.path("m.c"), "--jacobian", "nobody", expect=1).stderr)

    def test_what_cannot_be_written_is_named(self):
        self.assertIn('"y.rocket"', linkwork("codegen", shipped("rocket"), "-o", self.path("m.c"), expect=1).stderr)
        self.assertIn("bushings", linkwork("codegen", shipped("hmmwv"), "-o", self.path("m.c"), expect=1).stderr)
        self.assertIn("friction and contacts", linkwork("codegen", shipped("quadruped"), "-o", self.path("m.c")).stderr)
        linkwork("codegen", shipped("arm"), "-o", self.path("m.txt"), expect=2)


if __name__ == "__main__":
    unittest.main()
