# SPDX-License-Identifier: Apache-2.0
"""Random models of parts: a file that is included twice, on a body and mirrored, and blocks that are repeated, with tables, functions, states,
sampled values, servos, laws, outputs, compliant contacts and events in them, made of random expressions.  They are the same as models in which all
parts are written out, in all formulations; derivatives are the same in all formulations, and those of differences of whole runs."""
import os
import random
import unittest

from program import Folder, linkwork, linkwork_json, read_csv
from test_random_models import numbers

SEEDS = int(os.environ.get("LINKWORK_RANDOM_PARTS", "2"))
FORMULATIONS = ("tree", "dca", "cartesian")
FORMS = ("(A + B)", "(A - B)", "(A*B)", "sin(A)", "tanh(A)", "if(A > B, A, C)", "step(A, -0.4, 1.1)", "clamp(A, -0.8, 0.9)",
         "mod(A, 2.3)", "@f(A, B)", "@line(A)", "@smooth(A)", "max(A, B)", "abs(A)", "round(A)")

# names of the part begin with @, of what it stands on with <ground>
PART = """parameters:
  @L: {L}
  @c: {{value: 300, unit: N*mm*s, min: 0}}
functions:
  @f: {{of: [x, y], is: "x^2/(1 + x^2) + @smooth(y)*@L"}}
tables:
  @line: {{data: [[-3, -1], [-0.7, 0.3], [0.1, 0.5], [0.9, -0.4], [3, 1]], interpolation: linear, outside: hold}}
  @smooth: {{data: [[-3, -1], [-0.7, 0.3], [0.1, 0.5], [0.9, -0.4], [3, 1]], interpolation: akima, outside: extend}}
bodies:
  @arm: {{mass: 1.5, com: [@L/2, 0.02, 0.03], inertia: [0.02, 0.1, 0.1, 0.003, 0, -0.002]}}
  @hand: {{mass: 0.7, com: [0.1, 0, 0.05], inertia: [0.02, 0.03, 0.025]}}
points:
  @tip: {{body: @hand, at: [0.2, 0.1, 0], orient: {{rpy: [0.1, 0.2, 0.3]}}}}
joints:
  @A: {{type: revolute, parent: <ground>, child: @arm, at: [0.1, 0.3, 0.2], axis: [0.1, 1, 0.2], q: {q}, u: 0.4, damping: 0.3}}
  @B: {{type: universal, parent: @arm, child: @hand, at: [@L, 0, 0], axis: x, axis2: y, q: [0.2, -0.3], u: [0.5, 0.2]}}
contacts:
  @C: {{body: @tip, radius: 0.05, on: {{plane: {{body: <ground>, at: [0, 0, -0.6]}}}}, stiffness: 800, damping: 0.3, exponent: 2}}
states:
  @z: {{start: 0.1*@L, rate: "{e1} - 2*@z"}}
  @held: {{every: 0.07, value: "{e2} + 0.01*udot.@A"}}
outputs:
  @o: "{e3} + z.@tip"
  @p: "load.@M*u.@A + tension.@S + gap.@C"
forces:
  @M: {{type: motor, joint: @A, value: "{e4} - @c*u.@A + @z"}}
  @V: {{type: servo, joint: @B, dof: 2, target: "0.3*{e5}", stiffness: 20, damping: 1, limit: 3}}
  @S: {{type: spring, from: @tip, to: {{body: <ground>, at: [0.4, 0.2, 0.5]}}, tension: "15*(l - @L) + ldot + {e6}", length: @L}}
  @D: {{type: force, body: @tip, axes: body, force: ["-0.4*vx.@tip*abs(vx.@tip)", "{e7}", 0], torque: [0, "0.1*{e8}", 0]}}
"""
EVENTS = """  - {{name: @hit, at: 0.11, impulse: {{body: @tip, linear: [0.05, 0, 0.1]}}}}
  - {{name: @low, when: "z.@tip - {level}", direction: falling, once: true, impulse: {{body: @hand, linear: [0, 0, 0.2]}}}}
"""
CHAIN = """bodies:
  "c{i}": {{mass: "0.{i}5", com: [0, 0, -0.1], inertia: [0.01, 0.01, 0.005]}}
joints:
  "K{i}": {{type: revolute, parent: "{before}", child: "c{i}", at: [0, 0, -0.2], axis: {axis}, q: "0.2*{i}", damping: 0.02}}
states:
  "w{i}": {{rate: "q.K{i} - w{i}*{i}"}}
forces:
  "T{i}": {{type: joint_spring, joint: "K{i}", load: "-2*q - 0.1*u + 0.2*shape(w{i}) + {e}"}}
"""
ORDER = ("parameters", "functions", "tables", "bodies", "points", "joints", "contacts", "states", "outputs", "forces", "events")


def expression(r, names, depth):
    if depth == 0:
        return r.choice(names) if r.random() < 0.7 else f"{r.uniform(-2, 2):.3f}"
    return "".join(expression(r, names, depth - 1) if c in "ABC" else c for c in r.choice(FORMS))


def sections(text):
    found, name = {}, None
    for line in text.splitlines():
        if not line.startswith(" "):
            name = line.rstrip(":")
            found[name] = []
        else:
            found[name].append(line)
    return found


