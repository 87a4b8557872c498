import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset, random_split

torch.manual_seed(66)


class Jitter:
    def __init__(self, drop=0.2, noise=0.25, shift=1):
        self.drop, self.noise, self.shift = drop, noise, shift

    def __call__(self, img):
        dx, dy = torch.randint(-self.shift, self.shift + 1, (2,)).tolist()
        img = torch.roll(img, (dx, dy), (-2, -1))
        img = img * (torch.rand_like(img) > self.drop)
        return img + self.noise * torch.randn_like(img)


class Digits(Dataset):
    def __init__(self, transform=None):
        d = load_digits()
        self.x = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1) / 16
        self.y = torch.tensor(d.target)
        self.transform = transform

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        img = self.x[i]
        if self.transform is not None:
            img = self.transform(img)
        return img, self.y[i]


full = Digits(transform=Jitter())
train, val = random_split(full, [1400, len(full) - 1400])
train_dl = DataLoader(train, batch_size=50, shuffle=True)
val_dl = DataLoader(val, batch_size=200)

net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1),
                    nn.ReLU(), nn.Flatten(), nn.Linear(32 * 16, 64), nn.ReLU(), nn.Linear(64, 10))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(10):
    net.train()
    for x, y in train_dl:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        acc = sum((net(x).argmax(1) == y).sum().item() for x, y in val_dl) / len(val)
    print(f"epoch {epoch} loss {loss.item():.3f} validation accuracy {acc:.3f}")
