import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(70)
VOCAB, LENGTH, A, B = 30, 10, 0, 1


def sentences(n):
    s = torch.randint(2, VOCAB, (n, LENGTH))
    y = torch.randint(0, 2, (n,))
    for i in range(n):
        p, q = torch.randperm(LENGTH)[:2].sort().values.tolist()
        s[i, p], s[i, q] = (A, B) if y[i] else (B, A)
    return s, y


class OrderNet(nn.Module):
    def __init__(self, d=24):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, d)
        self.pos = nn.Embedding(LENGTH, d)
        self.mlp = nn.Sequential(nn.Linear(d, 48), nn.ReLU(), nn.Linear(48, 2))
        self.inner = nn.Linear(d, d)

    def forward(self, s):
        where = self.pos(torch.arange(s.shape[1]))
        h = self.inner(self.tok(s) + where)
        return self.mlp(h.mean(1))


x, y = sentences(3000)
xt, yt = sentences(600)
net = OrderNet()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(10):
    for i in torch.randperm(3000).split(60):
        loss = F.cross_entropy(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"epoch {epoch} {loss.item():.4f}")
with torch.no_grad():
    print(f"order accuracy {(net(xt).argmax(1) == yt).float().mean().item():.3f}")
