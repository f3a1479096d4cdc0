# SPDX-License-Identifier: Apache-2.0
"""Every example of docs/format.md runs: most are parts of a model, of which the rest is here."""
import os
import re
import unittest

from program import SOURCE, Folder, linkwork

BAR = "{solid: {rod: {length: 1, mass: 1, axis: x}}}"
CUBE = "{mass: 1, inertia: [0.1, 0.1, 0.1]%s}"


def cubes(**places):
    """Bodies that float, each somewhere."""
    return "".join(f"  {name}: " + CUBE % (f", pose: {{at: {at}}}" if at else "") + "\n" for name, at in places.items())


# the rest of the models, by section and number of the example in it; then options of `run`
REST = {
    "0.1": ("", ""),
    "1.1": (f"bodies:\n  bar: {BAR}\njoints:\n  A: {{type: revolute, parent: ground, child: bar, axis: y}}\n", ""),
    "2.1": ("joints:\n  A: {type: revolute, parent: ground, child: crank, axis: y}\n  B: {type: revolute, parent: crank, child: rod, "
            "axis: y}\n  C: {type: fixed, parent: rod, child: block}\n  D: {type: fixed, parent: rod, child: load}\n", ""),
    "3.1": (f"bodies:\n  crank: {BAR}\n  rod: {BAR}\n  hand: {BAR}\n  nut: {BAR}\n", ""),
    "4.1": (f"bodies:\n  crank: {BAR}\n  rocker: {BAR}\n  wheel: {BAR}\n  disc: {BAR}\n  slide: {BAR}\n" +
            cubes(pin="[0, 2, 1]", foot="[1, 1, 0]", tray="[0, 5, 0]", bar="[0, 7, 0]", load="[0, 0, 3]") +
            "joints:\n  A: {type: revolute, parent: ground, child: crank, axis: y, q: 0.1}\n"
            "  R: {type: revolute, parent: ground, child: rocker, axis: y, at: [1.3, 0, 0.8], q: -2}\n"
            "  B: {type: revolute, parent: ground, child: wheel}\n  C: {type: revolute, parent: ground, child: disc}\n"
            "  P: {type: planar, parent: ground, child: slide, at: [0, 9, 0]}\n", ""),
    "5.1": (f"bodies:\n  a: {BAR}\n  b: {BAR}\njoints:\n  A: {{type: revolute, parent: ground, child: a, axis: y}}\n"
            "  B: {type: revolute, parent: a, child: b, axis: y, at: [1, 0, 0]}\n"
            '  D: {type: driver, joint: B, value: "0.1*sin(t)"}\n', ""),
    "6.1": ("parameters:\n  p0: 3 bar\n  A: 1e-3\n  L0: 0.2\n  k: 1e4\n  k3: 1e6\n  c: 20\ntables:\n"
            "  curve: {data: [[-1, -1000], [0, 0], [1, 2000]], outside: extend}\nbodies:\n" +
            cubes(frame="[0, 0, 0]", rocket="[5, 0, 0]", engine="[0.2, 0, 0.3]", gearbox="[0, 5, 0]", wheel="[0, 5, 1]",
                  piston="[9, 0, 0]", cylinder="[9, 0, 0.3]", arm="[0, 0, 0.01]", hand="[0, 0, 2]") + f"  a: {BAR}\n  b: {BAR}\n"
            "points:\n  tip: {body: hand}\n  rod: {body: piston}\n  tube: {body: cylinder}\njoints:\n  A: {type: revolute, parent: ground, child: a, axis: y}\n"
            "  B: {type: revolute, parent: a, child: b, axis: y, at: [1, 0, 0]}\n", ""),
    "6.2": ("parameters:\n  k: 100\n  d: 3\n  c: 0.1\nbodies:\n" + cubes(car="[0, 0, 0]", rotor="[1, 0, 0]", chassis="[3, 0, 0]", wheel="") +
            "joints:\n  A: {type: revolute, parent: chassis, child: wheel}\n", ""),
    "7.1": ("", ""),
    "8.1": ("bodies:\n  arm: " + BAR + "\n" + cubes(hand="", box="[3, 0, 1000]", ball="[5, 0, 1]", a="[7, 0, 0]", b="[9, 0, 0]") +
            "joints:\n  A: {type: revolute, parent: ground, child: arm, axis: -y, q: 44 deg, u: 9}\n"
            "  J3: {type: universal, parent: arm, child: hand, at: [1, 0, 0], axis: z, axis2: y}\n", "--end 6.5"),
    "9.1": ("parameters:\n  La: 0.5\n  k: 3\nbodies:\n  a: {solid: {rod: {length: La, mass: 1, axis: x}}}\n  b: " + BAR + "\njoints:\n"
            "  A: {type: revolute, parent: ground, child: a, axis: -y, damping: 1}\n  B: {type: revolute, parent: a, child: b, axis: -y, "
            'at: [La, 0, 0], damping: 1}\nforces:\n  M: {type: motor, joint: A, value: "k*sin(t)"}\n', "--end 0.2"),
    "10.1": ("parameters:\n  axle: 1\n  k: 1e5\n", ""),
    "10.2": (f"parameters:\n  L: 0.1\n  m: 0.2\nbodies:\n  link1: {BAR}\njoints:\n"
             "  joint1: {type: universal, parent: ground, child: link1}\n", ""),
    "10.3": ("bodies:\n" + cubes(trunk="[0, 0, 1]"), ""),
    "11.1": (f"bodies:\n  hand: {BAR}\n  tool: {BAR}\njoints:\n  arm: {{type: revolute, parent: ground, child: hand, axis: y}}\n", ""),
    "12.1": ("parameters:\n  m: 1\nbodies:\n  wheel: {mass: m, inertia: [1, 1, 1], com: [0.1, 0, 0]}\npoints:\n"
             "  tip: {body: wheel, at: [0, 0, 1]}\njoints:\n  A: {type: revolute, parent: ground, child: wheel, axis: y}\n", ""),
    "13.1": (f"bodies:\n  a: {BAR}\n  b: {BAR}\njoints:\n  A: {{type: revolute, parent: ground, child: a, axis: -y}}\n"
             "  B: {type: revolute, parent: a, child: b, at: [1, 0, 0], axis: -y}\n", ""),
    "14.1": ("bodies:\n" + cubes(shin="[0, 0, 0.43]", a="[3, 0, 5]", b="[3, 0, 6]", w="[6, 0, 0.3]"), ""),
    "15.1": (f"parameters:\n  L: 1\nbodies:\n  arm: {BAR}\npoints:\n  tip: {{body: arm}}\njoints:\n"
             "  A: {type: revolute, parent: ground, child: arm, axis: y}\n", ""),
    "16.1": ("parameters:\n  L: {value: 500, unit: mm}\n  m: 2\n  k: 15000\n  c: {value: 1, min: 0.5, max: 2}\nbodies:\n"
             "  a: {solid: {rod: {length: L, mass: m, axis: x}}}\njoints:\n  A: {type: revolute, parent: ground, child: a, axis: -y, damping: c}\n"
             "forces:\n  J: {type: joint_spring, joint: A, stiffness: k}\nevents:\n  - {name: latch, when: q.A + 1e-4, impulse: {body: a, angular: [0, 0.01, 0]}}\n", ""),
}
FILES = {"road.csv": "s,z\n0,0\n1,0.1\n2,0.05\n3,0\n"}


