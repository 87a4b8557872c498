import torch
import torch.nn as nn

torch.manual_seed(8)


def bags(n, size=12):
    """A bag is positive when one of its instances is of the wanted kind."""
    x = torch.randn(n, size, 6)
    y = torch.randint(0, 2, (n,))
    where = torch.randint(0, size, (n,))
    wanted = torch.tensor([1.8, -1.8, 1.8, 0.0, 0.0, 1.8])
    for i in range(n):
        if y[i]:
            x[i, where[i]] = wanted + 0.5 * torch.randn(6)
    return x, y.float()


class AttentionMIL(nn.Module):
    def __init__(self, d=6, h=24):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(d, h), nn.ReLU())
        self.score = nn.Sequential(nn.Linear(h, h), nn.Tanh(), nn.Linear(h, 1))
        self.out = nn.Linear(h, 1)

    def forward(self, x):
        h = self.embed(x)
        a = torch.softmax(self.score(h), dim=0)
        return self.out((a * h).sum(1)).squeeze(1)


x, y = bags(2000)
xt, yt = bags(400)
model = AttentionMIL()
optim = torch.optim.Adam(model.parameters(), lr=3e-3)
bce = nn.BCEWithLogitsLoss()
for epoch in range(12):
    model.train()
    for i in torch.randperm(2000).view(-1, 40):
        optim.zero_grad()
        loss = bce(model(x[i]), y[i])
        loss.backward()
        optim.step()
    print("epoch", epoch, "loss %.4f" % loss.item())
model.eval()
with torch.no_grad():
    hit = torch.cat([(model(xt[i:i + 1]) > 0).float() == yt[i:i + 1] for i in range(400)])
print(f"bag accuracy {hit.float().mean().item():.3f}")
