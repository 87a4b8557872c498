import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Compose:
    def __init__(self, *fs):
        self.fs = fs

    def __call__(self, x):
        for f in self.fs:
            x = f(x)
        return x


def random_erase(x):
    r, c = torch.randint(0, 6, (2,)).tolist()
    x = x.clone()
    x[:, r:r + 8, c:c + 8] = 0
    return x


def jitter(x):
    return x * (0.6 + 0.8 * torch.rand(1)) + 0.3 * torch.randn_like(x)


class Shapes(Dataset):
    def __init__(self, n, transform=None):
        self.transform = transform
        self.y = torch.randint(0, 3, (n,))
        yy, xx = torch.meshgrid(torch.arange(14.0), torch.arange(14.0), indexing="ij")
        self.x = torch.zeros(n, 1, 14, 14)
        for i in range(n):
            cy, cx = (torch.rand(2) * 4 + 5).tolist()
            dy, dx = (yy - cy).abs(), (xx - cx).abs()
            shape = [dy * dy + dx * dx < 12, torch.maximum(dy, dx) < 3.1, dy + dx < 4.4][self.y[i]]
            self.x[i, 0] = shape.float()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        x = self.x[i]
        if self.transform is not None:
            x = self.transform(x)
        return x, self.y[i]


torch.manual_seed(13)
tf = Compose(jitter, random_erase)
train_loader = DataLoader(Shapes(1000, transform=tf), batch_size=50, shuffle=True)
test_loader = DataLoader(Shapes(300, transform=tf), batch_size=100)

net = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3, padding=1),
                    nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(216, 3))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(10):
    net.train()
    for x, y in train_loader:
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        acc = sum((net(x).argmax(1) == y).sum().item() for x, y in test_loader) / 300
    print(f"epoch {epoch} loss {loss.item():.3f} test accuracy {acc:.3f}")
