# SPDX-License-Identifier: Apache-2.0
"""The command line: exit codes, messages, and output that programs can read."""
import glob
import json
import math
import os
import signal
import subprocess
import tempfile
import time
import unittest

from program import LINKWORK, SOURCE, Folder, linkwork, linkwork_json, read_csv, read_json, shipped

MODELS = sorted(glob.glob(os.path.join(SOURCE, "models", "*.yaml")))
DOUBLE = shipped("double-pendulum")
FOUR_BAR = shipped("four-bar")
SATELLITE = shipped("satellite")
ZOO = shipped("joint-zoo")
VERBS = ["run", "check", "eval", "inspect", "equilibrium", "modes", "inverse", "sens"]


def flat(x):
    """All numbers in a value of JSON."""
    if isinstance(x, dict):
        x = list(x.values())
    return [n for part in x for n in flat(part)] if isinstance(x, list) else [x]


class Usage(unittest.TestCase):
    def test_help_of_the_program_names_every_verb(self):
        text = linkwork("--help").stdout
        for verb in VERBS:
            self.assertIn(f"\n  {verb} ", text)

    def test_help_of_every_verb_has_options_and_an_example(self):
        for verb in VERBS:
            text = linkwork(verb, "--help").stdout
            self.assertIn(f"usage: linkwork {verb} MODEL", text)
            self.assertIn(f"example:\n  linkwork {verb} ", text)
            self.assertIn("--json", text)

    def test_version_is_one_line_on_stdout(self):
        self.assertRegex(linkwork("--version").stdout, r"^linkwork \d+\.\d+\.\d+\n$")

    def test_wrong_usage_exits_with_2_and_says_why(self):
        cases = [
            ([], "no VERB"),
            (["rnu", DOUBLE], "did you mean run?"),
            (["run"], "no MODEL"),
            (["run", DOUBLE, DOUBLE], "one model"),
            (["run", DOUBLE, "--colums", "t"], "did you mean --columns?"),
            (["run", DOUBLE, "--end"], "--end needs a value"),
            (["run", DOUBLE, "--end", "soon"], "not a number"),
            (["run", DOUBLE, "--end", "-1"], "positive"),
            (["run", DOUBLE, "--end", "nan"], "positive"),
            (["run", DOUBLE, "--json=1"], "takes no value"),
            (["run", DOUBLE, "--integrator", "admas"], 'did you mean "adams"?'),
            (["run", DOUBLE, "--set", "Lc=1"], "no parameter \"Lc\"; did you mean"),
            (["run", DOUBLE, "--set", "La"], "NAME=NUMBER"),
            (["run", DOUBLE, "--set", "La=inf"], "NAME=NUMBER"),
            (["eval", DOUBLE, "--q", "C=1"], "no joint"),
            (["eval", DOUBLE, "--q", "A=1,2"], "needs 1 finite number"),
            (["eval", DOUBLE, "--q", "A=nan"], "needs 1 finite number"),
            (["eval", SATELLITE, "--q", "ball_left=0,0,0,0"], "quaternion is zero"),
        ]
        for words, message in cases:
            done = linkwork(*words, expect=2)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, "")


