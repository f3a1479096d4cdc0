# SPDX-License-Identifier: Apache-2.0
"""States, sampled values, outputs and measures: derivatives against differences of whole runs, and messages."""
import math
import unittest

from program import SANITIZED, Folder, linkwork, linkwork_json, read_csv, shipped

ARM = """linkwork: 1
parameters: {kp: 40, ki: 30, kd: 6, z0: 0.1, L: 0.8}
bodies:
  arm: {solid: {rod: {length: L, mass: 2, axis: x}}}
  hand: {solid: {box: {size: [0.2, 0.1, 0.1], mass: 1}}}
points: {tip: {body: hand, at: [0.1, 0, L/4]}}
joints:
  A: {type: revolute, parent: ground, child: arm, axis: y, q: 0.3}
  B: {type: spherical, parent: arm, child: hand, at: [L, 0, 0], u: [0.5, 1, 2]}
inputs: {target: 0.8}
states:
  xi: {start: z0, rate: "target - q.A"}
  lag: {rate: "10*(kp*(target - q.A) + ki*xi - lag)"}
%s
outputs: {effort: "lag - kd*u.A", high: "z.tip + 0.1*zx.hand.in.arm"}
forces:
  M: {type: motor, joint: A, value: "%s"}
  D: {type: force, body: tip, axes: body, force: ["-vx.tip.in.arm", "-0.5*vy.tip", "-xi*z.tip"]}
  S: {type: spring, from: tip, to: {body: ground, at: [0.3, 0, 0.5]}, stiffness: 20, damping: 1}
%s
simulation: {end: 0.6, output_step: 0.2}
"""


PI_ARM = """linkwork: 1
parameters: {kp: 40, ki: 30, kd: 6, L: 0.8, target: 0.8, tau: 0.1, z0: 0, l0: 0}
bodies: {arm: {solid: {rod: {length: L, mass: 2, axis: x}}}}
joints: {A: {type: revolute, parent: ground, child: arm, axis: -y, q: 0.3}}
states:
  xi: {start: z0, rate: "target - q.A"}
  lag: {start: l0, rate: "(kp*(target - q.A) + ki*xi - lag)/tau"}
forces: {M: {type: motor, joint: A, value: "lag - kd*u.A"}}
simulation: {end: 0.6, output_step: 0.2%s}
"""

LIMITED_ARM = """linkwork: 1
parameters: {target: 0.8}
bodies: {arm: {solid: {rod: {length: 1, mass: 2, axis: x}}}}
joints: {A: {type: revolute, parent: ground, child: arm, axis: -y, q: -60 deg}}
states:
  xi: {rate: "clamp(target - q.A, -0.1, 0.1)"}
  lag: {rate: "(40*(target - q.A) + 20*xi - lag)/0.05"}
forces: {M: {type: motor, joint: A, value: "clamp(lag, -30, 30) - 6*u.A"}}
simulation: {end: 60, output_step: 60, rtol: 1e-10}
"""

UPRIGHT = """linkwork: 1
bodies: {a: {solid: {rod: {length: 1, mass: 2, axis: x}}}, b: {solid: {rod: {length: 1, mass: 2, axis: x}}}}
joints:
  A: {type: revolute, parent: ground, child: a, axis: -y, q: 85 deg, damping: 8}
  B: {type: revolute, parent: a, child: b, axis: -y, at: [1, 0, 0], q: -10 deg, damping: 4}
states:
  lag: {rate: "(0.5 - lag)/0.05"}
  tank: {rate: "lag - tank^3"}
forces: {M: {type: motor, joint: A, value: lag}, N: {type: motor, joint: B, value: "tank - 0.3*lag"}}
simulation: {end: 60, output_step: 60, rtol: 1e-10}
"""

CYLINDER = """linkwork: 1
bodies: {piston: {mass: 200}}
joints: {P: {type: prismatic, parent: ground, child: piston, q: 0.5}}
states:
  p1: {start: 1 bar, rate: "1.4e9/(1e-3*(0.2 + q.P))*(1e-7*valve*sqrt(max(200e5 - p1, 0)) - 1e-3*u.P - 1e-10*(p1 - p2))"}
  p2: {start: 1 bar, rate: "1.4e9/(1e-3*(1.2 - q.P))*(1e-3*u.P + 1e-10*(p1 - p2) - 1e-7*valve*sqrt(max(p2, 0)))"}
outputs: {valve: "clamp(20*(0.8 - q.P), -1, 1)"}
forces: {F: {type: motor, joint: P, value: "(p1 - p2)*1e-3 - 2000*u.P"}}
simulation: {end: 30, output_step: 30, rtol: 1e-10}
"""

