# SPDX-License-Identifier: Apache-2.0
"""Generated: every kind of event on chains, loops and free bodies with light and heavy links, in all formulations and
integrators with default options.  Energies add up, momenta stay, nothing moves unasked, formulations agree."""
import random
import unittest

from program import Folder, linkwork_json, read_csv

FORMULATIONS = ("tree", "dca", "cartesian")
INTEGRATORS = ("auto", "bdf", "rk", "rk4")

# name, event, kinetic energy lost is 1/2 dV^T M dV
KINDS = (
    ("lock", "lock: J2", True),
    ("pin", "connect: {name: P, type: revolute, parent: ground, child: b3, child_at: [0, -0.4, 0]}", True),
    ("weld", "connect: {name: P, type: fixed, parent: b1, child: b3}", True),
    ("cut", "disconnect: J3", True),
    ("merge", "merge: {name: m, bodies: [b2, b3]}", True),
    ("gear", "connect: {name: G, type: gear, joints: [J1, J3], ratio: -1.5}", True),
    ("coupler", "connect: {name: C, type: coupler, joints: {J1: 1, J2: 2}, offset: 1.3, move: true}", True),
    ("driver", "connect: {name: D, type: driver, joint: J2, value: \"0.4 + t\", move: true}", False),
    ("impulse", "impulse: {body: b3, at: [0, -0.2, 0], linear: [IMPULSE, 0, 0]}", False),
    ("impact", "impact: {body: b3, at: [0, -0.5, 0], normal: [0.6, 0.8, 0], restitution: 0.4}", False),
)


def chain(rng, light, loop, floating, event):
    masses = [1, 1, 1]
    masses[rng.randrange(3)] = light
    text = "linkwork: 1\ngravity: %s\nbodies:\n" % ("[0, 0, 0]" if floating else "[0, -9.81, 0]")
    lengths = [rng.uniform(0.5, 1) for _ in range(3)]
    for i in range(3):
        text += "  b%d: {solid: {rod: {length: %.3f, mass: %g, axis: -y}}" % (i + 1, lengths[i], masses[i])
        if floating and i == 0:
            text += ", velocity: {linear: [%.3f, %.3f, 0], angular: [0, 0, %.3f]}" % tuple(
                rng.uniform(-1, 1) for _ in range(3))
        text += "}\n"
    text += "joints:\n"
    if not floating:
        text += "  J1: {type: revolute, parent: ground, child: b1, q: %.3f}\n" % rng.uniform(-1, 1)
    for i in (2, 3):
        text += "  J%d: {type: revolute, parent: b%d, child: b%d, at: [0, -%.3f, 0], q: %.3f, u: %.3f}\n" % (
            i, i - 1, i, lengths[i - 2], rng.uniform(0.3, 1), rng.uniform(-1, 1))
    if loop:
        text += ("  R: {type: revolute, parent: ground, child: b3, at: [1.1, -0.3, 0], "
                 "child_at: [0, -%.3f, 0]}\n" % lengths[2])
    event = event.replace("IMPULSE", "%g" % min(1, light))  # that a light link survives
    text += "events: [{at: 0.2, %s}]\nsimulation: {end: 0.3, output_step: 0.1}\n" % event
    return text


