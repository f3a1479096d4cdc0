# SPDX-License-Identifier: Apache-2.0
"""Dimensions across a whole model file: what is right is never refused, what is wrong always with its place."""
import unittest

from program import Folder, linkwork

MODEL = """linkwork: 1
parameters:
  k: 12 kN/m
  c: 0.4 kN*s/m
  L: 800 mm
  m: 2 kg
  rho: {value: 1.2, unit: kg/m^3}
  area: 30 cm^2
  w0: 300 rpm
  mu: 0.3
  E: 2.1 MPa
  R: 20 mm
  kn: "4/3*E*sqrt(R)"
  T: 5 N*m
  hard: {value: 5, unit: N/m^1.5}
  x1: 0.1 m
  y1: 30 mm
functions:
  drag: {of: [v], is: "-0.5*rho*area*v*abs(v)"}
  soft: {of: [x, e], is: "x/hypot(x, e)"}
tables:
  stiff: {data: [[-100 mm, -5 N], [0, 0], [100 mm, 8 N]], interpolation: pchip, outside: extend}
  plain: {data: [[-1, -5], [1, 8]], outside: extend}
  two: {x: [0 m/s, 5 m/s], y: [0 deg, 90 deg], value: [[0 N, 1 N], [3 N, 5 N]], interpolation: linear, outside: extend}
bodies:
  arm: {solid: {rod: {length: L, mass: m, axis: x, radius: 20 mm}}}
  hand: {mass: 1 kg, com: [5 cm, 0, 0.02], inertia: [200 kg*cm^2, 0.03, 0.04 kg*m^2]}
  ball: {solid: {sphere: {radius: R, density: 7.8 g/cm^3}}, pose: {at: [L/2, 30 cm, 2 m], orient: {rpy: [0, 10 deg, 0.1]}},
         velocity: {linear: [36 km/h, 0, 0], angular: [w0/100, 5 deg/s, 0.1]}}
  slide: {mass: 3 kg}
points: {tip: {body: hand, at: [0.1, 0, L/4]}}
joints:
  A: {type: revolute, parent: ground, child: arm, axis: [x1, y1 - 30 mm, 0.2 m], q: 20 deg, u: 5 deg/s, damping: 0.1 N*m*s/rad,
      armature: 20 g*m^2, friction: {load: 0.2 N*m},
      limits: {lower: -180 deg, upper: 3 rad, stiffness: 300 N*m/rad, damping: 0.1 N*m*s, onset: 1 deg}}
  B: {type: universal, parent: arm, child: hand, at: [L, 0, 0], u: [0.5 rad/s, 1], damping: [0.1 N*m*s, 0.2]}
  P: {type: prismatic, parent: ground, child: slide, axis: y, q: 5 mm, u: 1 mm/s, damping: 20 N*s/m, armature: 1 kg,
      friction: {coefficient: mu}, at: [0, 3 m, 0]}
JOINTS
contacts:
  C1: {body: ball, radius: R, on: {plane: {body: ground, at: [0, 0, -3 m], normal: [0, y1, x1]}}, stiffness: kn, damping: 0.2 s/m,
       friction: mu, slip_speed: 1 mm/s}
  C2: {body: hand, at: [0, 0, 1 cm], radius: R, on: {plane: {body: ground, at: [0, 0, -4 m]}}, stiffness: 10 kN/m, exponent: 1}
  C3: {body: hand, radius: R, on: {plane: {body: ground, at: [0, 0, -4 m]}}, stiffness: hard}
CONTACTS
inputs: {cmd: 0.3 rad, valve: 0.2}
states:
  p: {start: 2 bar, rate: "(3 bar - p)/(0.1 s)"}
  e: {rate: "cmd - q.A"}
  d: {start: 0 m, rate: "vx.tip"}
  s: {every: 10 ms, start: 0 N, value: "s + 1 kN/m*(x.tip - L)"}
  vel: {start: 1 m/s, rate: "(x.tip*10 N/m - vel*1 N*s/m)/m"}
STATES
forces:
  S: {type: spring, from: tip, to: {body: ball}, stiffness: 20 N/m, length: 1 m, damping: 0.1 kg/s}
FORCES
REST
"""

