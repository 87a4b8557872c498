"""Which ring does the molecule carry?  Toy molecular graphs, one graph per forward pass.

Graphs differ in size, so instead of padding them we run them one by one and let gradients pile up before each update.
"""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

ELEMENTS = 4


def grow_molecule(rng):
    """A random tree with one planted ring (3, 4, 5 atoms) or none; returns atoms, adjacency, class."""
    label = int(rng.integers(0, 4))
    ring = [0, 3, 4, 5][label]
    n = int(rng.integers(10, 18))
    adj = np.zeros((n, n), dtype=np.float32)
    for k in range(ring):
        a, b = k, (k + 1) % ring
        adj[a, b] = adj[b, a] = 1
    for v in range(max(ring, 1), n):
        free = np.flatnonzero(adj[:v].sum(1) < 4)
        u = rng.choice(free)
        adj[u, v] = adj[v, u] = 1
    order = rng.permutation(n)
    return rng.integers(0, ELEMENTS, n), adj[np.ix_(order, order)], label


def featurize(atoms, adj):
    a = torch.from_numpy(adj)
    deg = a.sum(1)
    p = a / deg.clamp(min=1).unsqueeze(1)
    returns, power = [], p
    for _ in range(5):                      # random-walk return probabilities, 2..6 steps
        power = power @ p
        returns.append(power.diagonal())
    kinds = F.one_hot(torch.from_numpy(atoms), ELEMENTS).float()
    x = torch.cat([kinds, deg.unsqueeze(1) / 4, torch.stack(returns, 1)], dim=1)
    norm = (a + torch.eye(len(a))) / (deg + 1).unsqueeze(1)
    return x, norm


def build(n, seed):
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(n):
        atoms, adj, label = grow_molecule(rng)
        graphs.append((*featurize(atoms, adj), torch.tensor([label])))
    return graphs


def standardize(train, *others):
    rows = torch.cat([x for x, _, _ in train])
    mu, sd = rows.mean(0), rows.std(0).clamp(min=1e-3)
    return [[((x - mu) / sd, norm, y) for x, norm, y in part] for part in (train, *others)]


class RingNet(nn.Module):
    def __init__(self, n_in, width=48, layers=3):
        super().__init__()
        self.embed = nn.Linear(n_in, width)
        self.own = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.nbr = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(layers))
        self.readout = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, 4))

    def forward(self, x, norm):
        h = torch.relu(self.embed(x))
        for own, nbr in zip(self.own, self.nbr):
            h = h + torch.relu(own(h) + nbr(norm @ h))
        return self.readout(torch.cat([h.mean(0), h.amax(0)]).unsqueeze(0))


class Runner:
    def __init__(self, model, lr=0.02, momentum=0.9, graphs_per_update=16, epochs=15):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=momentum, weight_decay=1e-4)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, epochs)
        self.k = graphs_per_update
        self.epochs = epochs

    def train(self, graphs, held_out):
        for epoch in range(self.epochs):
            self.model.train()
            order = torch.randperm(len(graphs)).tolist()
            seen = 0.0
            self.opt.zero_grad()
            for i, g in enumerate(order, start=1):
                x, norm, y = graphs[g]
                loss = F.cross_entropy(self.model(x, norm), y)
                loss.backward()
                seen += loss.item()
                if i % self.k == 0:
                    self.opt.step()
                    self.opt.zero_grad()
            self.sched.step()
            print(f"epoch {epoch + 1:2d} | nll {seen / len(order):.4f} | held-out acc {self.accuracy(held_out):.3f}")

    @torch.no_grad()
    def accuracy(self, graphs):
        self.model.eval()
        hits = sum(int(self.model(x, norm).argmax(1) == y) for x, norm, y in graphs)
        return hits / len(graphs)


if __name__ == "__main__":
    torch.manual_seed(11)
    train, valid, test = standardize(build(1280, 1), build(320, 2), build(640, 3))
    runner = Runner(RingNet(train[0][0].shape[1]))
    runner.train(train, valid)
    print(f"test accuracy {runner.accuracy(test):.3f}")
