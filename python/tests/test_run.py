# SPDX-License-Identifier: Apache-2.0
"""Runs, simulations and sensitivities: equal to the command line to the last bit; events, inputs, Ctrl-C."""
import csv
import json
import os
import pickle
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

import linkwork as lw


def table_of(path):
    with open(path, newline="") as f:
        rows = list(csv.reader(f))
    return tuple(rows[0]), np.array([[float(x) if x else np.nan for x in row] for row in rows[1:]])


@pytest.mark.parametrize("name, options", [
    ("double-pendulum", {}), ("four-bar", {"end": 1}), ("latch", {}), ("cart-pole", {"integrator": "rk4", "end": 1}),
    ("bouncing-pendulum", {"end": 1}), ("joint-zoo", {"end": 0.2, "formulation": "dca"}), ("pid-arm", {"end": 0.5}),
    ("four-bar", {"end": 1, "formulation": "cartesian"})])
def test_runs_equal_those_of_the_command_line_to_the_last_bit(models, command, tmp_path, name, options):
    out = tmp_path / "out.csv"
    command("run", models / f"{name}.yaml", "-o", out, "-q", *[w for k, v in options.items() for w in (f"--{k}", v)])
    r = lw.load(models / f"{name}.yaml").run(**options)
    names, table = table_of(out)
    assert r.columns == names
    np.testing.assert_array_equal(r.table, table)


def test_what_is_printed_is_short(models):
    m = lw.load(models / "catapult.yaml")
    r = m.run(end=0.5)
    assert repr(r) == f"<linkwork result of 'catapult': {len(r)} rows of {len(r.columns)} columns, t = 0 ... 0.5 s, 2 events>"
    assert repr(lw.load(models / "double-pendulum.yaml").sens("La", end=0.1)).startswith("<linkwork sensitivity of")
    assert repr(m.data()).startswith("<linkwork data of 'catapult' at t = 0: q = [")


def test_robots_get_motors_and_laws_return_arrays(models):
    m = lw.load(models / "double-pendulum.yaml")
    robot = m.with_motors()
    assert robot.inputs == ("tau_A", "tau_B") and m.with_motors("B").inputs == ("tau_B",)
    assert lw.load(models / "humanoid.yaml").with_motors("l_shoulder").inputs == ("tau_l_shoulder_1", "tau_l_shoulder_2", "tau_l_shoulder_3")

    def array(t, q, u):
        return 60 * (0.3 - q[:2]) - 20 * u

    def named(t, q, u):
        return dict(zip(("tau_B", "tau_A"), array(t, q, u)[::-1]))
    one, two = (robot.run(end=1, law=law) for law in (array, named))
    np.testing.assert_array_equal(one.table, two.table)
    again = pickle.loads(pickle.dumps(robot)).with_parameters(La=1.1)
    assert again.inputs == robot.inputs and again.parameters["La"] == 1.1
    # the loads act: those of the law at the end
    udot = m.data(one.table[-1, 1:3], [one["u.A"][-1], one["u.B"][-1]]).udot(
        array(1, np.array([one["q.A"][-1], one["q.B"][-1]]), np.array([one["u.A"][-1], one["u.B"][-1]])))
    np.testing.assert_allclose(udot, [one["udot.A"][-1], one["udot.B"][-1]], rtol=1e-9)
    sim = robot.simulation()
    sim.control(0.001, array)
    sim.advance(1.0)
    assert abs(sim["q.A"] - one["q.A"][-1]) < 0.01
    with pytest.raises(ValueError, match="3 values are given for the 2 inputs of the model: tau_A, tau_B"):
        robot.run(end=1, law=lambda t, q, u: [1.0, 2.0, 3.0])
    with pytest.raises(lw.Error, match="a law could set: `with_motors`"):
        m.run(end=1, law=array)
    with pytest.raises(lw.Error, match="a controller could set: `with_motors`"):
        m.simulation().control(0.01, array)


def test_starts_by_name_equal_those_of_the_command_line(models, command, tmp_path):
    out = tmp_path / "out.csv"
    command("run", models / "four-bar.yaml", "-o", out, "-q", "--end", 1, "--q", "A=0.6", "--u", "A=0.5")
    r = lw.load(models / "four-bar.yaml").run(end=1, q={"A": 0.6}, u={"A": 0.5})
    np.testing.assert_array_equal(r.table, table_of(out)[1])


