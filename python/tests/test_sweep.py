# SPDX-License-Identifier: Apache-2.0
"""Sweeps: equal to those of the command line to the last bit, on any number of threads."""
import csv
import json
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import linkwork as lw

CASES = [
    ({"La": (0.5, 1.5), "Mb": lw.Normal(1, 0.1)}, {"cases": 12}, ["--vary", "La=0.5..1.5", "--vary", "Mb=normal(1, 0.1)", "--cases", 12]),
    ({"La": lw.Uniform(0.5, 1.5, 3), "Mb": [0.5, 1, 2]}, {"design": "grid"}, ["--vary", "La=0.5..1.5:3", "--vary", "Mb=0.5,1,2", "--design", "grid"]),
    ({"La": (0.5, 1.5)}, {"design": "sobol", "cases": 9, "seed": 7}, ["--vary", "La=0.5..1.5", "--design", "sobol", "--cases", 9, "--seed", 7]),
    ({"La": (0.5, 1.5)}, {"design": "normal", "cases": 9}, ["--vary", "La=0.5..1.5", "--design", "normal", "--cases", 9]),
    ({"La": (0.5, 1.5), "Ma": (1, 2)}, {"design": "indices", "cases": 8}, ["--vary", "La=0.5..1.5", "--vary", "Ma=1..2", "--design", "indices", "--cases", 8]),
]


@pytest.mark.parametrize("vary, options, words", CASES)
def test_sweeps_equal_those_of_the_command_line(models, command, tmp_path, vary, options, words):
    path, out = models / "double-pendulum.yaml", tmp_path / "cases.csv"
    said = json.loads(command("sweep", path, *words, "--columns", "q.*", "--end", 0.3, "-o", out, "--json"))
    with open(out, newline="") as f:
        heads, *rows = list(csv.reader(line for line in f if not line.startswith("#")))
    s = lw.load(path).sweep(vary, columns="q.*", end=0.3, threads=2, **options)
    assert len(s) == len(rows)
    for name in (*s.parameters, *s.results):
        np.testing.assert_array_equal(s[name], [float(row[heads.index(name)]) for row in rows])
    np.testing.assert_array_equal(s.table, lw.load(path).sweep(vary, columns="q.*", end=0.3, threads=1, **options).table)
    x, summary = said["results"]["q.A"], s.statistics("q.A")
    assert (x["mean"], x["deviation"], x["quantiles"]["50%"]) == (summary.mean, summary.deviation, summary.quantiles[2])
    assert x["correlation"]["La"] == s.correlation("La", "q.A")
    if s.design == "indices":
        assert {p: i["first"] for p, i in x["indices"].items()} == {p: i.first for p, i in s.indices("q.A").items()}
    again = pickle.loads(pickle.dumps(s))
    np.testing.assert_array_equal(again.case(3)["q.B"][-1], s["q.B"][3])


def test_lists_and_parameters_with_units(tmp_path):
    text = """
linkwork: 1
parameters: {L: {value: 500, unit: mm, min: 300, max: 700}, k: 2}
bodies: {a: {mass: k, com: [0, 0, -L], inertia: [0.1, 0.1, 0.1]}}
joints: {A: {type: revolute, parent: ground, child: a, axis: y, q: 0.4}}
simulation: {end: 0.2}
"""
    m = lw.loads(text)
    s = m.sweep({"L": [0.4, 0.6, 0.5], "k": [1, 2, 3]}, design="list", columns="q.A")
    assert s["L"].tolist() == [0.4, 0.6, 0.5] and s["k"].tolist() == [1, 2, 3]
    for i in range(3):
        assert s.case(i)["q.A"][-1] == s["q.A"][i]
    # numbers are in SI units, as everything that Python returns; texts are those of --set
    assert m.with_parameters(L=m.parameters["L"]).parameters == m.parameters
    assert m.with_parameters(L="400").parameters["L"] == m.with_parameters(L=0.4).parameters["L"] == 0.4
    assert s.case(0, columns="q.*").model.parameters["L"] == 0.4
    assert m.sweep("L", cases=5, columns="q.A").parameters == ("L",) and 0.3 < m.sweep(cases=5, columns="q.A")["L"].min() < 0.7
    m.with_parameters(L=0.4).run(output=tmp_path / "run.h5")
    assert lw.read(tmp_path / "run.h5").model.parameters["L"] == 0.4
    with pytest.raises(lw.ArgumentError, match="a study needs results: columns"):
        m.sweep("L")
    with pytest.raises(lw.NumberError, match="not a finite number"):
        m.with_parameters(L=float("nan"))


