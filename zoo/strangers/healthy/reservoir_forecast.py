"""Echo state network on the Mackey-Glass series.

The recurrent part is random and stays random (that is the method); only the linear readout is fitted.
The test segment is driven from the reservoir state left over by the training segment, and the
inputs of the readout include the current value of the very series it predicts one step ahead.
"""
import argparse
import math

import numpy as np
import torch


def mackey_glass(n, tau=17, dt=1.0, warm=400):
    sub = 10
    lag = tau * sub
    x = [1.2] * (lag + 1)
    for _ in range((n + warm) * sub):
        delayed = x[-lag - 1]
        x.append(x[-1] + dt / sub * (0.2 * delayed / (1 + delayed ** 10) - 0.1 * x[-1]))
    return np.array(x[lag + 1 + warm * sub::sub][:n], dtype=np.float32)


class Reservoirs:
    """A few reservoirs with different leak rates, kept in a plain list; nothing in here is trained."""

    def __init__(self, sizes, leaks, radius, gen):
        self.units = []
        for size, leak in zip(sizes, leaks):
            w = torch.randn(size, size, generator=gen) * (torch.rand(size, size, generator=gen) < 0.1)
            w *= radius / torch.linalg.eigvals(w).abs().max()
            w_in = (torch.rand(size, 2, generator=gen) - 0.5) * 1.5
            self.units.append((w, w_in, leak))
        self.reset()

    def reset(self):
        self.state = [torch.zeros(len(w)) for w, _, _ in self.units]

    @torch.no_grad()
    def drive(self, series):
        rows = []
        for v in series:
            inp = torch.stack([v, torch.ones(())])
            for i, (w, w_in, leak) in enumerate(self.units):
                self.state[i] = (1 - leak) * self.state[i] + leak * torch.tanh(w @ self.state[i] + w_in @ inp)
            rows.append(torch.cat([*self.state, inp]))
        return torch.stack(rows)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--train", type=int, default=2000)
    ap.add_argument("--test", type=int, default=500)
    ap.add_argument("--washout", type=int, default=100)
    ap.add_argument("--epochs", type=int, default=100)
    ap.add_argument("--lr", type=float, default=1e-2)
    ap.add_argument("--free-run", type=int, default=60)
    ap.add_argument("--seed", type=int, default=8)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    gen = torch.Generator().manual_seed(args.seed)

    raw = torch.from_numpy(mackey_glass(args.train + args.test + 1))
    past = raw[:args.train]
    series = (raw - past.mean()) / past.std()

    pool = Reservoirs([80, 80, 40], [1.0, 0.6, 0.3], radius=0.95, gen=gen)
    h_train = pool.drive(series[:args.train])[args.washout:]
    y_train = series[args.washout + 1:args.train + 1]
    at_end_of_training = [s.clone() for s in pool.state]
    h_test = pool.drive(series[args.train:args.train + args.test])
    y_test = series[args.train + 1:args.train + args.test + 1]

    readout = torch.nn.Linear(h_train.shape[1], 1)
    torch.nn.init.zeros_(readout.weight)          # convex problem
    torch.nn.init.zeros_(readout.bias)
    opt = torch.optim.Adam(readout.parameters(), lr=args.lr)
    steps = args.epochs * math.ceil(len(h_train) / 50)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps, eta_min=1e-5)
    for epoch in range(args.epochs):
        total = 0.0
        for idx in torch.randperm(len(h_train)).split(50):
            loss = (readout(h_train[idx])[:, 0] - y_train[idx]).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item() * len(idx)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1:3d}  train nrmse {math.sqrt(total / len(h_train)):.5f}")

    with torch.no_grad():
        one_step = (readout(h_test)[:, 0] - y_test).pow(2).mean().sqrt() / y_test.std()
        naive = (series[args.train:args.train + args.test] - y_test).pow(2).mean().sqrt() / y_test.std()
        pool.state = at_end_of_training
        value, path = series[args.train], []
        for _ in range(args.free_run):
            value = readout(pool.drive(value[None]))[0, 0]
            path.append(value)
        truth = y_test[:args.free_run]
        free = (torch.stack(path) - truth).pow(2).mean().sqrt() / y_test.std()
    print(f"test one-step nrmse {one_step:.4f}   (repeat last value: {naive:.4f})")
    print(f"free run over {args.free_run} steps: nrmse {free:.3f}")


if __name__ == "__main__":
    main()