def test_sensitivities_equal_those_of_the_command_line(models, command, tmp_path):
    out = tmp_path / "out.csv"
    said = json.loads(command("sens", models / "double-pendulum.yaml", "--parameters", "La,Mb", "-o", out, "--json", "-q"))
    s = lw.load(models / "double-pendulum.yaml").sens("La", "Mb")
    names, table = table_of(out)
    assert s.columns == names
    np.testing.assert_array_equal(s.table, table)
    np.testing.assert_array_equal(s["q.A", "La"], table[:, names.index("d(q.A)/d(La)")])
    assert json.dumps(said).count(repr(s.objectives["tip_height"].value)) >= 1
    with pytest.raises(KeyError, match="no derivatives by 'Lb'"):
        s["q.A", "Lb"]


def test_equilibrium_modes_and_inverse_equal_those_of_the_command_line(models, command):
    m = lw.load(models / "four-bar.yaml")
    said = json.loads(command("equilibrium", models / "four-bar.yaml", "--json"))
    e = m.equilibrium()
    assert said["stability"] == e.stability and said["residual"] == e.residual
    assert said["potential_energy"] == e.potential
    said = json.loads(command("modes", models / "four-bar.yaml", "--json", "--matrices"))
    x = m.linearize(at="equilibrium")
    assert [mode["frequency"] for mode in said["modes"]] == [mode.frequency for mode in x.modes]
    np.testing.assert_array_equal(np.array(said["A"]).reshape(x.A.shape), x.A)
    said = json.loads(command("inverse", models / "four-bar.yaml", "--udot", "A=1", "--actuators", "A", "--json"))
    motion = m.inverse(udot={"A": 1}, actuators=["A"])
    assert np.ravel(said["tau"]["A"])[0] == motion.tau["A"][0] and np.ravel(said["udot"]["D"])[0] == motion.udot["D"][0]


SLOPE = '''
linkwork: 1
bodies:
  box: {mass: 2, inertia: [1, 1, 1]}
joints:
  slope: {type: prismatic, parent: ground, child: box, axis: [1, 0, 0.2], friction: {load: 8}, limits: {upper: 3}}
'''


@pytest.mark.parametrize("name", ["quadruped", "four-bar-stop", "slope"])
def test_limits_contacts_and_friction_hold_at_rest(models, command, tmp_path, name):
    path = tmp_path / "slope.yaml" if name == "slope" else models / f"{name}.yaml"
    if name == "slope":
        path.write_text(SLOPE)
    m, said = lw.load(path), json.loads(command("equilibrium", path, "--json"))
    e = m.equilibrium()
    assert {n: (p["holds"], p["load"]) for n, p in said["one_sided"].items()} == {n: (p.holds, p.load) for n, p in e.one_sided.items()}
    assert {n: p["lower"] for n, p in said["one_sided"].items() if "lower" in p} == {
        n: p.lower for n, p in e.one_sided.items() if np.isfinite(p.lower)}
    assert (said["stability"], said["dof"], said["potential_energy"]) == (e.stability, e.dof, e.potential)
    for joint, info in m.joints.items():
        if info.q is not None:
            np.testing.assert_array_equal(np.ravel(said["q"][joint]), e.q[info.q])
    for joint, load in e.loads.items():  # printed as [force; torque]
        np.testing.assert_allclose(said["loads"][joint], np.roll(load, 3), rtol=0, atol=1e-12)
    said = json.loads(command("modes", path, "--json"))
    assert [mode["frequency"] for mode in said["modes"]] == [mode.frequency for mode in m.modes()]
    with pytest.warns(UserWarning, match="left out"):
        m.linearize()


def test_results_are_tables_by_name(models, tmp_path):
    r = lw.load(models / "latch.yaml").run()
    assert r["q.hinge"].base is not None and not r["q.hinge"].flags.writeable
    assert [e.names for e in r.events] == [("latch",), ("open", "push")]
    latch = r.events[0]
    assert latch.kinetic_after == pytest.approx(0, abs=1e-12) and latch.impulses["hinge"].shape == (6,)
    at = np.flatnonzero(r.t == latch.time)
    assert len(at) == 2 and r["u.hinge"][at[0]] > 0.1 and r["u.hinge"][at[1]] == 0
    with pytest.raises(KeyError, match="did you mean 'q.hinge'"):
        r["q.hinge2"]
    again = pickle.loads(pickle.dumps(r))
    np.testing.assert_array_equal(again.table, r.table)
    assert again.events[0].names == ("latch",) and again.options == r.options
    r.to_csv(tmp_path / "a.csv")
    np.testing.assert_array_equal(table_of(tmp_path / "a.csv")[1], r.table)
    assert "latch" in r._repr_html_()


def test_results_plot_where_matplotlib_is(models):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = lw.load(models / "double-pendulum.yaml").run(end=1).plot("q.*")
    assert len(ax.lines) == 2