BAR_LOOP = """linkwork: 1
planar: true
gravity: [0, -9.81]
parameters: {La: 0.5, k: 300, ki: 20, ref: 0.9, m: 4, rise: 20}
bodies:
  a: {solid: {rod: {length: La, mass: 2, axis: x}}}
  b: {solid: {rod: {length: 1.2, mass: m, axis: x}}}
  c: {solid: {rod: {length: 1.0, mass: 3, axis: x}}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 0.7}
  B: {type: revolute, parent: a, child: b, at: [La, 0], q: -0.5}
  C: {type: revolute, parent: b, child: c, at: [1.2, 0], q: -1.5}
  D: {type: revolute, parent: ground, child: c, at: [1.1, 0], child_at: [1, 0]}
points: {tip: {body: b, at: [0.6, 0]}}
states: {s: {start: 0.1, rate: "ki*(ref - y.tip) - s"}}
forces:
  K: {type: spring, from: tip, to: {body: ground, at: [0.3, 1.5]}, stiffness: k, length: 0.4, damping: 5}
  M: {type: motor, joint: A, value: "s + rise*t"}
simulation: {end: 0.6, output_step: 0.2%s}
sensitivity: {objectives: {low: {final: y.tip}, fast: {max: u.A}}}
"""


def arm(sampled="", value="effort", rest=""):
    return ARM % (sampled, value, rest)


