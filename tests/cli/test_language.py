# SPDX-License-Identifier: Apache-2.0
"""Expressions, functions, tables and units in model files: against closed forms, in all formulations, and what is
said of mistakes."""
import math
import unittest

from program import SANITIZED, Folder, linkwork, linkwork_json, read_csv

FORMULATIONS = ("tree", "dca", "cartesian")

SLIDER = """linkwork: 1
gravity: [0, 0, 0]
{more}
bodies: {{b: {{mass: 1, inertia: [1, 1, 1]}}}}
joints:
  A: {{type: prismatic, parent: ground, child: b, axis: x, q: {q}, u: {u}}}
{driver}
forces:
  F: {{type: motor, joint: A, value: "{value}"}}
simulation: {{end: 1, output_step: 0.25}}
"""


class Language(Folder):
    def slider(self, value, more="", q=0, u=0, driver=""):
        return self.model(SLIDER.format(value=value, more=more, q=q, u=u, driver=driver))

    def end(self, file, *options):
        out = self.path("out.csv")
        linkwork("run", file, "-o", out, "--columns", "t,q.A,u.A", *options)
        return read_csv(out)[1][-1][1:]

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def refused(self, file, *words, verb="check", status=1):
        said = linkwork(verb, file, expect=status).stderr
        for word in words:
            self.assertIn(word, said)
        return said

    def assert_near(self, got, wanted, within, what):
        for a, b in zip(got, wanted):
            self.assertLessEqual(abs(a - b), within * max(1, abs(b)), f"{what}: {got}, not {wanted}")


TABLES = """tables:
  ramp: {data: [[0, 0], [0.5, 1], [1, 0]], interpolation: linear}
  stairs: {data: [[0, 1], [0.25, -1], [0.75, 3]], interpolation: hold, outside: hold}
functions:
  twice: {of: [x], is: 2*x}
  saw: {of: [x, p], is: "twice(mod(x, p))"}
"""

# value of a force of time; speed and position at t = 1 of a mass of 1 kg
OF_TIME = {
    "if(t < 0.303, 1, -2)": (0.303 - 2 * 0.697, 0.5 * 0.303**2 + 0.303 * 0.697 - 0.697**2),
    "mod(t, 0.25)": (4 * 0.03125, sum(0.25**3 / 6 + (1 - 0.25 * (k + 1)) * 0.03125 for k in range(4))),
    "floor(4*t)": (0.25 * 6, sum(k * 0.25 * (1 - 0.25 * (k + 0.5)) for k in range(4))),
    "round(2*t)": (0.5 + 2 * 0.25, 0.5 * 0.5 + 2 * 0.25 * 0.125),
    "step(t, 0.203, 0.2031)": (0.797 - 0.00005, None),
    "clamp(t, 0.25, 0.5)": (0.25 * 0.25 + 0.5 * 0.25 * 0.75 + 0.25, None),
    "ramp(t)": (0.5, 0.25),
    "stairs(t)": (0.25 - 0.5 + 0.75, None),
    "saw(t, 0.5)": (2 * 2 * 0.125, None),
    "hypot(3*t, 4*t) + (t >= 0.5 and not t > 0.75)": (2.5 + 0.25, None),
}


class Time(Language):
    def test_loads_of_time_that_switch_are_integrated_exactly(self):
        for value, (u, q) in OF_TIME.items():
            for formulation in FORMULATIONS:
                for integrator in ("rk", "adams", "rk4"):
                    options = ["--formulation", formulation, "--integrator", integrator]
                    options += ["--step", "0.01"] if integrator == "rk4" else []
                    got = self.end(self.slider(value, TABLES), *options)
                    within = 1e-8 if integrator != "rk4" else 1e-9
                    self.assert_near([got[1]], [u], within, f"{value} {formulation} {integrator}")
                    if q is not None:
                        self.assert_near([got[0]], [q], within, f"{value} {formulation} {integrator}")

    def test_a_driver_that_jumps_is_an_error_and_one_whose_rate_jumps_an_instant(self):
        for value in ("if(t < 0.5, 0, 1)", "floor(2*t)", "stairs(t) - 1", "mod(t, 0.5)"):
            file = self.slider("0", TABLES, driver=f'  D: {{type: driver, joint: A, value: "{value}"}}')
            said = self.refused(file, "D", "t = 0.", verb="run")
            self.assertIn("jump", said)
        file = self.slider("0", TABLES, driver='  D: {type: driver, joint: A, value: "ramp(t)"}')
        events = linkwork_json("run", file)["events"]
        self.assertEqual([e["names"] for e in events], [["driver D"]])
        self.assertAlmostEqual(events[0]["time"], 0.5, 12)


