# SPDX-License-Identifier: Apache-2.0
"""Files of results: HDF5 holds what CSV does and more, during the run and after it was killed; `linkwork results`."""
import json
import math
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree

from program import LINKWORK, SANITIZED, Folder, linkwork, linkwork_json, read_csv, shipped

READ = """
import h5py, json, sys
f = h5py.File(sys.argv[1], "r", swmr="swmr" in sys.argv)
if "rows" in sys.argv:
    print(f["data"].shape[0])
    sys.exit()
data = f["data"][:]
print(json.dumps({
    "columns": list(f["columns"].asstr()[:]), "units": list(f["units"].asstr()[:]),
    "rows": [[None if x != x else float(x).hex() for x in row] for row in data.tolist()],
    "facts": {k: v.decode() if isinstance(v, bytes) else float(v) for k, v in f.attrs.items()},
    "events": [[float(e["time"]), e["name"].decode(), int(e["row"])] for e in f["events"][:]],
    "sources": [f["model"][k].asstr()[()] for k in sorted(f["model"], key=int)],
    "paths": [f["model"][k].attrs["path"].decode() for k in sorted(f["model"], key=int)],
    "arguments": list(f["arguments"].asstr()[:]),
    "parameters": dict(zip(f["parameters"].asstr()[:], f["parameter_values"][:].tolist())),
    "state": int(f["status"]["state"][0]), "message": f["status"]["message"][0].decode()}))
"""


def find_python():
    """An interpreter that has h5py: Debian's, which need not be the one that runs the tests."""
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-c", "import h5py"], capture_output=True)
        if done.returncode == 0:
            return python
    return None


PYTHON = find_python()