class Ignored(Folder):
    """No option and no wish of a model is passed over in silence."""

    def test_options_without_effect_are_named(self):
        rk4 = ["--integrator", "rk4"]
        cases = [
            (["run", DOUBLE, "--threads", "2"], "--threads has no effect"),
            (["run", DOUBLE, "--threads", "2", "--formulation", "cartesian"], "--threads has no effect"),
            (["run", FOUR_BAR, "--loops", "cut", "--formulation", "cartesian"], "--loops has no effect"),
            (["run", FOUR_BAR, "--loops", "cut", "--formulation", "dca"], "--loops has no effect"),
            (["eval", DOUBLE, "--threads", "2"], "--threads has no effect"),
            (["eval", FOUR_BAR, "--loops", "cut", "--formulation", "dca"], "--loops has no effect"),
            (["run", DOUBLE, *rk4, "--rtol", "1e-3"], "--rtol has no effect"),
            (["run", DOUBLE, "--integrator", "euler", "--atol", "1e-3"], "--atol has no effect"),
            (["run", DOUBLE, "--columns", "q.A"], "--columns has no effect"),
            (["sens", DOUBLE, "--end", "1", "--parameters", "La", "--output-step", "0.1"], "--output-step has no effect"),
            (["sens", DOUBLE, "--end", "1", "--parameters", "La", "--threads", "2"], "--threads has no effect"),
            (["run", DOUBLE, *rk4, "--step", "0.7", "--end", "1"], "steps are at most 0.5 s, not 0.7 s"),
            (["run", DOUBLE, *rk4, "--step", "0.3"], "steps are at most 0.25 s, not 0.3 s"),
        ]
        for words, message in cases:
            done = linkwork(*words)
            self.assertIn("warning: ", done.stderr)
            self.assertIn(message, done.stderr)
            about_options = [line for line in done.stderr.splitlines() if "energy and work" not in line]
            self.assertEqual(len(about_options), 1)  # steps that long do not keep the energy, and that is said too
            if words[0] != "eval":
                self.assertEqual(linkwork(*words, "--quiet").stderr, "")

    def test_options_that_exclude_each_other_are_wrong_usage(self):
        for words in (["modes", DOUBLE, "--at", "start", "--nearest"], ["modes", DOUBLE, "--matrices"],
                      ["inspect", DOUBLE, "--all", "--aggregate", "upper"], ["run", DOUBLE, "--solver", "reduced-lu"],
                      ["run", DOUBLE, "--ordering", "sloan"]):
            linkwork(*words, expect=2)

    def test_fixed_steps_are_as_long_as_asked(self):
        path = self.model("""linkwork: 1
gravity: [0, 0, 0]
bodies: {a: {mass: 1, com: [1, 0, 0]}}
joints: {A: {type: revolute, parent: ground, child: a, u: 1}}
""")
        for integrator in ("rk4", "euler"):
            for step, end in ((0.5, 1), (0.25, 3), (0.001, 1)):
                done = linkwork("run", path, "--integrator", integrator, "--step", str(step), "--end", str(end), "--json")
                statistics = json.loads(done.stdout)["statistics"]
                self.assertEqual(statistics["steps"], round(end / step))
                self.assertAlmostEqual(statistics["largest_step"], step, 12)
                self.assertEqual(done.stderr, "")

    def test_rows_far_apart_still_begin_and_end_the_table(self):
        for step in ("7", "1e9", "1e16", "1e300"):
            linkwork("run", DOUBLE, "-o", self.path("x.csv"), "--output-step", step)
            self.assertEqual([r[0] for r in read_csv(self.path("x.csv"))[1]], [0, 5])
            result = linkwork_json("run", DOUBLE, "--output-step", step)
            self.assertEqual(result["rows"], 2)
            self.assertNotEqual(result["energy"]["start"]["kinetic"], result["energy"]["end"]["kinetic"])
            linkwork("sens", DOUBLE, "--parameters", "La", "-o", self.path("y.csv"), "--output-step", step)
            self.assertEqual([r[0] for r in read_csv(self.path("y.csv"))[1]], [0, 5])
        free = self.model("linkwork: 1\nbodies: {a: {mass: 1, velocity: {linear: [1, 0, 0]}}}\n")
        linkwork("run", free, "-o", self.path("z.csv"), "--end", "1e9", "--output-step", "1e9")
        self.assertEqual([r[0] for r in read_csv(self.path("z.csv"))[1]], [0, 1e9])

    def test_a_joint_that_is_not_cut_is_named_with_its_place(self):
        text = open(shipped("squeezer")).read()
        line = next(i for i, s in enumerate(text.splitlines(), 1) if s.startswith("  O:"))
        path = self.model(text.replace("  O:  {type: revolute,", "  O:  {type: revolute, cut: true,")
                          .replace(", hold: true", ""))
        expected = linkwork_json("eval", shipped("squeezer"))
        for verb in VERBS:
            done = subprocess.run([LINKWORK, verb, path], capture_output=True, text=True)
            self.assertIn(f':{line}:3: warning: joint "O" is not cut', done.stderr)
        found = linkwork_json("eval", path)
        for joint, q in expected["q"].items():  # where the motion starts is what is written
            self.assertAlmostEqual(found["q"][joint], q, 12)
        # the other end of the loop is cut instead, and nothing is said
        path = self.model(text.replace("  E3: {type: revolute,", "  E3: {type: revolute, cut: true,"))
        self.assertEqual(linkwork("check", path).stderr, "")


class Cartesian(Folder):
    MODELS = [shipped(name) for name in ("four-bar", "joint-zoo", "bricard")]

    def test_eval_gives_the_numbers_of_the_tree(self):
        for model in self.MODELS:
            tree = linkwork_json("eval", model)
            own = linkwork_json("eval", model, "--formulation", "cartesian")
            for part in ("udot", "loads"):
                for name, x in tree[part].items():
                    for a, b in zip(x if isinstance(x, list) else [x],
                                    own[part][name] if isinstance(x, list) else [own[part][name]]):
                        self.assertAlmostEqual(a, b, delta=1e-7 * (1 + abs(a)), msg=(model, part, name))

    def test_every_solver_arrives_at_the_same_state(self):
        model = os.path.join(SOURCE, "models", "squeezer.yaml")
        ends = []
        for more in ([], ["--solver", "reduced-sparse", "--ordering", "minimum-degree"],
                     ["--solver", "reduced-envelope", "--ordering", "sloan"], ["--solver", "reduced-lu"],
                     ["--solver", "augmented-klu"], ["--solver", "augmented-symmetric"]):
            out = self.path("x.csv")
            linkwork("run", model, "-q", "-o", out, "--end", "0.01", "--columns", "q.*",
                     "--formulation", "cartesian", *more)
            with open(out) as table:
                ends.append([float(x) for x in table.read().split()[-1].split(",")])
        for end in ends[1:]:
            for a, b in zip(ends[0], end):
                self.assertAlmostEqual(a, b, delta=1e-7)

    def test_what_a_solver_cannot_do_is_said(self):
        cases = [
            (self.MODELS[2], "reduced-lu", "redundant", 1),
            (self.MODELS[0], "augmented-klu-again", "one state", 1),
            (self.MODELS[0], "nothing", "reduced-sparse", 2),
        ]
        for model, solver, message, status in cases:
            done = linkwork("run", model, "--formulation", "cartesian", "--solver", solver, expect=status)
            self.assertIn(message, done.stderr)
        done = linkwork("run", self.MODELS[0], "--solver", "reduced-lu", expect=2)
        self.assertIn("cartesian", done.stderr)