def model(seed):
    """The part, the file that includes and repeats, and the file in which all is written out."""
    r = random.Random(seed)
    seen = ["t", "q.@A", "u.@A", "u.@B.2", "x.@tip", "vz.@tip", "wy.@hand.in.@arm", "length.@S", "@z", "@L", "zx.@arm", "gap.@C"]
    e = {f"e{i}": expression(r, seen, 2) for i in range(1, 9)}
    part = PART.format(L=f"{r.uniform(0.4, 0.7):.2f}", q=f"{r.uniform(-0.6, 0.4):.2f}", **e)
    part += "events:\n" + EVENTS.format(level=f"{r.uniform(-0.2, 0.3):.2f}")
    axis = r.choice("xy")
    chain_names = ["t", "q.K{i}", "u.K{i}", "w{i}", "y.base", "x.c{i}.in.base"]
    chain = "".join(expression(r, chain_names, 1) if c == "A" else c for c in "tanh(A)").replace("@", "")
    while any(word in chain for word in ("f(", "line(", "smooth(")):
        chain = "".join(expression(r, chain_names, 1) if c == "A" else c for c in "tanh(A)").replace("@", "")
    mirror = r.random() < 0.5
    head = f"""linkwork: 1
gravity: [0, 0, -9.81]
simulation: {{end: 0.25, output_step: 0.05}}
sensitivity: {{parameters: [size, one.L, k], objectives: {{a: {{final: one.o}}, b: {{integral: "two.p + w2"}}}}}}
"""
    own = f"""parameters:
  size: 0.55
  k: 3
tables:
  shape: {{data: [[-2, -1], [0, 0], [0.3, 0.4], [2, 1]], interpolation: pchip, outside: extend}}
bodies:
  base: {{mass: 4, inertia: [0.3, 0.4, 0.5]}}
joints:
  J: {{type: revolute, parent: ground, child: base, axis: [0, {0 if mirror else 1}, 1], q: 0.2, u: 0.3, damping: 1}}
forces:
  R: {{type: joint_spring, joint: J, stiffness: k, damping: 0.2}}
"""
    whole = f"""include:
  one: {{file: part.yaml, ground: base, parameters: {{L: size}}}}
  two: {{file: part.yaml, ground: base{', mirror: y' if mirror else ''}}}
"""
    block = CHAIN.replace("{i}", "${{i}}").format(
        before="${prior}", axis=axis, e=chain.replace("{i}", "${i}"))
    repeat = "repeat:\n  - i: 1..3\n    prior: [base, c1, c2]\n" + "".join("    " + x + "\n" for x in block.splitlines())
    flat = sections(own)
    for i in (1, 2, 3):
        made = CHAIN.format(i=i, before=("base", "c1", "c2")[i - 1], axis=axis, e=chain.replace("{i}", str(i)))
        for name, lines in sections(made).items():
            flat.setdefault(name, []).extend(lines)
    for name in () if mirror else ("one", "two"):
        text = part.replace("<ground>", "base").replace("@", name + ".")
        if name == "one":
            text = text.replace("  one.L: " + text.split("  one.L: ")[1].split("\n")[0], "  one.L: size")
        for section, lines in sections(text).items():
            flat.setdefault(section, []).extend(lines)
    written = head + "".join(f"{s}:\n" + "\n".join(flat[s]) + "\n" for s in ORDER if s in flat)
    return ("linkwork: 1\n" + part.replace("<ground>", "ground").replace("@", ""), head + own + repeat + whole,
            None if mirror else written)


class RandomParts(Folder):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def table(self, path, formulation):
        linkwork("run", path, "-q", "-o", self.path("out.csv"), "--formulation", formulation)
        heads, rows = read_csv(self.path("out.csv"))
        return {h: [row[i] for row in rows] for i, h in enumerate(heads)}

    def compare(self, a, b, within, what):
        self.assertEqual(a.keys(), b.keys(), what)
        for h, column in a.items():
            if h.startswith(("energy.error", "drift")):
                continue
            scale = max([1] + [abs(x) for x in column if x is not None])
            for x, y in zip(column, b[h]):
                self.assertEqual(x is None, y is None, f"{what} {h}")
                self.assertLessEqual(abs((x or 0) - (y or 0)), within * scale, f"{what} {h}")

    def test_parts_are_what_they_are_written_out(self):
        for seed in range(SEEDS):
            with self.subTest(seed):
                part, structured, written = model(seed)
                self.write("part.yaml", part)
                path = self.write("m.yaml", structured)
                first = None
                for formulation in FORMULATIONS:
                    found = self.table(path, formulation)
                    if written:
                        self.compare(found, self.table(self.write("w.yaml", written), formulation), 1e-10, f"{seed} {formulation}")
                    first = first or found
                    self.compare({h: c for h, c in first.items() if h[:2] in ("q.", "t")},
                                 {h: c for h, c in found.items() if h[:2] in ("q.", "t")}, 1e-5, f"{seed} {formulation}")

    def test_derivatives_are_those_of_whole_runs_in_all_formulations(self):
        for seed in range(SEEDS // 2):
            with self.subTest(seed):
                part, structured, _ = model(seed)
                self.write("part.yaml", part)
                path = self.write("m.yaml", structured)
                linkwork("sens", path, "--check", "--rtol", "1e-10", "--columns", "q.J,one.o,two.p,q.K3")
                found = [dict(numbers({key: value for key, value in linkwork_json(
                    "sens", path, "--rtol", "1e-10", "--formulation", form).items() if key in ("columns", "objectives")}))
                    for form in FORMULATIONS]
                for other in found[1:]:
                    self.assertEqual(found[0].keys(), other.keys())
                    for key, value in found[0].items():
                        self.assertAlmostEqual(value, other[key], delta=5e-6 * max(1, abs(value)), msg=key)


if __name__ == "__main__":
    unittest.main()
