# SPDX-License-Identifier: Apache-2.0
"""Shipped models that use the language of model files: against independent solutions, and written out by hand."""
import math
import re
import unittest

from program import SOURCE, Folder, linkwork, read_csv, shipped

FORMULATIONS = ("tree", "dca", "cartesian")


# ---- tables with interpolation: pchip, by their definition [Fritsch1984] ----

class Pchip:
    def __init__(self, points):
        self.x, self.y = zip(*points)
        h = [b - a for a, b in zip(self.x, self.x[1:])]
        m = [(b - a) / d for a, b, d in zip(self.y, self.y[1:], h)]
        self.d = [self.end(h[0], h[1], m[0], m[1])]
        for i in range(1, len(h)):
            w1, w2 = 2 * h[i] + h[i - 1], h[i] + 2 * h[i - 1]
            self.d.append((w1 + w2) / (w1 / m[i - 1] + w2 / m[i]) if m[i - 1] * m[i] > 0 else 0)
        self.d.append(self.end(h[-1], h[-2], m[-1], m[-2]))

    @staticmethod
    def end(h0, h1, m0, m1):
        d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
        if d * m0 <= 0:
            return 0
        return 3 * m0 if m0 * m1 <= 0 and abs(d) > 3 * abs(m0) else d

    def __call__(self, a):
        x, y, d = self.x, self.y, self.d
        if a <= x[0]:
            return y[0]
        if a >= x[-1]:
            return y[-1]
        i = max(k for k in range(len(x)) if x[k] <= a)
        h = x[i + 1] - x[i]
        s = (a - x[i]) / h
        return (y[i] * (1 + 2 * s) * (1 - s)**2 + h * d[i] * s * (1 - s)**2
                + y[i + 1] * s * s * (3 - 2 * s) + h * d[i + 1] * s * s * (s - 1))


class Rocket(Folder):
    def test_the_flight_is_that_of_its_equations(self):
        deg = math.pi / 180
        drag = Pchip([(0, 0.42), (0.6, 0.44), (0.8, 0.5), (0.95, 0.72), (1.05, 0.83), (1.2, 0.8), (1.6, 0.66), (2.5, 0.5)])
        side = [(5, 1.05), (15, 3.1), (30, 5.2), (90, 7)]
        normal = Pchip([(-a * deg, -c) for a, c in reversed(side)] + [(0, 0)] + [(a * deg, c) for a, c in side])

        def rate(s, thrust):
            x, y, a, vx, vy, w = s
            c, n = math.cos(a), math.sin(a)
            along, aside = (vx - 6) * c + vy * n, vy * c - (vx - 6) * n
            p = 0.5 * 1.225 * math.exp(-y / 8500) * (along**2 + aside**2) * 0.018
            fx, fy = thrust - p * drag(math.hypot(along, aside) / 340), -p * normal(math.atan2(aside, along))
            return (vx, vy, w, (fx * c - fy * n) / 60, (fx * n + fy * c) / 60 - 9.81, (-0.42 * fy - 0.02 * p * w) / 45)

        def step(s, h, thrust):
            def at(k, f):
                return [a + f * h * b for a, b in zip(s, k)]
            k1 = rate(s, thrust)
            k2 = rate(at(k1, 0.5), thrust)
            k3 = rate(at(k2, 0.5), thrust)
            k4 = rate(at(k3, 1), thrust)
            return [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(s, k1, k2, k3, k4)]

        tilt, n = 86 * deg, 6000
        s = [0, 2, tilt, 25 * math.cos(tilt), 25 * math.sin(tilt), 0]
        for i in range(n):
            s = step(s, 6 / n, 9000 if 2 * i < n else 0)
        for formulation in FORMULATIONS:
            out = self.path("out.csv")
            linkwork("run", shipped("rocket"), "--end", "6", "--rtol", "1e-12", "--atol", "1e-13", "--formulation", formulation,
                     "--columns", "t,x.rocket,y.rocket,vx.rocket,vy.rocket,wz.rocket", "-o", out)
            heads, rows = read_csv(out)
            got = dict(zip(heads, rows[-1]))
            for name, wanted in (("x.rocket", s[0]), ("y.rocket", s[1]), ("vx.rocket", s[3]), ("vy.rocket", s[4]),
                                 ("wz.rocket", s[5])):
                self.assertAlmostEqual(got[name], wanted, delta=1e-10 * max(map(abs, s)), msg=formulation + name)


