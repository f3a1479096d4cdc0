# SPDX-License-Identifier: Apache-2.0
"""Every option of every verb, as --help lists them, has an effect, or is refused or named in a message."""
import os
import re
import subprocess
import unittest

from program import LINKWORK, Folder, linkwork, shipped

# bar: what the options below are values for; table: results of its run
BAR = """linkwork: 1
parameters: {L: 1, m: 2}
bodies:
  a: {solid: {rod: {length: L, mass: m, axis: x}}}
  b: {solid: {rod: {length: 2, mass: 1, axis: x}}}
  c: {solid: {rod: {length: 1.5, mass: 1, axis: x}}}
joints:
  A: {type: revolute, parent: ground, child: a, axis: y, q: 60 deg}
  B: {type: revolute, parent: a, child: b, at: [L, 0, 0], axis: y, q: -60 deg}
  C: {type: revolute, parent: ground, child: c, at: [2, 0, 0], axis: y, q: 80 deg}
  D: {type: revolute, parent: b, child: c, at: [2, 0, 0], child_at: [1.5, 0, 0], axis: y}
forces:
  drive: {type: motor, joint: A, value: "sin(3*t) - 0.3*u.A"}
  soft: {type: spring, from: {body: a}, to: {body: c}, length: 1, stiffness: 30, damping: 3}
simulation: {end: 0.3, output_step: 0.01, integrator: bdf}
"""
# each word as it would be given; {}: of one verb, "*" of the others
VALUES = {
    "output": {"fit": "x.yaml", "optimize": "x.yaml", "modes": "x.csv", "inverse": "x.csv", "convert": "x.urdf", "make": "x.yaml", "plot": "x.svg", "view": "x.html", "codegen": "x.c",
               "draw": "x.svg", "*": "x.csv"},
    "set": "L=1.1", "inertia": "keep", "key": "home", "root": ".", "q": "A=0.9", "u": "A=0.5", "from": {"results": "0.1", "*": "r.csv@0.1"},
    "end": "0.2", "output-step": "0.05", "columns": "t,q.A", "formulation": "cartesian", "solver": "reduced-lu",
    "ordering": "sloan", "loops": "cut", "threads": "2", "integrator": "auto", "rtol": "1e-4", "atol": "1e-3", "step": "0.002",
    "resume": "r.h5", "checkpoint": "5", "keep": "60", "plot": "q.A", "report": "p.html", "t": "0.1", "tau": "A=1", "jacobian": {"codegen": "a", "*": "a@0,0,0"}, "prefix": "arm",
    "compliance": "a", "aggregate": "a", "partition": "a", "numbering": "rcm", "svg": "i.svg", "patterns": "pat.svg", "assembly-svg": "a.svg",
    "relax": "rel.yaml", "at": {"modes": "start", "draw": "0.1"}, "udot": "A=1", "actuators": "A", "motion": "motion.csv",
    "parameters": "L", "to": "0.2", "every": "3", "diff": "other.csv", "seconds": "2", "instants": "3", "width": "300",
    "view": "top", "assembly": "pairs", "vary": "m=1..3", "design": "sobol", "cases": "7", "points": "3", "list": "list.csv", "seed": "4", "shard": "1/2", "case": "2",
    "limit": "100", "data": "measured.csv", "with": "L=1.02", "noise": "q.A=0.1", "weight": "q.A=3", "table": "x.csv", "iterations": "1",
    "minimize": "speed", "maximize": "speed", "require": "speed<=100", "method": "mma", "starts": "3", "runs": {"sweep": "run-%.csv", "*": "2"}, "extremes": "u.A", "gradient": "adjoint", "events": "*", "tolerance": "0.01",
}
# what a verb works on, if not on the model, and what else it is given: an option is tried with each line
BASES = {
    "run": (["m.yaml"], ["m.yaml", "-o", "y.csv"], ["m.yaml", "--integrator", "rk4"]),
    "results": (["r.csv"], ["r.csv", "-o", "y.csv"], ["r.csv", "--diff", "other.csv"]),
    "inverse": (["m.yaml"], ["m.yaml", "--motion", "motion.csv"]),
    "modes": (["m.yaml", "--q", "A=1"], ["m.yaml", "--at", "start"]),
    "draw": (["m.yaml", "-o", "x.svg"], ["m.yaml", "-o", "x.svg", "--instants", "3"]),
    "plot": (["r.csv", "q.A"],), "make": (["chain", "3"],), "bench": (), "schema": (),
    "convert": (["m.yaml", "-o", "y.yaml"],),
    "codegen": (["m.yaml", "-o", "y.c"],),
    "view": (["m.yaml", "-o", "y.html"],),
    "inspect": (["m.yaml"], ["m.yaml", "--json"]),
    "sweep": (["m.yaml", "--vary", "L=0.9..1.1", "--cases", "3", "--columns", "q.A"],
              ["m.yaml", "--vary", "L=0.9..1.1", "--design", "grid", "--columns", "q.A"]),
    "fit": (["m.yaml", "--vary", "m", "--data", "measured.csv"],),
    "optimize": (["goals.yaml", "--vary", "m=1..3", "--starts", "2"],),
}
# no trace in what is written: messages that there are none of, rounding errors, the model without what they are about
UNSEEN = {("quiet", "*"), ("set", "check"), ("set", "inspect"), ("all", "inspect"), ("events", "results"), ("inverse", "eval"), ("keep", "run"),
          ("factors", "eval"), ("t", "equilibrium"), ("t", "modes"), ("set", "equilibrium"), ("nearest", "modes"), ("loops", "*"), ("limit", "sweep"), ("threads", "sweep"), ("threads", "fit"),
          *((o, v) for o in ("formulation", "integrator", "step") for v in ("draw", "sweep", "fit", "optimize"))}