# loads that jump with positions, speeds and a state, in a closed loop
BARS = """linkwork: 1
planar: true
gravity: [0, -9.81]
parameters: {k: 30, c: 0.3, q0: 0.7, lim: 0.9}
bodies:
  a: {solid: {rod: {length: 0.5, mass: 2, axis: x}}}
  b: {solid: {rod: {length: 1.2, mass: 4, axis: x}}}
  c: {solid: {rod: {length: 1.0, mass: 3, axis: x}}}
joints:
  A: {type: revolute, parent: ground, child: a, q: q0, u: 1, hold: true}
  B: {type: revolute, parent: a, child: b, at: [0.5, 0], q: -0.5}
  C: {type: revolute, parent: b, child: c, at: [1.2, 0], q: -1.5}
  D: {type: revolute, parent: ground, child: c, at: [1.1, 0], child_at: [1, 0]}
points: {tip: {body: b, at: [0.6, 0]}}
states:
  s: {start: 0.1, rate: "if(u.A > 0, 1, -2) - s"}
forces:
  M: {type: motor, joint: A, value: "10*if(s > 0, 1, -0.5) - c*sign(u.D)"}
  F: {type: force, body: tip, force: ["if(x.tip > lim, -k, 5)", "if(y.tip < 0.5 and vy.tip < 0, k, 0)"]}
simulation: {end: 0.45, output_step: 0.15}
sensitivity: {objectives: {work: {integral: "u.A^2"}, far: {max: x.tip}}}
"""


