# SPDX-License-Identifier: Apache-2.0
"""Instructions that triggers which never fire add to a run, counted by callgrind: at most a tenth of those of the run."""
import re
import shutil
import subprocess
import sys
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


PENDULUM = """linkwork: 1
gravity: [0, 0, -9.81]
bodies:
  b0: {mass: 1, com: [0, 0, -0.5], inertia: [0.09, 0.09, 0.01]}
joints:
  J0: {type: revolute, axis: y, parent: ground, q: 0.8, child: b0}
"""

RK4 = ("--integrator", "rk4", "--step", "0.005")
BDF = ("--integrator", "bdf")
RK = ("--integrator", "rk")
DCA = ("--formulation", "dca")
CARTESIAN = ("--formulation", "cartesian")

# model, end of the run, options, expressions
CASES = [
    (PENDULUM, 4, (), ("z.b0 - 10",)),
    (chain(3), 4, (), ("q.J0 - 100", "z.b2 - 10", "energy.kinetic - 1e4", "fx.J0 - 1e5")),
    (chain(3), 4, BDF, ("fx.J0 - 1e5",)),
    (chain(3), 2, RK4, ("q.J0 - 100", "fx.J0 - 1e5")),
    (FOUR_BAR, 2, (), ("x.b - 10", "fx.J0 - 1e6")),
]
# with the argument "all"; docs/theory/events.md has the two that cost more
MORE = [
    (PENDULUM, 4, (), ("fx.J0 - 1e5",)),
    (PENDULUM, 2, RK4, ("q.J0 - 100", "u.J0 - 1e3", "energy.kinetic - 1e4")),
    (PENDULUM, 4, BDF, ("z.b0 - 10", "energy.kinetic - 1e4")),
    (PENDULUM, 4, RK, ("fx.J0 - 1e5",)),
    (PENDULUM, 4, BDF + DCA, ("fx.J0 - 1e5",)),
    (PENDULUM, 2, RK4 + DCA, ("fx.J0 - 1e5",)),
    (PENDULUM, 4, BDF + CARTESIAN, ("fx.J0 - 1e5",)),
    (FOUR_BAR, 2, CARTESIAN, ("fx.J0 - 1e6", "x.b - 10")),
]


def count(*words):
    """Instructions of the run itself; None if they cannot be counted."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                           "--toggle-collect=lw_simulation_run", LINKWORK, *words],
                          capture_output=True, text=True, timeout=1200)
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found.group(1)) if done.returncode == 0 and found else None


@unittest.skipUnless(shutil.which("valgrind"), "no valgrind")
class Triggers(Folder):
    def instructions(self, text, end, words):
        return count("run", self.model(text), "--end", str(end), "--output-step", str(end), "--columns", "t", "-q",
                     "-o", self.path("out.csv"), *words)

    def test_they_cost_a_tenth_of_a_run_at_most(self):
        if count("--version") is None:
            self.skipTest("this build does not run in valgrind")
        for text, end, words, whens in CASES + (MORE if "all" in sys.argv else []):
            alone = self.instructions(text, end, words)
            if alone is None:  # an instruction of this processor that valgrind does not know
                print(f"{' '.join(words)}: not counted; -DLINKWORK_PORTABLE=ON", flush=True)
                continue
            self.assertGreater(alone, 1e6)  # the run was counted
            for when in whens:
                with self.subTest(bodies=text.count("mass"), when=when, options=words):
                    watching = text + f'events: [{{when: "{when}", stop: true}}]\n'
                    share = self.instructions(watching, end, words) / alone - 1
                    print(f"{text.count('mass')} bodies, {when}, {' '.join(words)}: {100 * share:.1f} %", flush=True)
                    self.assertLessEqual(share, MOST)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
