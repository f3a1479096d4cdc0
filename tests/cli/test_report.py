# SPDX-License-Identifier: Apache-2.0
"""run --report and view: the numbers in the page are those of the table, texts are escaped, files stay small."""
import base64
import json
import math
import os
import re
import shutil
import struct
import subprocess
import unittest
import zlib

from program import LINKWORK, Folder, linkwork, read_csv, shipped

POSE = ("x", "y", "z", "e0", "e1", "e2", "e3")


def data_of(path):
    """The data of a page, read as browsers do: up to the first end of the script."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    start = text.index('<script id="data" type="application/json">')
    body = text[text.index(">", start) + 1:]
    return json.loads(body[:body.index("</script")]), text


def unfold(text, rows, columns):
    """Second differences of whole numbers in planes of bytes: cli/page_stream.c."""
    raw = zlib.decompress(base64.b64decode(text))
    n = rows * columns
    out = []
    for c in range(columns):
        last = slope = 0
        series = []
        for i in range(c * rows, (c + 1) * rows):
            z = raw[i] | raw[n + i] << 8 | raw[2 * n + i] << 16 | raw[3 * n + i] << 24
            slope = (slope + ((z >> 1) ^ -(z & 1))) & 0xffffffff
            last = (last + slope) & 0xffffffff
            series.append(struct.unpack("<i", struct.pack("<I", last))[0])
        out.append(series)
    return out


def series_of(stream):
    """Times, and one list of numbers for each column."""
    times = [stream["first"] + k * stream["step"] for k in unfold(stream["time"], stream["rows"], 1)[0]]
    cells = unfold(stream["data"], stream["rows"], stream["columns"])
    return times, [[math.nan if k == -2**31 else k * step for k in column]
                   for column, step in zip(cells, stream["steps"])]


class Report(Folder):
    def report(self, model, *words):
        linkwork("run", model, "--report", self.path("r.html"), "-o", self.path("r.csv"), *words)
        return data_of(self.path("r.html"))[0], *read_csv(self.path("r.csv"))

    def test_poses_and_columns_are_those_of_the_table(self):
        for name, words in (("squeezer", []), ("quadruped", ["--end", "0.4"]), ("latch", [])):
            data, heads, rows = self.report(shipped(name), *words)
            times, motion = series_of(data["motion"])
            self.assertEqual(len(times), len(rows))
            span = rows[-1][0]
            for t, row in zip(times, rows):
                self.assertAlmostEqual(t, row[0], delta=1e-8 * span)
            size = max(abs(x) for k, c in enumerate(motion) if k % 7 < 3 for x in c) or 1
            for b, body in enumerate(data["bodies"][1:]):
                for i, kind in enumerate(POSE):
                    column = heads.index(f"{kind}.{body['name']}")
                    for k, row in enumerate(rows):
                        x = motion[7 * b + i][k]
                        sign = 1 if i < 3 else math.copysign(1, sum(
                            motion[7 * b + j][k] * row[column - i + j] for j in range(3, 7)))
                        self.assertAlmostEqual(sign * x, row[column], delta=2e-6 * (size if i < 3 else 1))
            _, table = series_of(data["table"])
            for column, head in zip(table, data["names"]):
                written = [row[heads.index(head)] for row in rows]
                largest = max((abs(x) for x in written if x is not None), default=0)
                for x, y in zip(column, written):
                    if y is None:
                        self.assertTrue(math.isnan(x))
                    else:
                        self.assertAlmostEqual(x, y, delta=2e-7 * largest)

    def test_joints_that_come_and_go_have_their_times(self):
        model = self.model("""
linkwork: 1
bodies: {a: {solid: {rod: {length: 1, mass: 1, axis: x}}}}
joints: {A: {type: revolute, parent: ground, child: a, axis: y}}
events: [{at: 0.4, disconnect: A}]
simulation: {end: 1}
""")
        data, _, _ = self.report(model)
        part = {p["part"]["name"]: p for p in data["parts"]}
        self.assertEqual(part["A"]["since"], 0)
        self.assertAlmostEqual(part["A"]["until"], 0.4)

    def test_texts_of_models_are_escaped(self):
        name = "</script><img src=x onerror=alert(1)>\\u2028 <!--"
        model = self.model(f"""