class Generated(Folder):
    def run_one(self, text, formulation, integrator):
        path = self.path("out.csv")
        report = linkwork_json("run", self.model(text), "-o", path, "--formulation", formulation,
                               "--integrator", integrator)
        heads, rows = read_csv(path)
        pair = [dict(zip(heads, r)) for r in rows if abs(r[0] - 0.2) < 1e-12]
        self.assertEqual(len(pair), 2)
        return report["events"][0], pair, dict(zip(heads, rows[-1]))

    def check(self, text, balances, floating, integrators):
        first = None
        for formulation in FORMULATIONS:
            for integrator in integrators if formulation != "dca" else ("auto",):
                event, (before, after), end = self.run_one(text, formulation, integrator)
                scale = 1 + event["kinetic_before"]
                moved = event.get("moved")
                with self.subTest(formulation=formulation, integrator=integrator, text=text):
                    if balances:
                        start = moved["kinetic_after"] if moved else event["kinetic_before"]
                        self.assertLess(abs(start - event["kinetic_after"] - event["jump_energy"]),
                                        1e-8 * scale)
                    self.assertLess(abs(event["kinetic_before"] - before["energy.kinetic"]), 1e-8 * scale)
                    self.assertLess(abs(event["kinetic_after"] - after["energy.kinetic"]), 1e-8 * scale)
                    for name in before:
                        if name[:2] in ("x.", "y.") and not moved:
                            self.assertLess(abs(before[name] - after[name]), 1e-8)
                    if floating and "impulse:" not in text and "impact:" not in text and not moved:
                        for kind in ("linear", "angular"):
                            for a, b in zip(event[kind + "_momentum_before"], event[kind + "_momentum_after"]):
                                self.assertLess(abs(a - b), 1e-9)
                    first = first or (event, end)
                    for joint, u in first[0]["u_after"].items():
                        if joint in event["u_after"] and not isinstance(u, list):
                            self.assertLess(abs(u - event["u_after"][joint]), 1e-5 * (1 + abs(u)))
                    for name in ("x.b3", "y.b3"):
                        self.assertLess(abs(end[name] - first[1][name]), 1e-5)

    def run_kinds(self, seed, light, loop=False, floating=False):
        rng = random.Random(seed)
        for name, event, balances in KINDS:
            if loop and name not in ("lock", "cut", "impulse", "impact"):
                continue
            if floating and ("J1" in event or name == "pin" or name == "impact"):
                continue
            self.check(chain(rng, light, loop, floating, event), balances, floating,
                       INTEGRATORS if light == 1 else INTEGRATORS[:3])  # fixed steps: too long for light links

    def test_chains(self):
        self.run_kinds(1, 1)

    def test_chains_with_light_and_heavy_links(self):
        self.run_kinds(2, 1e-4)
        self.run_kinds(3, 1e4)

    def test_loops(self):
        self.run_kinds(4, 1, loop=True)
        self.run_kinds(5, 1e-4, loop=True)

    def test_free_chains_keep_their_momentum(self):
        self.run_kinds(6, 1, floating=True)
        self.run_kinds(7, 1e-4, floating=True)


# the third joint passes through rest once: its friction turns over
SLIPS = """linkwork: 1
planar: true
bodies:
  b0: {solid: {rod: {length: 1.0708, mass: 2.6193, axis: x}}}
  b1: {solid: {rod: {length: 0.5066, mass: 2.005, axis: x}}}
  b2: {solid: {rod: {length: 1.2786, mass: 0.7336, axis: x}}}
joints:
  J0: {type: revolute, parent: ground, child: b0, at: [0, 0], q: -0.2997, u: -0.3072}
  J1: {type: revolute, parent: b0, child: b1, at: [1.0223, 0], q: -0.5524, u: -1.4383, damping: 1.3965}
  J2: {type: revolute, parent: b1, child: b2, at: [0.1162, 0], q: 0.239, u: %s, friction: {load: 0.2612, static: 1.5891}}
forces:
  S: {type: spring, from: {body: ground, at: [1.7339, 0]}, to: {body: b2}, stiffness: 81.7358, damping: 2.9525, length: 0.5}
"""


class Rounding(Folder):
    def test_speeds_that_are_zero_up_to_rounding_errors_do_not_pass_it_again(self):
        for speed in ("0.75", "0.85", "1.0"):
            model = self.model(SLIPS % speed)
            for formulation in ("tree", "dca", "cartesian"):
                for rtol in ("1e-6", "1e-9", "1e-12", "1e-13"):
                    events = linkwork_json("run", model, "--formulation", formulation, "--rtol", rtol, "--end", "0.1")["events"]
                    self.assertEqual([e["names"] for e in events], [["friction.J2"]], (speed, formulation, rtol))


if __name__ == "__main__":
    unittest.main()
