# SPDX-License-Identifier: Apache-2.0
"""Springs of any law: the same as linear ones where the law is linear, and as applied forces where it is not."""
import random
import unittest

from program import Folder, linkwork, linkwork_json, read_csv

FORMULATIONS = ("tree", "dca", "cartesian")
MODEL = """linkwork: 1
parameters: {k: 30, c: 0.5, L0: 0.4}
tables: {curve: {data: [[0, -5], [0.5, 2], [1, 9], [3, 60]], interpolation: pchip, outside: extend}}
bodies:
  a: {mass: 2, com: [0.1, 0.02, -0.3], inertia: [0.1, 0.12, 0.02]}
  "b/1": {mass: 1, com: [0.1, 0.02, -0.3], inertia: [0.1, 0.12, 0.02]}
  d: {mass: 1, com: [0, 0, -0.3], inertia: [0.1, 0.12, 0.02]}
points: {p: {body: b/1, at: [0, 0.1, -0.5]}, g: {body: %s, at: [0.5, 1, -1]}}
joints:
  A: {type: universal, parent: ground, child: a, axis: y, axis2: x, q: [0.5, 0.1]}
  "B-1": {type: cylindrical, parent: a, child: b/1, at: [0, 0, -0.6], axis: x, q: [0.3, 0], u: [2, 0]}
  D: {type: spherical, parent: ground, child: d, at: [1, 0, 0], u: [0.3, 0.2, 1]}
%s
forces:
  hold: {type: joint_spring, joint: A, stiffness: 3, damping: 0.1}
%s
simulation: {end: 0.6, output_step: 0.1, rtol: 1e-10, atol: 1e-12}
"""
LOOP = "  L: {type: distance, parent: a, child: d, at: [0, 0, -0.5], child_at: [0, 0, -0.5], length: sqrt(1.25)}"
LAWS = ("k*(l - L0) + c*ldot", "curve(l) + c*ldot^3", "k*(l - L0)^3 + c*ldot*abs(ldot) + 0.3*q.'B-1'.2 + 0.1*sin(5*t)",
        "if(l > 1.4, k*(l - 1.4), 0)", "max(k*(l - 1.2), 0) - 0.1*vx.p")
JOINT_LAWS = ("-k*(q - 0.1) - c*u", "-k*sinh(q) - c*u^3", "-50*max(q - 0.02, 0) - 20*q + 0.1*z.p")

PAIR_MODEL = """linkwork: 1
parameters: {k: 300, c: 0.5, kt: 20, L0: 0.2}
tables: {curve: {data: [[-2, -90], [-0.5, -12], [0, 0], [0.4, 15], [2, 120]], interpolation: akima, outside: extend}}
bodies:
  a: {mass: 2, com: [0.1, 0.02, -0.3], inertia: [0.1, 0.12, 0.02]}
  b: {mass: 1, com: [0.1, 0.02, -0.3], inertia: [0.1, 0.12, 0.02]}
  d: {mass: 1, com: [0, 0, -0.3], inertia: [0.1, 0.12, 0.02], pose: {at: [1, 0, -0.1]}}
joints:
  A: {type: universal, parent: ground, child: a, axis: y, axis2: x, q: [0.5, 0.1]}
  B: {type: spherical, parent: a, child: b, at: [0, 0, -0.6], u: [1, 0.2, 0.4]}
forces:
  M: {type: bushing, parent: b, child: d, at: [0.4, 0, 0], orient: {rpy: [0.1, 0.3, -0.2]}, %s}
  T: {type: torsion, parent: a, child: b, axis: [0, 1, 3], angle: L0, %s}
  J: {type: joint_spring, joint: A, dof: 2, %s}
  S: {type: spring, from: {body: d}, to: {body: ground, at: [2, 0, 1]}, length: 0.3, %s}
simulation: {end: 0.5, output_step: 0.1, rtol: 1e-11, atol: 1e-12}
sensitivity: {parameters: [k, c, kt, L0]}
"""
PAIRS = ((("stiffness: [k, 2*k, 100], angular_stiffness: [kt, 2*kt, 7]", "stiffness: kt", "stiffness: 2*k", "stiffness: 3"),
          ("stiffness: [k, 2*k, 100], angular_stiffness: [kt, 2*kt, 7], damping: c", "stiffness: kt, damping: c",
           "stiffness: 2*k, damping: c", "stiffness: 3, damping: c")),
         (('force: ["-k*dx", "-2*k*dy", "-100*dz"], torque: ["-kt*rx", "-2*kt*ry", "-7*rz"]', 'load: "-kt*(angle - L0)"',
           'load: "-2*k*q"', 'tension: "3*(l - 0.3)"'),
          ('force: ["-k*dx - c*dvx", "-2*k*dy - c*dvy", "-100*dz - c*dvz"], torque: ["-kt*rx", "-2*kt*ry", "-7*rz"]',
           'load: "-kt*(angle - L0) - c*rate"', 'load: "-2*k*q - c*u"', 'tension: "3*(l - 0.3) + c*ldot"')))
