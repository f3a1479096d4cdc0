# SPDX-License-Identifier: Apache-2.0
"""The section `study` of a model, and what it asks for: cases, extremes, events, whole runs."""
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

LINKWORK = os.environ["LINKWORK"]

READ = """
import h5py, json, sys
f = h5py.File(sys.argv[1])
json.dump({"columns": list(f["columns"].asstr()[:]), "data": f["data"][:].tolist(), "seed": f.attrs["seed"].decode(),
           "status": [s.decode() for s in f["cases"]["status"]], "message": [s.decode() for s in f["cases"]["message"]]}, sys.stdout)
"""


def h5py(path):
    """What h5py reads, by an interpreter that has it; None: there is none."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import h5py"], capture_output=True, check=False).returncode == 0:
            return json.loads(subprocess.run([python, "-c", READ, path], capture_output=True, text=True, check=True).stdout)
    return None


MODEL = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {L: {value: 1000, unit: mm, min: 500, max: 1500}, m: 2 kg, e: {value: 0.5, min: 0, max: 0.9}, T: 2}
bodies:
  bar: {solid: {rod: {length: L, mass: m, axis: -y}}}
joints:
  A: {type: revolute, parent: ground, child: bar, q: 1, limits: {lower: -0.4, upper: 2, restitution: e}}
forces:
  M: {type: motor, joint: A, value: "0.3*sin(7*t)"}
events:
  - {name: half, when: "q.A - 0.5", impulse: {body: bar, linear: [0.01, 0, 0]}}
simulation: {end: T}
"""

STUDY = """
study:
  design: sobol
  cases: 8
  seed: 3
  parameters:
    L: [800, 1.2 m]
    m: {normal: [m, 0.05*m]}
    e:
  columns: [q.A, u.A]
  extremes: "u.*"
  events: "*"
"""