TORQUES = ("-T*sin(w0*t)", "-k*L*x1*q.A/1 rad", "T*tanh(u.A/(0.01 rad/s))", "T*sign(u.A)", "T*step(t, 0, 1 s)",
           "T*if(q.A > 3 deg and u.A < 1 rad/s, 1, 0.5)", "if(t < 3 s, 2 N*m, 0)", "clamp(300 N*m/rad*(cmd - q.A), -T, T)",
           "p*area*L", "s*L", "plain(q.A)*1 N*m", "-0.1*u.A + T", "-u.A", "min(T, 3)", "T*mod(q.A, 360 deg)",
           "300 N*m*(cmd - q.A) - 4 N*m*s*u.A", "T*atan2(zx.hand, zz.hand)/(90 deg)", "T*exp(-t/(0.1 s))", "T*cos(90 deg/s*t)",
           "T*(q.A^2 + q.B.2^2)", "T*sqrt(q.A^2 + 1 rad)", "stiff(x.tip - L)*L", "two(abs(vx.tip), q.A)*L", "T*log(p/1 bar)",
           "T*soft(u.A, 0.1 rad/s)", "1 W/max(abs(u.A), 0.1 rad/s)", "5 N*m", "m*9.81 m/s^2*L*cos(q.A)", "T*(t > 1)",
           "-2e-3 N*m*s^2*u.A*abs(u.A)", "not (t > 1 s)", "T*round(t/1 s)", "T*floor(q.A/90 deg)*0.1", "T*sin(5 Hz*2*pi*t)",
           "T*(1 - (u.A/w0)^2)", "T*abs(u.A/w0)^1.5", "0.5*rho*area*L*hypot(vx.tip, vz.tip)^2", "m*L^2*u.A*1 rad/s",
           "1e3 N/m^2*sqrt(x.tip*y.ball)*L^2", "load.C1*R", "work.M*0.1", "(20 + 3) deg*T", "T*(q.A deg)")
PUSHES = ("drag(vx.tip)", "-k*(x.tip - L) - c*vx.tip", "-0.4*vx.hand*abs(vx.hand)", "-m*9.81 m/s^2", "p*area", "stiff(z.tip)",
          "kn*max(0, L - x.tip)^1.5", "hard*max(0, x.tip)^1.5", "2 kN*(x.tip > L)", "-m*wy.hand^2*x.tip", "10 N*xx.hand.in.arm",
          "5 N*clamp(x.tip/1 m, -1, 1)", "1e-3 N*m^2/max(x.tip, 1 cm)^2", "rho*area*vel^2", "3 N/s*t", "load.C1*mu",
          "tension.S*0.1", "length.S*k*0.01", "valve*100 N")
FORCES = (
    'bushing, parent: arm, child: hand, stiffness: 3 N/mm, angular_stiffness: 4 N*m/deg, damping: [1 N*s/m, 2, 3 kg/s], '
    'force: ["-k*dx - 100 N*s^2/m^2*dvx^2", 0, 0], torque: [0, "-T*sinh(ry) - 3 N*m*s*dwy", 0]',
    'spring, from: tip, to: {body: ball}, tension: "k*(l - L)^3/(1 m^2) + c*ldot + 3 N*s^2/m^2*ldot*abs(ldot)", length: 10 cm',
    'spring, from: tip, to: {body: ball}, tension: "stiff(l - 1 m)"',
    'joint_spring, joint: P, load: "-k*(q - 3 mm) - c*u"', 'joint_spring, joint: A, load: "-T*sinh(q) - 0.1 N*m*s*u"',
    'torsion, parent: arm, child: hand, axis: x, load: "-T*sin(angle) - 0.1 N*m*s*rate"',
    'servo, joint: A, target: "30 deg*sin(3 rad/s*t)", stiffness: 200 N*m/rad, damping: 3 N*m*s/rad, limit: T',
    'servo, joint: P, target: "5 mm*sin(w0*t) + 1 mm", stiffness: k, damping: c, limit: 50 N',
    'joint_spring, joint: P, stiffness: k, rest: 3 mm, side: above, onset: 0.1 mm, damping: c')
