import torch
import torch.nn as nn

torch.manual_seed(91)
MAXN, D = 6, 8


def sets(n):
    size = torch.randint(0, MAXN + 1, (n,))
    x = torch.randn(n, MAXN, D)
    mask = torch.arange(MAXN) < size[:, None]
    y = ((x[..., 0] > 0.5) & mask).any(1).long()
    return x, mask, y


class SetNet(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(D, h), nn.ReLU())
        self.att = nn.Linear(h, 1)
        self.rho = nn.Linear(h, 2)

    def forward(self, x, mask):
        h = self.phi(x)
        a = self.att(h).squeeze(-1)
        a = a.masked_fill(~mask, float("-inf"))
        w = torch.softmax(a, dim=1)
        return self.rho((w.unsqueeze(-1) * h).sum(1))


x, mask, y = sets(1500)
net = SetNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(10):
    for i in torch.randperm(1200).split(40):
        loss = nn.functional.cross_entropy(net(x[i], mask[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
with torch.no_grad():
    guess = net(x[1200:], mask[1200:]).argmax(1)
print(f"set accuracy {(guess == y[1200:]).float().mean().item():.3f}")