class Failures(Folder):
    def test_a_model_or_run_that_fails_exits_with_1_and_says_why(self):
        cases = [
            (["run", self.path("nothing.yaml")], "nothing.yaml"),
            (["run", DOUBLE, "--columns", "q.C"], 'did you mean "q.'),
            (["run", DOUBLE, "-o", self.path("no/such/folder.csv")], "folder.csv"),
            (["run", DOUBLE, "--rtol", "1e-17"], "rtol"),
            (["run", DOUBLE, "--output-step", "1e-12"], "rows"),
        ]
        for words, message in cases:
            done = linkwork(*words, expect=1)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_a_singular_mass_matrix_names_the_joint_and_its_place(self):
        path = self.model("""linkwork: 1
parameters: {m: 1}
bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
  b: {solid: {point: {mass: m, at: [0.1, 0, 0]}}}
  c: {mass: 1, inertia: [1, 1, 1]}
joints:
  A: {type: revolute, parent: ground, child: a}
  J: {type: spherical, parent: a, child: b}
  C: {type: revolute, parent: ground, child: c, axis: x}
  G: {type: gear, joints: [A, C], ratio: 2}
""")
        for words in (["eval"], ["run"], ["sens", "--parameters", "m"]):
            for formulation in ("tree", "dca", "cartesian"):
                done = linkwork(words[0], path, *words[1:], "--formulation", formulation, expect=1)
                self.assertIn("model.yaml:9:3:", done.stderr)
                self.assertIn("the mass matrix is singular", done.stderr)
                self.assertIn('joint "J" lets body "b" move', done.stderr)
        self.assertIn('joint "J"', linkwork("check", path, expect=1).stderr)

    def test_a_file_that_is_no_model_is_called_what_it_is(self):
        cases = [
            (b"<robots/>", "XML"), (b"<a", "XML"), (b"<", "XML"),
            (b"<svg/>", "SVG"), (b"<COLLADA/>", "COLLADA"), (b'{"a": 1}', "JSON"), (b"[1, 2]", "JSON"),
            (b"t,q.A,q.B\n0,1,2\n", "CSV"), (b"\x89PNG\r\n\x1a\n\0", "PNG"), (b"\x1f\x8b\x08", "gzip"),
            (b"PK\x03\x04", "ZIP"), (b"\x89HDF\r\n", "HDF5"), (b"\x7fELF", "program"), (b"\xff\xfel\0", "UTF-16"),
            (b"", "empty"), (b"\n# nothing\n", "empty"), (b"\0\0", "NUL"), (b"hello\n", "not a text"),
            (b"linkwork: 2\n", "version 1"), (b"name: x\n", "`linkwork: 1` is missing"),
        ]
        for text, message in cases:
            with open(self.path("x"), "wb") as file:
                file.write(text)
            for verb in ("check", "run"):
                self.assertIn(message, linkwork(verb, self.path("x"), expect=1).stderr)
        self.assertIn("directory", linkwork("check", self._folder, expect=1).stderr)

    def test_a_file_that_is_no_result_is_called_what_it_is(self):
        cases = [
            (b"\x89PNG\r\n\x1a\n\0", "a picture (PNG), not results"), (b"<svg/>", "a picture (SVG), not results"), (b"", "is empty"),
            (b"\x7fELF\0", "a program, not results"), (b"t,q\0,\n", "NUL"), (b'{"t": 0}\n', "JSON"), (b"linkwork: 1\n", "this is YAML, not results"),
            (b"a,b\n1,2\n", "the column t; this one has none"), (b"t,q.A\n1,x\n", '"x" of column q.A is no number'),
        ]
        model, table = shipped("double-pendulum"), self.path("r.csv")
        linkwork("run", model, "-q", "-o", table)
        for text, message in cases:
            with open(self.path("x"), "wb") as file:
                file.write(text)
            for words, status in ((["results", self.path("x")], 1), (["plot", self.path("x"), "q.A"], 1), (["run", "--resume", self.path("x")], 1),
                                  (["results", table, "--diff", self.path("x")], 1), (["run", model, "--from", self.path("x")], 2),
                                  (["inverse", model, "--motion", self.path("x")], 2)):
                self.assertIn(message, linkwork(*words, expect=status).stderr, words)
        for words, status in ((["results", self._folder], 1), (["run", model, "--from", self._folder], 2)):
            self.assertIn("this is a directory", linkwork(*words, expect=status).stderr)
        with open(self.path("x"), "w") as file:
            file.write("t,q.A\n0,1\n1,2")
        self.assertIn("the last line has no end", linkwork("results", self.path("x")).stderr)

    def test_json_tells_failures_of_every_verb(self):
        path = self.model("linkwork: 1\nbodies:\n  a: {mas: 1}\n")
        for verb in VERBS:
            done = linkwork(verb, path, "--json", expect=1)
            error = json.loads(done.stdout)
            self.assertEqual((error["ok"], error["status"], error["file"], error["line"]), (False, "LW_E_MODEL", path, 3))
            self.assertGreater(error["column"], 1)
            self.assertIn("mass", error["text"])
            self.assertNotIn(path, error["text"])
            self.assertIn("mass", done.stderr)
            for words, code in (([verb, DOUBLE, "--jsn", "--json"], "usage"), ([verb, "--json"], "usage")):
                self.assertEqual(json.loads(linkwork(*words, expect=2).stdout)["status"], code)
            self.assertEqual(json.loads(linkwork(verb, "nothing.yaml", "--json", expect=1).stdout)["status"], "LW_E_FILE")
        failing = self.model("""linkwork: 1
bodies: {a: {mass: 1, com: [1, 0, 0]}}
joints: {A: {type: revolute, parent: ground, child: a}}
forces: {M: {type: motor, joint: A, value: "sqrt(0.73 - t)"}}
""")
        result = json.loads(linkwork("run", failing, "--json", expect=1).stdout)
        self.assertFalse(result["complete"])
        self.assertIn("0.7", result["error"]["text"])
        self.assertIsNone(linkwork_json("run", DOUBLE)["error"])

    def test_numbers_that_are_not_finite_have_a_place(self):
        for word in (".nan", ".inf", "-.inf", "+.Inf", "nan", "inf", "1e400", '"1/0"', '"log(0)"', '"sqrt(-1)"'):
            path = self.model(f"linkwork: 1\nbodies:\n  a: {{mass: {word}}}\n")
            self.assertRegex(linkwork("check", path, expect=1).stderr, r":3:1\d: ")

    def test_what_a_force_cannot_see_is_said(self):
        for name, message in (("az.wheel", "forces see t, parameters and what follows from positions and velocities"),
                              ("z.weel", 'no body or point "weel", did you mean "wheel"?'),
                              ("energy.total", "forces see"), ("fx.A", "forces see"), ("q.AB", 'no joint "AB", did you mean "A"?'),
                              ("u.A.2", 'joint "A" has 1 speed'), ("q.S", 'joint "S" has 4 coordinates'),
                              ("p", 'no parameter "p"')):
            path = self.model(f"""linkwork: 1
bodies: {{wheel: {{mass: 1, inertia: [1, 1, 1]}}, ball: {{mass: 1, inertia: [1, 1, 1]}}}}
joints: {{A: {{type: revolute, parent: ground, child: wheel}}, S: {{type: spherical, parent: wheel, child: ball}}}}
forces: {{f: {{type: motor, joint: A, value: "1 + {name}"}}}}
""")
            error = linkwork("check", path, expect=1).stderr
            self.assertIn(message, error)
            self.assertIn(':4:49: force "f": value: ', error)

    def test_a_misspelt_key_is_named_with_its_place_once(self):
        path = self.model("linkwork: 1\nbodies:\n  a: {mas: 1}\n")
        for verb in VERBS:
            error = linkwork(verb, path, expect=1).stderr
            self.assertTrue(error.startswith(f"{path}:3:"), error)
            self.assertEqual(error.count(path), 1, error)
            self.assertIn("mass", error)

    def test_a_parameter_out_of_its_range_is_an_error(self):
        arm = os.path.join(SOURCE, "models", "arm.yaml")
        self.assertIn("payload", linkwork("run", arm, "--set", "payload=1000", expect=1).stderr)

    def test_events_are_noted_by_check(self):
        path = self.model("""linkwork: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints:
  A: {type: revolute, parent: ground, child: a}
  B: {type: revolute, parent: a, child: b, at: [1, 0, 0]}
events:
  - {at: 0.5, lock: B}
""")
        self.assertIn("event", linkwork("check", path).stdout)
        self.assertIn("spanning tree", linkwork("inspect", path).stdout)

    def test_a_loop_that_cannot_be_closed_is_named_with_its_gap(self):
        text = open(FOUR_BAR).read().replace("ground: 1.0", "ground: 7")
        path = self.model(text)
        for verb in ("run", "check", "eval"):
            error = linkwork(verb, path, expect=1).stderr
            self.assertIn("cannot be closed", error)
            self.assertIn('"D"', error)
            self.assertIn("gap of", error)
        self.assertIn("cannot be closed", linkwork("inspect", path).stdout)

    def test_a_failing_run_leaves_the_rows_so_far(self):
        path = self.model("""linkwork: 1
bodies: {a: {mass: 1, com: [1, 0, 0]}}
joints: {A: {type: revolute, parent: ground, child: a}}
forces: {M: {type: motor, joint: A, value: "sqrt(0.73 - t)"}}
simulation: {end: 1, output_step: 0.1}
""")
        error = linkwork("run", path, "-o", self.path("out.csv"), expect=1).stderr
        self.assertIn("the integration stopped at t = 0.7", error)
        names, rows = read_csv(self.path("out.csv"))
        self.assertEqual([round(r[0], 9) for r in rows], [k / 10 for k in range(8)])