JOINTS = ('driver, joint: P, value: "5 mm*sin(w0*t)"', 'driver, joint: A, value: "20 deg + 5 deg/s*t + 0.1 deg/s^2*t^2"',
          "gear, joints: [A, P], ratio: 5 mm", "gear, joints: [A, P], ratio: 5 mm/rad", "gear, joints: [A, B.1], ratio: -2",
          'coupler, joints: {A: 5 mm, P: -1}, offset: "5 mm*20 deg - 5 mm"', "coupler, joints: {A: 1, B.1: 2}, offset: 20 deg",
          'coupler, joints: {A: 0.05, P: -1}, offset: "0.05*20 deg - 0.005"',
          'coupler, joints: {P: [1, 2 m^-1], A: 0.1 m}, offset: "5 mm + 2 m^-1*25 mm^2 + 0.1 m*20 deg"',
          'distance, parent: tip, child: ball, length: "hypot(1 m, L)*2"', "rope, parent: tip, child: ball, length: 9 m")
REST = (
    'outputs: {a: "x.tip - L", b: "load.S2*u.A", c2: "energy.kinetic + 3 J", d2: "fx.A + 3 N", e2: "q.P/1 mm", f: "udot.A - 3 rad/s^2", '
    'g: "hypot(ax.tip, 9.81 m/s^2)", h2: "power.S2 - 1 W", i: "gap.C1 + slip.C1*1 s", j: "wdotx.tip*1 s^2", l2: "tx.B + 3 N*m"}',
    'events: [{when: "x.tip - 90 cm", stop: true}, {when: "udot.P - 3 m/s^2", stop: true}, {when: "energy.total - 3 kJ", stop: true}, '
    '{at: 10 ms, impulse: {body: hand, at: [1 cm, 0, 0], linear: [0.1 N*s, 0, 0], angular: [0, 0.1 N*m*s, 0]}}]',
    'sensitivity: {objectives: {a: {final: "x.tip/1 mm"}, b: {integral: "(x.tip - L)^2"}, o: {max: "hypot(fx.A, fz.A)/1 kN"}}}',
    "gravity: [0, 0, -9.81 m/s^2]",
    "shapes: [{type: box, body: arm, at: [L/2, 0, 0], size: [L, 10 cm, 0.1], color: [0.1, 0.2, 0.3]}]")

