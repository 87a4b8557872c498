import torch
from torch import nn

torch.manual_seed(21)
NODES, FEATS, RELATIONS = 10, 6, ("bond", "near")


def make_graphs(n):
    x = torch.randn(n, NODES, FEATS)
    adj = {}
    for name, p in zip(RELATIONS, (0.25, 0.4)):
        a = (torch.rand(n, NODES, NODES) < p).float().triu(1)
        adj[name] = a + a.transpose(1, 2)
    bond = (adj["bond"] @ x[..., :1].tanh()).squeeze(-1)
    near = (adj["near"] @ (x[..., 1:2] * x[..., 2:3])).squeeze(-1)
    y = (bond * x[..., 3] + 0.5 * near).mean(1)
    return x, adj, y


class RelConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.own = nn.Linear(d_in, d_out)
        self.msg = nn.Sequential(nn.Linear(d_in, d_out), nn.ReLU())

    def forward(self, h, a):
        return self.own(h) + a @ self.msg(h)


class GraphNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        dims = [FEATS, width, width]
        self.convs = {r: [RelConv(i, o) for i, o in zip(dims, dims[1:])] for r in RELATIONS}
        self.norms = nn.ModuleList(nn.LayerNorm(d) for d in dims[1:])
        self.readout = nn.Linear(width, 1)

    def forward(self, x, adj):
        h = x
        for depth, norm in enumerate(self.norms):
            h = torch.relu(norm(sum(self.convs[r][depth](h, adj[r]) for r in RELATIONS)))
        return self.readout(h.mean(1)).squeeze(-1)


x, adj, y = make_graphs(3000)
tx, tadj, ty = make_graphs(500)
mu, sd = y.mean(), y.std()
net = GraphNet()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
log = []
for epoch in range(25):
    perm = torch.randperm(len(x))
    for idx in perm.split(75):
        pred = net(x[idx], {r: a[idx] for r, a in adj.items()})
        loss = ((pred - (y[idx] - mu) / sd) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.append(loss.item())
    if epoch % 5 == 4:
        with torch.no_grad():
            err = ((net(tx, tadj) * sd + mu) - ty).abs().mean() / ty.abs().mean()
        print(f"epoch {epoch + 1} mse {sum(log[-40:]) / 40:.4f} test mae {err.item():.3f} (relative)")
