"""Permuted-digits continual learning. Plain replay memory against dark experience replay."""
import sys
import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

TASKS, EPOCHS, BATCH = 4, 12, 32


def make_tasks(seed):
    X, y = load_digits(return_X_y=True)
    Xa, Xb, ya, yb = train_test_split(X / 16.0 - 0.3, y, test_size=0.3, stratify=y, random_state=seed)
    rng = np.random.default_rng(seed)
    for t in range(TASKS):
        perm = np.arange(64) if t == 0 else rng.permutation(64)
        yield [torch.tensor(a, dtype=d) for a, d in
               ((Xa[:, perm], torch.float32), (ya, torch.long), (Xb[:, perm], torch.float32), (yb, torch.long))]


def mlp():
    return torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(),
                               torch.nn.Linear(256, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))


class Learner:
    def __init__(self):
        self.net = mlp()
        self.name = type(self).__name__

    def extra(self):
        return 0.0

    def augment(self, x, y):
        return x, y

    def consolidate(self, X, y):
        pass

    def learn(self, X, y):
        opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        last = None
        for _ in range(EPOCHS):
            tot = 0.0
            for b in torch.randperm(len(X)).split(BATCH):
                xb, yb = self.augment(X[b], y[b])
                loss = F.cross_entropy(self.net(xb), yb) + self.extra()
                opt.zero_grad()
                loss.backward()
                opt.step()
                tot += loss.item() * len(b)
            last = tot / len(X)
        self.consolidate(X, y)
        return last


class Replay(Learner):
    def __init__(self, per_task=150):
        super().__init__()
        self.per_task, self.memory = per_task, []

    def augment(self, x, y):
        if not self.memory:
            return x, y
        mx, my = (torch.cat(z) for z in zip(*self.memory))
        k = torch.randperm(len(mx))[:BATCH]
        return torch.cat([x, mx[k]]), torch.cat([y, my[k]])

    def consolidate(self, X, y):
        k = torch.randperm(len(X))[: self.per_task]
        self.memory.append((X[k], y[k]))


class DarkReplay(Learner):
    """Also stores the logits the network gave at the time, and stays close to them."""

    def __init__(self, per_task=150, pull=0.3):
        super().__init__()
        self.per_task, self.pull, self.memory = per_task, pull, []

    def extra(self):
        if not self.memory:
            return 0.0
        mx, my, mz = (torch.cat(z) for z in zip(*self.memory))
        k = torch.randperm(len(mx))[:BATCH]
        out = self.net(mx[k])
        return self.pull * F.mse_loss(out, mz[k]) + 0.5 * F.cross_entropy(out, my[k])

    def consolidate(self, X, y):
        k = torch.randperm(len(X))[: self.per_task]
        with torch.no_grad():
            self.memory.append((X[k], y[k], self.net(X[k])))


def main(seed=9):
    tasks = list(make_tasks(seed))
    summary = []
    for build in (Replay, DarkReplay):
        torch.manual_seed(seed)
        learner = build()
        R = np.full((TASKS, TASKS), np.nan)
        sys.stdout.write(f"\n{learner.name}\n")
        for t, (X, y, _, _) in enumerate(tasks):
            final = learner.learn(X, y)
            with torch.no_grad():
                for u in range(t + 1):
                    R[t, u] = (learner.net(tasks[u][2]).argmax(1) == tasks[u][3]).float().mean().item()
            cells = " ".join("  .  " if np.isnan(v) else f"{v:.3f}" for v in R[t])
            sys.stdout.write(f"  after task {t}: objective {final:.3f}   test acc per task [{cells}]\n")
        summary.append((learner.name, R[-1].mean(), (np.nanmax(R, 0) - R[-1])[:-1].mean()))
    print("\nlearner     average accuracy   forgetting")
    for n, a, f in summary:
        print(f"{n:10s}  {a:16.3f}   {f:10.3f}")


if __name__ == "__main__":
    main()
