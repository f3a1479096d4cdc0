# SPDX-License-Identifier: Apache-2.0
"""Environments for reinforcement learning, with the methods of gymnasium but without needing it: one state at a time, and thousands of
states at once in the lanes of the processor and on threads."""
import numpy as np

import linkwork as lw


def cart_pole():
    spec = lw.Spec("cart-pole", planar=True)
    spec.body("cart", mass=1.0, inertia=0.01)
    spec.body("pole", solid={"rod": {"length": 0.6, "mass": 0.3, "axis": (0, 1)}})
    spec.joint("rail", "prismatic", child="cart")
    spec.joint("pin", "revolute", parent="cart", child="pole")
    return spec.compile()


class Environment:
    """observation [q, u]; action: the push on the cart, N; the episode ends when the pole falls or the cart leaves the rail."""
    dt, limit_angle, limit_rail = 0.02, 0.4, 2.4

    def __init__(self, model):
        self.model, self.data = model, model.data()

    def reset(self, seed=None):
        rng = np.random.default_rng(seed)
        self.data.q[:], self.data.u[:] = rng.uniform(-0.05, 0.05, (2, 2))
        self.data.t, self.steps = 0.0, 0
        return self.observation(), {}

    def observation(self):
        return np.concatenate([self.data.q, self.data.u])

    def step(self, action):
        self.data.step(self.dt, [float(action), 0.0])
        self.steps += 1
        terminated = bool(abs(self.data.q[1]) > self.limit_angle or abs(self.data.q[0]) > self.limit_rail)
        return self.observation(), 1.0, terminated, self.steps >= 500, {}


class VectorEnvironment:
    """The same for n states at once: observations [n, 4], actions [n].  Steps are semi-implicit Euler in `substeps` parts."""
    dt, limit_angle, limit_rail, substeps = 0.02, 0.4, 2.4, 4

    def __init__(self, model, n, threads=1):
        self.model, self.n, self.threads = model, n, threads
        self.q, self.u, self.rng = np.zeros((n, 2)), np.zeros((n, 2)), np.random.default_rng()

    def reset(self, seed=None):
        self.rng = np.random.default_rng(seed)
        self._start(np.ones(self.n, dtype=bool))
        return np.hstack([self.q, self.u]), {}

    def _start(self, which):
        self.q[which], self.u[which] = self.rng.uniform(-0.05, 0.05, (2, int(which.sum()), 2))

    def step(self, actions):
        tau = np.zeros((self.n, 2))
        tau[:, 0] = actions
        h = self.dt / self.substeps
        for _ in range(self.substeps):
            self.u += h * self.model.forward_dynamics(self.q, self.u, tau, threads=self.threads)
            self.q += h * self.u
        terminated = (abs(self.q[:, 1]) > self.limit_angle) | (abs(self.q[:, 0]) > self.limit_rail)
        final = np.hstack([self.q, self.u])
        self._start(terminated)  # ended states begin again, as vectorised environments do
        return np.hstack([self.q, self.u]), np.ones(self.n), terminated, np.zeros(self.n, dtype=bool), {"final_observation": final}


def policy(x):
    """A state feedback that balances."""
    return x @ np.array([2.0, -35.0, 4.0, -7.0])


model = cart_pole()
one = Environment(model)
x, _ = one.reset(seed=1)
terminated = truncated = False
while not (terminated or truncated):
    x, reward, terminated, truncated, _ = one.step(policy(x))
print(f"one environment: {one.steps} steps")
assert truncated and not terminated

many = VectorEnvironment(model, 4000, threads=2)
X, _ = many.reset(seed=1)
falls = 0
for _ in range(100):
    X, _, terminated, _, _ = many.step(policy(X))
    falls += int(terminated.sum())
X, _ = many.reset(seed=1)
falls_without = sum(int(many.step(np.zeros(many.n))[2].sum()) for _ in range(100))
print(f"{many.n} environments, 100 steps: {falls} falls with the policy, {falls_without} without")
assert falls == 0 and falls_without > many.n / 2