class State(Language):
    """A load that switches where the state has a value."""

    def check(self, value, wanted, more="", within=2e-7, **start):
        for formulation in FORMULATIONS:
            for integrator in ("rk", "adams", "bdf"):
                file = self.slider(value, more, **start)
                got = self.end(file, "--formulation", formulation, "--integrator", integrator)
                self.assert_near(got, wanted, within * (30 if integrator == "bdf" else 1),
                                 f"{value} {formulation} {integrator}")

    def test_a_load_that_reverses_at_a_position(self):
        t = math.sqrt(0.6)
        self.check("if(q.A > 0.3, -1, 1)", (0.3 + t * (1 - t) - 0.5 * (1 - t)**2, t - (1 - t)))

    def test_a_buffer_on_one_side(self):
        # reaches the buffer at t = 0.1 with u = 1: half a period of sqrt(400) rad/s in it, then back
        w = 20.0
        back = 0.1 + math.pi / w
        self.check("-400*max(0, q.A - 0.1)", (0.1 - (1 - back), -1), u=1)
        self.check("if(q.A > 0.1, -400*(q.A - 0.1), 0)", (0.1 - (1 - back), -1), u=1)

    def test_a_load_that_depends_on_the_sense_of_motion(self):
        # decelerated by 2 until it stops at t = 0.5, then accelerated backwards by 1
        self.check("if(u.A > 0, -2, -1)", (0.25 - 0.125, -0.5), u=1)

    def test_steps_of_a_position(self):
        # 2 for q in 0 ... 0.25, 1 beyond it and 0 beyond 0.5
        t1 = 0.5
        u2 = math.sqrt(1 + 2 * 0.25)
        t2 = t1 + (u2 - 1)
        self.check("max(0, 2 - floor(4*q.A))", (0.5 + u2 * (1 - t2), u2))

    def test_switches_cost_no_accuracy(self):
        # between two switches a harmonic motion about 0.3 k + n/4, where k and n count what mod and floor have passed
        t, q, u, k, n, w = 0, 0, 3, 0, 0, math.sqrt(20)

        def after(dt):
            rest = 0.3 * k + n / 4
            return (rest + (q - rest) * math.cos(w * dt) + u / w * math.sin(w * dt),
                    -(q - rest) * w * math.sin(w * dt) + u * math.cos(w * dt))
        while True:
            limit, dt = min(0.3 * (k + 1), (n + 1) / 3), 0
            for _ in range(60):
                at = after(dt)
                dt += (limit - at[0]) / at[1]
            if t + dt > 0.8:
                break
            t, (q, u) = t + dt, after(dt)
            k, n = k + (limit == 0.3 * (k + 1)), n + (limit == (n + 1) / 3)
        q, u = after(0.8 - t)
        self.assertGreater(k + n, 10)
        thirds = ", ".join(f"[{i}/3, {i}]" for i in range(18))
        text = f"""linkwork: 1
gravity: [0, 0, 0]
tables: {{thirds: {{data: [{thirds}], interpolation: hold, outside: hold}}}}
""" + """bodies: {b: {mass: 1}}
joints: {A: {type: prismatic, parent: ground, child: b, axis: x, u: 3}}
forces: {F: {type: motor, joint: A, value: "-20*mod(q.A, 0.3) + 5*%s"}}
simulation: {end: 0.8}
"""
        for steps in ("floor(3*q.A)", "(ceil(3*q.A) - 1)", "round(3*q.A - 0.5)", "thirds(q.A)"):
            for formulation in FORMULATIONS:
                for integrator, within in (("adams", 3e-10), ("bdf", 1e-9), ("rk", 3e-10)):
                    found = self.end(self.model(text % steps), "--formulation", formulation, "--integrator", integrator,
                                     "--rtol", "1e-11", "--atol", "1e-13")
                    self.assert_near(found, (q, u), within, f"{steps} {formulation} {integrator}")

    def test_what_only_touches_zero_does_not_switch(self):
        # abs, max and comparisons of what has no negative value, from rest: nothing to locate
        for value in ("1 + abs(abs(u.A)) - abs(u.A)", "1 + max(0, u.A^2) - u.A^2", "if(hypot(q.A, u.A) < 0, 5, 1)"):
            self.check(value, (0.5, 1))

    def test_dry_friction_that_chatters_is_named(self):
        file = self.slider("-5*sign(u.A)", u=1)
        self.refused(file, 'motor "F" chatters', "tanh", verb="run")

    def test_derivatives_pass_kinks(self):
        more = "parameters: {k: 400}"
        linkwork("sens", self.slider("-k*max(0, q.A - 0.1)", more, u=1), "--parameters", "k", "--check")

    def test_derivatives_pass_jumps(self):
        # decelerated by k from t1 = a/u0 on
        more = """parameters: {k: 1.5, a: 0.1, u0: 1}
sensitivity: {objectives: {end: {final: u.A}, lost: {integral: udot.A}, top: {max: q.A}}}"""
        for formulation in FORMULATIONS:
            file = self.slider("if(q.A > a, -k, 0)", more, u="u0")
            words = ["--formulation", formulation, "--columns", "q.A,u.A", "--rtol", "1e-10"]
            linkwork("sens", file, "--check", *words)
            found = linkwork_json("sens", file, *words)["objectives"]
            for name, wanted in (("end", (-0.9, 1.5, 0.85)), ("lost", (-0.9, 1.5, -0.15))):
                got = [found[name]["d"][p] for p in ("k", "a", "u0")]
                self.assert_near(got, wanted, 1e-9, name)

    def test_derivatives_pass_jumps_in_closed_loops(self):
        file = self.model(BARS)
        for formulation in FORMULATIONS:
            check = () if SANITIZED else ("--check",)  # of numbers, by many runs
            linkwork("sens", file, *check, "--formulation", formulation, "--rtol", "1e-10", "--integrator", "rk",
                     "--parameters", "q0,lim", "--columns", "q.A,u.A,u.D,s,y.tip")

    def test_jumps_without_derivatives_are_named(self):
        more = "parameters: {k: 4}\n"
        jump = "if(q.A > 0.1, -k, 0)"
        for value, words, said, more in (
                (jump, ["--differences"], 'motor "F" jumps where the state switches it', more),
                (jump, [], 'motor "F" jumps at the same time as an event',
                 more + 'events: [{when: "q.A - 0.1", impulse: {body: b, linear: [1, 0, 0]}}]')):
            file = self.slider(value, more, u=1)
            self.assertIn(said, linkwork("sens", file, "--parameters", "k", *words, expect=1).stderr)