def test_the_columns_of_a_run_can_be_chosen(models):
    m = lw.load(models / "double-pendulum.yaml")
    assert m.run(columns="q.*", end=0.1).columns == ("t", "q.A", "q.B")
    with pytest.raises(lw.Error, match="q.Z"):
        m.run(columns=["q.Z"])


def test_steps_equal_a_run(models):
    m = lw.load(models / "double-pendulum.yaml")
    r, sim = m.run(end=1, output_step=0.25), m.simulation(end=1)
    for k in range(1, 5):
        sim.step(0.25)
        np.testing.assert_allclose(sim.q, [r["q.A"][k], r["q.B"][k]], rtol=1e-9)
    assert sim.t == 1 and sim.statistics.steps > 0 and abs(sim.balance.error) <= max(sim.balance.explained, 1e-9)


def controlled():
    s = lw.Spec()
    s.input("torque")
    s.body("arm", mass=1, com=(0, 0, -1))
    s.joint("A", "revolute", child="arm", axis="y", q=0.4)
    s.motor("M", "A", "torque")
    return s.compile()


def test_inputs_move_the_model():
    sim = controlled().simulation()
    sim.inputs["torque"] = 9.81 * np.sin(0.4)
    sim.advance(1)
    assert sim["q.A"] == pytest.approx(0.4, abs=1e-6)
    with pytest.raises(lw.Error, match="tork"):
        sim.inputs["tork"] = 1


def test_a_controller_in_python_is_called_at_its_times():
    m, times = controlled(), []

    def law(t, q, u):
        times.append(t)
        return {"torque": 9.81 * np.sin(q[0]) - 5 * u[0] - 8 * q[0]}

    sim = m.simulation()
    sim.control(0.01, law)
    sim.advance(3)
    assert np.allclose(times[:3], [0, 0.01, 0.02]) and len(times) >= 300
    assert abs(sim["q.A"]) < 0.02


def test_exceptions_of_callbacks_arrive_where_the_run_was_started(models):
    sim = controlled().simulation()
    sim.control(0.1, lambda t, q, u: {"tork": 1})
    with pytest.raises(KeyError, match="no input 'tork'"):
        sim.advance(1)

    def refuse(event):
        raise ZeroDivisionError(event.names[0])
    with pytest.raises(ZeroDivisionError, match="latch"):
        lw.load(models / "latch.yaml").run(on_event=refuse)


def test_events_are_raised_by_the_caller(models):
    sim = lw.load(models / "double-pendulum.yaml").simulation()
    sim.advance(0.5)
    before = sim["q.A"]
    sim.raise_event("grip", lock="A")
    sim.step(0.5)
    assert sim["q.A"] == pytest.approx(before, abs=1e-12) and sim["u.A"] == 0
    sim.raise_event(unlock="A")
    sim.raise_event(impulse={"body": "lower", "at": (0, -1, 0), "linear": (1, 0, 0)})
    sim.step(0.1)
    assert sim["u.A"] != 0 and len(sim.events) == 3 and sim.events[0].names == ("grip",)


def test_stop_events_end_simulations(models):
    s = lw.Spec()
    s.body("a", mass=1, com=(1, 0, 0))
    s.joint("A", "revolute", child="a", axis="y")
    s.event("end", at=0.5, stop=True)
    sim = s.compile().simulation()
    with pytest.raises(lw.Stopped):
        sim.advance(1)
    assert sim.is_over and sim.t == 0.5


def test_ctrl_c_stops_a_run_and_the_next_one_is_whole(models):
    m = lw.load(models / "double-pendulum.yaml")
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        m.run(end=1e7, output_step=1e6)
    assert time.monotonic() - started < 60
    timer.join()
    assert len(m.run(end=1)) > 1


def test_other_threads_run_during_a_run(models):
    m, count, done = lw.load(models / "double-pendulum.yaml"), [0], threading.Event()

    def tick():
        while not done.is_set():
            count[0] += 1
            time.sleep(0.001)
    t = threading.Thread(target=tick)
    t.start()
    m.run(end=300, output_step=300)
    done.set()
    t.join()
    assert count[0] > 3


def test_topology_is_plain_objects(models):
    t = lw.load(models / "four-bar.yaml").topology()
    assert [e.name for e in t.edges] == ["A", "B", "C", "D"] and [e.in_tree for e in t.edges] == [True, True, True, False]
    networkx = pytest.importorskip("networkx")
    g = t.to_networkx()
    assert networkx.is_weakly_connected(g) and g.number_of_edges() == 4


