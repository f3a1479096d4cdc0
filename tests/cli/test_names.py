# SPDX-License-Identifier: Apache-2.0
"""Names of any text: the same numbers as with plain names, in every verb, option and table."""
import csv
import json
import random
import re
import unittest

from program import Folder, linkwork, linkwork_json

FORMULATIONS = ("tree", "dca", "cartesian")
PLAIN = ["L", "k", "sq", "road", "upper", "lower", "hip", "knee", "tip", "drive", "servo", "aim", "xi", "height",
         "cross", "part", "rod", "pivot", "g"]
PIECES = ["left", "knee", "-", " ", ".", "/", "'", '"', ",", "=", "*", "?", "@", "#", ":", "(", ")", "2", "in", "q", "ä", "腕", "${", "%s"]


def weird_names(seed):
    """For each plain name another one, of any text."""
    rng = random.Random(seed)
    names = {}
    while len(names) < len(PLAIN):
        text = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 6)))
        if text.strip() and text not in names.values() and "${" not in text and text not in ("q", "in", "2"):
            names[PLAIN[len(names)]] = text
    return names


def in_quotes(name, quote='"'):
    return quote + name.replace(quote, 2 * quote) + quote


def model(n, quote='"'):
    """A model with these names.  Expressions have their names in quotes: <hip> is the name of the joint."""
    def e(text):
        return re.sub(r"<(\w+)>", lambda m: in_quotes(n[m[1]], quote), text)
    body = {"mass": 2, "com": [0, 0, e("-<L>/2")], "inertia": [0.1, 0.1, 0.02]}
    return {
        "linkwork": 1,
        "parameters": {n["L"]: 0.7, n["k"]: e("10 + 2*<L>")},
        "functions": {n["sq"]: {"of": [n["g"]], "is": e("<g>^2*<L>")}},
        "tables": {n["road"]: {"data": [[-10, -10], [10, 20]], "interpolation": "linear"}},
        "bodies": {n["upper"]: body, n["lower"]: {"mass": 1, "com": [0, 0, -0.2], "inertia": [0.05, 0.05, 0.01]}},
        "points": {n["tip"]: {"body": n["lower"], "at": [0, 0, -0.4]}},
        "joints": {
            n["hip"]: {"type": "revolute", "parent": "ground", "child": n["upper"], "axis": "y", "q": 0.5,
                       "limits": {"lower": -0.05, "restitution": 0.5}, "friction": {"load": 0.01}},
            n["knee"]: {"type": "universal", "parent": n["upper"], "child": n["lower"], "at": [0, 0, e("-<L>")],
                        "axis": "y", "axis2": "x", "q": [0.2, 0.1]}},
        "forces": {
            n["drive"]: {"type": "motor", "joint": n["knee"], "dof": 2,
                         "value": e("-<k>*q.<knee>.2 - 0.1*u.<knee>.2 + 0.1*<road>(vx.<tip>.in.<upper>)"
                                    " - 0.2*<sq>(z.<lower>) + 0.1*<xi>")},
            n["servo"]: {"type": "servo", "joint": n["hip"], "target": e("<aim>"), "stiffness": 3, "damping": 1,
                         "limit": 5}},
        "inputs": {n["aim"]: 0.2},
        "states": {n["xi"]: {"rate": e("<aim> - q.<hip>")}},
        "outputs": {n["height"]: e("z.<tip> + <xi>*work.<drive>")},
        "events": [{"name": n["cross"], "when": e("q.<hip> - 0.3"), "direction": "falling",
                    "impulse": {"body": n["lower"], "linear": [0.1, 0, 0]}}],
        "sensitivity": {"objectives": {n["height"]: {"max": e("<height>")}, n["k"]: {"final": e("q.<hip>")}}},
        "simulation": {"end": 0.6, "output_step": 0.1},
    }


