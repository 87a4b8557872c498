import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(15)


def pictures(n):
    imgs = 0.2 * torch.randn(n, 1, 20, 20)
    counts = torch.randint(0, 7, (n,))
    for i in range(n):
        for _ in range(int(counts[i])):
            r, c = torch.randint(1, 19, (2,)).tolist()
            imgs[i, 0, r - 1:r + 2, c - 1:c + 2] += 1.0
    return imgs, counts.float()


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(),
                                 nn.Conv2d(8, 1, 1))

    def forward(self, x):
        return torch.sigmoid(self.net(x) - 3.0)


def count(density):
    return (density > 0.5).float().sum(dim=(1, 2, 3))


train = DataLoader(TensorDataset(*pictures(800)), batch_size=20, shuffle=True)
xt, ct = pictures(200)
model = Counter()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(6):
    running = 0.0
    for img, n in train:
        density = model(img)
        smooth = 1e-4 * density.pow(2).mean()
        loss = nn.functional.l1_loss(count(density), n) + smooth
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss.item()
    print(f"epoch {epoch} loss {running / len(train):.3f}")
with torch.no_grad():
    print(f"mean count error {(count(model(xt)) - ct).abs().mean().item():.3f}")
