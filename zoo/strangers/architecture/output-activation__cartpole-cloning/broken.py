"""Behaviour cloning of an LQR cart-pole balancer.

    python clone_lqr.py --rollouts 120 --epochs 25

1. drive the nonlinear cart-pole with an LQR expert from random starts
2. fit a small policy network on (state, force) pairs
3. put the network in charge and count how many episodes stay upright
"""
import argparse
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from scipy.linalg import solve_continuous_are

GRAVITY, M_CART, M_POLE, HALF_LEN = 9.81, 1.0, 0.1, 0.5
DT = 0.02
FORCE_LIMIT = 10.0


def dynamics(s, force):
    """s: (n, 4) array of x, x_dot, theta, theta_dot; force: (n,)"""
    x, xd, th, thd = s.T
    total = M_CART + M_POLE
    sin, cos = np.sin(th), np.cos(th)
    tmp = (force + M_POLE * HALF_LEN * thd ** 2 * sin) / total
    thdd = (GRAVITY * sin - cos * tmp) / (HALF_LEN * (4.0 / 3.0 - M_POLE * cos ** 2 / total))
    xdd = tmp - M_POLE * HALF_LEN * thdd * cos / total
    return np.stack([xd, xdd, thd, thdd], axis=1)


def sim_step(s, force):
    force = np.clip(force, -FORCE_LIMIT, FORCE_LIMIT)
    mid = s + 0.5 * DT * dynamics(s, force)
    return s + DT * dynamics(mid, force)


def lqr_gain():
    eps = 1e-5
    A = np.zeros((4, 4))
    for j in range(4):
        d = np.zeros((1, 4))
        d[0, j] = eps
        A[:, j] = (dynamics(d, np.zeros(1)) - dynamics(-d, np.zeros(1)))[0] / (2 * eps)
    z = np.zeros((1, 4))
    B = ((dynamics(z, np.array([eps])) - dynamics(z, np.array([-eps])))[0] / (2 * eps))[:, None]
    Q, R = np.diag([2.0, 0.5, 10.0, 1.0]), np.array([[0.05]])
    P = solve_continuous_are(A, B, Q, R)
    return (np.linalg.inv(R) @ B.T @ P)[0]


def random_starts(n, rng):
    scale = np.array([0.8, 0.6, 0.25, 0.6])
    return rng.uniform(-1, 1, size=(n, 4)) * scale


def collect(n_rollouts, horizon, rng):
    K = lqr_gain()
    s = random_starts(n_rollouts, rng)
    states, forces = [], []
    for _ in range(horizon):
        u = np.clip(-s @ K, -FORCE_LIMIT, FORCE_LIMIT)
        states.append(s.copy())
        forces.append(u.copy())
        # a little exploration so that the clone sees states off the expert's path
        s = sim_step(s, u + rng.normal(0, 2.0, size=u.shape))
    return np.stack(states, 1), np.stack(forces, 1)


class Policy(nn.Module):
    def __init__(self, obs_dim, hidden, max_force, obs_mean, obs_std):
        super().__init__()
        self.max_force = max_force
        self.register_buffer("obs_mean", obs_mean)
        self.register_buffer("obs_std", obs_std)
        self.fc1 = nn.Linear(obs_dim, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.mu = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = (obs - self.obs_mean) / self.obs_std
        h = F.silu(self.fc1(h))
        h = F.silu(self.fc2(h))
        return torch.tanh(self.mu(h)).squeeze(-1)

    @torch.no_grad()
    def act(self, s):
        u = self(torch.as_tensor(s, dtype=torch.float32))
        return u.clamp(-self.max_force, self.max_force).numpy().astype(np.float64)


def evaluate(policy, n, horizon, seed):
    rng = np.random.default_rng(seed)
    s = random_starts(n, rng)
    alive = np.ones(n, dtype=bool)
    length = np.zeros(n)
    for _ in range(horizon):
        s_next = sim_step(s, policy.act(s))
        s = np.where(alive[:, None], s_next, s)
        alive &= (np.abs(s[:, 2]) < math.radians(40)) & (np.abs(s[:, 0]) < 3.0)
        length += alive
    return alive.mean(), length.mean()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rollouts", type=int, default=120)
    ap.add_argument("--horizon", type=int, default=150)
    ap.add_argument("--epochs", type=int, default=25)
    ap.add_argument("--batch", type=int, default=256)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--hidden", type=int, default=64)
    ap.add_argument("--seed", type=int, default=3)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    states, forces = collect(args.rollouts, args.horizon, rng)
    n_val = args.rollouts // 6          # whole rollouts are held out
    to_t = lambda a: torch.as_tensor(a, dtype=torch.float32)
    x_tr, u_tr = to_t(states[n_val:].reshape(-1, 4)), to_t(forces[n_val:].reshape(-1))
    x_va, u_va = to_t(states[:n_val].reshape(-1, 4)), to_t(forces[:n_val].reshape(-1))
    print(f"{len(x_tr)} training pairs, {len(x_va)} validation pairs")

    policy = Policy(4, args.hidden, FORCE_LIMIT, x_tr.mean(0), x_tr.std(0))
    optim = torch.optim.Adam(policy.parameters(), lr=args.lr)
    steps = args.epochs * (len(x_tr) // args.batch)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(optim, steps)

    for epoch in range(args.epochs):
        policy.train()
        order = torch.randperm(len(x_tr))
        running, seen = 0.0, 0
        for i in range(0, len(order) - args.batch + 1, args.batch):
            idx = order[i:i + args.batch]
            loss = F.mse_loss(policy(x_tr[idx]), u_tr[idx])
            optim.zero_grad()
            loss.backward()
            optim.step()
            sched.step()
            running += loss.item() * len(idx)
            seen += len(idx)
        if epoch % 5 == 0 or epoch == args.epochs - 1:
            policy.eval()
            with torch.no_grad():
                val = F.mse_loss(policy(x_va), u_va).item()
            print(f"epoch {epoch:3d}  train mse {running / seen:8.4f}  val mse {val:8.4f}")

    policy.eval()
    upright, mean_len = evaluate(policy, n=200, horizon=300, seed=args.seed + 1000)
    print(f"closed loop: {upright:.1%} of episodes upright after 300 steps, mean length {mean_len:.1f}")


if __name__ == "__main__":
    main()
