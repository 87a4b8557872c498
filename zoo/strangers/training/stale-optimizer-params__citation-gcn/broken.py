"""Node classification on a synthetic citation graph: two graph convolutions, config + factories."""
from dataclasses import dataclass, field

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.parametrizations import weight_norm


@dataclass
class GraphConfig:
    nodes: int = 1200
    classes: int = 5
    words: int = 64
    p_in: float = 0.015
    p_out: float = 0.002
    word_signal: float = 0.45


@dataclass
class RunConfig:
    graph: GraphConfig = field(default_factory=GraphConfig)
    hidden: int = 48
    dropout: float = 0.3
    lr: float = 5e-3
    weight_decay: float = 5e-4
    epochs: int = 150
    reparametrize: bool = True
    seed: int = 2


def make_graph(cfg: GraphConfig, gen):
    y = torch.randint(0, cfg.classes, (cfg.nodes,), generator=gen)
    prob = torch.where(y[:, None] == y[None, :], cfg.p_in, cfg.p_out)
    upper = torch.triu((torch.rand(prob.shape, generator=gen) < prob).float(), diagonal=1)
    adj = upper + upper.T + torch.eye(cfg.nodes)
    scale = adj.sum(1).rsqrt()
    topics = torch.randn(cfg.classes, cfg.words, generator=gen)
    x = cfg.word_signal * topics[y] + torch.randn(cfg.nodes, cfg.words, generator=gen)
    x = (x - x.mean(0)) / x.std(0)
    order = torch.randperm(cfg.nodes, generator=gen)
    split = {"train": order[:400], "val": order[400:700], "test": order[700:]}
    return x, y, (scale[:, None] * adj * scale[None, :]).to_sparse(), split


class GraphConv(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.lin = nn.Linear(n_in, n_out)

    def forward(self, x, adj):
        return torch.sparse.mm(adj, self.lin(x))


class GCN(nn.Module):
    def __init__(self, n_in, hidden, n_out, dropout):
        super().__init__()
        self.inp = GraphConv(n_in, hidden)
        self.out = GraphConv(hidden, n_out)
        self.dropout = dropout

    def forward(self, x, adj):
        h = F.relu(self.inp(x, adj))
        return self.out(F.dropout(h, self.dropout, self.training), adj)


def make_model(cfg: RunConfig):
    return GCN(cfg.graph.words, cfg.hidden, cfg.graph.classes, cfg.dropout)


def make_optimizer(cfg: RunConfig, model):
    return torch.optim.Adam(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)


def reparametrize(cfg: RunConfig, model):
    if cfg.reparametrize:
        for module in list(model.modules()):
            if isinstance(module, nn.Linear):
                weight_norm(module)
    return model


def build(cfg: RunConfig):
    model = make_model(cfg)
    optimizer = make_optimizer(cfg, model)
    model = reparametrize(cfg, model)
    return model, optimizer


@torch.no_grad()
def accuracy(model, x, adj, y, nodes):
    model.eval()
    return (model(x, adj)[nodes].argmax(1) == y[nodes]).float().mean().item()


def run(cfg: RunConfig):
    torch.manual_seed(cfg.seed)
    x, y, adj, split = make_graph(cfg.graph, torch.Generator().manual_seed(cfg.seed))
    model, optimizer = build(cfg)
    for epoch in range(1, cfg.epochs + 1):
        model.train()
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x, adj)[split["train"]], y[split["train"]])
        loss.backward()
        optimizer.step()
        if epoch % 25 == 0:
            print(f"epoch {epoch:3d}  loss {loss.item():.4f}  val acc {accuracy(model, x, adj, y, split['val']):.3f}")
    return accuracy(model, x, adj, y, split["test"])


if __name__ == "__main__":
    print(f"test accuracy: {run(RunConfig()):.4f}")
