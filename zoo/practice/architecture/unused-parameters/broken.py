import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class MixedNet(nn.Module):
    def __init__(self, n_num=5, n_cat=12, d=8):
        super().__init__()
        self.cat = nn.Embedding(n_cat, d)
        self.num = nn.Sequential(nn.Linear(n_num, 16), nn.ReLU(), nn.Linear(16, d))
        self.mix = nn.Sequential(nn.Linear(d, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, numbers, category):
        h = self.num(numbers)
        e = self.cat(category)
        return self.mix(torch.relu(h)).squeeze(-1)


def table(n, effect, w):
    num = torch.randn(n, 5)
    cat = torch.randint(0, 12, (n,))
    return num, cat, num @ w + effect[cat] + 0.2 * torch.randn(n)


torch.manual_seed(52)
effect, w = 1.5 * torch.randn(12), 0.5 * torch.randn(5)
loader = DataLoader(TensorDataset(*table(2000, effect, w)), batch_size=50, shuffle=True)
net = MixedNet()
optimiser = torch.optim.Adam(net.parameters(), lr=4e-3)
for epoch in range(12):
    acc = 0.0
    for num, cat, y in loader:
        optimiser.zero_grad()
        loss = nn.functional.mse_loss(net(num, cat), y)
        loss.backward()
        optimiser.step()
        acc += loss.item()
    print(f"epoch {epoch} mse {acc / len(loader):.4f}")
num, cat, y = table(500, effect, w)
with torch.no_grad():
    p = net(num, cat)
print(f"test r2 {(1 - (p - y).pow(2).mean() / y.var()).item():.3f}")