def h5py(path, *words):
    """What h5py reads."""
    done = subprocess.run([PYTHON, "-c", READ, path, *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def exact(rows):
    return [[None if x is None else x.hex() for x in row] for row in rows]


@unittest.skipIf(PYTHON is None, "python3-h5py is not installed")
class Results(Folder):
    def run_both(self, model, *words):
        linkwork("run", model, "-o", self.path("a.h5"), *words)
        linkwork("run", model, "-o", self.path("a.csv"), *words)
        return h5py(self.path("a.h5")), read_csv(self.path("a.csv"))

    def test_hdf5_has_the_numbers_of_csv_bit_by_bit(self):
        for model in ("latch", "woodpecker", "squeezer", "bouncing-pendulum"):
            file, (names, rows) = self.run_both(shipped(model))
            self.assertEqual(file["columns"], names)
            self.assertEqual(file["rows"], exact(rows))
            self.assertEqual(file["state"], 1)

    def test_files_longer_than_a_block_are_whole(self):
        file, (_, rows) = self.run_both(shipped("double-pendulum"), "--end", "3", "--output-step", "0.001")
        self.assertGreater(len(rows), 2500)
        self.assertEqual(file["rows"], exact(rows))

    def test_the_file_says_what_was_computed(self):
        linkwork("run", shipped("crane"), "-o", self.path("a.h5"), "--end", "0.1", "--rtol", "1e-6")
        file = h5py(self.path("a.h5"))
        self.assertEqual(file["facts"]["rtol"], 1e-6)
        self.assertEqual(file["facts"]["format"], "linkwork results")
        self.assertTrue(file["facts"]["program"].startswith("linkwork "))
        self.assertEqual(file["arguments"][:2], ["run", shipped("crane")])
        self.assertEqual(file["paths"][0], shipped("crane"))
        self.assertGreaterEqual(len(file["sources"]), 1)
        for path, text in zip(file["paths"], file["sources"]):
            with open(path) as original:
                self.assertEqual(text, original.read())
        linkwork("run", shipped("latch"), "--set", "mass=21", "-o", self.path("b.h5"))
        self.assertEqual(h5py(self.path("b.h5"))["parameters"]["mass"], 21)

    def test_included_files_are_in_the_file(self):
        for name, text in (("part.yaml", "linkwork: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                            "joints: {B: {type: revolute, parent: ground, child: b}}\n"),
                           ("force.csv", "s, v\n0, 0\n1, 2\n")):
            with open(self.path(name), "w") as file:
                file.write(text)
        model = self.model("linkwork: 1\ninclude: {p: {file: part.yaml}, r: {file: part.yaml}}\n")
        linkwork("run", model, "-o", self.path("a.h5"), "--end", "0.1")
        file = h5py(self.path("a.h5"))
        self.assertEqual([os.path.basename(p) for p in file["paths"]], ["model.yaml", "part.yaml"])

    def test_columns_of_force_elements_have_units(self):
        model = self.model("linkwork: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}\n"
                           "joints: {A: {type: revolute, parent: ground, child: a}, P: {type: planar, parent: a, child: b}}\nforces:\n"
                           "  T: {type: torsion, parent: a, child: b, stiffness: 3}\n  U: {type: bushing, parent: a, child: b, stiffness: 3}\n"
                           "  M: {type: motor, joint: A, value: 1}\n  N: {type: motor, joint: P, value: 1}\n  J: {type: joint_spring, joint: P, dof: 3, stiffness: 1}\n"
                           "  S: {type: spring, from: a, to: ground, stiffness: 1}\n  F: {type: force, body: a, force: [0, 0, 1]}\n")
        wanted = {"angle.T": "rad", "rate.T": "rad/s", "load.T": "N m", "dx.U": "m", "dvy.U": "m/s", "rz.U": "rad", "dwx.U": "rad/s", "fx.U": "N",
                  "ty.U": "N m", "load.M": "N m", "power.M": "W", "load.N": "N", "load.J": "N m", "length.S": "m", "rate.S": "m/s",
                  "tension.S": "N", "fz.F": "N", "tx.F": "N m", "xx.b.in.a": "1", "vx.b.in.a": "m/s", "wz.b": "rad/s", "wdotx.a": "rad/s^2"}
        linkwork("run", model, "-o", self.path("a.h5"), "--end", "0.1", "--columns", ",".join(wanted))
        file = h5py(self.path("a.h5"))
        found = dict(zip(file["columns"], file["units"]))
        self.assertEqual(found.pop("t"), "s")
        self.assertEqual(found, wanted)

    def test_units_are_those_of_the_columns(self):
        file, _ = self.run_both(shipped("joint-zoo"), "--end", "0.01")
        unit = dict(zip(file["columns"], file["units"]))
        self.assertEqual(unit["t"], "s")
        self.assertEqual(unit["energy.total"], "J")
        for name, u in unit.items():
            kind = name.split(".")[0]
            if kind in ("vx", "vy", "vz"):
                self.assertEqual(u, "m/s", name)
            if kind in ("tx", "ty", "tz"):
                self.assertEqual(u, "N m", name)
            if kind == "u":
                self.assertIn(u, ("rad/s", "m/s"), name)

    def test_events_stand_at_their_rows(self):
        file, (names, rows) = self.run_both(shipped("latch"))
        self.assertEqual([e[1] for e in file["events"]], ["latch", "open", "push"])
        for t, _, row in file["events"]:
            self.assertEqual(rows[row][0], t)
            self.assertEqual(rows[row + 1][0], t)

    def test_a_killed_run_leaves_its_rows(self):
        words = ["run", shipped("humanoid"), "--output-step", "0.001", "--columns", "t,q.*"]
        path = self.path("live.h5")
        process = subprocess.Popen([LINKWORK, *words, "--end", "1000", "-o", path, "-q"])
        try:
            rows, start = 0, time.monotonic()
            while rows < 100 and time.monotonic() - start < 300:
                time.sleep(0.2)
                if os.path.exists(path) and os.path.getsize(path) > 0:
                    try:
                        rows = h5py(path, "swmr", "rows")
                    except AssertionError:
                        pass  # not yet opened for readers
            self.assertIsNone(process.poll())
            self.assertGreaterEqual(rows, 100)
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        file = h5py(path, "swmr")
        self.assertGreaterEqual(len(file["rows"]), rows)
        self.assertEqual(file["state"], 0)
        self.assertIn("not finished", linkwork("results", path).stdout)
        end = float.fromhex(file["rows"][-1][0])
        linkwork(*words, "-o", path + ".csv", "--end", "%.3f" % min(end, 0.2))
        _, again = read_csv(path + ".csv")
        n = min(len(again) - 1, len(file["rows"]))
        self.assertEqual([r[0] for r in file["rows"][:n]], [r[0] for r in exact(again)[:n]])

    def test_a_full_disk_is_one_line_and_a_readable_file(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, 3 << 20))
        path = self.path("full.h5")
        done = subprocess.run([LINKWORK, "run", shipped("humanoid"), "-o", path, "--end", "20", "--output-step", "0.001",
                               "-q"], capture_output=True, text=True, preexec_fn=limit)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("File too large", done.stderr)
        file = h5py(path)
        self.assertGreater(len(file["rows"]), 100)
        self.assertEqual(file["state"], 2)

    def test_an_earlier_file_stays_until_the_new_one_is_complete(self):
        path = self.path("a.h5")
        linkwork("run", shipped("latch"), "-o", path)
        os.chmod(path, 0o640)
        linkwork("run", shipped("squeezer"), "-o", path)
        self.assertIn("squeez", h5py(path)["facts"]["name"])
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
        self.assertEqual(os.listdir(self.path(".")), ["a.h5"])

    def test_hdf5_is_not_written_to_pipes(self):
        os.mkfifo(self.path("pipe.h5"))
        done = linkwork("run", shipped("latch"), "-o", self.path("pipe.h5"), expect=1)
        self.assertIn("CSV can", done.stderr)

    def test_sensitivities_are_columns_too(self):
        linkwork("sens", shipped("four-bar"), "--parameters", "La", "--end", "0.2", "-o", self.path("s.h5"))
        self.assertIn("d(q.A)/d(La)", h5py(self.path("s.h5"))["columns"])


class Resume(Folder):
    """A run that was interrupted ends with the bits of one that was not."""

    def whole(self, model, *words):
        path = self.path("whole.h5")
        linkwork("run", model, "-o", path, "-q", *words)
        return path

    def same(self, a, b, *words):
        said = linkwork("results", a, "--diff", b, *(words or ("--rtol", "0", "--atol", "0"))).stdout
        self.assertIn("same", said)

    def test_runs_that_begin_anew_at_checkpoints_are_correct(self):
        runs = (("bouncing-pendulum", ()), ("pid-arm", ()), ("latch", ()), ("double-pendulum", ("--end", "4")),
                ("four-bar", ("--end", "4")), ("woodpecker", ("--end", "1")), ("quadruped", ()))
        for model, words in runs[:3] if SANITIZED else runs:
            whole = self.whole(shipped(model), "--checkpoint", "20", *words)
            linkwork("run", shipped(model), "-o", self.path("same.csv"), "-q", "--checkpoint", "20", *words)
            self.same(whole, self.path("same.csv"))
            linkwork("run", shipped(model), "-o", self.path("plain.csv"), "-q", *words)
            names = [c["name"] for c in linkwork_json("results", whole)["columns"]]
            chosen = ",".join(n for n in names if n.split(".")[0] in ("t", "q", "u"))
            self.same(whole, self.path("plain.csv"), "--columns", chosen, "--rtol", "1e-5", "--atol", "1e-6")

    def test_a_long_run_without_a_file_keeps_its_results(self):
        model = os.path.abspath(shipped("double-pendulum"))
        words = ("run", model, "--end", "300", "--output-step", "5")

        def start(*more):
            return subprocess.run([LINKWORK, *words, *more], cwd=self.path(""), capture_output=True, text=True, check=True)
        self.assertNotIn("long run", start("--keep", "inf").stderr)
        self.assertEqual(os.listdir(self.path("")), [])
        for name in ("double-pendulum.h5", "double-pendulum-2.h5"):  # none is overwritten
            done = start("--keep", "0.05")
            self.assertIn(f"its results are kept in {name}", done.stderr)
            self.assertIn("energy", done.stdout)
        linkwork(*words, "-o", self.path("whole.h5"), "-q")
        linkwork("results", self.path("double-pendulum.h5"), "--diff", self.path("whole.h5"), "--rtol", "0", "--atol", "0")
        for wrong in (("--keep", "0"), ("--keep", "1", "-o", "a.csv"), ("--keep", "soon")):
            self.assertIn("--keep", linkwork(*words, *wrong, expect=2).stderr)

    def lasting(self, model, seconds):
        """Words of a run of this model that takes about so long here, and its results."""
        words, end = ["--output-step", "0.005", "--checkpoint", "60", "--columns", "t,q.*,u.*,energy.*"], 15
        path = self.path(os.path.basename(model) + ".h5")
        while True:
            start = time.monotonic()
            linkwork("run", model, "-o", path, "-q", *words, "--end", str(end))
            duration = time.monotonic() - start
            if duration > 0.8 * seconds:
                return [*words, "--end", str(end)], path, duration
            end = math.ceil(end * min(8, 1.1 * seconds / duration))

    def test_killed_at_random_instants(self):
        random.seed(5)
        kills = int(os.environ.get("LINKWORK_KILLS", "1"))
        seconds = 5 if kills > 3 else 2.5
        path, runs = self.path("killed.h5"), {}
        for kill in range(kills):
            model = shipped(("four-bar-stop", "bouncing-pendulum", "double-pendulum")[kill % 3])
            if model not in runs:
                runs[model] = self.lasting(model, seconds)
            words, whole, duration = runs[model]
            at = random.uniform(0.2, 0.95) * duration
            while not self.kill(path, at, "run", model, "-o", path, "-q", *words):
                at *= 0.7  # this time it was faster
            self.assertEqual(linkwork_json("results", path)["state"], "unfinished")
            linkwork("run", "--resume", path, "-q")
            self.same(whole, path)

    def kill(self, path, at, *words):
        """Kills the run after so many seconds, or as soon as there are rows in its file.  False: it had ended."""
        if os.path.exists(path):
            os.remove(path)
        process = subprocess.Popen([LINKWORK, *words])
        time.sleep(at)
        rows = 0
        while rows < 2 and process.poll() is None:
            done = subprocess.run([LINKWORK, "results", path, "--json"], capture_output=True, text=True)
            rows = json.loads(done.stdout)["rows"] if done.returncode == 0 else 0
        process.kill()
        return process.wait() != 0

    def test_an_interrupted_run_goes_on_from_its_checkpoint(self):
        words = ("--output-step", "0.0005", "--checkpoint", "50", "--columns", "t,q.*", "--end", "30")
        path = self.path("a.h5")
        process = subprocess.Popen([LINKWORK, "run", shipped("double-pendulum"), "-o", path, "-q", *words],
                                   stderr=subprocess.DEVNULL)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertIn(process.wait(), (-signal.SIGINT, 0))
        linkwork("run", "--resume", path, "-q")
        self.same(self.whole(shipped("double-pendulum"), *words), path)
        self.assertIn("nothing to resume", linkwork("run", "--resume", path).stderr)

    def test_an_interrupted_run_goes_on_after_events_that_change_the_model(self):
        for model, words in (("catapult", ()), ("woodpecker", ("--end", "2")), ("four-bar-stop", ())):
            start = time.monotonic()
            whole = self.whole(shipped(model), "--checkpoint", "15", *words)
            duration = time.monotonic() - start
            path = self.path("a.h5")
            process = subprocess.Popen([LINKWORK, "run", shipped(model), "-o", path, "-q", "--checkpoint", "15", *words],
                                       stderr=subprocess.DEVNULL)
            time.sleep(0.8 * duration)
            process.send_signal(signal.SIGINT)
            process.wait()
            linkwork("run", "--resume", path, "-q")
            self.same(whole, path)
            os.remove(path)

    def test_the_model_of_the_results_is_used(self):
        with open(shipped("double-pendulum")) as file:
            model = self.model(file.read())
        words = ("--output-step", "0.0005", "--end", "60", "--checkpoint", "50", "--columns", "t,q.*")
        whole = self.whole(model, *words)
        process = subprocess.Popen([LINKWORK, "run", model, "-o", self.path("a.h5"), "-q", *words])
        time.sleep(0.4)
        process.kill()
        process.wait()
        os.remove(model)
        linkwork("run", "--resume", self.path("a.h5"), "-q")
        self.same(whole, self.path("a.h5"))

    def test_mistakes_are_named(self):
        whole = self.whole(shipped("latch"))
        self.assertIn("no other", linkwork("run", shipped("latch"), "--resume", whole, expect=2).stderr)
        for option in (["--end", "4"], ["-o", self.path("b.h5")], ["--report", self.path("b.html")]):
            self.assertIn("is not allowed", linkwork("run", "--resume", whole, *option, expect=2).stderr)
        linkwork("results", whole, "-o", self.path("a.csv"))
        self.assertIn("no file of", linkwork("run", "--resume", self.path("a.csv"), expect=2).stderr)


class Lines(Folder):
    def test_json_lines_have_the_numbers_of_csv(self):
        linkwork("run", shipped("coarse-graining"), "-o", self.path("a.csv"))
        linkwork("run", shipped("coarse-graining"), "-o", self.path("a.jsonl"))
        names, rows = read_csv(self.path("a.csv"))
        with open(self.path("a.jsonl")) as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual(list(lines[0]), names)
        self.assertEqual([list(line.values()) for line in lines], rows)

    def test_csv_goes_to_stdout(self):
        done = linkwork("run", shipped("latch"), "-o", "-")
        linkwork("run", shipped("latch"), "-o", self.path("a.csv"))
        with open(self.path("a.csv")) as file:
            self.assertEqual(done.stdout, file.read())


class Plot(Folder):
    def setUp(self):
        super().setUp()
        self.a = self.path("a.h5")
        linkwork("run", shipped("latch"), "-o", self.a)

    def points(self, *words):
        """The points of the first curve, the frame of its panel, and all texts."""
        linkwork("plot", self.a, *words, "-o", self.path("p.svg"))
        root = xml.etree.ElementTree.parse(self.path("p.svg")).getroot()
        svg = "{http://www.w3.org/2000/svg}"
        texts = [t.text for t in root.iter(svg + "text")]
        curve = next(root.iter(svg + "g")).find(svg + "path").get("d")
        box = next(root.iter(svg + "clipPath")).find(svg + "rect")
        numbers = [float(x) for x in re.findall(r"-?[0-9.]+", curve)]
        return list(zip(numbers[::2], numbers[1::2])), {k: float(v) for k, v in box.items()}, texts

    def test_curves_are_where_the_numbers_say(self):
        points, box, texts = self.points("q.hinge")
        linkwork("results", self.a, "-o", self.path("a.csv"))
        names, rows = read_csv(self.path("a.csv"))
        t, q = [r[0] for r in rows], [r[names.index("q.hinge")] for r in rows]
        margin = 0.05 * (max(q) - min(q))
        low, high = min(q) - margin, max(q) + margin
        for i in (0, -1):
            self.assertAlmostEqual(points[i][0], box["x"] + box["width"] * t[i] / 5, delta=0.02)
            self.assertAlmostEqual(points[i][1], box["y"] + box["height"] * (high - q[i]) / (high - low), delta=0.02)
        self.assertAlmostEqual(max(p[1] for p in points), box["y"] + box["height"] * (high - min(q)) / (high - low), delta=0.02)
        for text in ("latch", "open", "q.hinge", "t in s", "door that a latch catches", "q.hinge in rad"):
            self.assertIn(text, texts)

    def test_each_unit_has_a_panel(self):
        self.points("q.hinge", "u.hinge", "f?.hinge")
        with open(self.path("p.svg")) as file:
            self.assertEqual(file.read().count("<clipPath"), 3)

    def test_every_curve_of_a_plot_has_its_name(self):
        names = [c["name"] for c in linkwork_json("results", self.a)["columns"] if c["unit"] == "N"]
        self.assertGreater(len(names), 2)
        long = self.path("long.yaml")
        with open(long, "w") as file:
            file.write("linkwork: 1\nbodies:\n" + "".join(f"  body_with_a_long_name_{i}: {{mass: 1, pose: {{at: [{i}, 0, 0]}}}}\n" for i in range(12))
                       + "simulation: {end: 0.1}\n")
        linkwork("run", long, "-o", self.path("long.h5"), "-q")
        linkwork("plot", self.path("long.h5"), "x.*", "-o", self.path("p.svg"))
        texts = [t for t in xml.etree.ElementTree.parse(self.path("p.svg")).iter() if t.tag.endswith("text")]
        placed = {t.text: tuple(map(float, re.findall(r"[-\d.]+", t.get("transform")))) for t in texts if (t.text or "").startswith("x.body")}
        self.assertEqual(len(placed), 12)
        for y in {y for _, y in placed.values()}:  # no two overlap
            line = sorted((x, name) for name, (x, at) in placed.items() if at == y)
            for (a, name), (b, _) in zip(line, line[1:]):
                self.assertGreater(b - a, 5.3 * len(name))

    def test_pdf_has_its_objects_where_its_table_says(self):
        linkwork("plot", self.a, "q.hinge", "energy.*", "-o", self.path("p.pdf"))
        with open(self.path("p.pdf"), "rb") as file:
            data = file.read()
        self.assertTrue(data.startswith(b"%PDF-1.4") and data.endswith(b"%%EOF\n"))
        table = int(data.split(b"startxref\n")[1].split()[0])
        self.assertTrue(data[table:].startswith(b"xref"))
        for i, line in enumerate(data[table:].split(b"\n")[3:9], 1):
            self.assertTrue(data[int(line.split()[0]):].startswith(b"%d 0 obj" % i))
        length = int(re.search(rb"/Length (\d+)", data).group(1))
        stream = data[data.index(b"stream\n") + 7:]
        self.assertTrue(stream[length:].startswith(b"endstream"))

    def test_it_is_drawn_in_the_terminal(self):
        said = linkwork("plot", self.a, "q.hinge").stdout
        self.assertIn("q.hinge in rad", said)
        self.assertTrue(any(0x2801 <= ord(c) < 0x2900 for c in said))
        live = linkwork("run", shipped("latch"), "--plot", "q.hinge", "-o", self.path("b.csv")).stdout
        self.assertEqual(said, live)

    def test_mistakes_are_named(self):
        self.assertIn("q.hinge", linkwork("plot", self.a, "q.hing", expect=2).stderr)
        self.assertIn("COLUMN", linkwork("plot", self.a, expect=2).stderr)
        self.assertIn(".pdf", linkwork("plot", self.a, "q.hinge", "-o", self.path("p.png"), expect=2).stderr)
        self.assertIn("q.hinge", linkwork("run", shipped("latch"), "--plot", "q.hing", expect=1).stderr)


class Verb(Folder):
    def setUp(self):
        super().setUp()
        self.a = self.path("a.h5")
        linkwork("run", shipped("latch"), "-o", self.a)

    def test_it_lists_facts_columns_and_events(self):
        said = linkwork("results", self.a).stdout
        for text in ("door that a latch catches", "complete", "254, 28", "q.hinge", "rad/s", "mass = 20", "latch"):
            self.assertIn(text, said)
        data = linkwork_json("results", self.a)
        self.assertEqual(data["state"], "complete")
        self.assertEqual(len(data["columns"]), 28)
        self.assertEqual(len(data["events"]), 3)

    def test_formats_are_converted_without_loss(self):
        linkwork("run", shipped("latch"), "-o", self.path("a.csv"))
        linkwork("results", self.a, "-o", self.path("b.csv"))
        linkwork("results", self.a, "-o", self.path("b.h5"))
        linkwork("results", self.path("b.h5"), "-o", self.path("c.csv"))
        with open(self.path("a.csv")) as x, open(self.path("b.csv")) as y, open(self.path("c.csv")) as z:
            text = x.read()
            self.assertEqual(text, y.read())
            self.assertEqual(text, z.read())
        self.assertEqual(linkwork("results", self.a, "--json").stdout, linkwork("results", self.path("b.h5"), "--json").stdout)
        linkwork("results", self.path("a.csv"), "--diff", self.a, "--rtol", "0", "--atol", "0")

    def test_thinned_rows_keep_events_and_the_end(self):
        linkwork("results", self.a, "--every", "50", "--columns", "q.*", "-o", self.path("b.csv"))
        names, rows = read_csv(self.path("b.csv"))
        self.assertEqual(names, ["t", "q.hinge"])
        times = [r[0] for r in rows]
        self.assertEqual(times.count(4), 2)
        self.assertEqual(times[-1], 5)
        self.assertLess(len(rows), 15)
        linkwork("results", self.a, "--from", "1", "--to", "2", "-o", self.path("c.csv"))
        _, rows = read_csv(self.path("c.csv"))
        self.assertTrue(all(1 <= r[0] <= 2 for r in rows))
        self.assertEqual(len(rows), 51)

    def test_diff_says_where_and_how_much(self):
        linkwork("run", shipped("latch"), "-o", self.path("b.h5"), "--set", "mass=20.1")
        done = linkwork("results", self.a, "--diff", self.path("b.h5"), expect=1)
        self.assertIn("q.hinge", done.stdout)
        self.assertIn("different", done.stdout)
        self.assertIn("same", linkwork("results", self.a, "--diff", self.a, "--rtol", "0", "--atol", "0").stdout)
        linkwork("results", self.a, "--diff", self.path("b.h5"), "--columns", "t,x.door", "--rtol", "0.01")
        wide = linkwork("results", self.a, "--diff", self.path("b.h5"), "--rtol", "0.9", "--atol", "9")
        self.assertIn("same", wide.stdout)

    def test_diff_judges_errors_by_what_they_are_errors_of(self):
        with open(self.path("a.csv"), "w") as a, open(self.path("b.csv"), "w") as b:
            for file, error in ((a, 1e-3), (b, 2e-3)):
                file.write("t,x.B,y.B,fx.J,fy.J,energy.total,energy.error,drift,load.D\n")
                file.write(f"0,{error * 1e-7},3,{error * 1e-2},2e4,5e6,{error},{error * 1e-6},{error}\n")
        done = linkwork("results", self.path("a.csv"), "--diff", self.path("b.csv"), expect=1)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines() if "differs by" in line], ["load.D"])

    def test_diff_finds_one_bit(self):
        names, rows = self.path("a.csv"), None
        linkwork("results", self.a, "-o", names)
        with open(names) as file:
            lines = file.read().split("\n")
        cells = lines[100].split(",")
        cells[1] = repr(float(cells[1]) * (1 + 3e-16))
        lines[100] = ",".join(cells)
        with open(names, "w") as file:
            file.write("\n".join(lines))
        linkwork("results", self.a, "--diff", names, "--rtol", "0", "--atol", "0", expect=1)
        linkwork("results", self.a, "--diff", names)

    def test_mistakes_are_named(self):
        self.assertIn("q.hinge", linkwork("results", self.a, "--columns", "q.hing", expect=2).stderr)
        self.assertIn("cannot be opened", linkwork("results", self.path("none.h5"), expect=1).stderr)
        for text in (b"\x89HDF\r\n\x1a\n" + b"x" * 100, b"a,b\n1,2\n", b"t,t\n1,2\n", b"t,a\n1\n"):
            with open(self.path("bad.h5"), "wb") as file:
                file.write(text)
            done = linkwork("results", self.path("bad.h5"), expect=1)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_the_model_is_printed_as_it_was(self):
        with open(shipped("latch")) as file:
            self.assertEqual(linkwork("results", self.a, "--model").stdout, file.read())