class StatesTest(Folder):
    def check(self, text, columns, *words):
        path = self.model(text)
        check = () if SANITIZED else ("--check",)  # of numbers, by many runs
        for formulation in ("tree", "dca", "cartesian"):
            with self.subTest(formulation):
                linkwork("sens", path, "--formulation", formulation, "--columns", columns,
                         *check, "--rtol", "1e-10", *words)

    def test_derivatives_of_states_are_those_of_whole_runs(self):
        self.check(arm(), "q.A,xi,lag,effort,high,ax.tip,length.S,tension.S,load.M,power.M,fx.D,tz.D")

    def test_derivatives_of_sampled_values_are_those_of_whole_runs(self):
        sampled = '  held: {every: 0.05, value: "kp*(target - q.A) + 0.01*udot.A + 0.1*held", start: z0}'
        self.check(arm(sampled, "held - kd*u.A"), "q.A,xi,held,high")

    def test_derivatives_pass_events(self):
        events = 'events: [{when: "xi - 0.2", lock: A}, {at: 0.45, unlock: A}, {when: "high + 0.1", impulse: {body: tip, linear: [0, 0, 1]}, once: true}]'
        self.check(arm(rest=events), "q.A,xi,lag,high,effort")

    def test_states_in_closed_loops(self):
        bars = """linkwork: 1
planar: true
parameters: {La: 0.5, k: 30, s0: 0.2}
bodies:
  a: {solid: {rod: {length: La, mass: 2, axis: x}}}
  b: {solid: {rod: {length: 1.2, mass: 4, axis: x}}}
  c: {solid: {rod: {length: 1, mass: 3, axis: x}}}
points: {mid: {body: b, at: [0.6, 0]}}
joints:
  A: {type: revolute, parent: ground, child: a, q: 0.5, hold: true}
  B: {type: revolute, parent: a, child: b, at: [La, 0], q: 60 deg}
  C: {type: revolute, parent: b, child: c, at: [1.2, 0], child_at: [1, 0]}
  D: {type: revolute, parent: ground, child: c, at: [1.1, 0]}
inputs: {target: 1.5}
states:
  s: {start: s0, rate: "k*(target - q.D) - 5*s"}
  n: {every: 0.1, value: "n + q.C"}
forces:
  M: {type: motor, joint: A, value: "s - 2*u.C - n"}
  F: {type: force, body: mid, force: ["-3*vx.mid.in.c", "-s*y.mid"]}
outputs: {f: "fx.D + s*x.mid"}
simulation: {end: 0.5, output_step: 0.25}
"""
        self.check(bars, "q.A,q.D,s,n,f,x.mid,load.M")
        events = 'events: [{when: "s - 0.75", once: true, lock: B}, {at: 0.35, unlock: B}]\n'
        self.check(bars + events, "q.A,q.D,s,n,x.mid")

    def test_formulations_and_integrators_agree(self):
        path = self.model(arm())
        rows = {}
        for formulation in ("tree", "dca", "cartesian"):
            for integrator in ("adams", "bdf", "rk", "rk4"):
                step = ("--step", "0.0005") if integrator == "rk4" else ()
                out = self.path("out.csv")
                result = linkwork_json("run", path, "-o", out, "--columns", "q.A,xi,lag,effort,x.tip",
                                       "--formulation", formulation, "--integrator", integrator,
                                       "--rtol", "1e-11", *step)
                self.assertTrue(result["energy"]["balanced"])
                rows[formulation, integrator] = read_csv(out)[1][-1]
        first = rows["tree", "adams"]
        for key, row in rows.items():
            for a, b in zip(first, row):
                self.assertAlmostEqual(a, b, delta=2e-7 * max(1, abs(a)), msg=str(key))

    def test_samples_see_the_values_before_the_instant(self):
        text = arm('  n: {every: 0.1, value: "n + 1"}\n  m: {every: 0.1, value: "10*n"}')
        out = self.path("out.csv")
        linkwork("run", self.model(text), "-o", out, "--columns", "n,m")
        self.assertEqual(read_csv(out)[1], [[0, 1, 0], [0.2, 3, 20], [0.4, 5, 40], [0.6, 7, 60]])

    def test_a_servo_is_a_limited_motor(self):
        servo = "  V: {type: servo, joint: A, target: target, stiffness: 500, damping: 3, limit: 7}"
        motor = ('  V: {type: motor, joint: A, value: '
                 '"min(max(500*(target - q.A) - 3*u.A, -7), 7)"}')
        rows = []
        for law in (servo, motor):
            out = self.path("out.csv")
            linkwork("run", self.model(arm(rest=law)), "-o", out, "--columns", "q.A,load.V")
            rows.append(read_csv(out)[1])
        self.assertEqual(rows[0], rows[1])
        self.assertEqual(rows[0][0][2], 7)

    def test_the_work_of_motors_is_the_work_of_the_run(self):
        text = arm().replace("outputs: {", 'outputs: {done: "work.M", ').replace("  D: {", "  # D: {")
        text = text.replace("damping: 1}", "damping: 0}")
        out = self.path("out.csv")
        result = linkwork_json("run", self.model(text), "-o", out, "--columns", "done,work.M,power.M",
                               "--rtol", "1e-11")
        names, rows = read_csv(out)
        self.assertEqual(names, ["t", "power.M", "work.M", "done"] if names[1] == "power.M"
                         else ["t", "work.M", "done", "power.M"])
        work = dict(zip(names, rows[-1]))
        self.assertEqual(work["done"], work["work.M"])
        self.assertAlmostEqual(work["done"], result["energy"]["work"], delta=1e-8)
        self.check(text, "work.M,done,power.M")

    def test_a_load_that_switches_at_an_output_time_takes_no_row(self):
        for law in ("-if(q.P > 0.2, 1000*(q.P - 0.2), 0)", "-max(0, q.P - 0.2)", "if(t > 0.3, 1, 0)", "step(t, 0.1*3, 0.5)"):
            text = f"""linkwork: 1
gravity: [0, 0, 0]
bodies: {{a: {{mass: 1}}}}
joints: {{P: {{type: prismatic, parent: ground, child: a, axis: x, u: 1}}}}
forces: {{m: {{type: motor, joint: P, value: "{law}"}}}}
simulation: {{end: 0.6, output_step: 0.1}}
"""
            for how in ([], ["--formulation", "dca"], ["--formulation", "cartesian"], ["--integrator", "rk"]):
                with self.subTest(law=law, how=how):
                    out = self.path("rows.csv")
                    linkwork("run", self.model(text), "-o", out, *how)
                    self.assertEqual([round(row[0], 9) for row in read_csv(out)[1]], [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])

    def test_mistakes_are_named(self):
        for text, message in (
                (arm("  s: {start: 1}"), "a state has `rate`, or `every` and `value`"),
                (arm('  s: {rate: "1 + q.A", every: 1, value: "q.A"}'), "not both"),
                (arm("  s: {every: 0.1}"), "`every` and `value` go together"),
                (arm('  s: {every: 1e-300, value: "q.A"}'), 'state "s": every 1e-300 is too small for end'),
                (arm('  s: {rate: "udot.A"}'), 'state "s": rate: "udot.A" is not allowed here'),
                (arm('  s: {every: 0.1, value: "x.tipp"}'), 'state "s": value: no result column "x.tipp"'),
                (arm('  kp: {rate: "1 + q.A"}'), 'state "kp": a parameter has this name'),
                (arm('  effort: {rate: "1 + q.A"}'), "the name is taken"),
                (arm(value="lagg"), 'there is no parameter "lagg"')):
            with self.subTest(message):
                done = linkwork("run", self.model(text), expect=1)
                self.assertIn(message, done.stderr)

    def test_equilibrium_and_modes_of_a_controlled_arm(self):
        # q = target, lag = m g L/2 cos q, xi = lag/ki; the states move by [0 0 -1; ki/tau ...]
        path = self.model(PI_ARM % "")
        found = linkwork_json("equilibrium", path)
        lag = 2 * 9.81 * 0.4 * math.cos(0.8)
        self.assertEqual(found["stability"], "stable")
        for got, wanted in ((found["q"]["A"], 0.8), (found["states"]["lag"], lag), (found["states"]["xi"], lag / 30)):
            self.assertAlmostEqual(got, wanted, delta=1e-12 * max(1, abs(wanted)))
        modes = linkwork_json("modes", path, "--matrices")
        I, K = 2 * 0.64 / 3, -2 * 9.81 * 0.4 * math.sin(0.8)
        wanted = [[0, 1, 0, 0], [-K / I, -6 / I, 0, 1 / I], [-1, 0, 0, 0], [-400, 0, 300, -10]]
        for row, other in zip(modes["A"], wanted):
            for got, x in zip(row, other):
                self.assertAlmostEqual(got, x, delta=1e-11 * max(1, abs(x)))
        product = 1  # of the eigenvalues: the determinant of A
        for mode in modes["modes"]:
            re, im = mode["eigenvalue"]
            product *= re * re + im * im if im else re
        self.assertAlmostEqual(product, 300 / I, delta=1e-8 * 300 / I)

    def test_the_linearisation_is_that_of_the_motion(self):
        # a small deviation from the equilibrium decays as the slowest modes say: by the matrix A itself
        path = self.model(PI_ARM % "")
        A = linkwork_json("modes", path, "--matrices")["A"]
        rest = linkwork_json("equilibrium", path)
        x = [1e-4, 0, 0, 0]
        n = 5000
        for _ in range(n):  # Heun
            a = [sum(c * y for c, y in zip(row, x)) for row in A]
            b = [sum(c * (y + 0.5 / n * d) for c, y, d in zip(row, x, a)) for row in A]
            x = [y + 0.25 / n * (d + e) for y, d, e in zip(x, a, b)]
        for formulation in ("tree", "dca", "cartesian"):
            out = self.path("small.csv")
            linkwork("run", path, "--q", "A=0.8001", "--end", "0.5", "--rtol", "1e-11", "--formulation", formulation,
                     "--set", f"z0={rest['states']['xi']!r}", "--set", f"l0={rest['states']['lag']!r}",
                     "--columns", "t,q.A,u.A,xi,lag", "-o", out)
            rows = read_csv(out)[1]
            end = [rows[-1][1] - 0.8, rows[-1][2], rows[-1][3] - rest["states"]["xi"],
                   rows[-1][4] - rest["states"]["lag"]]
            for got, wanted in zip(end, x):
                self.assertAlmostEqual(got, wanted, delta=2e-3 * max(map(abs, x)))

    def test_equilibrium_with_states_in_closed_loops(self):
        found = linkwork_json("equilibrium", self.model(BAR_LOOP % ""))
        out = self.path("rest.csv")
        for formulation in ("tree", "dca", "cartesian"):
            linkwork("run", self.model(BAR_LOOP % ", start: equilibrium"), "--set", "rise=0", "-o", out,
                     "--formulation", formulation, "--columns", "t,q.A,s")
            for row in read_csv(out)[1]:
                self.assertAlmostEqual(row[1], found["q"]["A"], delta=1e-9)
                self.assertAlmostEqual(row[2], found["states"]["s"], delta=1e-9)

    def test_equilibria_with_states_are_where_runs_come_to_rest(self):
        # a limited integrator far from its target; a double pendulum near its upright position; a cylinder
        # with a valve, whose pressures are 1e7 and whose position is 1
        for name, text, known in (("limited", LIMITED_ARM, {"q.A": 0.8}), ("upright", UPRIGHT, {}), ("cylinder", CYLINDER, {})):
            path, out = self.model(text), self.path("rest.csv")
            found = linkwork_json("equilibrium", path)
            self.assertEqual(found["stability"], "stable", name)
            linkwork("run", path, "-o", out)
            header, rows = read_csv(out)
            for joint, got in found["q"].items():
                wanted = known.get("q." + joint, rows[-1][header.index("q." + joint)])
                self.assertAlmostEqual(math.remainder(got - wanted, 2 * math.pi), 0, delta=1e-6, msg=name + " " + joint)
            for state, got in found["states"].items():
                wanted = rows[-1][header.index(state)]
                self.assertAlmostEqual(got, wanted, delta=1e-6 * max(1, abs(wanted)), msg=name + " " + state)
        self.assertEqual(linkwork_json("equilibrium", self.model(UPRIGHT), "--nearest")["stability"], "unstable")

    def test_integrals_of_what_jumps_have_derivatives(self):
        # from 0 at 2 m/s: 1 up to q = L, then 3; and mod, which falls from 0.4 m/s to 0 twice
        text = """linkwork: 1
parameters: {L: 0.5, v: 2, m: 1}
gravity: [0, 0, 0]
bodies: {a: {mass: m}}
joints: {A: {type: prismatic, parent: ground, child: a, axis: x, u: v}}
outputs: {o: "if(q.A > L, 3, 1)"}
simulation: {end: 1, output_step: 0.5}
sensitivity: {parameters: [L, v], objectives: {a: {integral: o}, b: {integral: "mod(q.A, 0.8)"}}}
"""
        for formulation in ("tree", "dca", "cartesian"):
            found = linkwork_json("sens", self.model(text), "--formulation", formulation)["objectives"]
            for name, value, by_L, by_v in (("a", 3 - 2 * 0.25, -1, 0.25), ("b", 1 - 0.8 * (0.6 + 0.2), 0, 0.5 - 0.8 * (0.2 + 0.4))):
                self.assertAlmostEqual(found[name]["value"], value, delta=1e-8)
                self.assertAlmostEqual(found[name]["d"]["L"], by_L, delta=1e-8)
                self.assertAlmostEqual(found[name]["d"]["v"], by_v, delta=1e-8)

    def test_states_without_equilibrium_are_named(self):
        for text, said in (
                (arm("  up: {rate: 2}"), 'the rate of state "up" is 2 at rest, whatever the position'),
                (arm('  held: {every: 0.05, value: "q.A"}'), 'state "held" is sampled')):
            self.assertIn(said, linkwork("equilibrium", self.model(text), expect=1).stderr)
        self.assertIn('state "held" is sampled', linkwork(
            "modes", self.model(arm('  held: {every: 0.05, value: "q.A"}')), "--at", "start", expect=1).stderr)

    def test_derivatives_of_a_start_in_equilibrium(self):
        self.check(PI_ARM % ", start: equilibrium", "q.A,u.A,xi,lag", "--parameters", "target,ki,L")
        self.check(BAR_LOOP % ", start: equilibrium", "q.A,u.A,s,y.tip,tension.K", "--parameters", "La,ki,m")

    def test_starts_without_derivatives_are_named(self):
        neutral = PI_ARM.replace("lag - kd*u.A", "-kd*u.A + 0*lag").replace("lag, axis: -y", "axis: z") % ", start: equilibrium"
        said = linkwork("sens", self.model(neutral.replace("axis: -y", "axis: z")), expect=1).stderr
        self.assertIn("neutral in", said)
        self.assertIn("not differentiated by differences", linkwork(
            "sens", self.model(PI_ARM % ", start: equilibrium"), "--differences", expect=1).stderr)

    def test_shipped_models_balance(self):
        for name in ("pid-arm", "excavator"):
            self.assertTrue(linkwork_json("run", shipped(name))["energy"]["balanced"])


if __name__ == "__main__":
    unittest.main()
