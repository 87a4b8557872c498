import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

random.seed(2)
torch.manual_seed(2)


class PairSet(Dataset):
    def __init__(self, n, people=12, shots=30, dim=24, n_pairs=3000):
        self.faces = torch.randn(people, 1, dim) + 0.7 * torch.randn(people, shots, dim)
        self.pairs = []
        for _ in range(n_pairs):
            a = random.randrange(people)
            same = random.random() < 0.5
            b = a if same else random.choice([p for p in range(people) if p != a])
            self.pairs.append((a, random.randrange(shots), b, random.randrange(shots), float(same)))

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, k):
        a, i, b, j, same = self.pairs[k]
        return self.faces[a, i], self.faces[b, j], same


class Twin(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, 16))

    def forward(self, a, b):
        za, zb = self.body(a), self.body(b)
        return (za - zb).pow(2).sum(1).sqrt()


def contrastive(d, same, margin=2.0):
    return (same * d ** 2 + (1 - same) * (margin - d).clamp(min=0) ** 2).mean()


ds = PairSet(0)
cut = int(0.8 * len(ds))
train, test = torch.utils.data.Subset(ds, range(cut)), torch.utils.data.Subset(ds, range(cut, len(ds)))
net = Twin()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(8):
    hist = []
    for a, b, same in DataLoader(train, 64, shuffle=True):
        loss = contrastive(net(a, b), same.float())
        opt.zero_grad()
        loss.backward()
        opt.step()
        hist.append(loss.item())
    print(f"epoch {epoch} loss {sum(hist) / len(hist):.4f}")
hit = n = 0
with torch.no_grad():
    for a, b, same in DataLoader(test, 128):
        hit += ((net(a, b) < 1.0).float() == same.float()).sum().item()
        n += len(same)
print(f"pair accuracy {hit / n:.3f}")
