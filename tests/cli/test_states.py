# SPDX-License-Identifier: Apache-2.0
"""States, sampled values, outputs and measures: derivatives against differences of whole runs, and messages."""
import unittest

from program import Folder, linkwork, linkwork_json, read_csv, shipped

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


def arm(sampled="", value="effort", rest=""):
    return ARM % (sampled, value, rest)


class StatesTest(Folder):
    def check(self, text, columns, *words):
        path = self.model(text)
        for formulation in ("tree", "dca", "cartesian"):
            with self.subTest(formulation):
                linkwork("sens", path, "--formulation", formulation, "--columns", columns,
                         "--check", "--rtol", "1e-10", *words)

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

    def test_mistakes_are_named(self):
        for text, message in (
                (arm("  s: {start: 1}"), "a state has `rate`, or `every` and `value`"),
                (arm('  s: {rate: "1 + q.A", every: 1, value: "q.A"}'), "not both"),
                (arm("  s: {every: 0.1}"), "`every` and `value` go together"),
                (arm('  s: {rate: "udot.A"}'), 'state "s": rate: "udot.A" is not allowed here'),
                (arm('  s: {every: 0.1, value: "x.tipp"}'), 'state "s": value: no result column "x.tipp"'),
                (arm('  kp: {rate: "1 + q.A"}'), 'state "kp": a parameter has this name'),
                (arm('  effort: {rate: "1 + q.A"}'), "the name is taken"),
                (arm(value="lagg"), 'there is no parameter "lagg"')):
            with self.subTest(message):
                done = linkwork("run", self.model(text), expect=1)
                self.assertIn(message, done.stderr)

    def test_analyses_without_states_say_so(self):
        for verb in ("equilibrium", "modes"):
            done = linkwork(verb, self.model(arm()), expect=1)
            self.assertIn('with states ("xi")', done.stderr)

    def test_shipped_models_balance(self):
        for name in ("pid-arm", "excavator"):
            self.assertTrue(linkwork_json("run", shipped(name))["energy"]["balanced"])


if __name__ == "__main__":
    unittest.main()
