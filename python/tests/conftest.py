# SPDX-License-Identifier: Apache-2.0
"""Where things are: the repository, its models, the command line."""
import os
import pathlib
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ.get("LINKWORK_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
MODELS = SOURCE / "models"
PROGRAM = os.environ.get("LINKWORK", str(SOURCE / "build/ci/cli/linkwork"))


@pytest.fixture
def models():
    return MODELS


@pytest.fixture
def command():
    """Runs the command line and returns what it prints."""
    def run(*args):
        done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run
