# SPDX-License-Identifier: Apache-2.0
"""linkwork: multibody dynamics of mechanisms of any topology.

    import linkwork as lw
    m = lw.load("four-bar.yaml", La=1.2)      # YAML, JSON, URDF, MJCF; parameters as keywords
    r = m.run(end=10)                         # r["q.A"], r.t, r.events, r.plot("q.*")
    s = m.sens("La", "mb")                    # s["q.A", "La"], s.objectives["h"].gradient
    f = m.fit({"t": t, "q.A": q}, "La")       # from measurements: f.values, f.parameters["La"].interval
    x = m.optimize("h", "La", "mb")           # x.value, x.model
    d = m.data(); d.M, d.bias, d.udot()       # at a state

SI units, radians; spatial vectors are [angular; linear]; quaternions are (w, x, y, z).  `linkwork.lib` and `linkwork.ffi` are the whole
C library, as cffi has it: linkwork.lib.lw_forward_dynamics, ...
"""
from ._linkwork import ffi, lib
from .analysis import Equilibrium, Held, Linearization, Mobility, Mode, Motion
from .data import Data, Derivatives, Pose
from .errors import (ArgumentError, Error, FileError, ModelError, NotConverged, NumberError, OutOfMemory, ReadWarning, SingularError, StageError,
                     Stopped, Unsupported)
from .graph import Graph, Sko, SpanningTree, Tree
from .model import JointInfo, Model, load, loads
from .results import read
from .run import Balance, Event, Hit, Result, Simulation, Statistics
from .sens import Check, Objective, Sensitivity
from .sweep import Normal, SobolIndex, Summary, Sweep, Uniform
from .spec import GROUND, Body, Joint, Spec
from .study import Combination, Experiment, Fit, Fitted, Optimum
from .topology import Edge, Topology

__all__ = ["ArgumentError", "Balance", "Body", "Check", "Combination", "Data", "Derivatives", "Edge", "Equilibrium", "Error", "Event", "Experiment", "FileError",
           "Fit", "Fitted", "GROUND", "Graph", "Held", "Hit", "Joint", "JointInfo", "Linearization", "Mobility", "Mode", "Model", "ModelError", "Motion",
           "Normal", "NotConverged", "NumberError", "Objective", "Optimum", "OutOfMemory", "Pose", "ReadWarning", "Result", "Sensitivity", "Simulation", "SingularError", "Sko",
           "SobolIndex", "SpanningTree", "Spec", "StageError", "Statistics", "Stopped", "Summary", "Sweep", "Topology", "Tree", "Uniform", "Unsupported", "ffi",
           "lib", "load", "loads", "read"]
