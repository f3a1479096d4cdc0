# SPDX-License-Identifier: Apache-2.0
"""Energy against work in every run: shown, and warned about where a motion is wrong."""
import json
import unittest

from program import Folder, linkwork, linkwork_json, read_csv, shipped


class EnergyTest(Folder):
    """That no shipped model is warned about is in test_cli.py, which runs all of them."""

    def test_work_and_events_make_up_the_change_of_energy(self):
        for name in ("arm", "latch", "driven-four-bar", "hmmwv", "bouncing-pendulum"):
            energy = linkwork_json("run", shipped(name))["energy"]
            change = energy["end"]["total"] - energy["start"]["total"]
            self.assertAlmostEqual(change - energy["work"] - energy["events"], energy["error"],
                                   delta=1e-9 * abs(energy["start"]["total"]))
            self.assertLessEqual(energy["largest_error"], energy["explained"])
            self.assertTrue(energy["work"] or energy["events"])

    def test_a_fast_rotor_that_is_locked_and_starts_again(self):
        # from rest, at 6e4 rad/s^2, first steps are shorter than the resolution of time; energies cancel at the lock
        model = self.model("""linkwork: 1
bodies: {b: {solid: {rod: {length: 0.9, mass: 1.8, axis: x}}}}
joints: {J: {type: revolute, parent: ground, child: b, axis: x, q: 0.888, u: 0.7}}
forces: {M: {type: motor, joint: J, value: "max(-1, min(1, -5*q.J))"}}
events:
  - {when: "abs(q.J) - 0.427", once: true, lock: J}
  - {at: 0.8738, unlock: J}
""")
        ends = []
        for words in (("--rtol", "1e-10"), ("--rtol", "1e-12"), ("--rtol", "1e-13"), ("--rtol", "1e-13", "--integrator", "bdf")):
            done = linkwork("run", model, "--json", "--end", "0.9", *words)
            self.assertNotIn("energy and work", done.stderr)
            ends.append(json.loads(done.stdout)["q"]["J"])
        for end in ends[1:]:
            self.assertAlmostEqual(ends[0], end, delta=1e-6)

    def test_the_column_is_the_error_of_the_summary(self):
        path = self.path("out.csv")
        result = linkwork_json("run", shipped("latch"), "-o", path, "--columns", "energy.*")
        names, rows = read_csv(path)
        self.assertEqual(names[-1], "energy.error")
        self.assertEqual(max(abs(r[-1]) for r in rows), result["energy"]["largest_error"])
        self.assertEqual(rows[-1][-1], result["energy"]["error"])

    def test_steps_that_are_too_long_are_warned_about(self):
        words = ("run", shipped("double-pendulum"), "--integrator", "rk4", "--output-step", "0.4")
        rough = linkwork(*words, "--step", "0.4")
        self.assertIn("energy and work do not agree since t = 0.4", rough.stderr)
        self.assertIn("a smaller step", rough.stderr)
        self.assertIn("more than", rough.stdout)
        self.assertEqual(linkwork(*words, "--step", "0.01").stderr, "")

    def test_no_event_and_no_objective_depends_on_the_check(self):
        model = self.model("""
linkwork: 1
bodies: {a: {solid: {rod: {length: 1, mass: 1, axis: x}}}}
joints: {A: {type: revolute, parent: ground, child: a, axis: y}}
events: [{name: never, when: energy.error - 1, stop: true}]
""")
        self.assertIn('model.yaml:5:10: event "never"', linkwork("run", model, expect=1).stderr)


if __name__ == "__main__":
    unittest.main()