def test_sko_operators_equal_the_mass_matrix(models):
    m = lw.load(models / "arm.yaml")
    d = m.data()
    k = lw.Sko(m).update(d)
    rng = np.random.default_rng(3)
    x = rng.normal(size=k.nfreedom)
    np.testing.assert_allclose(k.apply("mass", x), k.mass_matrix() @ x, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(k.apply("mass_inverse", k.apply("mass", x)), x, rtol=1e-8)
    y = k.apply("H", k.apply("A", k.apply("M", k.apply("A", k.apply("H", x, transposed=True), transposed=True))))
    np.testing.assert_allclose(y, k.apply("mass", x), rtol=1e-10, atol=1e-10)


def test_exceptions_that_end_runs_have_the_results_so_far(models):
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt) as e:
        lw.load(models / "double-pendulum.yaml").sens("La", end=1e7, output_step=1)
    timer.join()
    assert len(e.value.result) > 1 and np.isfinite(e.value.result["q.A", "La"]).all()

    s = lw.Spec()
    s.body("a", mass=1, com=(1, 0, 0))
    s.joint("A", "revolute", child="a", axis="y")
    s.motor("M", "A", "sqrt(0.5 - t)")
    with pytest.raises(lw.Error) as f:
        s.compile().run(end=1, output_step=0.1)
    assert 0 < len(f.value.result) < 11 and f.value.result.t[-1] <= 0.5


def test_laws_that_depend_on_parameters_have_derivatives():
    text = '''
linkwork: 1
parameters: {L: 0.8, g: 9.81}
gravity: [0, 0, -g]
inputs: {torque: 0}
bodies: {bob: {mass: 2, com: [0, 0, -L], inertia: [0.1, 0.1, 0.01]}}
joints: {A: {type: revolute, parent: ground, child: bob, axis: y, q: 60 deg}}
forces: {M: {type: motor, joint: A, value: torque}}
simulation: {end: 1, output_step: 0.25, rtol: 1.e-12, atol: 1.e-13}
'''

    def law_of(L):
        return lambda t, q, u: {"torque": -L ** 2 * u[0] - 0.1 * np.sin(q[0])}

    def derivative(t, q, u, q_p, u_p, p_p):
        return {"torque": -0.64 * u_p[0] - 0.1 * np.cos(q[0]) * q_p[0] - 1.6 * u[0] * p_p.get("L", 0)}

    for given in (("L",), ("g", "L"), ()):
        s = lw.loads(text).sens(*given, law=law_of(0.8), law_derivative=derivative)
        h = 1e-4
        a, b = (lw.loads(text, L=0.8 + k * h).run(law=law_of(0.8 + k * h), columns="q.*") for k in (1, -1))
        np.testing.assert_allclose(s["q.A", "L"], (a["q.A"] - b["q.A"]) / (2 * h), rtol=1e-6, atol=1e-7)
    for word in ("check", "differences"):
        with pytest.raises(lw.ArgumentError, match="depends on parameters"):
            lw.loads(text).sens("L", law=law_of(0.8), law_derivative=derivative, **{word: True})


def data_of(page):
    """What a report holds."""
    return json.loads(page[page.index('type="application/json">') + 24:].split("</script>")[0])


@pytest.mark.parametrize("name", ["catapult", "squeezer", "latch"])
def test_reports_are_those_of_the_command_line(models, tmp_path, name):
    subprocess.run([os.environ["LINKWORK"], "run", models / f"{name}.yaml", "--report", tmp_path / "cli.html", "-o", tmp_path / "run.h5", "-q"],
                   check=True, stdout=subprocess.DEVNULL)
    r = lw.load(models / f"{name}.yaml").run()
    r.report(tmp_path / "a.html")
    lw.read(tmp_path / "run.h5").report(tmp_path / "b.html")
    pickle.loads(pickle.dumps(r)).report(tmp_path / "c.html")
    wanted = (tmp_path / "cli.html").read_text()
    for file in "abc":
        page = (tmp_path / f"{file}.html").read_text()
        assert page[:page.index('type="application/json">')] == wanted[:wanted.index('type="application/json">')]
        found, expected = data_of(page), data_of(wanted)
        for key in ("parts", "motion", "table", "names", "units", "shapes", "bodies", "springs", "contacts", "topology", "name"):
            assert found[key] == expected[key], key
        assert [e["time"] for e in found["facts"]["events"]] == [e["time"] for e in expected["facts"]["events"]]
    assert "<iframe srcdoc=" in r._repr_html_() and "&quot;motion&quot;" in r._repr_html_()


