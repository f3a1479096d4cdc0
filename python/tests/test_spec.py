# SPDX-License-Identifier: Apache-2.0
"""Specs built in Python equal model files."""
import pickle

import numpy as np
import pytest

import linkwork as lw


def four_bar():
    s = lw.Spec("four-bar linkage", gravity=(0, -9.81, 0))
    for name, value in dict(La=1.0, Lb=2.0, Lc=2.0, ma=10, mb=20, mc=20, ground=1.0).items():
        s.parameter(name, value)
    a, b, c = (s.body(n, solid={"rod": {"length": f"L{n}", "mass": f"m{n}", "axis": "-y"}}) for n in "abc")
    s.joint("A", "revolute", child=a, q="30 deg", hold=True)
    s.joint("B", "revolute", parent=a, child=b, at=(0, "-La", 0), q="44.4775 deg")
    s.joint("C", "revolute", parent="ground", child="c", at=("ground", 0, 0), q="45.5225 deg")
    s.joint("D", "revolute", parent=b, child=c, at=(0, "-Lb", 0), child_at=(0, "-Lc", 0))
    s.simulation(end=10, output_step=0.5, rtol=1e-10, atol=1e-12)
    s.sensitivity("La")
    return s


def test_files_of_results_hold_models_that_were_described_or_given_as_text(tmp_path):
    s = lw.Spec()
    s.parameter("L", 1.0)
    arm = s.body("arm", solid={"rod": {"length": "L", "mass": 2, "axis": "-z"}})
    s.joint("A", "revolute", child=arm, axis="y", q=0.3)
    described = s.compile(L=1.5)
    text = lw.loads("linkwork: 1\nbodies: {a: {mass: 1, com: [0, 0, -1], inertia: [1, 1, 1]}}\n"
                    "joints: {A: {type: revolute, parent: ground, child: a, axis: y, q: 0.3}}")
    for m in (described, text, described.with_motors(), pickle.loads(pickle.dumps(text))):
        r = m.run(end=0.5, output=tmp_path / "run.h5")
        again = lw.read(tmp_path / "run.h5")
        np.testing.assert_array_equal(again.model.run(end=0.5)["q.A"], r["q.A"])
        again.report(tmp_path / "run.html")
    s.objective("h", "final", "q.A")
    s.function("twice", ["x"], "2*x")
    with pytest.warns(UserWarning, match="does not hold the model: .*functions"):
        s.compile().run(end=0.5, output=tmp_path / "run.h5")
    assert lw.read(tmp_path / "run.h5").model is None


def test_a_spec_equals_its_model_file_to_the_last_bit(models):
    file, built = lw.load(models / "four-bar.yaml"), four_bar().compile()
    a, b = file.run(end=1), built.run(end=1)
    assert a.columns == b.columns
    np.testing.assert_array_equal(a.table, b.table)


def test_specs_are_pickled_as_models_and_take_parameters():
    m = four_bar().compile(La=1.1)
    again = pickle.loads(pickle.dumps(m)).with_parameters(mb=21)
    assert again.parameters["La"] == 1.1 and again.parameters["mb"] == 21


def test_the_first_mistake_is_raised_where_it_is_made():
    s = lw.Spec()
    s.body("a", mass=1)
    with pytest.raises(lw.Error, match='"a"|twice|already'):
        s.body("a", mass=2)
    with pytest.raises(ValueError, match="'revolut' is none of fixed, revolute"):
        lw.Spec().joint("A", "revolut", child="ground")
    with pytest.raises(TypeError, match="'dampng'; did you mean 'damping'"):
        s.joint("A", "revolute", child="a", dampng=1)
    with pytest.raises(lw.ArgumentError, match="there is no body 'b'"):
        lw.Spec().joint("A", "revolute", child="b")


def test_all_parts_of_a_spec():
    s = lw.Spec(gravity=(0, 0, -9.81))
    s.parameter("k", 100.0, min=0, unit="N/m", doc="of the spring")
    s.function("twice", ["x"], "2*x")
    s.table("ramp", [0, 1, 2], [0, 1, 4], interpolation="linear", outside="hold")
    s.input("push")
    s.state("filtered", start=0, rate="(push - filtered)/0.1")
    a = s.body("a", mass=1, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    b = s.body("b", solid={"box": {"size": (0.1, 0.1, 0.2), "mass": 1}}, start={"at": (1, 0, 2), "linear": (0, 0, 1)})
    A = s.joint("A", "revolute", child=a, axis="y", damping=[0.1], limits=[(-2, 2)], friction=[0.01], armature=0.02)
    s.point("tip", a, at=(0, 0, -1))
    s.spring("S", from_=a, from_at=(0, 0, -1), to=b, stiffness="k", damping=1, length=1)
    s.joint_spring("R", A, stiffness=2, rest=0.1)
    s.motor("M", A, "twice(filtered) + ramp(t)")
    s.servo("V", "A", target=0.3, stiffness=5, damping=1, limit=2)
    s.load("F", b, force=(0, 0, "9.81"), body_axes=False)
    s.torsion("T", "ground", a, axis="y", stiffness=1)
    s.bushing("U", "ground", b, at=(1, 0, 2), stiffness=[10, 10, 10], damping=[1, 1, 1])
    s.output("height", "z.tip + 1")
    s.event("kick", at=0.5, impulse={"body": b, "linear": (1, 0, 0)})
    s.objective("highest", "max", "height")
    s.simulation(end=1, output_step=0.1)
    m = s.compile()
    r = m.run()
    assert "height" in r and len(r.events) >= 1 and len(r) >= 13
    assert np.isfinite(r["height"]).all()
    assert m.sens("k").objectives["highest"].gradient.shape == (1,)


def test_planar_specs_have_short_vectors():
    s = lw.Spec(planar=True)
    s.body("cart", mass=1, inertia=0.01)
    s.joint("rail", "prismatic", child="cart")
    m = s.compile()
    assert m.is_planar and m.gravity.tolist() == [0, -9.81, 0]
