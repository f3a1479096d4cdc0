# SPDX-License-Identifier: Apache-2.0
"""Where loads, rates, events and integrands stop being smooth: located and stepped onto, with each integrator, and
differentiated across; against closed forms and differences of whole runs."""
import math
import unittest

from program import Folder, linkwork, linkwork_json, read_csv

# one freedom, udot = k*law for an inertia of 1
TURN = """linkwork: 1
gravity: [0, 0, 0]
parameters: {k: 0.3, w: 3, q0: %g}
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {A: {type: revolute, parent: ground, child: a, axis: z, q: q0, u: w}}
states: {s: {rate: "%s"}}
forces: {M: {type: motor, joint: A, value: "k*%s"}}
outputs: {angle: "atan2(xy.a, xx.a)"}
events: [%s]
simulation: {end: 5, output_step: 2.5, rtol: 1e-10}
sensitivity: {objectives: {i: {integral: "%s"}, e: {final: q.A}}}
"""
ANGLE, SIGN = "atan2(xy.a, xx.a)", "sign(sin(q.A))"
INTEGRATORS = (("auto",), ("rk",), ("bdf",), ("rk4", "--step", "1e-3"))


def turn(law, q0=0.1, event=""):
    return TURN % (q0, law, law, event, law)


def until(reached, move, dt=1e-3):
    """The time at which `move` has reached a position: bisection behind steps of dt."""
    t = 0.0
    while not reached(move(t + dt)[0]):
        t += dt
        if t > 9:
            return None
    low, high = t, t + dt
    for _ in range(60):
        middle = 0.5*(low + high)
        low, high = (low, middle) if reached(move(middle)[0]) else (middle, high)
    return high


def closed_form(law, q0=0.1, u0=3.0, k=0.3, end=5.0):
    """Position and speed at the end: between two switches q is a parabola, or grows about a whole turn as cosh does."""
    q, u, t = q0, u0, 0.0
    while True:
        if law == SIGN:
            side = 1 if math.sin(q + 1e-9) > 0 else -1
            border = math.pi*(math.floor((q + 1e-9)/math.pi) + 1)
            move = lambda d, q=q, u=u, a=side*k: (q + u*d + 0.5*a*d*d, u + a*d)
        else:
            turns = 2*math.pi*round((q + 1e-9)/(2*math.pi))
            border, r = turns + math.pi, math.sqrt(k)
            move = lambda d, x=q - turns, u=u, n=turns, r=r: (
                n + x*math.cosh(r*d) + u/r*math.sinh(r*d), r*x*math.sinh(r*d) + u*math.cosh(r*d))
        d = until(lambda x: x >= border, move)
        if d is None or t + d > end:
            return move(end - t)
        t += d
        q, u = border, move(d)[1]


