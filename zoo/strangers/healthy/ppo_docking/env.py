"""A drone in the plane has to reach a pad. `n` independent copies, stepped together."""
import numpy as np


class Docking:
    """actions: 0 coast, 1..4 thrust along +x -x +y -y.
    An episode ends by docking (+1) or leaving the field (-1); after `limit` steps it is cut off."""

    n_actions, obs_dim, limit = 5, 6, 60
    dt, thrust, drag, radius = 0.15, 1.2, 0.25, 0.2

    def __init__(self, n, seed):
        self.n = n
        self.rngs = [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(n)]
        self.pos, self.vel, self.pad = (np.zeros((n, 2)) for _ in range(3))
        self.age = np.zeros(n, dtype=int)

    def _new(self, i):
        r = self.rngs[i]
        self.pad[i] = r.uniform(-0.7, 0.7, 2)
        while True:
            self.pos[i] = r.uniform(-0.8, 0.8, 2)
            if np.linalg.norm(self.pos[i] - self.pad[i]) > 0.5:
                break
        self.vel[i] = r.normal(0, 0.1, 2)
        self.age[i] = 0

    def reset(self):
        for i in range(self.n):
            self._new(i)
        self.age[:] = [r.integers(0, self.limit // 2) for r in self.rngs]  # cut-offs do not coincide
        return self._obs()

    def _obs(self):
        return np.concatenate([2 * self.pos, 2 * self.vel, 1.4 * (self.pad - self.pos)], 1).astype(np.float32)

    def step(self, a):
        push = np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]], float)[a]
        far = np.linalg.norm(self.pos - self.pad, axis=1)
        self.vel += self.dt * (self.thrust * push - self.drag * self.vel)
        self.pos += self.dt * self.vel
        near = np.linalg.norm(self.pos - self.pad, axis=1)
        self.age += 1
        docked = near < self.radius
        lost = (np.abs(self.pos) > 1.2).any(1) & ~docked
        reward = (far - near) - 0.02 + 1.0 * docked - 1.0 * lost
        terminated = docked | lost
        truncated = (self.age >= self.limit) & ~terminated
        final = self._obs()  # what the critic must see at a cut-off
        for i in np.flatnonzero(terminated | truncated):
            self._new(i)
        return self._obs(), reward.astype(np.float32), terminated, truncated, {"final": final, "docked": docked}
