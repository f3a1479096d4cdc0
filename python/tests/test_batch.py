# SPDX-License-Identifier: Apache-2.0
"""Many states at once, many threads, many models."""
import gc
import multiprocessing
import resource
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import linkwork as lw


def states(m, n, seed=4):
    rng = np.random.default_rng(seed)
    Q = np.tile(m.data().q, (n, 1))
    return Q, rng.normal(size=(n, m.nu)), rng.normal(size=(n, m.nu))


@pytest.mark.parametrize("name", ["double-pendulum", "arm", "satellite", "four-bar", "quadruped"])
def test_rows_of_a_batch_equal_single_states(models, name):
    m = lw.load(models / f"{name}.yaml")
    n = 37
    Q, U, TAU = states(m, n)
    if m.dof < m.nu:
        U[:] = 0
    got = m.forward_dynamics(Q, U, TAU, t=0.25)
    d = m.data(t=0.25)
    for k in range(0, n, 9):
        d.q, d.u = Q[k], U[k]
        one = d.udot(TAU[k])
        np.testing.assert_allclose(got[k], one, rtol=1e-9, atol=1e-9 * max(1, abs(one).max()))
    by_columns = m.forward_dynamics(*map(np.asfortranarray, (Q, U, TAU)), t=0.25)
    np.testing.assert_array_equal(by_columns, got)
    np.testing.assert_array_equal(m.forward_dynamics(Q, U, TAU, t=0.25, threads=2), got)
    back = m.inverse_dynamics(Q, U, got, t=0.25)
    if m.dof == m.nu:
        np.testing.assert_allclose(back, TAU, atol=1e-7 * max(1, abs(back).max()))


def test_mass_matrices_of_a_batch(models):
    m = lw.load(models / "arm.yaml")
    Q, _, _ = states(m, 11)
    Q += np.random.default_rng(5).normal(size=Q.shape)
    M = m.mass_matrix(Q)
    np.testing.assert_allclose(M[7], m.data(Q[7], np.zeros(m.nu)).M, rtol=1e-10, atol=1e-12)


def test_wrong_batches_are_refused(models):
    m = lw.load(models / "double-pendulum.yaml")
    with pytest.raises(ValueError, match=r"U has the shape \(4, 2\); it must be \(5, 2\)"):
        m.forward_dynamics(np.zeros((5, 2)), np.zeros((4, 2)))
    Q = np.zeros((5, 2))
    Q[3] = np.nan
    with pytest.warns(RuntimeWarning, match="not finite"):
        udot = m.forward_dynamics(Q, np.zeros((5, 2)))
    assert np.isnan(udot[3]).all() and np.isfinite(udot[[0, 1, 2, 4]]).all()
    assert m.forward_dynamics(np.zeros((0, 2)), np.zeros((0, 2))).shape == (0, 2)


def test_threads_share_one_model(models):
    m = lw.load(models / "four-bar.yaml")
    whole = m.run(end=0.5)
    with ThreadPoolExecutor(4) as pool:
        for r in pool.map(lambda _: m.run(end=0.5), range(8)):
            np.testing.assert_array_equal(r.table, whole.table)


def run_with(m, La):
    return m.with_parameters(La=La).run(end=0.2)["q.A"]


def test_processes_receive_models_and_return_results(models):
    m = lw.load(models / "double-pendulum.yaml")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        got = pool.starmap(run_with, [(m, 1.0), (m, 1.5)])
    np.testing.assert_array_equal(got[1], run_with(m, 1.5))


def test_memory_does_not_grow_with_models_and_runs(models):
    text = (models / "double-pendulum.yaml").read_text()

    def cycles(n):
        for _ in range(n):
            m = lw.loads(text)
            m.run(end=0.01, output_step=0.01, columns="q.*")
            m.data().udot()
            m.forward_dynamics(np.zeros((8, 2)), np.zeros((8, 2)))
        gc.collect()

    # freed memory goes back to the allocator, whose size settles: what leaks grows on and on
    cycles(300)
    sizes = []
    for _ in range(5):
        cycles(200)
        sizes.append(int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize())
    assert sizes[-1] - sizes[0] < 800 * 1000  # 800 models, runs, states and batches: less than 1 kB each