class Switches(Folder):
    def test_runs_end_where_the_closed_form_does(self):
        for law, q0 in ((ANGLE, 0.1), (SIGN, 0.1), (SIGN, 0)):
            model, want = self.model(turn(law, q0)), closed_form(law, q0)
            for integrator in INTEGRATORS:
                for formulation in ("tree", "dca", "cartesian"):
                    with self.subTest(law=law, q0=q0, integrator=integrator[0], formulation=formulation):
                        linkwork("run", model, "-q", "-o", self.path("o.csv"), "--columns", "q.A,u.A",
                                 "--formulation", formulation, "--integrator", *integrator)
                        _, q, u = read_csv(self.path("o.csv"))[1][-1]
                        self.assertLess(abs(q - want[0]), 3e-8)
                        self.assertLess(abs(u - want[1]), 3e-8)

    def test_derivatives_and_integrals_pass_switches(self):
        for law in (ANGLE, SIGN):
            for integrator in (("auto",), ("rk4", "--step", "5e-3")):
                with self.subTest(law=law, integrator=integrator[0]):
                    model = self.model(turn(law))
                    got = linkwork_json("sens", model, "--check", "-q", "--integrator", *integrator)
                    linkwork("run", model, "-q", "-o", self.path("o.csv"), "--columns", "s", "--rtol", "1e-12")
                    s = read_csv(self.path("o.csv"))[1][-1][1]
                    self.assertLess(abs(got["objectives"]["i"]["value"] - s), 1e-8)  # the same integral, as a state

    def test_an_event_that_jumps_across_zero_fires_once(self):
        event = '{when: "angle - 1", name: one, impulse: {body: a, angular: [0, 0, 0.001]}}'
        for integrator in INTEGRATORS:
            with self.subTest(integrator=integrator[0]):
                got = linkwork_json("run", self.model(turn("1", 0, event)), "-q", "--integrator", *integrator)
                times = [e["time"] for e in got["events"]]
                self.assertEqual([e["names"] for e in got["events"]], [["one"]]*len(times))
                q = [0.0, *(x for n in range(9) for x in (1 + 2*math.pi*n, math.pi*(2*n + 1)))]
                u, t = 3.0, 0.0
                for k, time in enumerate(times):  # udot = 0.3 between events
                    dt = (math.sqrt(u*u + 0.6*(q[k + 1] - q[k])) - u)/0.3
                    t, u = t + dt, u + 0.3*dt + 0.001
                    self.assertLess(abs(t - time), 1e-8)
                self.assertEqual(len(times), 6)

    def test_rates_of_states_without_a_value_are_named(self):
        text = turn("1").replace('{s: {rate: "1"}}', '{s: {start: 1, rate: "-1 - sqrt(s)"}}')
        said = linkwork("run", self.model(text), "-q", expect=1).stderr
        self.assertIn('the rate of state "s" is not finite at t = 0.61370', said)
        self.assertIn(":6:36: ", said)
        self.assertIn("square root of a negative number", said)

    def test_what_rests_at_a_switch_has_no_derivative_where_its_law_has_a_kink(self):
        text = ("linkwork: 1\ngravity: [0, 0, 0]\nparameters: {k: 2, v: 0, w: 1}\nbodies: {b: {mass: 1}, c: {mass: 1}}\njoints:\n"
                "  A: {type: prismatic, parent: ground, child: b, axis: x, u: v}\n  B: {type: prismatic, parent: ground, child: c, axis: y, u: w}\n"
                "states: {p: {rate: \"5*u.A - (%s)\"}}\nforces:\n  F: {type: motor, joint: A, value: \"-(%s)\"}\n"
                '  G: {type: motor, joint: B, value: "-0.1*u.B*abs(u.B)"}\nsimulation: {end: 1, output_step: 0.5}\n')
        kinks = ("k*abs(q.A)", "k*max(0, q.A)", "k*if(q.A > 0, q.A, 2*q.A)", "k*sqrt(abs(q.A))*u.B", "k*sign(q.A)*sqrt(abs(q.A))", "k*min(q.A, u.A)")
        smooth = ("k*abs(u.A)*u.A", "k*sign(u.A)*u.A^2", "k*if(q.A > 0, q.A^2, q.A^3)", "k*abs(q.A)^1.5", "k*q.A*sqrt(abs(q.A))", "k*abs(q.A - 1)*q.A")
        for formulation in ("tree", "dca", "cartesian"):
            for law in kinks:
                said = linkwork("sens", self.model(text % ("p", law)), "--parameters", "v", "--formulation", formulation, expect=1).stderr
                self.assertIn('motor "F" rests where the state switches it', said, law)
                linkwork("sens", self.path("model.yaml"), "--parameters", "k,w", "--formulation", formulation)   # nothing moves there
            for law in smooth:
                linkwork("sens", self.model(text % ("p", law)), "--formulation", formulation)
        orifice = self.model(text % ("k*sign(p)*sqrt(abs(p))", "10*q.A + p"))
        self.assertIn('state "p" rests where', linkwork("sens", orifice, "--parameters", "v", expect=1).stderr)
        linkwork("sens", orifice, "--set", "v=1", "--parameters", "k,v", "--check")

    def test_derivatives_without_a_value_are_named(self):
        text = turn("1").replace('{s: {rate: "1"}}', '{s: {rate: "sqrt(q.A - 0.1)"}}')
        self.assertIn('the rate of state "s" has no derivative by q.A at t = 0: ',
                      linkwork("sens", self.model(text), "-q", expect=1).stderr)


if __name__ == "__main__":
    unittest.main()
