import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

rng = np.random.default_rng(22)
torch.manual_seed(22)
MOVES = [(0, 1), (0, -1), (1, 0), (-1, 0)]


def camera(n, side=14):
    frames = np.empty((n, 2, side, side), np.uint8)
    label = rng.integers(0, 4, n)
    for i in range(n):
        bg = 120 + rng.integers(-25, 25, (side, side))
        r, c = rng.integers(3, side - 4, 2)
        for k in (0, 1):
            f = bg + rng.integers(-6, 7, (side, side))
            dr, dc = MOVES[label[i]]
            f[r + k * dr:r + k * dr + 3, c + k * dc:c + k * dc + 3] += 15
            frames[i, k] = np.clip(f, 0, 255)
    return frames, label


class Motion(Dataset):
    def __init__(self, frames, label):
        self.frames, self.label = frames, label

    def __len__(self):
        return len(self.label)

    def __getitem__(self, i):
        before, after = self.frames[i]
        diff = (after - before).astype(np.float32) / 32.0
        return torch.from_numpy(diff).unsqueeze(0), int(self.label[i])


train, test = Motion(*camera(2000)), Motion(*camera(500))
net = nn.Sequential(nn.Conv2d(1, 12, 5, padding=2), nn.ReLU(), nn.Conv2d(12, 16, 5), nn.ReLU(),
                    nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(16, 4))
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
for epoch in range(6):
    net.train()
    agg = 0.0
    for x, y in DataLoader(train, batch_size=50, shuffle=True):
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        agg += loss.item()
    print(f"epoch {epoch} loss {agg / 40:.4f}")
net.eval()
with torch.no_grad():
    ok = sum((net(x).argmax(1) == y).sum().item() for x, y in DataLoader(test, 100))
print(f"direction accuracy {ok / len(test):.3f}")