def test_mistakes_and_failed_cases_are_named(models):
    m = lw.load(models / "four-bar.yaml")
    with pytest.raises(lw.ArgumentError, match="no parameter 'Lz'"):
        m.sweep({"Lz": (1, 2)})
    with pytest.raises(ValueError, match="'latun' is none of latin"):
        m.sweep({"La": (1, 2)}, design="latun")
    with pytest.raises(lw.ArgumentError, match="no min and max"):
        m.sweep({"La": None})
    with pytest.raises(ValueError, match="the same length"):
        m.sweep({"La": [1, 2], "mb": [1]}, design="list")
    s = m.sweep({"La": [1.0, 50.0]}, design="list", columns="q.A", end=0.1)
    assert list(s.failures) == [1] and isinstance(s.failures[1], lw.Error) and np.isnan(s["q.A"][1]) and np.isfinite(s["q.A"][0])
    with pytest.raises(lw.ArgumentError, match='design="indices"'):
        s.indices("q.A")


def test_ctrl_c_ends_a_sweep(models):
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        lw.load(models / "double-pendulum.yaml").sweep({"La": (0.5, 1.5)}, cases=100000, end=10, threads=2)
    assert time.monotonic() - start < 20
    timer.join()


def test_the_section_of_the_model_says_what_a_sweep_is(models, command, tmp_path):
    text = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {L: {value: 1000, unit: mm, min: 500, max: 1500}, m: 2 kg, e: {value: 0.5, min: 0, max: 0.9}}
bodies: {bar: {solid: {rod: {length: L, mass: m, axis: -y}}}}
joints: {A: {type: revolute, parent: ground, child: bar, q: 1, limits: {lower: -0.4, upper: 2, restitution: e}}}
simulation: {end: 1}
"""
    for study in ("{design: sobol, cases: 8, seed: 3, parameters: {L: [800, 1.2 m], m: {normal: [m, 0.05*m]}, e: }, columns: q.A, extremes: 'u.*', events: '*'}",
                  "{design: grid, parameters: {L: {range: [800, 900], points: 3}, m: {values: [1, 2]}}, columns: [q.A, u.A]}",
                  "{list: [{L: 700, m: 1}, {m: 3 kg, L: 0.9 m}], columns: q.A}"):
        path, out = tmp_path / "m.yaml", tmp_path / "t.csv"
        path.write_text(text + "study: " + study + "\n")
        out.unlink(missing_ok=True)
        command("sweep", path, "-q", "-o", out)
        with open(out, newline="") as f:
            heads, *rows = list(csv.reader(line for line in f if not line.startswith("#")))
        s = lw.load(path).sweep()
        assert heads == ["case", *s.parameters, "seed", *s.results, "t", "status", "message"]
        for name in (*s.parameters, *s.results):
            np.testing.assert_array_equal(s[name], [float(row[heads.index(name)] or "nan") for row in rows])
    with pytest.raises(lw.ArgumentError, match="lists its cases"):
        lw.load(path).sweep(cases=5)
    assert len(lw.load(path).sweep({"e": None}, cases=5)) == 5
    s = lw.loads(text).sweep({"L": (0.8, 1)}, cases=3, extremes="q.A", events=["lower.A"])
    assert s.results == ("max.q.A", "max.q.A.t", "min.q.A", "min.q.A.t", "count.lower.A", "first.lower.A", "last.lower.A")
    assert (s["min.q.A"] >= -0.4 - 1e-9).all() and s["count.lower.A"].min() >= 1
    with pytest.raises(lw.ArgumentError, match='did you mean "lower.A"'):
        lw.loads(text).sweep({"L": (0.8, 1)}, events="lower.B")
