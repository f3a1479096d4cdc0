# SPDX-License-Identifier: Apache-2.0
"""Instructions that triggers which never fire add to a run, counted by callgrind: at most a tenth of those of the run."""
import re
import shutil
import subprocess
import unittest

from program import LINKWORK, Folder

MOST = 0.1

FOUR_BAR = """linkwork: 1
gravity: [0, -9.81, 0]
bodies:
  a: {solid: {rod: {length: 0.5, mass: 2, axis: x}}}
  b: {solid: {rod: {length: 1.2, mass: 4, axis: x}}}
  c: {solid: {rod: {length: 1.0, mass: 3, axis: x}}}
joints:
  J0: {type: revolute, parent: ground, child: a, q: 0.5}
  J1: {type: revolute, parent: a, child: b, at: [0.5, 0, 0], q: 60 deg}
  J2: {type: revolute, parent: ground, child: c, at: [1.1, 0, 0], q: 100 deg}
  J3: {type: revolute, parent: b, child: c, at: [1.2, 0, 0], child_at: [1, 0, 0]}
"""


def chain(n):
    """Rods on revolute joints; the last of three on a spherical one."""
    bodies = "".join(f"  b{i}: {{mass: 1, com: [0, 0, -0.5], inertia: [0.09, 0.09, 0.01]}}\n" for i in range(n))
    joints = ""
    for i in range(n):
        kind = "spherical" if n == 3 and i == 2 else "revolute, axis: y"
        place = "parent: ground, q: 0.8" if i == 0 else f"parent: b{i - 1}, at: [0, 0, -1]"
        joints += f"  J{i}: {{type: {kind}, {place}, child: b{i}}}\n"
    return f"linkwork: 1\ngravity: [0, 0, -9.81]\nbodies:\n{bodies}joints:\n{joints}"


def count(*words):
    """Instructions of the program; None if it cannot be counted."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", LINKWORK, *words],
                          capture_output=True, text=True, timeout=1200)
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found.group(1)) if done.returncode == 0 and found else None


@unittest.skipUnless(shutil.which("valgrind"), "no valgrind")
class Triggers(Folder):
    counted = {}  # runs that several cases share are counted once

    def instructions(self, text, end, words):
        key = (text, end, words)
        if key not in self.counted:
            self.counted[key] = self.count_run(text, end, words)
        return self.counted[key]

    def count_run(self, text, end, words):
        return count("run", self.model(text), "--end", str(end), "--output-step", str(end), "--columns", "t", "-q",
                     "-o", self.path("out.csv"), *words)

    def share(self, text, when, end, words):
        """Of the instructions beyond those of a run that ends at once."""
        watching = text + f'events: [{{when: "{when}", stop: true}}]\n'
        start = [self.instructions(x, 1e-9, words) for x in (text, watching)]
        whole = [self.instructions(x, end, words) for x in (text, watching)]
        return (whole[1] - start[1]) / (whole[0] - start[0]) - 1

    def test_they_cost_a_tenth_of_a_run_at_most(self):
        if count("--version") is None:
            self.skipTest("this build does not run in valgrind")
        cases = [(chain(3), when, 4, ()) for when in ("q.J0 - 100", "z.b2 - 10", "energy.kinetic - 1e4")]
        cases += [(chain(3), "fx.J0 - 1e5", 4, words) for words in ((), ("--integrator", "bdf"))]
        rk4 = ("--integrator", "rk4", "--step", "0.005")
        cases += [(chain(3), when, 2, rk4) for when in ("q.J0 - 100", "fx.J0 - 1e5")]
        cases += [(FOUR_BAR, when, 2, ()) for when in ("x.b - 10", "fx.J0 - 1e6")]
        for text, when, end, words in cases:
            with self.subTest(bodies=text.count("mass"), when=when, options=words):
                share = self.share(text, when, end, words)
                print(f"{text.count('mass')} bodies, {when}, {' '.join(words)}: {100 * share:.1f} %", flush=True)
                self.assertLessEqual(share, MOST)


if __name__ == "__main__":
    unittest.main()