class Names(Folder):
    def write(self, name, data):
        with open(self.path(name), "w") as file:
            json.dump(data, file, ensure_ascii=False)
        return self.path(name)

    def table(self, model, *words):
        linkwork("run", model, "-o", self.path("out.csv"), "-q", *words)
        with open(self.path("out.csv"), newline="") as file:
            return list(csv.reader(file))

    def pair(self, seed):
        names = weird_names(seed)
        plain = self.write("plain.yaml", model({p: p for p in PLAIN}))
        return names, plain, self.write("weird.yaml", model(names, quote=random.Random(seed).choice("\"'")))

    def test_results_do_not_depend_on_names(self):
        for seed in range(1, 13):
            names, plain, weird = self.pair(seed)
            words = ("--formulation", FORMULATIONS[seed % 3])
            a, b = self.table(plain, *words), self.table(weird, *words)
            self.assertEqual(a[1:], b[1:], names)
            for one, other in zip(a[0], b[0]):
                expected = re.sub(r"^(\w+\.(?:lower\.|friction\.)?)?(\w+?)((?:\.\d)?)$",
                                  lambda m: (m[1] or "") + names.get(m[2], m[2]) + m[3], one)
                self.assertEqual(other, expected, names)

    def test_options_take_names_in_quotes(self):
        for seed in range(1, 9):
            n, plain, weird = self.pair(seed)
            q = {k: in_quotes(v, "'") for k, v in n.items()}
            a = self.table(plain, "--q", "knee=0.3,0.2", "--u", "hip=-1", "--set", "L=0.6", "--columns",
                           "q.hip,u.knee.*,height,z.tip,load.drive,x.tip.in.upper")
            b = self.table(weird, "--q", q["knee"] + "=0.3,0.2", "--u", q["hip"] + "=-1", "--set", q["L"] + "=0.6",
                           "--columns", f"q.{q['hip']}, u.{q['knee']}.*,{q['height']} ,z.{q['tip']},load.{q['drive']},"
                           f"x.{q['tip']}.in.{q['upper']}")
            self.assertEqual(a[1:], b[1:], n)
            self.assertEqual(b[0], ["t", "q." + n["hip"], f"u.{n['knee']}.1", f"u.{n['knee']}.2", "z." + n["tip"], n["height"],
                                    "load." + n["drive"], f"x.{n['tip']}.in.{n['upper']}"])
            rows = []
            for one in (plain, weird):
                again = self.path("again.csv")
                linkwork("run", one, "-o", again, "-q")
                rows.append(self.table(one, "--from", again + "@0.2")[1:])
            self.assertEqual(*rows)
            a = linkwork_json("eval", plain, "--jacobian", "lower@0,0,1", "--compliance", "upper,lower")
            b = linkwork_json("eval", weird, "--jacobian", q["lower"] + "@0,0,1", "--compliance",
                              q["upper"] + "," + q["lower"])
            self.assertEqual(a["jacobian"]["matrix"], b["jacobian"]["matrix"])
            self.assertEqual(b["compliance"]["bodies"], [n["upper"], n["lower"]])
            self.assertEqual(a["udot"]["knee"], b["udot"][n["knee"]])
            a = linkwork_json("inverse", plain, "--udot", "hip=1", "--udot", "knee=1,2", "--actuators", "hip,knee")
            b = linkwork_json("inverse", weird, "--udot", q["hip"] + "=1", "--udot", q["knee"] + "=1,2", "--actuators",
                              q["hip"] + "," + q["knee"])
            self.assertEqual(list(a["tau"].values()), list(b["tau"].values()))
            linkwork("inspect", weird, "--svg", self.path("weird.svg"), "--aggregate", q["upper"])

    def test_sensitivities_by_parameters_of_any_name(self):
        for seed in range(1, 4):
            n = weird_names(seed)
            models = [model({p: p for p in PLAIN}), model(n)]
            for m, hip in zip(models, ("hip", n["hip"])):
                del m["joints"][hip]["friction"]
            plain, weird = self.write("plain.yaml", models[0]), self.write("weird.yaml", models[1])
            q = {k: in_quotes(v) for k, v in n.items()}
            a = linkwork_json("sens", plain, "--parameters", "L,k", "--end", "0.2", "--columns", "q.*,height")
            b = linkwork_json("sens", weird, "--parameters", q["L"] + "," + q["k"], "--end", "0.2", "--columns",
                              "q.*," + q["height"])
            self.assertEqual([list(c["d"].values()) for c in a["columns"].values()],
                             [list(c["d"].values()) for c in b["columns"].values()])
            self.assertEqual(list(b["objectives"]), [n["height"], n["k"]])

    def test_included_and_mirrored_parts_of_any_name(self):
        part = {"linkwork": 1, "parameters": {"rod length": 0.5},
                "bodies": {"rod/1": {"mass": 1, "com": [0.1, 0.2, "-'rod length'/2"], "inertia": [0.1, 0.1, 0.02]}},
                "joints": {"pivot-1": {"type": "universal", "parent": "ground", "child": "rod/1", "axis": "y", "axis2": "x",
                                       "q": [0.2, 0.1]}},
                "forces": {"m/1": {"type": "motor", "joint": "pivot-1", "dof": 2,
                                   "value": "-2*q.'pivot-1'.2 + 0.1*vy.\"rod/1\" - 'rod length'"}}}
        text = json.dumps(part)
        for weird, plain in (("rod/1", "rod"), ("pivot-1", "pivot"), ("m/1", "m"), ("rod length", "L")):
            text = text.replace(weird, plain)
        self.write("part.yaml", part)
        self.write("plain_part.yaml", json.loads(text))
        whole = self.write("whole.yaml", {"linkwork": 1, "include": {
            "front-left": {"file": "part.yaml"}, "front right": {"file": "part.yaml", "mirror": "y"}}})
        other = self.write("other.yaml", {"linkwork": 1, "include": {
            "fl": {"file": "plain_part.yaml"}, "fr": {"file": "plain_part.yaml", "mirror": "y"}}})
        words = ("--end", "0.3", "--set")
        a = self.table(whole, *words, "front-left.rod length=0.6")
        b = self.table(other, *words, "fl.L=0.6")
        self.assertEqual(a[1:], b[1:])
        self.assertIn("q.front-left.pivot-1.1", a[0])

    def test_what_is_wrong_with_names(self):
        def said(text, *words):
            with open(self.path("wrong.yaml"), "w") as file:
                file.write("linkwork: 1\n" + text)
            return linkwork("check", self.path("wrong.yaml"), *words, expect=1).stderr
        self.assertIn("wrong.yaml:2:10: \"a?b\" is not a name for a body", said("bodies: {\"a\\tb\": {mass: 1}}\n"))
        self.assertIn("a name is a text without control characters", said("bodies: {\"a\\tb\": {mass: 1}}\n"))
        self.assertIn("wrong.yaml:2:20: ", said("parameters: {a: \"2*'b c\"}\n"))
        self.assertIn("the quote ' is not closed", said("parameters: {a: \"2*'b c\"}\n"))
        self.assertIn("unknown parameter \"b c\", did you mean \"b-c\"?", said("parameters: {b-c: 1, a: \"2*'b c'\"}\n"))
        two = ("bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
               "  A: {type: universal, parent: ground, child: a}\n  %s: {type: revolute, parent: a, child: b}\n")
        self.assertIn("wrong.yaml:5:3: joint \"A.2\": coordinate 2 of joint \"A\" has this name in results", said(two % "A.2"))
        with open(self.path("right.yaml"), "w") as file:
            file.write("linkwork: 1\n" + two % "A.3")
        linkwork("check", self.path("right.yaml"))


if __name__ == "__main__":
    unittest.main()