class Functions(Language):
    def test_functions_and_tables_are_differentiated_exactly(self):
        more = """parameters: {k: 3, s: 0.7}
tables:
  law: {data: [[-2, 1], [-1, 0.2], [0, 0], [1, -0.4], [2, -2]], outside: extend}
  map: {x: [-2, 0, 2], y: [-2, 0, 2], value: [[1, 2, 1], [0, 1, 3], [2, 2, 0]], outside: extend}
functions:
  pull: {of: [x], is: "k*law(s*x) + map(x, s)"}"""
        for formulation in FORMULATIONS:
            linkwork("sens", self.slider("pull(q.A) - 0.1*u.A", more, u=1), "--parameters", "k,s", "--check",
                     "--formulation", formulation)

    def test_mistakes_are_told_with_their_place(self):
        def check(text, *words):
            self.refused(self.model(text), *words)
        check("linkwork: 1\nfunctions:\n  f: {of: [x], is: g(x)}\n  g: {of: [x], is: 1 + f(x)}\n",
              "model.yaml:3:20", "f -> g -> f")
        check("linkwork: 1\nfunctions: {f: {of: [x], is: \"2*sinn(x)\"}}\n", "model.yaml:2:33", "sinn")
        check("linkwork: 1\nfunctions: {sin: {of: [x], is: x}}\n", "reserved")
        check("linkwork: 1\nfunctions: {f: {of: [x, x], is: x}}\n", "two arguments")
        check("linkwork: 1\nfunctions: {f: {of: [], is: 1}}\n", "model.yaml:2:21", "1 to 16")
        check("linkwork: 1\nfunctions: {f: {of: [x], is: x}}\nparameters: {a: \"f(1, 2)\"}\n",
              "model.yaml:3:18", "takes 1 argument, got 2")
        check("linkwork: 1\nparameters: {a: \"1 < 2 < 3\"}\n", "model.yaml:2:24", "do not chain")

    def test_branches_that_are_not_taken_need_no_value(self):
        file = self.slider("if(q.A > 5, sqrt(q.A - 5), 1/(1 + t))")
        self.assert_near(self.end(file)[1:], [math.log(2)], 1e-8, "if")