class Study(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("m.yaml", MODEL + STUDY)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def run_it(self, verb, *args, status=0):
        done = subprocess.run([LINKWORK, verb, *args], capture_output=True, text=True, check=False, cwd=self.folder.name)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def sweep(self, *args, model="m.yaml"):
        if os.path.exists(self.path("t.csv")):
            os.remove(self.path("t.csv"))
        self.run_it("sweep", model, *args, "-q", "-o", "t.csv")
        with open(self.path("t.csv"), encoding="utf-8") as f:
            return list(csv.DictReader(line for line in f if not line.startswith("#")))

    def test_the_section_equals_options(self):
        own = self.sweep()
        self.write("plain.yaml", MODEL)
        other = self.sweep("--design", "sobol", "--cases", "8", "--seed", "3", "--vary", "L=0.8..1.2", "--vary", "m=normal(2,0.1)", "--vary", "e",
                           "--columns", "q.A,u.A", "--extremes", "u.*", "--events", "*", model="plain.yaml")
        self.assertEqual(own, other)
        self.assertEqual(len(own), 8)

    def test_options_count_before_the_section(self):
        rows = self.sweep("--vary", "L=0.6,0.7", "--design", "grid", "--events", "", "--extremes", "q.A")
        self.assertEqual([r["L"] for r in rows], ["0.6", "0.7"])
        self.assertEqual(list(rows[0]), ["case", "L", "seed", "q.A", "u.A", "max.q.A", "max.q.A.t", "min.q.A", "min.q.A.t", "t", "status", "message"])
        self.assertEqual(len(self.sweep("--cases", "3")), 3)
        self.assertEqual(self.sweep("--seed", "4")[0]["seed"], "4")
        self.assertIn("is varied", self.run_it("sweep", "m.yaml", "--set", "m=4", "--cases", "2", status=2).stderr)

    def test_extremes_and_events_are_those_of_the_runs(self):
        for r in self.sweep():
            run = ["run", "m.yaml", *[w for p in ("L", "m", "e") for w in ("--set", f"{p}={r[p]}" if p != "L" else f"L={r[p]} m")]]
            events = json.loads(self.run_it(*run, "--json").stdout)["events"]
            for name in ("half", "lower.A", "upper.A"):
                times = [e["time"] for e in events if name in e["names"]]
                self.assertEqual(int(r["count." + name]), len(times), r)
                for key, t in (("first.", times[:1]), ("last.", times[-1:])):
                    self.assertEqual(r[key + name] == "", not t)
                    if t:
                        self.assertAlmostEqual(float(r[key + name]), t[0], delta=1e-6)
            self.run_it(*run, "-q", "--output-step", "1e-3", "-o", "fine.csv")
            with open(self.path("fine.csv"), encoding="utf-8") as f:
                fine = [(float(x["u.A"]), float(x["t"])) for x in csv.DictReader(f)]
            for key, best in (("max.u.A", max(fine)), ("min.u.A", min(fine))):
                self.assertAlmostEqual(float(r[key]), best[0], delta=1e-4)
                self.assertAlmostEqual(float(r[key + ".t"]), best[1], delta=2e-2)
                sign = 1 if key < "min" else -1
                self.assertGreaterEqual(sign*float(r[key]), sign*best[0] - 1e-7)
        self.assertGreater(max(int(r["count.lower.A"]) for r in self.sweep()), 0)

    def test_maxima_where_two_steps_meet_are_not_missed(self):
        self.write("osc.yaml", """
linkwork: 1
planar: true
gravity: [0, 0]
parameters: {k: {value: 10, min: 1, max: 100}, c: {value: 0.05, min: 0.01, max: 0.2}}
bodies: {a: {mass: 1, inertia: 1}}
joints: {S: {type: prismatic, parent: ground, child: a, axis: x, u: 1, damping: c}}
forces: {F: {type: joint_spring, joint: S, stiffness: k}}
simulation: {end: 3}
study: {cases: 60, extremes: q.S}
""")
        for method, rtol in (("bdf", 1e-3), ("bdf", 1e-5), ("adams", 1e-3), ("adams", 1e-4), ("rk", 1e-4)):
            for r in self.sweep("--integrator", method, "--rtol", str(rtol), model="osc.yaml"):
                k, c = float(r["k"]), float(r["c"])
                w = math.sqrt(k - c*c/4)
                t = math.atan2(w, c/2)/w
                if t < 2.9:
                    self.assertAlmostEqual(float(r["max.q.S"])*w/math.exp(-c/2*t)/math.sin(w*t), 1, delta=0.02, msg=(method, rtol, r))

    def test_whole_runs_do_not_change_the_table(self):
        plain = self.sweep("--threads", "2")
        os.mkdir(self.path("runs"))
        self.assertEqual(self.sweep("--threads", "2", "--runs", "runs/%.csv"), plain)
        for r in plain:
            with open(self.path(f"runs/{r['case']}.csv"), encoding="utf-8") as f:
                last = list(csv.DictReader(f))[-1]
            self.assertEqual((last["q.A"], last["u.A"]), (r["q.A"], r["u.A"]))
        self.assertEqual(self.sweep("--threads", "1", "--runs", "runs/%.h5", "--cases", "2")[0]["status"], "ok")
        self.assertTrue(self.run_it("results", "runs/2.h5"))
        self.assertIn("one thread", self.run_it("sweep", "m.yaml", "--threads", "2", "--runs", "runs/%.h5", status=2).stderr)
        self.assertIn("need a %", self.run_it("sweep", "m.yaml", "--runs", "runs/x.csv", status=1).stderr)

    FAILING = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {L: {value: 1, min: 0.5, max: 1.5}, m: 2, T: 2}
bodies: {bar: {solid: {rod: {length: L, mass: m, axis: -y}}}}
joints: {A: {type: revolute, parent: ground, child: bar, q: 1}}
forces: {M: {type: motor, joint: A, value: "if(L > 1.4, sqrt(0.3 - t), 0)"}}
simulation: {end: T}
study: {cases: 40, parameters: {L: , m: {normal: [2, 0.1]}}, columns: "q.A"}
"""

    def test_tables_in_hdf5_hold_what_those_in_csv_do(self):
        self.write("f.yaml", self.FAILING)
        rows = self.sweep(model="f.yaml")
        self.run_it("sweep", "f.yaml", "-q", "-o", "t.h5")
        self.assertFalse(os.path.exists(self.path("t.h5.csv")))
        read = h5py(self.path("t.h5"))
        if read:
            self.assertEqual((read["columns"], read["seed"]), (list(rows[0])[:-2], "1"))
            self.assertEqual(read["status"], [r["status"] for r in rows])
            self.assertEqual(read["message"], [r["message"] for r in rows])
            for row, r in zip(read["data"], rows, strict=True):
                self.assertEqual([x for x in row if x == x], [float(r[n]) for n in read["columns"] if r[n]])
        failed = sum(r["status"] != "ok" for r in rows)
        self.assertIn(f"cases            40, {failed} failed", self.run_it("results", "t.h5").stdout)
        self.assertIn("(case)", self.run_it("plot", "t.h5", "q.A").stdout)
        self.run_it("plot", "t.h5", "q.A", "-o", "p.svg")
        self.assertIn("are not copied", self.run_it("results", "t.h5", "-o", "copy.csv").stderr)
        # back, in shards, and resumed
        os.rename(self.path("t.csv"), self.path("whole.csv"))
        with open(self.path("whole.csv"), encoding="utf-8") as f:
            whole = f.read()
        for i in "12":
            self.run_it("sweep", "f.yaml", "-q", "--shard", i + "/2", "-o", f"{i}.h5")
        self.run_it("sweep", "f.yaml", "1.h5", "2.h5", "--merge", "-q", "-o", "t.csv")
        with open(self.path("t.csv"), encoding="utf-8") as f:
            self.assertEqual(f.read(), whole)
        self.assertIn("20 computed before, 20 now", self.run_it("sweep", "f.yaml", "--resume", "-o", "1.h5").stdout)
        self.write("k.h5.csv", "".join(line + "\n" for line in whole.splitlines()[:12]))  # what a killed sweep leaves
        self.assertIn("exists", self.run_it("sweep", "f.yaml", "-o", "k.h5", status=2).stderr)
        self.assertIn("10 computed before, 30 now", self.run_it("sweep", "f.yaml", "--resume", "-o", "k.h5", "--report", "k.html").stdout)
        for name in ("1", "k"):
            self.run_it("results", name + ".h5", "--diff", "t.h5")
            self.run_it("sweep", "f.yaml", name + ".h5", "--merge", "-q", "-o", name + ".csv")
            with open(self.path(name + ".csv"), encoding="utf-8") as f:
                self.assertEqual(f.read(), whole)
        self.assertIn("another study", self.run_it("sweep", "f.yaml", "--seed", "2", "--resume", "-o", "t.h5", status=1).stderr)
        self.run_it("run", "f.yaml", "-q", "-o", "run.h5")
        self.assertIn("no table of", self.run_it("sweep", "f.yaml", "--resume", "-o", "run.h5", status=1).stderr)

    def test_long_cases_alone_have_the_same_bits(self):  # more steps than results that can be resumed take at once
        for words in (("--vary", "T=11", "--integrator", "rk4", "--step", "1e-3"), ("--vary", "T=40", "--integrator", "adams", "--rtol", "1e-12")):
            options = (*words, "--design", "grid", "--set", "L=800", "--set", "e=0", "--set", "m=1", "--extremes", "", "--events", "")
            row = self.sweep(*options)[0]
            self.run_it("sweep", "m.yaml", *options, "--case", "1", "-q", "-o", "one.csv")
            with open(self.path("one.csv"), encoding="utf-8") as f:
                last = list(csv.DictReader(f))[-1]
            self.assertEqual((last["q.A"], last["u.A"]), (row["q.A"], row["u.A"]), words)

    def test_lists_in_the_file_and_in_tables(self):
        self.write("list.yaml", MODEL + "study: {list: [{L: 700, m: 1}, {m: 3 kg, L: 0.9 m}], columns: q.A}\n")
        rows = self.sweep(model="list.yaml")
        self.assertEqual([(r["L"], r["m"]) for r in rows], [("0.7", "1"), ("0.9", "3")])
        self.write("cases.csv", "L [mm],m\n700,1\n900,3\n")
        self.write("table.yaml", MODEL + "study: {list: cases.csv, columns: q.A}\n")
        self.assertEqual(self.sweep(model="table.yaml"), rows)
        self.assertEqual(len(self.sweep("--vary", "e", "--cases", "5", model="table.yaml")), 5)
        self.write("cases.csv", "L [kg],m\n700,1\n")
        self.assertIn('column "L" is in kg, but the parameter is m', self.run_it("check", "table.yaml", status=1).stderr)
        self.write("cases.csv", "L [mm],m\n700,1\n900,3\n")
        self.assertIn("lists its cases", self.run_it("sweep", "table.yaml", "--cases", "5", status=2).stderr)

    def test_converted_models_have_the_same_study(self):
        rows = self.sweep()
        self.run_it("convert", "m.yaml", "-o", "c.yaml")
        self.assertEqual(self.sweep(model="c.yaml"), rows)
        self.write("list.yaml", MODEL + "study: {list: [{L: 700, m: 1}, {m: 3 kg, L: 0.9 m}], columns: q.A, limit: 1 min}\n")
        rows = self.sweep(model="list.yaml")
        self.run_it("convert", "list.yaml", "-o", "d.yaml")
        self.assertEqual(self.sweep(model="d.yaml"), rows)

    def test_fit_and_optimize_take_its_parameters(self):
        self.write("o.yaml", MODEL + "sensitivity: {objectives: {low: {final: q.A}}}\nstudy: {parameters: {L: [800, 900], e: [0.1, 0.2]}}\n")
        done = json.loads(self.run_it("optimize", "o.yaml", "--json", "--set", "L=850", "--set", "e=0.15").stdout)
        best = {p["name"]: p["value"] for p in done["parameters"]} if isinstance(done["parameters"], list) else done["parameters"]
        self.assertEqual(set(best), {"L", "e"})
        value = best["L"]["value"] if isinstance(best["L"], dict) else best["L"]
        self.assertTrue(0.8 - 1e-12 <= value <= 0.9 + 1e-12, done)

    def test_mistakes_are_named_with_their_place(self):
        for old, new, words in (
                ("L: [800", "Lx: [800", '20:5: unknown parameter "Lx", did you mean "L"?'),
                ("sobol", "sobo", '16:11: unknown design "sobo", did you mean "sobol"?'),
                ("1.2 m]", "1.2 kg]", "20:14: m is expected"),
                ("[800, 1.2 m]", "[800]", "20:8: expected a list of two numbers"),
                ("[800, 1.2 m]", "[900, 800]", '20:5: study: parameter "L": 0.9 to 0.8 is no range'),
                ("normal: [m,", "normal: [mm,", '21:18: study: parameter "m": there is no parameter "mm"'),
                ("0.05*m", "-0.05*m", '21:5: study: parameter "m": a standard deviation of -0.1 is not positive'),
                ("    e:", "    T:", '22:5: study: parameter "T": it has no min and max'),
                ("extremes:", "extreme:", "24:3: unknown key `extreme` of `study`"),
                ("cases: 8", "cases: 0", "17:10: expected a whole number from 1 on"),
                ("cases: 8", "list: no.csv", "17:9: `list` beside `parameters`"),
                ("normal:", "range: [1, 2], normal:", "one of range, normal, values")):
            self.write("bad.yaml", (MODEL + STUDY).replace(old, new))
            done = self.run_it("check", "bad.yaml", status=1)
            self.assertIn(words, done.stderr, new)
        for old, new, words in (('events: "*"', "events: hal", 'did you mean "half"?'), ('"u.*"', "u.Q", "u.Q"), ("[q.A, u.A]", "[q.A, '']", "empty name")):
            self.write("bad.yaml", (MODEL + STUDY).replace(old, new))
            self.assertIn(words, self.run_it("sweep", "bad.yaml", status=1).stderr)

    def test_random_studies_are_the_same_on_any_number_of_workers(self):
        for seed in range(4):
            r = random.Random(seed)
            names = r.sample(["L", "m", "e"], r.randint(1, 3))
            how = {"L": r.choice(["[700, 900]", "{values: [700, 800]}", ""]), "m": r.choice(["[1, 2]", "{normal: [2, 0.1]}"]), "e": ""}
            wanted = "".join(f"  {k}: {v}\n" for k, v in (("columns", "q.A"), ("extremes", "[q.A, energy.kinetic]"), ("events", "half"))
                             if k == "columns" or r.random() < 0.7)
            self.write("r.yaml", MODEL + "study:\n  design: " + r.choice(["latin", "grid", "sobol", "uniform", "indices"]) + "\n  parameters:\n"
                       + "".join(f"    {n}: {how[n]}\n" for n in names) + wanted)
            options = ["--formulation", r.choice(["tree", "dca", "cartesian"]), "--set", "T=0.7", "--seed", str(seed)]
            design = (["--design", "grid", "--points", "3"] if r.random() < 0.2 else [])
            one, two = (self.sweep(*options, *design, "--threads", n, model="r.yaml") for n in ("1", "2"))
            self.assertEqual(one, two)
            for i in "123":
                self.run_it("sweep", "r.yaml", *options, *design, "-q", "--shard", i + "/3", "-o", f"{seed}-{i}.csv")
            self.run_it("sweep", "r.yaml", *[f"{seed}-{i}.csv" for i in "123"], *options, *design, "--merge", "-q", "-o", f"{seed}.csv")
            with open(self.path(f"{seed}.csv"), encoding="utf-8") as f:
                self.assertEqual(list(csv.DictReader(line for line in f if not line.startswith("#"))), one)
            self.assertTrue(all(row["status"] == "ok" for row in one), one)


if __name__ == "__main__":
    unittest.main()