def examples(text):
    """Number of the section and of the example in it, and its text."""
    section, count = 0, 0
    for line in re.finditer(r"^## (\d+)\.|^```yaml\n(.*?)\n```", text, re.M | re.S):
        if line.group(1):
            section, count = int(line.group(1)), 0
        else:
            count += 1
            yield f"{section}.{count}", line.group(2) + "\n"


def merge(example, rest):
    """Sections of both; what both have is that of the example first."""
    for part in re.split(r"^(?=\S)", rest, flags=re.M):
        head, _, body = part.partition("\n")
        if re.search(f"^{head}", example, re.M) and head:
            example = re.sub(f"^{head}[^\n]*\n", lambda m: m.group(0) + body, example, count=1, flags=re.M)
        else:
            example += part
    return ("" if example.startswith("linkwork:") else "linkwork: 1\n") + example


class ReferenceTest(Folder):
    def test_every_example_runs(self):
        for name, text in FILES.items():
            with open(self.path(name), "w") as file:
                file.write(text)
        os.symlink(os.path.join(os.path.abspath(SOURCE), "models", "corner.yaml"), self.path("corner.yaml"))
        with open(os.path.join(SOURCE, "docs", "format.md")) as file:
            found = dict(examples(file.read()))
        self.assertEqual(sorted(found), sorted(REST), "examples without the rest of their models, or the other way round")
        for name, example in found.items():
            rest, options = REST[name]
            with self.subTest(name):
                words = options.split() if options else ["--end", "0.05"]
                path = self.model(merge(example, rest))
                linkwork("run", path, "-o", self.path("out.csv"), *words)
                if "sensitivity:" in example:
                    linkwork("sens", path, *words)
                if "study:" in example:
                    linkwork("sweep", path, "--cases", "2", "-o", self.path("cases.csv"), *words)


if __name__ == "__main__":
    unittest.main()
