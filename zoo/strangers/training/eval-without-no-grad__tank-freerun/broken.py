# System identification of a cascaded two-tank rig with overflow.
# One-step-ahead networks look fine and drift in simulation, so the model is trained on short multi-step
# rollouts and judged in free run over the whole validation record.
import resource
import sys
import time

import numpy as np
import torch

S = {
    "seed": int(sys.argv[1]) if len(sys.argv) > 1 else 0,
    "dt": 4.0,
    "rollout": 24,
    "batch": 64,
    "iterations": 500,
    "lr": 5e-3,
    "hidden": 48,
    "records": {"fit": 24, "check": 900, "final": 900},
    "samples": 900,
    "report": 100,
}


def rig(u, dt, rng):
    """Explicit Euler on Torricelli's law, both levels measured with sensor noise. u: records x samples"""
    h1 = rng.uniform(2, 6, len(u))
    h2 = rng.uniform(2, 6, len(u))
    out = np.empty(u.shape + (2,))
    for k in range(u.shape[1]):
        out[:, k, 0], out[:, k, 1] = h1, h2
        q12 = 0.055 * np.sqrt(np.maximum(h1, 0.0))
        q2 = 0.050 * np.sqrt(np.maximum(h2, 0.0))
        n1 = h1 + dt * (0.042 * u[:, k] - q12)
        spill = np.maximum(n1 - 10.0, 0.0)
        h2 = np.clip(h2 + dt * (q12 - q2) + 0.4 * spill, 0.0, 10.0)
        h1 = np.clip(n1, 0.0, 10.0)
    return out + rng.normal(0, 0.03, out.shape)


def excitation(n, T, rng):
    """Random staircase, held 20 to 80 samples"""
    u = np.empty((n, T))
    for row in u:
        k = 0
        while k < T:
            hold = rng.integers(20, 80)
            row[k:k + hold] = rng.uniform(0.5, 5.0)
            k += hold
    return u


class Plant(torch.nn.Module):
    """x[k+1] = x[k] + f(x[k], u[k]), everything in scaled units."""

    def __init__(self, hidden):
        super().__init__()
        self.f = torch.nn.Sequential(
            torch.nn.Linear(3, hidden), torch.nn.Tanh(),
            torch.nn.Linear(hidden, hidden), torch.nn.Tanh(),
            torch.nn.Linear(hidden, 2),
        )

    def step(self, x, u):
        return x + 0.1 * self.f(torch.cat([x, u[:, None]], 1))

    def forward(self, x0, u):
        x, path = x0, [x0]
        for k in range(u.shape[1] - 1):
            x = self.step(x, u[:, k])
            path.append(x)
        return torch.stack(path, 1)


class Identification:
    def __init__(self, s):
        self.s = s
        torch.manual_seed(s["seed"])
        self.rng = np.random.default_rng(s["seed"])
        raw = {}
        for name, n in s["records"].items():
            u = excitation(n, s["samples"], self.rng)
            raw[name] = (u, rig(u, s["dt"], self.rng))
        u, y = raw["fit"]
        self.u_mu, self.u_sd = u.mean(), u.std()
        self.y_mu, self.y_sd = y.mean((0, 1)), y.std((0, 1))
        self.data = {k: self.scaled(*v) for k, v in raw.items()}
        self.net = Plant(s["hidden"])
        self.opt = torch.optim.Adam(self.net.parameters(), lr=s["lr"])
        self.decay = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, s["iterations"])
        self.sim_seconds = 0.0

    def scaled(self, u, y):
        as_t = lambda a: torch.tensor(a, dtype=torch.float32)
        return as_t((u - self.u_mu) / self.u_sd), as_t((y - self.y_mu) / self.y_sd)

    def windows(self):
        u, y = self.data["fit"]
        L, B = self.s["rollout"], self.s["batch"]
        while True:
            i = self.rng.integers(0, len(u), B)
            k = self.rng.integers(0, u.shape[1] - L, B)
            take = k[:, None] + np.arange(L)
            yield u[i[:, None], take], y[i[:, None], take]

    def free_run(self, name):
        """RMS simulation error in centimetres per tank, start-up of 20 samples left out"""
        u, y = self.data[name]
        t0 = time.perf_counter()
        sim = self.net(y[:, 0], u)
        self.sim_seconds += time.perf_counter() - t0
        err = (sim - y)[:, 20:].pow(2).mean((0, 1)).sqrt()
        return [e.item() * s for e, s in zip(err, self.y_sd)]

    def fit(self):
        smooth = None
        for it, (u, y) in zip(range(1, self.s["iterations"] + 1), self.windows()):
            self.net.train()
            loss = (self.net(y[:, 0], u) - y)[:, 1:].square().mean()
            self.opt.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
            self.opt.step()
            self.decay.step()
            smooth = loss.item() if smooth is None else 0.98 * smooth + 0.02 * loss.item()
            if it % self.s["report"] == 0:
                self.net.eval()
                a, b = self.free_run("check")
                print(f"it {it:4d}  fit {smooth:.5f}  free run: upper {a:.3f} cm  lower {b:.3f} cm")


if __name__ == "__main__":
    job = Identification(S)
    job.fit()
    job.net.eval()
    upper, lower = job.free_run("final")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"held-out records: upper {upper:.3f} cm, lower {lower:.3f} cm")
    print(f"simulation time {job.sim_seconds:.1f} s, peak memory {peak:.0f} MB")