VERBS = "run check eval inspect equilibrium modes inverse sens convert make results plot view draw sweep fit optimize codegen".split()


class Options(Folder):
    def setUp(self):
        super().setUp()
        with open(self.path("m.yaml"), "w") as file:
            file.write(BAR)
        for words in (["r.csv"], ["r.h5"], ["other.csv", "--set", "L=1.01"], ["motion.csv", "--columns", "t,q.A"]):
            linkwork("run", self.path("m.yaml"), "-q", "-o", self.path(words[0]), *words[1:])
        with open(self.path("goals.yaml"), "w") as file:
            file.write(BAR.replace("end: 0.3", "end: 0.02") + "sensitivity: {objectives: {height: {final: (m - 1.7)^2 + 0.1*(m - 1.7)^3 + 0.01*z.b}, speed: {max: u.A^2}}}\n")
        linkwork("run", self.path("m.yaml"), "-q", "-o", self.path("measured.csv"), "--columns", "q.A,u.A", "--end", "0.1", "--set", "m=2.2", "--set", "L=1.01")
        with open(self.path("list.csv"), "w") as file:
            file.write("t,m\n0,1\n1,2\n")
        self.kept = set(os.listdir(self._folder))

    def options(self, verb):
        """Names, and whether they take a value."""
        found = re.findall(r"^  (?:-\w,|   ) --([\w-]+)( [^ ]+)?  ", linkwork(verb, "--help").stdout, re.M)
        return {name: bool(value) for name, value in found if name != "help"}

    def written(self, verb, words):
        """Exit status, stdout, messages, and the files that were made."""
        done = subprocess.run([LINKWORK, verb, *words], capture_output=True, text=True, timeout=600, cwd=self._folder)
        files = {}
        for name in sorted(set(os.listdir(self._folder)) - self.kept):
            with open(self.path(name), "rb") as file:
                data = file.read()
            files[name] = re.sub(rb'"(arguments|command|wall_time|created)[^\n]*', b"", data)
            os.remove(self.path(name))
        times = r"[\d.e-]+ m?s( wall)?\b|\"wall_time\": [\d.e-]+"
        return done.returncode, re.sub(times, "", done.stdout), done.stderr, files

    def try_option(self, verb, base, name, takes):
        value = VALUES.get(name) if takes else None
        value = value.get(verb, value.get("*")) if isinstance(value, dict) else value
        self.assertTrue(value or not takes, f"{verb} --{name}: this test needs a value for it")
        status, out, messages, files = self.written(verb, [*base, f"--{name}", *([value] if takes else [])])
        self.assertIn(status, (0, 1, 2, 3), (verb, base, name, messages))
        if status == 2:
            self.assertTrue(messages.startswith(f"linkwork {verb}: "), messages)
            return
        plain = self.written(verb, base)
        if (status, out, files) == (plain[0], plain[1], plain[3]) and not {(name, "*"), (name, verb)} & UNSEEN:
            self.assertIn(name, messages, f"{verb} {base}: --{name} changes nothing, and no message says so")

    def test_no_option_is_ignored_without_a_word(self):
        for verb in VERBS:
            for base in BASES.get(verb, (["m.yaml"],)):
                given = {w.lstrip("-") for w in base if w.startswith("-")} | ({"output"} if "-o" in base else set())
                for name, takes in self.options(verb).items():
                    if name not in given:
                        with self.subTest(verb=verb, base=base, option=name):
                            self.try_option(verb, base, name, takes)

    def test_auto_overrides_what_the_file_says(self):
        model = self.path("m.yaml")
        for words, method in (([], "BDF"), (["--integrator", "auto"], "Adams"), (["--integrator", "adams"], "Adams")):
            self.assertIn(method, linkwork("run", model, *words).stdout)
        with open(model, "w") as file:
            file.write(BAR.replace("integrator: bdf", "formulation: cartesian"))
        self.assertIn("cartesian", linkwork("run", model).stdout)
        self.assertNotIn("cartesian", linkwork("run", model, "--formulation", "auto").stdout)


if __name__ == "__main__":
    unittest.main()