linkwork: 1
name: "{name}"
bodies: {{"</script><b>": {{mass: 1, inertia: [1, 1, 1]}}}}
simulation: {{end: 0.1}}
""")
        linkwork("run", model, "--report", self.path("r.html"))
        data, text = data_of(self.path("r.html"))
        self.assertEqual(data["name"], name.replace("\\u2028", "\u2028"))
        self.assertEqual(data["bodies"][1]["name"], "</script><b>")
        self.assertEqual(len(re.findall("<img", text)), 0)
        self.assertNotIn("\u2028", text)

    def test_a_large_run_is_thinned_where_it_bends_least(self):
        bodies = "\n".join(f"  b{i}: {{mass: 1, inertia: [1, 2, 3], pose: {{at: [{i}, 0, 0]}}, "
                           f"velocity: {{linear: [1, {i % 7}, 3], angular: [{i % 5}, 3, 1]}}}}" for i in range(1, 101))
        model = self.model(f"linkwork: 1\nbodies:\n{bodies}\nsimulation: {{end: 4, output_step: 0.0004}}\n")
        linkwork("run", model, "--report", self.path("r.html"), "--rtol", "1e-5", "--integrator", "rk")
        self.assertLess(os.path.getsize(self.path("r.html")), 20e6)
        data, _ = data_of(self.path("r.html"))
        self.assertEqual(data["motion"]["of"], 10001)
        self.assertGreater(data["motion"]["rows"], 5000)

    def test_the_page_is_one_file_of_less_than_a_megabyte_of_code(self):
        linkwork("run", shipped("double-pendulum"), "--report", self.path("r.html"))
        _, text = data_of(self.path("r.html"))
        data = text[text.index('id="data"'):]
        self.assertLess(len(text) - data.index("</script"), 1e6)
        self.assertEqual(re.findall(r'(?:src|href)="(?!data:)[^"]*"', text), [])

    def test_view_writes_a_page(self):
        done = linkwork("view", shipped("double-pendulum"), "-o", self.path("v.html"), "--end", "1")
        self.assertEqual(done.stdout, "")
        self.assertEqual(data_of(self.path("v.html"))[0]["facts"]["time"], 1)

    def test_results_have_the_page_of_their_run(self):
        linkwork("run", shipped("catapult"), "--set", "release=-30", "-o", self.path("r.h5"),
                 "--report", self.path("r.html"))
        linkwork("view", self.path("r.h5"), "-o", self.path("v.html"))
        run, view = data_of(self.path("r.html"))[0], data_of(self.path("v.html"))[0]
        for key in ("name", "bodies", "shapes", "names", "units", "springs", "contacts", "motion", "table", "parts"):
            self.assertEqual(run[key], view[key], key)
        self.assertTrue(any(p["since"] > 0 for p in view["parts"]))  # the ball flies
        for a, b in zip(run["facts"]["events"], view["facts"]["events"]):
            self.assertEqual((a["time"], a["names"], a["kinetic_lost"]), (b["time"], b["names"], b["kinetic_lost"]))
            self.assertEqual({k: x for k, x in a["impulses"].items() if any(x)}, b["impulses"])
            self.assertEqual(a["hits"], b["hits"])
        self.assertEqual(len(run["facts"]["events"]), len(view["facts"]["events"]))

    def test_a_planar_solid_is_drawn_as_it_is(self):
        data, _, _ = self.report(self.model("""
linkwork: 1
planar: true
bodies:
  rod: {solid: {rod: {length: 2, mass: 1, axis: y}}}
  block: {solid: {box: {size: [0.5, 0.3, 0.1], mass: 1}}}
joints:
  A: {type: revolute, parent: ground, child: rod}
  B: {type: prismatic, parent: ground, child: block, at: [3, 0], axis: x}