class Tables(Language):
    def test_files_are_read_as_seen_from_the_model_file(self):
        self.write("road.csv", "# measured\ns [mm], z [mm], n\n0, 0, 1\n500, 250, 2\n\n1000, 0, 3\n")
        more = "tables: {road: {file: road.csv, x: s, y: z, interpolation: linear}}"
        self.assert_near(self.end(self.slider("4*road(1 m/s*t)", more)), (0.25, 0.5), 1e-8, "file")
        self.write("space.txt", "t   f\n0   1\n1   1\n")
        more = "tables: {one: {file: space.txt, interpolation: linear}}"
        self.assert_near(self.end(self.slider("one(t)", more))[1:], [1], 1e-9, "spaces")
        self.write("m.csv", "x/y, 0, 1\n0, 1, 3\n1, 2, 4\n")
        more = "tables: {m: {file: m.csv, matrix: true, interpolation: linear}}"
        self.assert_near(self.end(self.slider("m(t, 0.5)", more))[1:], [2.5], 1e-9, "matrix")
        self.write("g.csv", "b,a,f\n1,1,4\n0,0,1\n1,0,3\n0,1,2\n")
        more = "tables: {m: {file: g.csv, x: a, y: b, value: f, interpolation: linear}}"
        self.assert_near(self.end(self.slider("m(t, 0.5)", more))[1:], [2.5], 1e-9, "grid")

    def test_included_files_have_functions_tables_and_units_of_their_own(self):
        self.write("law.csv", "x [mm],y\n0,0\n1000,2\n")
        self.write("part.yaml", """linkwork: 1
parameters: {m: 2 kg, mm: 3, s: {value: 500, unit: mm}, k: "2 kN/mm/1e6*mm"}
tables: {law: {file: law.csv, interpolation: linear, outside: extend}}
functions: {push: {of: [x, s], is: "if(x > 0 and not s > 9 or x < -9, law(x) + mm*s, clamp(s, 0, 1))"}}
bodies: {b: {mass: m, inertia: [1, 1, 1]}}
joints: {A: {type: prismatic, parent: ground, child: b, axis: x, q: s, u: 90 km/h/10}}
forces: {F: {type: motor, joint: A, value: "push(q.A, 1 m/s^2)*k"}}
""")
        self.write("whole.yaml", "linkwork: 1\ngravity: [0, 0, 0]\ninclude: {file: part.yaml, as: fl}\n")
        got = linkwork_json("eval", self.path("whole.yaml"))
        self.assertEqual((got["q"]["fl.A"], got["u"]["fl.A"]), (0.5, 2.5))
        self.assertAlmostEqual(got["udot"]["fl.A"], (2 * 0.5 + 3 * 1) * (2 * 3) / 2, 12)

    def test_mistakes_are_told_with_file_line_and_column(self):
        def check(rows, keys, *words):
            self.write("a.csv", rows)
            self.refused(self.slider("0", f"tables: {{a: {{file: a.csv{keys}}}}}"), *words)
        check("x,y\n0,1\n2,1\n1,1\n", "", "a.csv:4:1", "must rise")
        check("x,y\n0,1\n1,a\n", "", "a.csv:3:3", "not a number")
        check("x,y\n0,1\n1\n", "", "a.csv:3:1", "1 numbers")
        check("x,y\n0,1\n1,1,1\n", "", "a.csv:3:5", "more numbers")
        check("x,y\n0,1\n1,2\n", ", y: z", "model.yaml:3", 'no column "z"', "x, y")
        check("x,y\n0,1\n", "", "model.yaml:3", "two points")
        check("x [parsec],y\n0,1\n1,2\n", "", "a.csv:1:3", "not a unit")
        check("x,y,v\n0,0,1\n0,1,1\n1,0,1\n", ", value: v", "not a grid")
        check("", "", "empty")
        self.refused(self.slider("0", "tables: {a: {file: nowhere.csv}}"), "model.yaml:3", "nowhere.csv")
        self.refused(self.slider("0", "tables: {a: {data: [[0, 1], [x, 2]]}}"), "model.yaml:3:30", "a number")
        self.refused(self.slider("0", "tables: {a: {data: [[0, 1], [1, 2]], interpolation: spline}}"), "akima")
        self.refused(self.slider("a(1, 2)", "tables: {a: {data: [[0, 1], [1, 2]]}}"), "takes 1 argument")

    def test_outside_of_a_table_is_an_error_that_says_where(self):
        more = "tables: {a: {data: [[0, 1], [0.5, 2]], interpolation: linear}}"
        self.refused(self.slider("a(t)", more), 'table "a"', "0.5", "t = 0.5", verb="run")
        self.refused(self.slider("a(q.A)", more, u=1), 'table "a"', "0.5", verb="run")