class Loops(Folder):
    def test_eval_tells_all_of_a_closed_loop(self):
        e = linkwork_json("eval", FOUR_BAR)
        self.assertEqual((e["dof"], e["redundant"]), (1, 3))
        self.assertLess(e["drift"], 1e-12)
        self.assertEqual(set(e["q"]), set("ABCD"))
        self.assertAlmostEqual(e["udot"]["A"], -5.848471188855, 10)
        self.assertEqual(e["mass_matrix"]["order"], ["A", "B", "C"])
        for joint in "ABCD":  # out of the plane nothing is determined
            self.assertEqual(len(e["undetermined_loads"][joint]), 3)

    def test_drivers_that_contradict_each_other_stop_the_run(self):
        path = self.model("""linkwork: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints:
  A: {type: revolute, parent: ground, child: a}
  D: {type: driver, joint: A, value: "0.5*t"}
  E: {type: driver, joint: A, value: "0.5*t + t^3"}
""")
        self.assertIn("cannot be closed", linkwork("run", path, expect=1).stderr)

    def test_a_locked_mechanism_has_no_freedom_and_undetermined_loads(self):
        path = self.model("""linkwork: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints:
  A: {type: fixed, parent: ground, child: a}
  B: {type: fixed, parent: ground, child: b, at: [1, 0, 0]}
  C: {type: revolute, parent: a, child: b, at: [1, 0, 0]}
""")
        for way in "cut", "embedded":
            e = linkwork_json("eval", path, "--loops", way)
            self.assertEqual((e["dof"], e["redundant"]), (0, 5))
            self.assertEqual([len(e["undetermined_loads"][j]) for j in "ABC"], [5, 5, 5])
        linkwork("run", path)

    def test_loops_are_cut_or_embedded_with_the_same_numbers(self):
        ways = [linkwork_json("eval", FOUR_BAR, "--u", "A=2", "--loops", way)
                for way in ("cut", "embedded", "auto")]
        for e in ways[1:]:
            for j in "ABCD":
                self.assertAlmostEqual(e["udot"][j], ways[0]["udot"][j], 9)
                for x, y in zip(e["loads"][j], ways[0]["loads"][j]):
                    self.assertAlmostEqual(x, y, 7)
        closing = linkwork_json("inspect", FOUR_BAR)["closing"]
        self.assertEqual((closing["method"], closing["clusters"], closing["largest"],
                          closing["independent"]), ("embedded", 1, 3, 1))
        self.assertLess(closing["embedded_operations"], closing["cut_operations"])
        self.assertIn("--loops embedded", linkwork("inspect", FOUR_BAR).stdout)
        for way in "cut", "embedded":
            self.assertIn("end", linkwork("run", FOUR_BAR, "--end", "0.1", "--loops", way).stdout)

    def test_joints_named_by_q_and_u_are_held(self):
        for held in "ABCD":
            e = linkwork_json("eval", self.free_four_bar(), "--q", f"{held}=0.7", "--u",
                                    f"{held}=0.4")
            self.assertLess(e["drift"], 1e-12)
            self.assertAlmostEqual(e["q"][held], 0.7, 12)
            self.assertAlmostEqual(e["u"][held], 0.4, 12)

    def free_four_bar(self):
        return self.model(open(FOUR_BAR).read().replace(", hold: true", ""))

    def test_the_table_shows_joints_that_close_loops(self):
        linkwork("run", FOUR_BAR, "-o", self.path("out.csv"), "--end", "2")
        names, rows = read_csv(self.path("out.csv"))
        for name in ("q.D", "u.D", "udot.D", "fx.D", "tz.D", "drift"):
            self.assertIn(name, names)
        drift = names.index("drift")
        self.assertTrue(all(0 <= row[drift] < 1e-10 for row in rows))

    def test_constraints_show_their_loads(self):
        path = self.model("""linkwork: 1
gravity: [0, -9.81, 0]
bodies: {a: {solid: {rod: {length: 1, mass: 1, axis: x}}}, b: {solid: {rod: {length: 1, mass: 1, axis: x}}}}
joints:
  A: {type: revolute, parent: ground, child: a}
  B: {type: revolute, parent: ground, child: b, at: [0, 1, 0]}
  link: {type: distance, parent: a, at: [1, 0, 0], child: b, child_at: [1, 0, 0], length: 1}
  drive: {type: driver, joint: A, value: "0.2*sin(3*t)"}
""")
        e = linkwork_json("eval", path)
        self.assertEqual(e["dof"], 0)
        self.assertAlmostEqual(e["u"]["A"], 0.6, 12)
        self.assertAlmostEqual(e["u"]["B"], 0.6, 12)
        self.assertAlmostEqual(e["udot"]["A"], 0, 10)
        # both rods horizontal: the distance carries half of b's weight, the driver the rest
        self.assertAlmostEqual(e["loads"]["link"][1], 9.81 / 2, 9)
        self.assertAlmostEqual(e["relation_loads"]["drive"], 9.81, 9)
        linkwork("run", path, "-o", self.path("out.csv"))
        names, rows = read_csv(self.path("out.csv"))
        self.assertIn("load.drive", names)
        self.assertIn("fy.link", names)
        self.assertLess(max(row[names.index("drift")] for row in rows), 1e-10)