# place in the model, what stands there, what is marked, and what is said
WRONG = (
    ("FORCES", '  M: {type: motor, joint: A, value: "3 N*q.A"}', "3 N*q.A", 'N*m for `value` is expected, "3 N*q.A" is N'),
    ("FORCES", '  M: {type: motor, joint: A, value: "k*(q.A + 3 mm)"}', "+ 3 mm", "a number and m do not go together"),
    ("FORCES", '  M: {type: motor, joint: A, value: p}', "p}", "N*m for `value` is expected, \"p\" is Pa"),
    ("FORCES", '  M: {type: motor, joint: A, value: "cmd*1 N"}', "cmd*", "N*m for `value`"),
    ("FORCES", '  M: {type: motor, joint: A, value: "stiff(3 kg)*L"}', "stiff(", "the variable of this table is m, not kg"),
    ("FORCES", '  M: {type: motor, joint: A, value: "two(vx.tip, 3 mm)*L"}', "two(", "the variable of this table is a number, not m"),
    ("FORCES", '  M: {type: motor, joint: A, value: "stiff(3 mm)"}', "stiff(", "N*m for `value` is expected"),
    ("FORCES", '  M: {type: motor, joint: A, value: "T*exp(-vx.tip*1 s)"}', "exp(", "an angle or a number is expected here, not m"),
    ("FORCES", '  M: {type: force, body: tip, force: ["3 N*t", 0, 0]}', "3 N*t", "N for `force` is expected"),
    ("FORCES", '  M: {type: force, body: tip, torque: ["rho*area*(3 m/s)^2", 0, 0]}', "rho", "N*m for `torque` is expected"),
    ("FORCES", '  M: {type: force, body: tip, force: ["5 N*soft(3 m, 2 kg)", 0, 0]}', "soft(", 'm and kg do not go together here, in function "soft" (line 20'),
    ("FORCES", '  M: {type: spring, from: tip, to: {body: ball}, tension: "k*(l - 3 kg)"}', "- 3 kg", "m and kg do not go together"),
    ("FORCES", '  M: {type: servo, joint: P, target: 3 deg, stiffness: k}', "3 deg", "m for `target` is expected"),
    ("STATES", '  x: {start: 1 bar, rate: "3 N*sin(t)"}', "3 N*sin", 'for the rate of this state is expected, "3 N*sin(t)" is N'),
    ("STATES", "  x: {start: 1 bar, every: 1 ms, value: 3 mm}", "3 mm}", "Pa for the next value of this state is expected"),
    ("JOINTS", '  J: {type: driver, joint: A, value: "3 mm*t"}', "3 mm*t", "a number for `value` is expected"),
    ("JOINTS", "  J: {type: gear, joints: [A, P], ratio: 2 kg}", "2 kg", "m for `ratio` is expected"),
    ("JOINTS", "  J: {type: coupler, joints: {A: 5 mm, P: 3 kg}}", "3 kg", "a number for this coefficient is expected"),
    ("JOINTS", "  J: {type: coupler, joints: {A: 1, B.1: 2}, offset: 3 mm}", "3 mm", "a number for `offset` is expected"),
    ("JOINTS", "  J: {type: parallel, parent: arm, child: hand, axis: [1 m, 1 kg, 0]}", "1 kg", 'components of one vector: "1 m" is m, "1 kg" is kg'),
    ("JOINTS", "  J: {type: parallel, parent: arm, child: hand, orient: {axis_angle: [1, 0, 0, 5 mm]}}", "5 mm", "a number is expected"),
    ("JOINTS", "  J: {type: parallel, parent: arm, child: hand, orient: {quat: [1 m, 0, 0, 0]}}", "1 m,", "a number for `quat` is expected"),
    ("CONTACTS", "  X: {body: hand, radius: R, on: {plane: {body: ground, at: [0, 0, -4 m]}}, stiffness: 3 N/m}", "3 N/m",
     'N/m^1.5 for `stiffness` is expected, "3 N/m" is N/m'),
    ("CONTACTS", "  X: {body: hand, radius: R, on: {plane: {body: ground, at: [0, 0, -4 m]}}, stiffness: 3 N/m, exponent: 2}", "3 N/m",
     "Pa for `stiffness` is expected"),
    ("REST", 'outputs: {o: "x.tip + 3 kg"}', "+ 3 kg", "m and kg do not go together"),
    ("REST", 'outputs: {o: "3 mm", o2: "o + 4 kg"}', "+ 4 kg", "m and kg do not go together"),
    ("REST", 'events: [{when: "t - 3 mm", stop: true}]', "- 3 mm", "s and m do not go together"),
    ("REST", 'events: [{when: "udot.P - 3 m/s", stop: true}]', "- 3 m/s", "m/s^2 and m/s do not go together"),
    ("REST", 'sensitivity: {objectives: {o: {final: "power.S + 3 kg"}}}', "+ 3 kg", "W and kg do not go together"),
)


