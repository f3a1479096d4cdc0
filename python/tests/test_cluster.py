# SPDX-License-Identifier: Apache-2.0
"""Sweeps on the workers of dask.distributed: the bits of a sweep in this process, also when a worker is killed in the middle."""
import os
import signal
import threading
import time

import numpy as np
import pytest

import linkwork as lw

distributed = pytest.importorskip("distributed")

MODEL = """
linkwork: 1
gravity: [0, -9.81, 0]
parameters: {L: {value: 1, min: 0.5, max: 1.5}, m: 2, T: 2}
bodies: {bar: {solid: {rod: {length: L, mass: m, axis: -y}}}}
joints: {A: {type: revolute, parent: ground, child: bar, q: 1}}
forces: {M: {type: motor, joint: A, value: "if(L > 1.4, sqrt(0.3 - t), 0)"}}
simulation: {end: T}
study: {cases: 24, parameters: {L: , m: {normal: [2, 0.1]}}, columns: "q.A", extremes: u.A}
"""


@pytest.fixture
def client(tmp_path):
    # processes and not threads: one is killed
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(tmp_path)) as cluster:
        with distributed.Client(cluster) as found:
            yield found


def test_workers_give_the_bits_of_this_process(client):
    m = lw.loads(MODEL)
    here, there = m.sweep(), m.sweep(client=client)
    np.testing.assert_array_equal(here.values, there.values)
    np.testing.assert_array_equal(here.table, there.table)
    np.testing.assert_array_equal(here.t, there.t)
    assert {i: str(e) for i, e in here.failures.items()} == {i: str(e) for i, e in there.failures.items()} and here.failures
    assert here.results == there.results == ("q.A", "max.u.A", "max.u.A.t", "min.u.A", "min.u.A.t")


def test_cases_of_a_killed_worker_are_computed_by_the_other(client):
    m = lw.loads(MODEL.replace("T: 2", "T: 40"))
    options = {"integrator": "rk4", "step": 2e-3, "cases": 60}
    workers = list(client.run(os.getpid).values())

    def kill():
        time.sleep(1)
        os.kill(workers[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    there = m.sweep(client=client, **options)
    killer.join()
    here = m.sweep(**options)
    np.testing.assert_array_equal(here.table, there.table)
    assert workers[0] not in client.run(os.getpid).values()


def test_keys_are_those_of_the_study():
    from linkwork.cluster import Cases
    from linkwork.sweep import _Given, _complete
    m = lw.loads(MODEL)
    none = _Given(*[None] * 8)
    keys = [Cases(lw.loads(MODEL), _complete(m, none, {})).key(), Cases(m, _complete(m, none, {})).key(),
            Cases(m, _complete(m, none._replace(seed=2), {})).key(), Cases(lw.loads(MODEL.replace("m: 2", "m: 3")), _complete(m, none, {})).key()]
    assert keys[0] == keys[1] and len(set(keys)) == 3


def test_the_script_for_clusters(tmp_path):
    import csv
    import io
    import subprocess
    import sys
    from conftest import SOURCE
    path = tmp_path / "m.yaml"
    path.write_text(MODEL)
    done = subprocess.run([sys.executable, "-B", SOURCE / "examples/cluster/dask-sweep.py", path], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows, s = list(csv.DictReader(io.StringIO(done.stdout))), lw.load(path).sweep()
    assert [float(r["q.A"]) for r in rows if not r["message"]] == [x for x in s["q.A"] if x == x]
    assert sum(bool(r["message"]) for r in rows) == len(s.failures)