class Run(Folder):
    def test_the_table_has_all_columns_and_rows(self):
        done = linkwork("run", DOUBLE, "-o", self.path("out.csv"))
        self.assertEqual(done.stdout, "")
        self.assertIn("11 rows", done.stderr)
        names, rows = read_csv(self.path("out.csv"))
        self.assertEqual(names[:7], ["t", "q.A", "q.B", "u.A", "u.B", "udot.A", "udot.B"])
        self.assertEqual(names[7:20], [f"{c}.upper" for c in
                         "x y z e0 e1 e2 e3 wx wy wz vx vy vz".split()])
        self.assertEqual(names[33:39], [f"{c}.A" for c in "fx fy fz tx ty tz".split()])
        self.assertEqual(names[45:], ["energy.kinetic", "energy.potential", "energy.total",
                                      "energy.error", "drift"])
        self.assertEqual([r[0] for r in rows], [k / 2 for k in range(11)])
        self.assertAlmostEqual(rows[-1][1], 0.0859911692363, delta=1e-9)
        energy = [r[names.index("energy.total")] for r in rows]
        self.assertLess(max(energy) - min(energy), 1e-9)

    def test_columns_select_and_options_override_the_file(self):
        linkwork("run", DOUBLE, "-o", self.path("a.csv"), "--columns", "q.A,energy.*",
                 "--end=1", "--output-step", "0.4", "--quiet")
        names, rows = read_csv(self.path("a.csv"))
        self.assertEqual(names, ["t", "q.A", "energy.kinetic", "energy.potential", "energy.total",
                                 "energy.error"])
        self.assertEqual([r[0] for r in rows], [0, 0.4, 0.8, 1])

    def test_set_changes_a_parameter(self):
        values = {}
        for length in ("1", "4"):
            result = linkwork_json("run", DOUBLE, "--set", f"La={length}", "--set", "Lb=1")
            values[length] = result["q"]["A"]
        self.assertAlmostEqual(values["1"], 0.0859911692363, delta=1e-9)
        self.assertNotAlmostEqual(values["4"], values["1"], delta=1e-3)

    def test_every_integrator_reaches_the_same_end(self):
        for name, delta in (("auto", 1e-8), ("adams", 1e-8), ("bdf", 1e-7), ("rk", 1e-8),
                            ("rk4", 1e-6), ("euler", 1e-2)):
            result = linkwork_json("run", DOUBLE, "--integrator", name, "--rtol", "1e-10",
                                   "--step", "0.001")
            self.assertAlmostEqual(result["q"]["A"], 0.0859911692363, delta=delta, msg=name)
            self.assertGreater(result["statistics"]["steps"], 0)

    def test_the_json_summary_matches_the_table(self):
        result = linkwork_json("run", DOUBLE, "-o", self.path("out.csv"))
        names, rows = read_csv(self.path("out.csv"))
        last = dict(zip(names, rows[-1]))
        self.assertEqual(result["time"], 5)
        self.assertTrue(result["complete"])
        self.assertEqual(result["rows"], len(rows))
        self.assertEqual(result["q"], {"A": last["q.A"], "B": last["q.B"]})
        self.assertEqual(result["u"], {"A": last["u.A"], "B": last["u.B"]})
        self.assertEqual(result["energy"]["end"]["total"], last["energy.total"])
        self.assertLess(abs(result["energy"]["relative_change"]), 1e-10)
        self.assertEqual(result["drift"], 0)
        self.assertEqual(result["events"], [])

    def test_the_summary_is_on_stdout(self):
        text = linkwork("run", DOUBLE).stdout
        for part in ("state at t = 5", "energy", "relative change", "drift", "steps", "wall time"):
            self.assertIn(part, text)

    def test_writing_overwrites_and_a_refused_run_does_not_touch_the_file(self):
        out = self.path("out.csv")
        with open(out, "w") as file:
            file.write("precious\n")
        linkwork("run", DOUBLE, "-o", out, "--columns", "no.such", expect=1)
        with open(out) as file:
            self.assertEqual(file.read(), "precious\n")
        linkwork("run", DOUBLE, "-o", out)
        self.assertEqual(len(read_csv(out)[1]), 11)

    def test_body_quaternions_do_not_jump(self):
        linkwork("run", SATELLITE, "-o", self.path("s.csv"), "--columns", "e?.*")
        names, rows = read_csv(self.path("s.csv"))
        for i, name in enumerate(names[1:], 1):
            if name.startswith("e0."):
                self.assertGreaterEqual(rows[0][i], 0)
            for before, now in zip(rows, rows[1:]):
                self.assertLess(abs(now[i] - before[i]), 0.5, name)

    def test_an_interrupt_leaves_whole_rows_and_says_where(self):
        out = self.path("out.csv")
        process = subprocess.Popen([LINKWORK, "run", DOUBLE, "-o", out, "--end", "100000"],
                                   stderr=subprocess.PIPE, text=True)
        for _ in range(30000):  # until it writes; ten minutes, for a loaded machine
            if os.path.exists(out) and os.path.getsize(out) > 0:
                break
            time.sleep(0.02)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=600)[1]
        self.assertEqual(process.returncode, -signal.SIGINT, error)
        names, rows = read_csv(out)
        self.assertIn("interrupted", error)
        self.assertEqual(error.split("t = ")[-1].strip(), f"{rows[-1][0]:g}")
        self.assertTrue(all(len(r) == len(names) for r in rows))