def test_reports_need_poses(models, tmp_path):
    r = lw.load(models / "latch.yaml").run(columns="q.*")
    with pytest.raises(lw.Error, match="poses"):
        r.report(tmp_path / "a.html")
    assert "<svg" in r._repr_html_()


def test_formulations_and_parameters_at_a_state(models):
    m = lw.load(models / "four-bar.yaml")
    d = m.data({"A": 0.6}, {"A": 1.0})
    udot, loads = d.by_formulation("tree")
    for name in ("dca", "cartesian"):
        other, their = d.by_formulation(name)
        np.testing.assert_allclose(other, udot, rtol=1e-8, atol=1e-8)
        for joint in loads:
            np.testing.assert_allclose(their[joint][3:5], loads[joint][3:5], rtol=1e-7, atol=1e-6)
    p = lw.load(models / "double-pendulum.yaml")
    e, h = p.data({"A": 0.6, "B": 0.2}, {"A": 1.0, "B": 0}), 1e-6
    a, b = (p.with_parameters(La=1 + s).data(e.q, e.u).udot() for s in (h, -h))
    np.testing.assert_allclose(e.udot_by("La"), (a - b) / (2 * h), rtol=1e-7, atol=1e-7)
    assert e.row("energy.kinetic")["energy.kinetic"] == e.kinetic


def test_loads_of_python_equal_those_of_the_model():
    def pendulum(torque):
        s = lw.Spec()
        s.parameter("L", 1.0)
        s.input("torque")
        s.body("arm", mass=1, com=(0, 0, "-L"))
        s.joint("A", "revolute", child="arm", axis="y", q=0.4)
        s.motor("M", "A", torque)
        s.simulation(end=2, output_step=0.1, rtol=1e-10)
        return s.compile()

    law, model = pendulum("torque"), pendulum("-2*u.A - sin(q.A)")
    want = model.sens("L")
    run = law.run(law=lambda t, q, u: {"torque": -2 * u[0] - np.sin(q[0])})
    np.testing.assert_allclose(run["q.A"], want["q.A"], atol=1e-8)
    got = law.sens("L", law=lambda t, q, u: {"torque": -2 * u[0] - np.sin(q[0])},
                   law_derivative=lambda t, q, u, q_p, u_p: {"torque": -2 * u_p[0] - np.cos(q[0]) * q_p[0]})
    np.testing.assert_allclose(got["q.A", "L"], want["q.A", "L"], atol=1e-6)
    with pytest.raises(ZeroDivisionError):
        law.run(law=lambda t, q, u: {"torque": 1 / 0})
    with pytest.raises(lw.ArgumentError, match="no inputs"):
        lw.loads("linkwork: 1\nbodies: {a: {mass: 1}}").run(law=lambda t, q, u: {})


def test_sensitivities_are_checked_by_differences_of_runs(models):
    s = lw.load(models / "double-pendulum.yaml").sens("La", check=True)
    value, error = s.checks["La"].columns["q.A"]
    assert abs(value - s["q.A", "La"][-1]) <= max(10 * error, 1e-6 * abs(value)) and error < 1e-3 * abs(value)
    value, error = s.checks["La"].objectives["tip_height"]
    assert abs(value - s.objectives["tip_height"].gradient[0]) <= max(10 * error, 1e-6 * abs(value))


def test_results_become_frames_where_pandas_is(models):
    pytest.importorskip("pandas")
    r = lw.load(models / "double-pendulum.yaml").run(end=1)
    frame = r.to_pandas()
    assert frame.index.name == "t" and frame["q.A"].iloc[-1] == r["q.A"][-1]


def test_files_of_results_equal_the_run(models, command, tmp_path):
    m = lw.load(models / "bouncing-pendulum.yaml")
    r = m.run(end=1, output=tmp_path / "a.h5")
    command("run", models / "bouncing-pendulum.yaml", "--end", 1, "-q", "-o", tmp_path / "b.h5")
    m.run(end=1, output=tmp_path / "c.csv")
    for name in ("a.h5", "b.h5", "c.csv"):
        again = lw.read(tmp_path / name)
        assert again.columns == r.columns
        np.testing.assert_array_equal(again.table, r.table)
    again = lw.read(tmp_path / "a.h5")
    assert [(e.time, e.names) for e in again.events] == [(e.time, e.names) for e in r.events] and len(r.events) > 0
    assert again.options["program"].startswith("linkwork, from Python") and again.statistics.steps == r.statistics.steps
    with pytest.raises(OSError, match="nowhere.h5"):
        lw.read(tmp_path / "nowhere.h5")
    with pytest.raises(lw.Error, match="q.Z"):
        lw.read(tmp_path / "a.h5", "q.Z")