CURVED = ('force: ["-curve(dx)*k/30", "-2*k*atan(3*c*dy)", "-if(dz > 0, 300*dz, 80*dz)"], torque: ["-kt*rx - c*rx^3", "-kt*sinh(ry)", "-7*rz"]',
          'load: "-kt*sinh(angle - L0)*c"', 'load: "-k*sinh(q)*L0"', 'tension: "c*curve(l - L0)*if(l > 1.1, 1, 0.5)"')


class Laws(Folder):
    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def table(self, model, columns, *words):
        linkwork("run", model, "-o", self.path("out.csv"), "-q", "--columns", columns, *words)
        return read_csv(self.path("out.csv"))

    def assert_same(self, a, b, tolerance, what):
        for p, q in zip(a[1], b[1]):
            scale = max([1] + [abs(x) for x in p])
            self.assertLessEqual(max(abs(x - y) for x, y in zip(p, q)), tolerance * scale, what)
        self.assertEqual(len(a[1]), len(b[1]), what)

    def test_a_linear_law_is_a_linear_spring(self):
        for end, loop in (("ground", ""), ("d", LOOP), ("a", "")):
            linear = self.write("a.yaml", MODEL % (end, loop, "  S: {type: spring, from: p, to: g, stiffness: k, damping: c, length: L0}\n"
                                                   "  T: {type: joint_spring, joint: B-1, dof: 2, stiffness: k, damping: c, rest: 0.1}"))
            law = self.write("b.yaml", MODEL % (end, loop, '  S: {type: spring, from: p, to: g, tension: "k*(l - L0) + c*ldot"}\n'
                                                '  T: {type: joint_spring, joint: B-1, dof: 2, load: "-k*(q - 0.1) - c*u"}'))
            expected = self.table(linear, "q.*,u.*,tension.S,length.S,rate.S,fx.A,energy.error")
            for f in FORMULATIONS:
                found = self.table(law, "q.*,u.*,tension.S,length.S,rate.S,fx.A,energy.error", "--formulation", f)
                self.assert_same(expected, found, 1e-7, (end, f))
            if loop == "":
                a, b = ([m["eigenvalue"] for m in linkwork_json("modes", m, "--at", "start")["modes"]] for m in (linear, law))
                for x, y in zip(a, b):
                    self.assertLessEqual(abs(x[0] - y[0]) + abs(x[1] - y[1]), 1e-8 * (1 + abs(x[0]) + abs(x[1])))

    def test_equilibrium_knows_the_tension_of_a_law(self):
        found = []
        for spring in ("stiffness: k, damping: c, length: L0", 'tension: "k*(l - L0) + c*ldot"'):
            model = self.write("a.yaml", (MODEL % ("ground", "", f"  S: {{type: spring, from: p, to: g, {spring}}}\n"
                                                   "  T: {type: joint_spring, joint: B-1, dof: 2, stiffness: 50}")))
            found.append(linkwork_json("equilibrium", model)["springs"]["S"])
        self.assertAlmostEqual(found[0]["tension"], found[1]["tension"], places=7)
        self.assertGreater(abs(found[0]["tension"]), 1)

    def test_a_law_is_a_pair_of_applied_forces(self):
        for n, law in enumerate(LAWS):
            end, loop = (("ground", ""), ("d", LOOP))[n % 2]
            T = law.replace("ldot", "rate.S").replace("l -", "length.S -").replace("l >", "length.S >").replace("(l)", "(length.S)")
            pull = [f'"F*({x}.g - {x}.p)/length.S"' for x in "xyz"]
            push = [f'"F*({x}.p - {x}.g)/length.S"' for x in "xyz"]
            pair = self.write("a.yaml", MODEL % (end, loop, "  S: {type: spring, from: p, to: g, stiffness: 0}\n"
                                                 f"  F1: {{type: force, body: p, force: [{', '.join(pull)}]}}\n"
                                                 f"  F2: {{type: force, body: g, force: [{', '.join(push)}]}}\n"
                                                 f'outputs: {{F: "{T}"}}'))
            spring = self.write("b.yaml", MODEL % (end, loop, f'  S: {{type: spring, from: p, to: g, tension: "{law}"}}\noutputs: {{F: tension.S}}'))
            expected = self.table(pair, "q.*,u.*,F,energy.error")
            for f in FORMULATIONS:
                self.assert_same(expected, self.table(spring, "q.*,u.*,F,energy.error", "--formulation", f), 1e-7, (law, f))

    def test_derivatives_of_laws(self):
        rng = random.Random(1)
        for n, law in enumerate(LAWS[:3]):
            end, loop = (("ground", ""), ("d", LOOP), ("a", ""))[n]
            model = self.write("a.yaml", MODEL % (end, loop, f'  S: {{type: spring, from: p, to: g, tension: "{law}"}}\n'
                                                  f'  T: {{type: joint_spring, joint: B-1, dof: 2, load: "{JOINT_LAWS[n]}"}}'))
            done = linkwork_json("sens", model, "--parameters", "k,c,L0", "--end", "0.2", "--check", "--formulation",
                                 rng.choice(FORMULATIONS), "--columns", "q.A.*,u.B-1.*,tension.S,fx.A,load.T,power.T")
            self.assertEqual(done["check"], "agrees", law)

    def test_laws_of_bushings_and_torsions_are_linear_ones_where_they_are_linear(self):
        columns = "q.*,load.T,load.J,fx.M,ty.M,dx.M,rx.M,dvy.M,dwz.M,angle.T,rate.T,energy.potential,energy.error"
        for n, (linear, law) in enumerate(zip(*PAIRS)):
            a = self.write("a.yaml", PAIR_MODEL % linear)
            b = self.write("b.yaml", PAIR_MODEL % law)
            shown = columns if n == 0 else columns.replace(",energy.potential", "")
            expected = self.table(a, shown)
            for f in FORMULATIONS:
                self.assert_same(expected, self.table(b, shown, "--formulation", f), 1e-8, (n, f))
            f = FORMULATIONS[n]
            done = linkwork_json("sens", b, "--end", "0.05", "--check", "--formulation", f, "--columns", columns[4:])
            self.assertEqual(done["check"], "agrees", (n, f))
            eigenvalues = [sorted(m["eigenvalue"] for m in linkwork_json("modes", m, "--at", "start")["modes"]) for m in (a, b)]
            for x, y in zip(*eigenvalues):
                self.assertLessEqual(abs(x[0] - y[0]) + abs(x[1] - y[1]), 1e-8 * (1 + abs(x[0]) + abs(x[1])))
            found = [linkwork_json("equilibrium", m)["bodies"]["d"]["position"][2] for m in (a, b)]
            self.assertAlmostEqual(found[0], found[1], places=8)

    def test_laws_without_a_linear_counterpart_keep_the_energy_and_have_derivatives(self):
        model = self.write("a.yaml", PAIR_MODEL % CURVED)
        heads, rows = self.table(model, "energy.*")
        first, last = (dict(zip(heads, r)) for r in (rows[0], rows[-1]))
        self.assertLess(abs(last["energy.total"] - first["energy.total"]), 1e-7)   # all of it has a potential
        self.assertGreater(abs(last["energy.potential"] - first["energy.potential"]), 0.1)
        done = linkwork_json("sens", model, "--end", "0.05", "--check", "--formulation", "cartesian", "--columns",
                             "q.A.*,load.T,load.J,fx.M,ty.M,tension.S,energy.potential")
        self.assertEqual(done["check"], "agrees")

    def test_derivatives_end_where_a_bushing_has_turned_by_half_a_turn(self):
        # a disc that spins at 2 rad/s in a rubber mount: its rotation vector changes its sign at t = pi/2
        text = """linkwork: 1
parameters: {m: 1}
gravity: [0, 0, 0]
bodies: {disc: {mass: m, inertia: [1, 1, 1]}}
joints: {A: {type: revolute, parent: ground, child: disc, u: 2}}
forces: {B: {type: bushing, parent: ground, child: disc, %s}}
simulation: {end: 2, output_step: 0.5}
"""
        for law in ("angular_stiffness: 1e-3", 'torque: [0, 0, "-1e-3*rz"]'):
            for formulation in FORMULATIONS:
                said = linkwork("sens", self.write("m.yaml", text % law), "--formulation", formulation, expect=1).stderr
                self.assertIn('bushing "B" have turned by half a turn', said)
                self.assertRegex(said, r"stopped at t = 1\.[567]")
        linkwork("sens", self.write("m.yaml", text % "stiffness: 10, angular_damping: 0.1"))

    def test_laws_in_mirrored_parts(self):
        body = "{mass: 1, com: [0.1, 0.02, -0.3], inertia: [0.1, 0.12, 0.02], pose: {at: [0.3, 0.4, 0]}, velocity: {angular: [1, 2, 3]}}"
        self.write("part.yaml", f"linkwork: 1\nbodies:\n  a: {body}\nforces:\n"
                   '  M: {type: bushing, parent: ground, child: a, at: [0.3, 0.35, 0], force: ["-90*dx - 40*dy", "-50*dy^3 - 20*dy - dx", "-9*sinh(dz) - 2*dvy"],'
                   ' torque: ["-3*rx - ry", "-rx - 4*ry", "-5*rz - 0.1*dwx"]}\n'
                   '  T: {type: torsion, parent: ground, child: a, axis: [0, 1, 1], load: "-2*sinh(angle) - 0.1*rate + 0.3*dy.M + 0.2*rx.M"}\n')
        model = self.write("whole.yaml", "linkwork: 1\ninclude: {l: {file: part.yaml}, r: {file: part.yaml, mirror: y}}\n"
                           'outputs: {same: "abs(x.l.a - x.r.a) + abs(y.l.a + y.r.a) + abs(z.l.a - z.r.a) + abs(wx.l.a + wx.r.a) + abs(load.l.T - load.r.T)"}\n'
                           "simulation: {end: 0.3, rtol: 1e-9}\n")
        heads, rows = self.table(model, "same,load.l.T,fy.l.M")
        last = dict(zip(heads, rows[-1]))
        self.assertLess(last["same"], 1e-6)
        self.assertGreater(abs(last["load.l.T"]) + abs(last["fy.l.M"]), 1e-2)

    def test_work_of_a_joint_law_and_mirrored_parts(self):
        self.write("part.yaml", "linkwork: 1\nparameters: {k: 30}\nbodies:\n"
                   "  a: {mass: 2, com: [0.1, 0.02, -0.3], inertia: [0.1, 0.12, 0.02]}\njoints:\n"
                   "  C: {type: cylindrical, parent: ground, child: a, axis: y, q: [0.5, 0.1]}\nforces:\n"
                   '  S: {type: joint_spring, joint: C, dof: 2, load: "-k*(q - 0.05)^3 - 100*(q - 0.2)"}\n'
                   '  T: {type: spring, from: {body: a, at: [0, 0.1, -0.5]}, to: {body: ground, at: [0.5, 1, -1]}, tension: "k*(l - 0.2)"}\n')
        model = self.write("whole.yaml", "linkwork: 1\ninclude: {l: {file: part.yaml}, r: {file: part.yaml, mirror: y}}\n"
                           'outputs: {w: "work.l.S - work.r.S", same: "y.l.a + y.r.a"}\nsimulation: {end: 0.3}\n')
        heads, rows = self.table(model, "w,same,energy.error,q.l.C.2,q.r.C.2,tension.l.T,tension.r.T")
        last = dict(zip(heads, rows[-1]))
        self.assertLess(abs(last["w"]) + abs(last["same"]) + abs(last["energy.error"]), 1e-6)
        self.assertAlmostEqual(last["q.l.C.2"], -last["q.r.C.2"], places=7)
        self.assertAlmostEqual(last["tension.l.T"], last["tension.r.T"], places=6)
        self.assertGreater(abs(last["q.l.C.2"] - 0.1), 1e-3)

    def test_names_find_their_elements_beside_joints_with_several_dampings(self):
        # dampings, limits and frictions of the freedoms of a joint are elements that nobody named
        model = self.write("a.yaml", "linkwork: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
                           "  A: {type: revolute, parent: ground, child: a}\n"
                           "  B: {type: gimbal, parent: a, child: b, damping: [0.1, 0.2, 0.3], friction: [{load: 0.1}, {load: 0.2}, none], "
                           "limits: [{lower: -1, upper: 1, stiffness: 3}, {lower: -1, upper: 1, stiffness: 3}, none]}\nforces:\n"
                           "  M1: {type: motor, joint: A, value: 1}\n  M2: {type: motor, joint: A, value: 2}\n"
                           "  S1: {type: joint_spring, joint: A, stiffness: 5, rest: 1}\n"
                           '  T: {type: torsion, parent: a, child: b, axis: x, load: "-4*(angle - 1)"}\n'
                           "  F: {type: force, body: a, force: [0, 7, 0]}\noutputs: {p: power.M2, l: load.M2}\nsimulation: {end: 0.1}\n")
        heads, rows = self.table(model, "load.M1,load.M2,load.S1,load.T,fy.F,l")
        self.assertEqual(heads, ["t", "l", "load.M1", "load.M2", "load.S1", "load.T", "fy.F"])
        for got, wanted in zip(rows[0][1:], (2, 1, 2, 5, 4, 7)):
            self.assertAlmostEqual(got, wanted, 12)

    def test_patterns_select_columns_of_forces(self):
        model = self.write("a.yaml", MODEL % ("ground", "", '  S: {type: spring, from: p, to: g, tension: "k*l"}\n'
                                              "  T: {type: spring, from: p, to: g, stiffness: 2}\n  M: {type: motor, joint: A, value: 1}"))
        heads = self.table(model, "tension.*,load.*,length.S*,power.?,rate.T")[0]
        self.assertEqual(heads, ["t", "length.S", "tension.S", "tension.T", "load.hold", "load.M", "power.M", "rate.T"])

    def test_parameters_follow_what_set_says(self):
        model = self.write("a.yaml", MODEL % ("ground", "", '  S: {type: spring, from: p, to: g, tension: "k*(l - L0)"}'))
        a = self.table(model, "tension.S", "--set", "k=2*c + L0", "--set", "c=7")
        b = self.table(model, "tension.S", "--set", "k=14.4")
        self.assertEqual(a, b)
        self.assertIn('there is no parameter "cc", did you mean "c"?', linkwork("check", model, "--set", "k=cc", expect=2).stderr)
        self.assertIn("depend on each other: k -> c -> k", linkwork("check", model, "--set", "k=c", "--set", "c=k", expect=1).stderr)

    def test_inputs_follow_tables_of_time(self):
        model = self.write("a.yaml", "linkwork: 1\ntables: {ramp: {data: [[0, 0], [0.3, 1], [0.6, 0.5]], interpolation: linear, outside: hold}}\n"
                           "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {A: {type: revolute, parent: ground, child: a}}\n"
                           'inputs: {throttle: "ramp(t)", gain: 2}\nforces: {M: {type: motor, joint: A, value: gain*throttle}}\n'
                           "simulation: {end: 1, output_step: 0.5, rtol: 1e-10}\n")
        heads, rows = self.table(model, "throttle,gain,u.A")
        self.assertEqual(heads, ["t", "u.A", "gain", "throttle"])
        self.assertAlmostEqual(rows[-1][1], 2*(0.15 + 0.225 + 0.2), places=9)
        self.assertEqual([r[3] for r in rows], [0, 0.75 - 1/12, 0.5])

    def test_tables_of_the_state_are_stepped_onto(self):
        text = ("linkwork: 1\ngravity: [0, 0, 0]\nparameters: {k: 3, w: 1}\n"
                "tables:\n  stairs: {data: [[-1, -2], [-0.3, -0.5], [0.2, 0.4], [0.7, 1.5]], interpolation: hold, outside: hold}\n"
                "  lines: {data: [[-1, -2], [-0.3, -0.5], [0.2, 0.4], [0.7, 1.5]], interpolation: linear, outside: hold}\n"
                "  both: {x: [-1, 0, 0.5, 1], y: [-3, 0.4, 3], value: [[-1, -2, 0], [0, 0.5, 1], [2, 3, 5], [4, 3, 8]], interpolation: hold, outside: hold}\n"
                "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\njoints: {A: {type: prismatic, parent: ground, child: a, q: 0.9*w, u: 0.3}}\n"
                'forces: {M: {type: motor, joint: A, value: "%s"}}\nsimulation: {end: 3, output_step: 0.25, rtol: 1e-12, atol: 1e-13}\n')
        stairs = "if(x < -1, -2, if(x < -0.3, -2, if(x < 0.2, -0.5, if(x < 0.7, 0.4, 1.5))))"
        lines = ("if(x < -1, -2, if(x < -0.3, -2 + 1.5*(x + 1)/0.7, if(x < 0.2, -0.5 + 0.9*(x + 0.3)/0.5, "
                 "if(x < 0.7, 0.4 + 1.1*(x - 0.2)/0.5, 1.5))))")
        both = ("if(2*q.A - 0.3 < 0.4, if(q.A < 0, -1, if(q.A < 0.5, 0, if(q.A < 1, 2, 4))), if(2*q.A - 0.3 < 3, if(q.A < 0, -2, if(q.A < 0.5, 0.5, if(q.A < 1, 3, 3))), 9))")
        for n, (table, written) in enumerate((("-k*stairs(q.A)", "-k*" + stairs.replace("x", "q.A")),
                                              ("-k*lines(q.A) - 0.1*u.A", "-k*" + lines.replace("x", "q.A") + " - 0.1*u.A"),
                                              ("-k*both(q.A, 2*q.A - 0.3)", "-k*" + both))):
            expected = self.table(self.write("a.yaml", text % written), "q.A,u.A")
            for f in FORMULATIONS:
                found = self.table(self.write("b.yaml", text % table), "q.A,u.A", "--formulation", f)
                self.assert_same(expected, found, 2e-9, (table, f))
            done = linkwork_json("sens", self.path("b.yaml"), "--parameters", "k,w", "--end", "1.5", "--check", "--formulation", FORMULATIONS[n])
            self.assertEqual(done["check"], "agrees", table)

    def test_units_of_freedoms_faults_of_tables_and_works(self):
        text = ("linkwork: 1\ntables: {drag: {data: [[0, 0.3], [1, 2]], outside: error}}\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                "joints: {A: {type: revolute, parent: ground, child: a, u: 3%s}}\nforces:\n  M: {type: motor, joint: A, value: %s}\n"
                "  J: {type: joint_spring, joint: A, %s}\nsimulation: {end: 0.2, rtol: 1e-10}\n")
        for limits, value, spring, place, said in (
                (", limits: {lower: 5 mm, upper: 1, stiffness: 3}", "0", "stiffness: 1", "4:", "`lower` is expected"),
                (", limits: {lower: -1, upper: 1, stiffness: 3 N/m}", "0", "stiffness: 1", "4:", "N*m for `stiffness` is expected"),
                ("", "5 N", "stiffness: 1", "6:", "N*m for `value` is expected"),
                ("", "5 N*m", "stiffness: 1, rest: 3 mm", "7:", "`rest` is expected"),
                ("", "5 N*m", "load: \"-3 N*q\"", "7:", "N*m for `load` is expected"),
                ("", "5 N*m", "load: \"-3 N*m*q\"", "7:", None)):
            model = self.write("a.yaml", text % (limits, value, spring))
            done = linkwork("check", model, expect=1 if said else 0).stderr
            if said:
                self.assertIn(said, done)
                self.assertIn(model + ":" + place, done)
        model = self.write("a.yaml", text % ("", "drag(q.A)", "stiffness: 0"))
        self.assertIn("it goes from 0 to 1; its variable is 1", linkwork("run", model, "--end", "1", "-q", "-o", self.path("x.csv"), expect=1).stderr)
        heads, rows = self.table(self.write("a.yaml", text % ("", "5 N*m", "stiffness: 0")), "work.M,q.A,energy.kinetic")
        last = dict(zip(heads, rows[-1]))
        self.assertAlmostEqual(last["work.M"], 5*last["q.A"], places=7)
        self.assertAlmostEqual(last["work.M"], last["energy.kinetic"] - 4.5, places=7)

    def test_what_forces_cannot_see_is_named_with_the_way_out(self):
        text = ("linkwork: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1], pose: {at: [0, 0, 3]}}}\n"
                "joints: {A: {type: revolute, parent: ground, child: a}}\ncontacts: {R: {body: b, on: {plane: {body: ground}}}, "
                "K: {body: b, on: {plane: {body: ground}}, stiffness: 1e4}}\noutputs: {o: ax.b, p: x.b + o}\nforces:\n"
                "  M: {type: motor, joint: A, value: 3}\n  F: {type: %s}\nsimulation: {end: 0.1}\n")
        every = "accelerations, loads and energies follow from the forces: a state with `every` can sample them"
        for force, mark, words in (
                ('motor, joint: A, value: "udot.A"', 'udot', ('value: "udot.A" is not allowed here', every)),
                ('motor, joint: A, value: "load.R"', 'load', (every, 'by output "load.R"')),
                ('motor, joint: A, value: "2*load.M"', 'load', ("what a motor does is known when all forces are; write its value as an output",)),
                ('motor, joint: A, value: "p"', 'p"', ('"ax.b" is not allowed here', every, 'by output "p"')),
                ('torsion, parent: a, child: b, load: "fx.A"', 'fx', ('force "F": load: "fx.A"', every)),
                ('bushing, parent: a, child: b, torque: [0, "tz.A", 0]', 'tz', ('force "F": torque: "tz.A"', every)),
                ('spring, from: a, to: b, tension: "energy.kinetic"', 'energy', ('force "F": tension: "energy.kinetic"', every)),
                ('spring, from: aa, to: b, stiffness: 1', 'aa', ('unknown body "aa", did you mean "a"?',))):
            said = linkwork("check", self.write("m.yaml", text % force), expect=1).stderr
            self.assertIn(f"m.yaml:8:{13 + force.index(mark)}: ", said)
            for part in words:
                self.assertIn(part, said)
        for force in ('motor, joint: A, value: "gap.R + slip.R + load.K + potential.K + dissipation.K"', 'motor, joint: A, value: "2 - work.F"',
                      'motor, joint: A, value: "2 - work.M"', "spring, from: a, to: ground, stiffness: 3"):
            linkwork("run", self.write("m.yaml", text % force), "-q", "-o", self.path("m.csv"))

    def test_works_and_compliant_loads_in_forces_have_derivatives(self):
        text = ("linkwork: 1\nparameters: {k: 3, c: 0.4}\nbodies: {a: {solid: {rod: {length: 1, mass: 2, axis: x}}}, "
                "b: {mass: 1, inertia: [1, 1, 1], pose: {at: [0, 0, 0.02]}}}\njoints: {A: {type: revolute, parent: ground, child: a, axis: -y, u: 1}}\n"
                "contacts: {K: {body: b, on: {plane: {body: ground, at: [0, 0, 0.03]}}, stiffness: 1e4, damping: 0.2}}\nforces:\n"
                '  M: {type: motor, joint: A, value: "k - c*work.M - 0.1*u.A"}\n  N: {type: motor, joint: A, value: "0.01*c*load.K - work.M"}\n'
                "simulation: {end: 0.2, output_step: 0.1}\n")
        tables = [self.table(self.write("m.yaml", text), "q.A,u.A,work.M,load.K", "--formulation", f) for f in FORMULATIONS]
        for f, table in zip(FORMULATIONS, tables):
            self.assert_same(tables[0], table, 1e-8, f)
            done = linkwork_json("sens", self.path("m.yaml"), "--check", "--formulation", f, "--columns", "q.A,u.A,work.M")
            self.assertEqual(done["check"], "agrees", f)

    def test_what_is_wrong_with_laws(self):
        for force, place, said in (
                ("  S: {type: spring, from: p, to: g}", "16:3", "a spring has `stiffness`, or a law `tension`"),
                ("  S: {type: spring, from: p, to: g, tension: l, stiffness: 3}", "16:3", "not both"),
                ('  S: {type: spring, from: p, to: g, tension: "l + nn"}', "16:51", 'there is no parameter "nn"'),
                ('  S: {type: spring, from: p, to: g, tension: "l + fx.A"}', "16:51", '"fx.A" is not allowed here'),
                ('  S: {type: joint_spring, joint: A, load: q, rest: 1}', "16:3", "`rest` goes with `stiffness`"),
                ('  S: {type: joint_spring, joint: D, load: q}', "16:3", "the coordinates of a spherical joint take no joint_spring"),
                ('  S: {type: spring, from: p, to: g, tension: l}\n  M: {type: motor, joint: A, value: tension.S}', "17:37",
                 'the tension of spring "S" is a law')):
            done = linkwork("check", self.write("a.yaml", MODEL % ("ground", "", force)), expect=1)
            self.assertIn(f"a.yaml:{place}: ", done.stderr)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