class Eval(unittest.TestCase):
    def test_divide_and_conquer_agrees_with_the_tree(self):
        for name in ("squeezer", "governor", "bricard", "slider-crank", "humanoid", "joint-zoo"):
            path = os.path.join(os.path.dirname(DOUBLE), name + ".yaml")
            tree, dca = (linkwork_json("eval", path, "--formulation", f, "--threads", "2")
                         for f in ("tree", "dca"))
            for key in ("udot", "loads", "relation_loads") if tree["redundant"] == 0 else ("udot",):
                a, b = flat(tree[key]), flat(dca[key])
                size = max(1, *(abs(x) for x in a), 1)
                self.assertEqual(len(a), len(b))
                for x, y in zip(a, b):
                    self.assertAlmostEqual(x / size, y / size, 9, f"{name} {key}")

    def test_json_has_the_documented_names(self):
        result = linkwork_json("eval", ZOO)
        self.assertEqual(set(result), {
            "time", "q", "u", "udot", "bodies", "loads", "undetermined_loads", "relation_loads",
            "mass_matrix", "mass_matrix_inverse", "factorisation", "bias", "determinant",
            "log_determinant", "sign",
            "energies", "dof", "redundant", "drift"})
        self.assertEqual(set(result["bodies"]["bob"]), {
            "position", "quat", "angular_velocity", "velocity", "angular_acceleration",
            "acceleration"})
        self.assertEqual(set(result["energies"]), {"kinetic", "potential", "total"})
        self.assertNotIn("F", result["q"])
        self.assertEqual(len(result["q"]["S"]), 4)
        self.assertEqual(len(result["udot"]["S"]), 3)
        self.assertEqual(len(result["loads"]["F"]), 6)
        self.assertEqual(result["loads"]["fly"], [0] * 6)
        self.assertEqual(result["undetermined_loads"]["P"], [])
        order = result["mass_matrix"]["order"]
        self.assertEqual(order[:4], ["P", "U.1", "U.2", "H"])
        self.assertEqual(len(order), result["dof"])
        self.assertEqual(len(result["mass_matrix"]["matrix"]), len(order))

    def test_implicit_free_joints_come_last_and_have_no_load(self):
        result = linkwork_json("eval", SATELLITE)
        self.assertEqual(list(result["q"])[-1], "bus")
        self.assertNotIn("bus", result["loads"])

    def test_motion_equation_holds(self):
        """M udot + bias = 0, and T = u' M u / 2, at a state of our own."""
        state = ["--q", "P=0.2", "--u", "P=1.5", "--u", "S=0.1,0.2,-0.3", "--t", "0.4"]
        result = linkwork_json("eval", ZOO, *state)
        flat = {}
        for key in ("u", "udot", "bias"):
            flat[key] = [x for value in result[key].values()
                         for x in (value if isinstance(value, list) else [value])]
        rows = result["mass_matrix"]["matrix"]
        for row, bias in zip(rows, flat["bias"]):
            total = sum(m * a for m, a in zip(row, flat["udot"])) + bias
            self.assertAlmostEqual(total, 0, delta=1e-9)
        energy = sum(u * m * v for u, row in zip(flat["u"], rows)
                     for m, v in zip(row, flat["u"])) / 2
        self.assertAlmostEqual(energy, result["energies"]["kinetic"], delta=1e-12)
        self.assertEqual(result["time"], 0.4)

    def test_the_determinant_is_that_of_the_matrix(self):
        result = linkwork_json("eval", DOUBLE, "--q", "B=0.7")
        (a, b), (c, d) = result["mass_matrix"]["matrix"]
        self.assertAlmostEqual(result["determinant"], a * d - b * c, delta=1e-14)

    def test_q_and_u_set_the_state_and_quaternions_are_normalised(self):
        result = linkwork_json("eval", SATELLITE, "--q", "ball_left=-2,0,0,-1",
                               "--u", "hinge_left=0.25")
        w, x, y, z = result["q"]["ball_left"]
        self.assertAlmostEqual(w, 2 / math.sqrt(5), delta=1e-15)
        self.assertAlmostEqual(z, 1 / math.sqrt(5), delta=1e-15)
        self.assertEqual(result["u"]["hinge_left"], 0.25)

    def test_run_begins_where_eval_is(self):
        result = linkwork_json("eval", ZOO)
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.csv")
            linkwork("run", ZOO, "-o", out, "--end", "0.01")
            names, rows = read_csv(out)
        first = dict(zip(names, rows[0]))
        self.assertEqual(first["udot.P"], result["udot"]["P"])
        self.assertEqual([first[f"q.S.{k}"] for k in (1, 2, 3, 4)], result["q"]["S"])
        self.assertEqual([first[f"{c}.arm"] for c in "xyz"], result["bodies"]["arm"]["position"])
        self.assertEqual([first[f"e{k}.arm"] for k in range(4)], result["bodies"]["arm"]["quat"])
        self.assertEqual([first[f"{c}.R"] for c in "fx fy fz tx ty tz".split()],
                         result["loads"]["R"])
        self.assertEqual(first["energy.total"], result["energies"]["total"])

    def test_the_table_is_readable(self):
        text = linkwork("eval", DOUBLE).stdout
        for part in ("joint", "udot", "bodies", "loads", "mass matrix", "energy"):
            self.assertIn(part, text)