simulation: {end: 0.1}
"""))
        shape = {data["bodies"][s["body"]]["name"]: s for s in reversed(data["shapes"])}
        self.assertEqual((shape["rod"]["type"], shape["block"]["type"]), ("capsule", "box"))
        self.assertAlmostEqual(shape["rod"]["size"][1], 2, 3)
        for a, b in zip(sorted(shape["block"]["size"]), (0.1, 0.3, 0.5)):
            self.assertAlmostEqual(a, b, 6)

    def test_results_without_poses_are_refused(self):
        linkwork("run", shipped("latch"), "-o", self.path("r.h5"), "--columns", "q.*")
        self.assertIn("no poses", linkwork("view", self.path("r.h5"), "-o", self.path("v.html"), expect=1).stderr)

    def film(self, *words, **environment):
        return subprocess.run([LINKWORK, "view", shipped("double-pendulum"), "-o", self.path("f.mp4"), *words],
                              capture_output=True, text=True, env=dict(os.environ, **environment), check=False)

    def test_a_film_without_a_browser_says_what_is_missing(self):
        done = self.film(CHROMIUM="/nonexistent")
        self.assertEqual(done.returncode, 1)
        self.assertIn("install the package chromium", done.stderr)
        self.assertEqual(os.listdir(self._folder), [])

    @unittest.skipUnless(shutil.which("chromium") and shutil.which("ffmpeg"), "needs chromium and ffmpeg")
    def test_a_film_has_its_pictures(self):
        done = self.film("--seconds", "0.2", "--end", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(self._folder), ["f.mp4"])
        count = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames",
                                "-of", "csv=p=0", self.path("f.mp4")], capture_output=True, text=True, check=True)
        self.assertEqual(int(count.stdout.strip().strip(",")), 7)

    def test_a_run_that_fails_still_has_its_page(self):
        model = self.model("""
linkwork: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {A: {type: prismatic, parent: ground, child: a, axis: x, u: 1}}
forces: {f: {type: motor, joint: A, value: 1/(0.5 - q.A)^3}}
simulation: {end: 100, output_step: 0.05}
""")
        linkwork("run", model, "--report", self.path("r.html"), expect=1)
        data, _ = data_of(self.path("r.html"))
        self.assertIsNotNone(data["facts"]["error"])
        self.assertGreater(data["motion"]["rows"], 1)

    def test_files_that_would_be_overwritten_are_refused(self):
        double = shipped("double-pendulum")
        for words in (["run", double, "--report", "x.csv"], ["view", double, "-o", "x.csv"],
                      ["run", double, "--report", double]):
            linkwork(*words, expect=2)


class Draw(Folder):
    """Joints are white circles: a path to its own beginning."""

    def circles(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        dots = re.findall(r'stroke="#ffffff"[^>]* d="M(\S+) (\S+)L(\S+) (\S+)"', text)
        self.assertTrue(all(d[:2] == d[2:] for d in dots))
        return [(float(x), float(y)) for x, y, _, _ in dots], text

    def test_instants_are_where_the_table_says(self):
        double = shipped("double-pendulum")
        linkwork("run", double, "-o", self.path("r.csv"), "--end", "1", "--output-step", "0.25")
        heads, rows = read_csv(self.path("r.csv"))
        linkwork("draw", double, "-o", self.path("d.svg"), "--at", "0,0.25,0.5,0.75,1", "--view", "front")
        dots, text = self.circles(self.path("d.svg"))
        self.assertEqual(len(dots), 10)
        lengths = []
        for k, row in enumerate(rows):
            a, b = dots[2 * k], dots[2 * k + 1]
            names = [h[2:] for h in heads if h.startswith("x.")]
            body = names[1]  # its origin is the second joint
            x, y, z = (row[heads.index(f"{c}.{body}")] for c in "xyz")
            up = y if abs(y) > abs(z) else z
            scale = math.hypot(b[0] - a[0], b[1] - a[1]) / math.hypot(x, up)
            lengths.append(scale)
            self.assertAlmostEqual(b[0] - a[0], scale * x, delta=0.1)
            self.assertAlmostEqual(b[1] - a[1], -scale * up, delta=0.1)
        self.assertLess(max(lengths) - min(lengths), 0.01 * lengths[0])
        self.assertIn("5 instants from t = 0 s to 1 s", text)

    def test_every_shipped_model_can_be_drawn_from_every_side(self):
        for name in ("squeezer", "quadruped", "hmmwv", "joint-zoo", "governor", "catapult"):
            for view in ("front", "side", "top", "oblique"):
                linkwork("draw", shipped(name), "-o", self.path("d.svg"), "--view", view, "-q")
                _, text = self.circles(self.path("d.svg"))
                self.assertGreater(text.count("<path"), 5)
                self.assertNotIn("nan", text.lower().replace("name", ""))

    def test_wrong_usage(self):
        double = shipped("double-pendulum")
        for words in ([], ["-o", "x.png"], ["-o", "x.svg", "--at", "1,0"], ["-o", "x.svg", "--at", "a"],
                      ["-o", "x.svg", "--instants", "0"], ["-o", "x.svg", "--view", "below"],
                      ["-o", "x.svg", "--at", "1", "--instants", "2"], ["-o", "x.svg", "--width", "3"]):
            linkwork("draw", double, *words, expect=2)


if __name__ == "__main__":
    unittest.main()
