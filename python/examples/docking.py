# SPDX-License-Identifier: Apache-2.0
"""Two satellites drift together; when the program sees them close enough it raises the event that docks them.  Momentum is kept, energy is lost."""
import numpy as np

import linkwork as lw

spec = lw.Spec(gravity=(0, 0, 0))
for name, x, v in (("chaser", -1.0, 0.2), ("target", 1.0, 0.0)):
    spec.body(name, solid={"box": {"size": (0.5, 0.5, 0.5), "mass": 100 if name == "target" else 40}},
              start={"at": (x, 0, 0), "linear": (v, 0, 0), "angular": (0, 0, 0.01)})
m = spec.compile()
sim = m.simulation(rtol=1e-10)
while sim["x.target"] - sim["x.chaser"] > 0.8:
    sim.step(0.1)
before = sim.row("energy.total,vx.chaser,vx.target")
sim.raise_event("dock", connect={"name": "port", "type": "fixed", "parent": "target", "child": "chaser", "at": (-0.4, 0, 0)})
sim.step(5.0)
dock = sim.events[-1]
print(f"docked at t = {dock.time:.1f} s: kinetic energy {dock.kinetic_before:.4f} -> {dock.kinetic_after:.4f} J, "
      f"impulse {np.linalg.norm(dock.impulses['port'][3:]):.3f} N s")
np.testing.assert_allclose(dock.momentum_after, dock.momentum_before, atol=1e-9)
assert dock.kinetic_after < dock.kinetic_before
assert abs(sim["vx.chaser"] - sim["vx.target"]) < 0.02