class Inspect(unittest.TestCase):
    def test_words(self):
        self.assertIn("serial-chain system", linkwork("inspect", DOUBLE).stdout)
        text = linkwork("inspect", SATELLITE).stdout
        self.assertIn("tree-topology system", text)
        self.assertRegex(text, r"\n     │  left_boom +revolute hinge_left\n")

    def test_json(self):
        result = linkwork_json("inspect", ZOO)
        self.assertEqual(result["bodies"], 9)
        self.assertEqual(result["joint_types"]["universal"], 1)
        self.assertEqual(result["dof"], 19)
        self.assertEqual(result["depth"], 4)
        self.assertEqual(result["cut_joints"], [])
        parent = {b["body"]: b["parent"] for b in result["tree"]}
        self.assertEqual(parent["slide"], "ground")
        self.assertEqual(parent["loose"], "arm")


class Models(Folder):
    def test_every_shipped_model_checks_evaluates_and_runs_with_balanced_energy(self):
        self.assertGreaterEqual(len(MODELS), 5)
        for path in MODELS:
            self.assertIn(": ok: ", linkwork("check", path).stdout)
            self.assertTrue(linkwork_json("check", path)["ok"])
            linkwork_json("eval", path)
            linkwork_json("inspect", path)
            done = linkwork("run", path, "--json")
            run = read_json(done)
            self.assertTrue(run["complete"], path)
            if "coarse" not in path:
                self.assertNotIn("energy and work", done.stderr, path)
                self.assertIs(run["energy"]["balanced"], True, path)

    def test_a_stiff_vehicle_costs_alike_in_all_formulations(self):
        """What a solve leaves as noise makes implicit integrators take shorter steps."""
        counts = {name: linkwork_json("run", shipped("hmmwv"), "--end", "2", "--formulation", name)
                  ["statistics"]["evaluations"] for name in ("tree", "dca", "cartesian")}
        for name, count in counts.items():
            self.assertLess(count, 1.25 * counts["tree"], counts)

    def test_models_without_friction_or_motors_keep_their_energy(self):
        for path in (DOUBLE, SATELLITE):
            change = linkwork_json("run", path)["energy"]["relative_change"]
            self.assertLess(abs(change), 1e-9, path)

    def test_the_controlled_cart_pole_stays_upright(self):
        path = os.path.join(SOURCE, "models", "cart-pole.yaml")
        result = linkwork_json("run", path)
        self.assertLess(abs(result["q"]["pin"]), 0.01)

    def test_the_shared_examples_that_are_trees_run(self):
        path = os.path.join(SOURCE, "..", "shared", "examples", "double-pendulum.yaml")
        if not os.path.exists(path):
            self.skipTest("no shared examples here")
        self.assertAlmostEqual(linkwork_json("run", path)["q"]["A"], 0.0859911692363,
                               delta=1e-9)


if __name__ == "__main__":
    unittest.main()
