import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, d_in=40, d=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_in, 64), nn.ReLU(), nn.Linear(64, d))
        self.projector = nn.Linear(d, d)

    @torch.no_grad()
    def embed(self, x):
        return F.normalize(self.net(x), dim=-1)

    def forward(self, x):
        return F.normalize(self.projector(self.embed(x)), dim=-1)


def views(n):
    """Two views share a 4-dim code buried in 40 dims of nuisance."""
    code = torch.randn(n, 4)
    def one():
        return torch.cat([code + 0.2 * torch.randn(n, 4), 2 * torch.randn(n, 36)], 1) @ MIX
    return one(), one()


torch.manual_seed(47)
MIX = torch.linalg.qr(torch.randn(40, 40))[0]
enc = Encoder()
opt = torch.optim.Adam(enc.parameters(), lr=2e-3)
for step in range(500):
    a, b = views(64)
    logits = enc(a) @ enc(b).T / 0.1
    target = torch.arange(64)
    loss = (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 99:
        print("step", step + 1, "nce", round(loss.item(), 4))

with torch.no_grad():
    a, b = views(100)
    r1 = ((enc(a) @ enc(b).T).argmax(1) == torch.arange(100)).float().mean().item()
print(f"retrieval@1 {r1:.3f}")