class Units(Language):
    def value(self, text, more=""):
        """What a parameter of that text is."""
        file = self.slider("0", f"parameters: {{p: {text}{more}}}", q="p*1")
        return linkwork_json("eval", file)["q"]["A"]

    def test_numbers_carry_units(self):
        wanted = {"500 mm": 0.5, "12 kN/mm": 12e6, "3000 rpm": 100 * math.pi, "90 km/h": 25, "5 deg/s": math.pi / 36,
                  "7.8 g/cm^3": 7800, "(1+2) mm": 0.003, "2*30 deg": math.pi / 3, "1 lbf/in^2": 6894.757293168361,
                  "1.5 N*m": 1.5, "1.5 N.m/rad": 1.5, "3 mm": 0.003, "1 h + 1 min": 3660, "-4 kg*m^2": -4, "10 l/min": 1 / 6000,
                  "{value: 45, unit: deg}": math.pi / 4, "{value: 20 + 25, unit: deg}": math.pi / 4,
                  "{value: 45 deg, unit: rad}": math.pi / 4, "{value: 3, unit: N s/m}": 3}
        for text, value in wanted.items():
            got = self.value(text if text.startswith("{") else f'"{text}"')
            self.assertLessEqual(abs(got - value), 1e-15 * abs(value), text)

    def test_a_unit_is_no_name(self):
        file = self.slider("0", 'parameters: {m: 3, s: 2, p: "10 m/s + 6/m*s"}', q="p*1")
        self.assertEqual(linkwork_json("eval", file)["q"]["A"], 14)
        file = self.slider("0", 'parameters: {m: 2, p: "10 N / m"}', q="p*1")
        self.assertEqual(linkwork_json("eval", file)["q"]["A"], 5)

    def test_set_takes_units_and_fractions(self):
        file = self.slider("0", "parameters: {L: 500 mm, a: {value: 45, unit: mm}}", q="L + a")
        for option, value in (("L=1/2", 0.545), ("L=600 mm", 0.645), ("a=0.1 m", 0.6), ("a=100", 0.6)):
            got = linkwork_json("eval", file, "--set", option)["q"]["A"]
            self.assertAlmostEqual(got, value, 14, option)
        for option in ("L=", "a=3 kg", "L=x", "L=2 mm mm", "=3", "L"):
            linkwork("eval", file, "--set", option, expect=2)

    def test_wrong_dimensions_are_errors_with_their_place(self):
        def check(text, *words):
            self.refused(self.model("linkwork: 1\n" + text), *words)
        body = "bodies: {b: {mass: %s, com: [%s, 0, 0], inertia: [1, 1, 1]}}\n"
        check(body % ("5 mm", "0"), "model.yaml:2:20", "kg", "mass")
        check(body % ("5 kg + 2 m", "0"), "model.yaml:2:25", "kg and m")
        check("parameters: {L: 500 mm}\n" + body % ("L", "0"), "model.yaml:3:20", "mass")
        check("parameters: {L: {value: 5, unit: kg}}\n" + body % ("1", "L"), "model.yaml:3:29", "com")
        check("parameters: {L: 500 mm, A: L*L}\n" + body % ("1", "A"), "m^2")
        check("parameters: {L: 500 mm, A: \"sin(L)\"}\n" + body % ("1", "0"), "model.yaml:2:29", "angle")
        check("parameters: {L: {value: 5 s, unit: mm}}\n" + body % ("1", "0"), "model.yaml:2:25")
        check("parameters: {L: {value: 5, unit: furlong}}\n" + body % ("1", "0"), "unknown unit", "furlong")
        check("parameters: {a: 2, L: {value: 5*a, unit: mm}}\n" + body % ("1", "0"), "write units")
        linkwork("check", self.model("linkwork: 1\nparameters: {g: 9.81, m: {value: 3, unit: kg}}\n"
                                     + body % ("m", "2*m*g")))

    def test_each_freedom_of_a_joint_has_its_dimension(self):
        text = ("linkwork: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                "joints: {C: {parent: ground, child: b, type: %s}%s}\n")
        linkwork("check", self.model(text % (
            "cylindrical, q: [30 deg, 2 mm], u: [3 rpm, 2 km/h], damping: [1 N*m*s, 3 N*s/m], limits: [[-90 deg, 90 deg], [0, 20 mm]]", "")))
        linkwork("check", self.model(text % ("free, u: [1 rad/s, 0, 0, 1 m/s, 0, 0]", "")))
        linkwork("check", self.model(text % ("planar, q: [3 mm, 2 cm, 5 deg]", ', D: {type: driver, joint: C, dof: 3, value: 5 deg}')))
        for joint, more, *words in (
                ("cylindrical, q: [3 mm, 2]", "", "model.yaml:3:63", "`q`"),
                ("cylindrical, limits: [[0, 1], [0, 20 deg]]", "", "model.yaml:3:80", "m for `limits`"),
                ("planar, q: [3 mm, 2 deg, 0]", "", "model.yaml:3:64", "m for `q`"),
                ("free, u: [0, 0, 0, 1 m/s, 0, 3 rad/s]", "", "m/s for `u`"),
                ("revolute, friction: {coefficient: 3 mm, radius: 1 mm}", "", "`coefficient`"),
                ("revolute", ", D: {type: driver, joint: C, value: 5 mm}", "`value`"),
                ("cylindrical", ", D: {type: driver, joint: C, dof: 2, value: 5 deg}", "m for `value`")):
            self.refused(self.model(text % (joint, more)), *words)


if __name__ == "__main__":
    unittest.main()
