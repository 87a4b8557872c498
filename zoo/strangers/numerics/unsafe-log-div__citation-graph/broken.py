"""GraphSAGE-style node classification on a random citation graph."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def citation_graph(n=1200, topics=5, words=60, seed=0):
    rng = np.random.default_rng(seed)
    topic = rng.permutation(np.arange(n) % topics)
    same = topic[:, None] == topic[None, :]
    p = np.where(same, 0.012, 0.001)
    upper = np.triu(rng.random((n, n)) < p, 1)
    adj = (upper | upper.T).astype(np.float32)
    rate = np.full((topics, words), 0.10)
    for k in range(topics):
        rate[k, k * 12:(k + 1) * 12] = 0.28
    x = (rng.random((n, words)) < rate[topic]).astype(np.float32)
    return torch.from_numpy(x), torch.from_numpy(adj), torch.from_numpy(topic)


class SageLayer(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.own = nn.Linear(d_in, d_out)
        self.nbr = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x, adj):
        degree = adj.sum(dim=1, keepdim=True)
        mean = adj @ x / degree
        return self.own(x) + self.nbr(mean)


class Sage(nn.Module):
    def __init__(self, d_in, hidden, n_out, p_drop=0.5):
        super().__init__()
        self.l1 = SageLayer(d_in, hidden)
        self.l2 = SageLayer(hidden, n_out)
        self.drop = nn.Dropout(p_drop)

    def forward(self, x, adj):
        h = F.relu(self.l1(self.drop(x), adj))
        return self.l2(self.drop(h), adj)


def main():
    torch.manual_seed(0)
    x, adj, y = citation_graph()
    print(f"{len(y)} papers, {int(adj.sum()) // 2} citations")

    perm = torch.randperm(len(y), generator=torch.Generator().manual_seed(0))
    train_idx, val_idx, test_idx = perm[:600], perm[600:800], perm[800:]

    model = Sage(x.shape[1], 32, int(y.max()) + 1)
    opt = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-3)

    for epoch in range(1, 61):
        model.train()
        opt.zero_grad()
        loss = F.cross_entropy(model(x, adj)[train_idx], y[train_idx])
        loss.backward()
        opt.step()
        if epoch % 6 == 0:
            model.eval()
            with torch.no_grad():
                logits = model(x, adj)
                val_loss = F.cross_entropy(logits[val_idx], y[val_idx]).item()
            print(f"epoch {epoch:3d}  loss {loss.item():.4f}  val loss {val_loss:.4f}")

    model.eval()
    with torch.no_grad():
        pred = model(x, adj).argmax(dim=1)
    acc = (pred[test_idx] == y[test_idx]).float().mean().item()
    print(f"test accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
