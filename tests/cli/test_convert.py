# SPDX-License-Identifier: Apache-2.0
"""Native models written as model files: the same model again, whose runs are the same, with all that is written in them."""
import glob
import os
import unittest

from program import SOURCE, Folder, linkwork, linkwork_json, read_csv

EVERYTHING = """linkwork: 1
gravity: [0, 0, -9.81]
parameters: {m: 2, e: {value: 0.3, min: 0, max: 1}}
bodies:
  a: {mass: m, com: [0.3, 0, 0], inertia: [0.01, 0.02, 0.03]}
  b: {mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.03, 0.001, 0, 0]}
  c: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {at: [0, 2, 0.5]}, velocity: {linear: [0.1, 0, 0]}}
  d: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {at: [1, 4, 0.5]}}
  f: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {at: [1, 6, 0.5]}}
joints:
  A: {type: revolute, parent: ground, child: a, axis: y, q: 0.2, limits: [-1, 1.1]}
  B: {type: revolute, parent: a, child: b, at: [0.5, 0, 0], axis: y, friction: {load: 0.2}}
  r: {type: rope, parent: ground, child: d, at: [0, 4, 2], length: 2.5, restitution: e}
contacts:
  foot: {body: c, radius: 0.1, on: {plane: {body: ground}}, restitution: 0.2, friction: 0.5}
  ring: {body: f, disc: {radius: 0.2, axis: x}, on: {plane: {body: ground, at: [0, 0, -0.1], normal: [0, 0.1, 1]}}}
outputs: {height: "z.c + e"}
states: {s: {start: 1, rate: "-s + q.A"}}
events:
  - {name: grip, at: 0.1, connect: {name: K, type: spherical, parent: b, child: c}}
  - {at: 0.2, disconnect: K}
  - {when: "q.B - 0.3", direction: rising, once: true, lock: B}
  - {at: 0.4, unlock: {joint: B, dofs: [1]}}
  - {at: 0.5, impulse: {body: c, at: [0, 0.1, 0], linear: [0, 0, e], angular: [0.1, 0, 0]}}
  - {name: weld, at: 0.6, merge: {name: both, bodies: [a, b]}}
  - {at: 0.7, split: both}
  - {at: 0.75, replace: {joint: A, type: cylindrical, axis: y}}
  - {at: 0.8, stop: true}
simulation: {end: 1, output_step: 0.05, start: written}
sensitivity: {parameters: [m], objectives: {last: {final: "q.A"}, most: {max: "z.c"}}}
"""


class Converted(Folder):
    def run_of(self, path):
        linkwork("run", path, "-o", self.path("out.csv"))
        return read_csv(self.path("out.csv"))

    def assert_same_runs(self, path):
        again = self.path("again.yaml")
        linkwork("convert", path, "-o", again)
        self.assertEqual(self.run_of(path), self.run_of(again), path)
        return again

    def test_everything_that_a_model_may_have(self):
        path = self.model(EVERYTHING)
        again = self.assert_same_runs(path)
        with open(again) as file:
            text = file.read()
        for part in ("contacts:", "events:", "sensitivity:", "restitution: e", "max: 1", "height: ", "disc: {", "dofs: [1]"):
            self.assertIn(part, text)
        self.assertEqual(linkwork_json("check", path), {**linkwork_json("check", again)})

    def test_what_mjcf_cannot_say_is_listed_by_its_name(self):
        said = linkwork("convert", self.model(EVERYTHING), "-o", self.path("out.xml")).stderr
        for part in ('contact "foot"', 'contact "ring"', 'rope "r"', 'state "s"', 'output "height"', 'section "events"'):
            self.assertIn(part, said)
        self.assertNotIn("touch.", said)

    def test_models_of_the_plane(self):
        path = self.model("""linkwork: 1
planar: true
gravity: [0, -9.81]
bodies:
  bar: {mass: 2, com: [0.5, 0], inertia: 0.2}
  arm: {mass: 1, com: [0.3, 0], inertia: 0.1}
  box: {mass: 1, inertia: 0.1, pose: {at: [0, 1], orient: 30 deg}, velocity: {linear: [1, 0], angular: 2}}
joints:
  A: {type: revolute, parent: ground, child: bar, q: 20 deg}
  S: {type: prismatic, parent: bar, child: arm, at: [1, 0], orient: 10 deg, axis: [1, 1], u: 0.1}
simulation: {end: 0.3, output_step: 0.1}
""")
        self.assert_same_runs(path)

    def test_models_that_come_with_the_program(self):
        done = 0
        for path in sorted(glob.glob(os.path.join(SOURCE, "models", "*.yaml"))):
            try:
                linkwork("convert", path, "-o", self.path("again.yaml"))
            except AssertionError as refused:
                self.assertRegex(str(refused), "(functions and tables|compliant contacts|loops and threads.*) cannot be written")
                continue
            one, other = (linkwork_json("eval", file)["udot"] for file in (path, self.path("again.yaml")))
            self.assertEqual(one, other, path)
            done += 1
        self.assertGreater(done, 20)


if __name__ == "__main__":
    unittest.main()
