# SPDX-License-Identifier: Apache-2.0
"""Loading, names, states, evaluation; errors with their places; pickling."""
import json
import pickle

import numpy as np
import pytest

import linkwork as lw

FOUR_BAR = "four-bar.yaml"


def test_parameters_are_keywords_and_may_carry_units(models):
    assert lw.load(models / FOUR_BAR, La=1.2).parameters["La"] == 1.2
    assert lw.load(models / FOUR_BAR, La="1200 mm").parameters["La"] == 1.2
    assert lw.load(models / FOUR_BAR, parameters={"La": 1.2}).parameters["La"] == 1.2


def test_an_unknown_parameter_is_named_with_the_nearest(models):
    with pytest.raises(lw.ArgumentError, match="no parameter 'Ls'; did you mean 'La'"):
        lw.load(models / FOUR_BAR, Ls=1)


def test_errors_have_file_line_and_column(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("linkwork: 1\nbodies:\n  arm: {mass: 1, inerta: 3}\n")
    with pytest.raises(lw.ModelError) as e:
        lw.load(path)
    assert (e.value.line, e.value.column) == (3, 18) and e.value.file == str(path)
    assert str(e.value).startswith(f"{path}:3:18: ") and "inertia" in str(e.value)
    assert isinstance(e.value, ValueError)
    again = pickle.loads(pickle.dumps(e.value))
    assert str(again) == str(e.value) and again.line == 3


def test_a_missing_file_is_an_os_error():
    with pytest.raises(OSError, match="nowhere.yaml"):
        lw.load("nowhere.yaml")


def test_unknown_names_are_key_errors_with_the_nearest(models):
    d = lw.load(models / FOUR_BAR).data()
    with pytest.raises(KeyError, match="no body 'z'"):
        d.pose("z")
    with pytest.raises(KeyError, match="no joint 'AA'; did you mean 'A'"):
        d.model.state({"AA": 1})


def test_every_model_loads_and_its_parts_are_consistent(models):
    for path in sorted(models.glob("*.yaml")):
        m = lw.load(path)
        d = m.data()
        assert d.q.shape == (m.nq,) and len(m.bodies) == m.nbody and len(m.joints) == m.njoint
        assert sum(j.nq for j in m.joints.values() if j.q is not None) + len(m.states) == m.nq
        assert d.drift < 1e-9
        if m.nu < 200:
            np.testing.assert_allclose(d.M, d.M.T, atol=1e-12 * max(1, abs(d.M).max()))
        assert d.mass == pytest.approx(sum(m.masses.values()))


def test_values_equal_those_of_eval_to_the_last_bit(models, command):
    said = json.loads(command("eval", models / "double-pendulum.yaml", "--q", "A=0.3", "--u", "B=1.5", "--json"))
    m = lw.load(models / "double-pendulum.yaml")
    d = m.data({"A": 0.3}, {"B": 1.5})
    assert [said["udot"][name] for name in m.joints] == d.udot().tolist()
    assert [said["bias"][name] for name in m.joints] == d.bias.tolist()
    assert said["energies"]["kinetic"] == d.kinetic and said["energies"]["potential"] == d.potential
    np.testing.assert_array_equal(np.array(said["mass_matrix"]["matrix"]), d.M)


def test_states_by_name_close_loops_and_keep_what_is_given(models):
    m = lw.loads((models / FOUR_BAR).read_text().replace(", hold: true", ""))
    before = m.data()
    assert [j for j in m.joints.values() if j.q is None][0].name == "D"
    for joint in ("A", "B", "C"):
        d = m.data({joint: before.q[m.joints[joint].q][0] + 0.1})
        assert d.drift < 1e-12
        assert d.q[m.joints[joint].q][0] == pytest.approx(before.q[m.joints[joint].q][0] + 0.1, abs=1e-12)
    held = m.data({"D": -0.55})  # a spanning tree with D in it, seen from the one without
    assert held.drift < 1e-12 and abs(held.q - before.q).max() > 1e-3


def test_dynamics_agree_with_each_other(models):
    rng = np.random.default_rng(1)
    for name in ("double-pendulum.yaml", "arm.yaml", "satellite.yaml", "cart-pole.yaml"):
        m = lw.load(models / name)
        d = m.data()
        d.u[:] = rng.normal(size=m.nu)
        tau = rng.normal(size=m.nu)
        udot = d.udot(tau)
        scale = abs(d.M).max()
        np.testing.assert_allclose(d.M @ udot + d.bias, tau, atol=1e-9 * scale)
        np.testing.assert_allclose(d.id(udot), tau, atol=1e-9 * scale)


def test_the_jacobian_gives_velocities(models):
    m = lw.load(models / "arm.yaml")
    d = m.data()
    d.u[:] = np.random.default_rng(2).normal(size=m.nu)
    for body in m.bodies:
        np.testing.assert_allclose(d.jacobian(body) @ d.u, d.velocity(body), atol=1e-12)
        X = d.pose(body)
        np.testing.assert_allclose(X.R @ X.R.T, np.eye(3), atol=1e-14)


def test_derivatives_equal_differences(models):
    m = lw.load(models / "double-pendulum.yaml")
    d = m.data({"A": 0.4, "B": -0.9}, {"A": 1.0, "B": 2.0})
    by, h = d.forward_derivatives(np.array([0.3, -0.2])), 1e-6
    for k in range(2):
        values = []
        for s in (h, -h):
            e = m.data(d.q, d.u)
            e.q[k] += s
            values.append(e.udot([0.3, -0.2]))
        np.testing.assert_allclose(by.by_q[:, k], (values[0] - values[1]) / (2 * h), rtol=1e-7, atol=1e-7)


def test_what_is_returned_stays_valid(models):
    d = lw.load(models / "double-pendulum.yaml").data()
    first, M, bias = d.udot(), d.M, d.bias
    kept = first.copy(), M.copy(), bias.copy()
    q = np.array([1.0, 2.0])
    d.q = q
    q[:] = 9  # the caller's array is the caller's
    assert d.q.tolist() == [1, 2]
    d.udot([3, 4]), d.M, d.bias
    del d
    for now, before in zip((first, M, bias), kept):
        np.testing.assert_array_equal(now, before)


def test_wrong_shapes_and_numbers_are_refused(models):
    m = lw.load(models / "double-pendulum.yaml")
    d = m.data()
    with pytest.raises(ValueError, match=r"tau has the shape \(3,\); it must be \(2,\)"):
        d.udot([1, 2, 3])
    with pytest.raises(lw.NumberError, match="joint"):
        d.q[0] = np.nan
        d.udot()
    with pytest.raises(TypeError, match="did you mean 'rtol'"):
        m.run(rtoll=1)


def test_strided_and_integer_inputs_are_converted(models):
    d = lw.load(models / "double-pendulum.yaml").data()
    wide = np.array([1.0, 9, 2, 9])
    np.testing.assert_array_equal(d.udot(wide[::2]), d.udot([1, 2]))
    np.testing.assert_array_equal(d.udot(np.array([1, 2])), d.udot([1.0, 2.0]))


@pytest.mark.parametrize("name", ["four-bar.yaml", "crane.yaml", "hmmwv-drive.yaml"])
def test_models_are_pickled_with_their_parameters(models, name):
    m = lw.load(models / name)
    if "La" in m.parameters:
        m = m.with_parameters(La=1.3)
    again = pickle.loads(pickle.dumps(m))
    assert again.parameters == m.parameters
    np.testing.assert_array_equal(again.data().udot(), m.data().udot())


def test_pickled_models_do_not_need_their_files(tmp_path):
    (tmp_path / "leg.yaml").write_text("linkwork: 1\nbodies: {foot: {mass: 2, com: [0, 0, -1]}}\n"
                                       "joints: {knee: {type: revolute, parent: ground, child: foot, axis: y}}\n")
    (tmp_path / "robot.yaml").write_text("linkwork: 1\ninclude:\n  left: {file: leg.yaml}\n")
    m = lw.load(tmp_path / "robot.yaml")
    kept = pickle.dumps(m)
    for path in tmp_path.glob("*.yaml"):
        path.unlink()
    again = pickle.loads(kept)
    assert again.bodies == m.bodies == ("left.foot",)
    assert pickle.loads(pickle.dumps(again)).masses == {"left.foot": 2.0}


def test_robot_files_load_with_their_options(tmp_path):
    urdf = """<robot name="r"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
      </inertial></link><link name="arm"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
      <inertia ixx="0.2" iyy="0.2" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""
    path = tmp_path / "r.urdf"
    path.write_text(urdf)
    assert lw.load(path).nu == 1
    floating = lw.load(path, floating_base=True)
    assert floating.nu == 7
    assert pickle.loads(pickle.dumps(floating)).nu == 7


def test_speeds_by_name_are_those_of_the_array(models):
    d = lw.load(models / "double-pendulum.yaml").data({"A": 0.3}, {"B": 0.5})
    for call in (d.udot, d.id, d.loads, lambda x: d.forward_derivatives(x).by_q, lambda x: d.inverse_derivatives(x).by_q):
        by_name, by_array = call({"B": 1.5}), call([0, 1.5])
        assert repr(by_name) == repr(by_array)
    with pytest.raises(KeyError, match="did you mean 'B'|no joint"):
        d.udot({"C": 1})
    with pytest.raises(ValueError, match="joint 'A'"):
        d.udot({"A": [1, 2]})
    loop = lw.load(models / "four-bar.yaml")
    cut = next(name for name, j in loop.joints.items() if j.u is None)
    with pytest.raises(ValueError, match="is cut"):
        loop.data().udot({cut: 1})


def test_what_a_reader_leaves_out_is_a_warning(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text('<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
                    '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit effort="1" velocity="1" lower="-1" upper="1"/></joint>'
                    '<gazebo/></robot>')
    with pytest.warns(lw.ReadWarning, match="gazebo"):
        m = lw.load(path)
    assert any("gazebo" in note for note in m.notes)
