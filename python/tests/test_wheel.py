# SPDX-License-Identifier: Apache-2.0
"""A wheel is built without network, and is all that is needed."""
import os
import shutil
import subprocess
import sys
import zipfile

import pytest

from conftest import MODELS, SOURCE

pytest.importorskip("build")
pytest.importorskip("wheel")


def test_a_wheel_contains_the_library_and_runs_where_it_is_unpacked(tmp_path):
    source = shutil.copytree(SOURCE / "python", tmp_path / "source", ignore=shutil.ignore_patterns("build", "*.egg-info", "dist"))
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    nowhere = {"PIP_INDEX_URL": "http://0.0.0.0", "PIP_NO_INDEX": "1", "CFLAGS": "-O0"}
    done = subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--skip-dependency-check", "-o", str(tmp_path), str(source)],
                          env={**environment, **nowhere}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    wheel, = tmp_path.glob("*.whl")
    assert "-cp311-abi3-" in wheel.name
    with zipfile.ZipFile(wheel) as z:
        names = z.namelist()
        z.extractall(tmp_path / "unpacked")
    assert {"linkwork/_linkwork.abi3.so", "linkwork/py.typed", "linkwork/model.py", "linkwork/_linkwork.pyi"} <= set(names)
    assert not [n for n in names if "test" in n]
    shutil.rmtree(source)
    said = subprocess.run([sys.executable, "-c", "import linkwork as lw, sys; print(lw.__file__, len(lw.load(sys.argv[1]).run(end=1)))",
                           str(MODELS / "double-pendulum.yaml")],
                          env={**environment, "PYTHONPATH": str(tmp_path / "unpacked")}, cwd=tmp_path, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert str(tmp_path) in said.stdout and said.stdout.split()[-1] == "3"


def test_a_missing_library_is_said_with_what_to_do(tmp_path):
    done = subprocess.run([sys.executable, "-B", "-c", "import linkwork_ffi"], cwd=SOURCE / "python", capture_output=True, text=True,
                          env={**os.environ, "LINKWORK_BUILD": str(tmp_path)})
    assert done.returncode != 0 and "LINKWORK_BUILD" in done.stderr and str(tmp_path) in done.stderr
