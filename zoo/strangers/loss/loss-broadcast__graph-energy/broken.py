import argparse

import numpy as np
import torch
from torch import nn
from sklearn.metrics import r2_score

# Dense message passing on small random graphs.
# Target: an "energy" that sums, over the edges, the product of the charges of the two ends.


def build_graphs(n, max_nodes, rng):
    adj = np.zeros((n, max_nodes, max_nodes), dtype=np.float32)
    feat = np.zeros((n, max_nodes, 2), dtype=np.float32)
    mask = np.zeros((n, max_nodes), dtype=np.float32)
    energy = np.zeros(n, dtype=np.float32)
    for i in range(n):
        k = rng.integers(6, max_nodes + 1)
        a = np.triu(rng.random((k, k)) < 0.35, 1).astype(np.float32)
        a = a + a.T
        charge = rng.choice([-1.0, 1.0], size=k, p=[0.4, 0.6]).astype(np.float32)
        adj[i, :k, :k] = a
        feat[i, :k, 0] = charge
        feat[i, :k, 1] = 1.0
        mask[i, :k] = 1.0
        energy[i] = 0.5 * charge @ a @ charge
    return [torch.from_numpy(t) for t in (adj, feat, mask, energy)]


class MessageLayer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.self_lin = nn.Linear(dim, dim)
        self.nbr_lin = nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, h, adj):
        msg = torch.bmm(adj, self.nbr_lin(h)) / 4.0
        return h + torch.relu(self.norm(self.self_lin(h) + msg))


class GraphRegressor(nn.Module):
    def __init__(self, in_dim=2, dim=48, layers=3):
        super().__init__()
        self.inp = nn.Linear(in_dim, dim)
        self.layers = nn.ModuleList(MessageLayer(dim) for _ in range(layers))
        self.readout = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, 1))

    def forward(self, adj, feat, mask):
        h = self.inp(feat)
        for layer in self.layers:
            h = layer(h, adj)
        per_node = self.readout(h) * mask.unsqueeze(-1)
        return per_node.sum(dim=1) / 4.0


def huber(pred, target, delta=1.0):
    err = (pred - target).abs()
    return torch.where(err < delta, 0.5 * err ** 2, delta * (err - 0.5 * delta)).mean()


def iterate(tensors, batch_size, gen=None):
    n = len(tensors[0])
    order = torch.arange(n) if gen is None else torch.randperm(n, generator=gen)
    for chunk in order.split(batch_size):
        yield [t[chunk] for t in tensors]


@torch.no_grad()
def predict(model, tensors, batch_size=256):
    model.eval()
    out = [model(adj, feat, mask) for adj, feat, mask, _ in iterate(tensors, batch_size)]
    return torch.cat(out).flatten().numpy()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=20)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=11)
    args = ap.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    gen = torch.Generator().manual_seed(args.seed)

    train = build_graphs(1600, 12, rng)
    val = build_graphs(400, 12, rng)
    test = build_graphs(400, 12, rng)
    mu, sd = train[3].mean(), train[3].std()
    for part in (train, val, test):
        part[3] = (part[3] - mu) / sd

    model = GraphRegressor()
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.epochs, eta_min=args.lr * 0.05)

    for epoch in range(args.epochs):
        model.train()
        running, seen = 0.0, 0
        for adj, feat, mask, energy in iterate(train, args.batch_size, gen):
            pred = model(adj, feat, mask)
            loss = huber(pred, energy)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            running += loss.item() * len(energy)
            seen += len(energy)
        sched.step()
        if epoch % 3 == 0 or epoch == args.epochs - 1:
            r2 = r2_score(val[3].numpy(), predict(model, val))
            print(f"epoch {epoch:02d} | train loss {running / seen:.4f} | val R2 {r2:.3f}")

    p = predict(model, test)
    y = test[3].numpy()
    print(f"test R2 {r2_score(y, p):.3f}   test MAE {np.abs(p - y).mean() * sd.item():.3f} (energy units)")


if __name__ == "__main__":
    main()