class Dimensions(Folder):
    def whole(self, **parts):
        text = MODEL
        for place in ("JOINTS", "CONTACTS", "STATES", "FORCES", "REST"):
            text = text.replace(f"\n{place}\n", "\n" + parts.get(place, "") + "\n")
        return self.model(text)

    def test_what_is_right_is_accepted(self):
        cases = [{"FORCES": f'  M: {{type: motor, joint: A, value: "{e}"}}'} for e in TORQUES]
        cases += [{"FORCES": f'  M: {{type: force, body: tip, force: ["{e}", 0, 0], torque: [0, "L*({e})", 0]}}'} for e in PUSHES]
        cases += [{"FORCES": f"  M: {{type: {f}}}"} for f in FORCES]
        cases += [{"JOINTS": f"  J: {{type: {j}}}"} for j in JOINTS]
        cases += [{"REST": r, "FORCES": "  S2: {type: motor, joint: A, value: T}"} for r in REST]
        for case in cases:
            with self.subTest(case):
                linkwork("check", self.whole(**case))

    def test_what_is_wrong_is_told_with_its_place(self):
        for place, text, mark, said in WRONG:
            with self.subTest(text):
                path = self.whole(**{place: text})
                error = linkwork("check", path, expect=1).stderr
                self.assertIn(said, error)
                with open(path) as file:
                    lines = file.read().split("\n")
                line = lines.index(text) + 1
                self.assertIn(f"model.yaml:{line}:{text.index(mark) + 1}: ", error)

    def test_values_of_the_command_line(self):
        path = self.model("linkwork: 1\nparameters: {L: 1 m, m: 2 kg, a: {value: 30, unit: deg}, b: 3}\n"
                          "bodies: {b: {mass: m, com: [L, 0, 0], inertia: [b, 3, 3]}}\njoints: {A: {type: revolute, parent: ground, child: b, q: a}}\n")
        for value in ("L=2*L0", "a=L", "L=m", "m=1 kg*L"):
            self.assertNotEqual(linkwork("check", path, "--set", value, expect=2 if "L0" in value else 1).stderr, "")
        self.assertIn('parameter "a" is a number, "L" is m', linkwork("check", path, "--set", "a=L", expect=1).stderr)
        for value in ("L=b*1 mm", "L=b", "a=b/9", "a=10 deg", "m=b*500 g"):
            linkwork("check", path, "--set", value)

    def test_tables_in_files_have_the_dimensions_of_their_heads(self):
        with open(self.path("law.csv"), "w") as file:
            file.write("x [mm], f [N]\n0, 0\n10, 5\n")
        text = ("linkwork: 1\ntables: {law: {file: law.csv, outside: extend}}\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                'joints: {A: {type: prismatic, parent: ground, child: b}}\nforces: {M: {type: motor, joint: A, value: "%s"}}\n')
        linkwork("check", self.model(text % "law(q.A - 3 mm) + 2 N"))
        for value in ("law(3 kg)", "law(q.A)*1 m", "law(t)"):
            self.assertIn("model.yaml:5:", linkwork("check", self.model(text % value), expect=1).stderr)
        self.assertIn("model.yaml:2:35: ", linkwork("check", self.model(
            "linkwork: 1\ntables: {f: {data: [[0, 1 N], [1, 5 kg]]}}\n"), expect=1).stderr)

    def test_half_powers(self):
        path = self.model('linkwork: 1\nparameters: {a: {value: 4, unit: N/mm^1.5}, b: "3 m^1.5", c: "2 cm^-0.5*m^0.5"}\n'
                          'outputs: {o: "a*(1 mm)^1.5", p2: "b/(1 m)^1.5", q2: c}\nbodies: {b: {mass: 1}}\n')
        linkwork("run", path, "--end", "1", "-o", self.path("o.csv"), "--columns", "o,p2,q2")
        with open(self.path("o.csv")) as file:
            last = [float(x) for x in file.read().split("\n")[-2].split(",")]
        for got, wanted in zip(last[1:], (4, 3, 20)):
            self.assertAlmostEqual(got, wanted, 12)


if __name__ == "__main__":
    unittest.main()
