import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(29)


def stripes(n):
    k = torch.randint(0, 4, (n,))
    g = torch.arange(12.0)
    yy, xx = torch.meshgrid(g, g, indexing="ij")
    planes = torch.stack([xx, yy, (xx + yy) / 1.4, (xx - yy) / 1.4])
    img = torch.sin(1.5 * planes[k] + 6.3 * torch.rand(n, 1, 1))
    return (4 * img + 3 * torch.randn(n, 12, 12) + 7).unsqueeze(1), k


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 12, 3)
        self.bn1 = nn.BatchNorm2d(12)
        self.conv2 = nn.Conv2d(12, 24, 3)
        self.bn2 = nn.BatchNorm2d(24)
        self.fc = nn.Linear(24, 4)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = F.relu(self.bn2(self.conv2(x)))
        return self.fc(x.mean((2, 3)))


tr = DataLoader(TensorDataset(*stripes(1000)), batch_size=50, shuffle=True)
va = DataLoader(TensorDataset(*stripes(300)), batch_size=100)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.4, momentum=0.9)


def valid():
    net.eval()
    with torch.no_grad():
        return sum((net(x).argmax(1) == y).sum().item() for x, y in va) / 300


print(f"before: {valid():.3f}")
for epoch in range(6):
    for x, y in tr:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
    print(f"epoch {epoch} loss {loss.item():.3f} valid {valid():.3f}")
print(f"last valid acc {valid():.3f}")