class Vehicle(Folder):
    """models/hmmwv-drive.yaml, with include, repeat, functions and outputs written out."""

    def written_out(self):
        with open(shipped("hmmwv"), encoding="utf-8") as file:
            lines = [x for x in file.read().splitlines()
                     if not re.match(r"  (tyre_|road_)\w\w:|simulation:|  (tyre|tyre_side|tyre_damping|bump\w*|speed|right):", x)]
        section, parts = None, {"bodies": [], "joints": [], "forces": []}
        for line in lines:
            if re.match(r"\w+:", line):
                section = line.split(":")[0]
            elif section in parts:
                parts[section].append(line)
        for w in ("fl", "fr", "rl", "rr"):
            x, y, c, s = f"vx.wheel_{w}", f"vy.wheel_{w}", f"xx.wheel_{w}", f"xy.wheel_{w}"
            up = f"(3e5*max(0, 0.47 - z.wheel_{w} + road(x.wheel_{w}))*max(0, 1 - vz.wheel_{w}/2))"
            push = f"(-0.9*{up}*tanh(({x}*{c} + {y}*{s} - 0.47*u.spin_{w})/0.4))"
            hold = f"(-0.9*{up}*tanh(({y}*{c} - {x}*{s})/0.4))"
            fx, fy = f"{push}*{c} - {hold}*{s}", f"{push}*{s} + {hold}*{c}"
            parts["bodies"].append(f"  rim_{w}: {{mass: 24, inertia: [1.1, 1.9, 1.1]}}")
            parts["joints"].append(f"  spin_{w}: {{type: revolute, parent: wheel_{w}, child: rim_{w}, axis: y}}")
            parts["forces"].append(f"  drive_{w}: {{type: motor, joint: spin_{w}, value: 250}}")
            parts["forces"].append(f'  roll_{w}: {{type: force, body: rim_{w}, force: ["{fx}", "{fy}", "{up}"], '
                                   f'torque: ["0.47*({fy})", "-0.47*({fx})", 0]}}')
        head = ["linkwork: 1", "gravity: [0, 0, -9.81]", "parameters: {front: 1.688965, rear: -1.688965, steering: 5e4}",
                f"tables: {{road: {{file: {SOURCE}/models/road.csv, x: s, y: z, outside: hold}}}}"]
        for name, rows in parts.items():
            head += [name + ":"] + rows
        return "\n".join(head) + "\n"

    def test_the_drive_is_that_of_the_model_written_out(self):
        results = []
        for file in (shipped("hmmwv-drive"), self.model(self.written_out())):
            out = self.path("out.csv")
            linkwork("run", file, "--end", "0.1", "--output-step", "0.05", "--integrator", "rk4", "--step", "2e-4",
                     "--columns", "t,x.chassis,z.chassis,vx.chassis,vz.chassis,u.spin_fl,u.spin_rr,z.wheel_rl", "-o", out)
            results.append(read_csv(out))
        (heads, ours), (other, theirs) = results
        self.assertEqual(heads, other)
        for row, wanted in zip(ours, theirs):
            for name, a, b in zip(heads, row, wanted):
                self.assertAlmostEqual(a, b, delta=1e-10 * max(1, abs(b)), msg=name)

    def test_it_drives(self):
        out = self.path("out.csv")
        linkwork("run", shipped("hmmwv-drive"), "--end", "1", "--columns", "t,vx.chassis,y.chassis,u.spin_fl", "-o", out)
        heads, rows = read_csv(out)
        end = dict(zip(heads, rows[-1]))
        v, aside, spin = end["vx.chassis"], end["y.chassis"], end["u.spin_fl"]
        # four torques over the radius, on the masses and on the wheels that turn
        mass = 2086.52 + 9.07 + 4 * (5.813 + 23.965 + 34.155 + 24) + 4 * 1.9 / 0.47**2
        self.assertAlmostEqual(v, 4 * 250 / 0.47 / mass, delta=0.01)
        self.assertAlmostEqual(spin * 0.47, v, delta=0.05)
        self.assertLess(abs(aside), 1e-6)


if __name__ == "__main__":
    unittest.main()
