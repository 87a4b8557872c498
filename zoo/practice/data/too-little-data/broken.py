import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(4)

N_TRAIN = 24
EPOCH_STEPS = 40

d = load_digits()
perm = torch.randperm(len(d.target))
ds = TensorDataset(torch.tensor(d.images, dtype=torch.float32).unsqueeze(1)[perm] / 8 - 1,
                   torch.tensor(d.target)[perm])
train = Subset(ds, range(N_TRAIN))
test = Subset(ds, range(1300, len(ds)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 16, 3, padding=1)
        self.c2 = nn.Conv2d(16, 16, 3, padding=1)
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 2)
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return self.fc(x.flatten(1))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
loader = DataLoader(train, batch_size=24, shuffle=True)


def score(subset):
    net.eval()
    with torch.no_grad():
        x, y = next(iter(DataLoader(subset, batch_size=len(subset))))
        out = net(x)
    net.train()
    return F.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()


done = 0
while done < 8 * EPOCH_STEPS:
    for x, y in loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        done += 1
        if done % EPOCH_STEPS == 0:
            vl, va = score(test)
            print(f"step {done} train loss {loss.item():.4f} val loss {vl:.4f} val acc {va:.3f}")

print(f"test accuracy: {score(test)[1]:.3f}")