class UnitsOfOutputs(Folder):
    def test_they_follow_from_those_of_the_columns(self):
        model, table = self.path("model.yaml"), self.path("run.h5")
        outputs = {"same": ("u.A", "rad/s"), "sum": ("vx.a + R*u.A", "m/s"), "root": ("sqrt(x.a^2 + z.a^2)", "m"), "power": ("fx.A*vx.a", "W"),
                   "inner": ("sum*t", "m"), "angle": ("atan2(zx.a, zz.a)", ""), "scaled": ("2*x.a", ""), "by_parameter": ("R*x.a", ""),
                   "load": ("load.M", "N m")}
        with open(model, "w") as file:
            file.write("linkwork: 1\nparameters: {R: 0.3}\nbodies: {a: {mass: 1, inertia: [1, 1, 1], com: [0, 0, -1]}}\n"
                       "joints: {A: {type: revolute, parent: ground, child: a, axis: y, q: 1}}\n"
                       "forces: {M: {type: motor, joint: A, value: 1}}\noutputs:\n"
                       + "".join(f"  {name}: \"{text}\"\n" for name, (text, _) in outputs.items()) + "simulation: {end: 0.1}\n")
        done = linkwork("run", model, "-o", table, "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        units = {c["name"]: c["unit"] for c in linkwork_json("results", table)["columns"]}
        self.assertEqual({name: units[name] for name in outputs}, {name: unit for name, (_, unit) in outputs.items()})

    def test_a_quiet_run_with_a_page_prints_nothing(self):
        done = linkwork("run", shipped("double-pendulum"), "-q", "--report", self.path("page.html"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
