import torch
from torch import nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(14)
X, y = load_digits(return_X_y=True)
Xtr, Xte, ytr, yte = train_test_split(X / 16.0, y, test_size=0.25, stratify=y, random_state=14)
Xtr, Xte = [torch.tensor(a, dtype=torch.float32).view(-1, 1, 8, 8) for a in (Xtr, Xte)]
ytr, yte = torch.tensor(ytr), torch.tensor(yte)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 12, 3, padding=1)
        self.b1 = nn.BatchNorm2d(12)
        self.c2 = nn.Conv2d(12, 24, 3, stride=2, padding=1)
        self.b2 = nn.BatchNorm2d(24)
        self.fc = nn.Sequential(nn.Linear(24 * 16, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 10))

    def forward(self, x):
        x = torch.relu(self.b1(self.c1(x)))
        x = torch.relu(self.b2(self.c2(x)))
        return self.fc(x.flatten(1))


def per_class_recall(net, x, y):
    rows = {}
    with torch.inference_mode():
        for c in range(10):
            sel = x[y == c]
            rows[c] = (net(sel).argmax(1) == c).float().mean().item()
    return rows


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
lossfn = nn.CrossEntropyLoss()
for ep in range(7):
    net.train()
    order = torch.randperm(len(Xtr))
    s = 0.0
    for i in range(0, len(order), 64):
        j = order[i:i + 64]
        optimizer.zero_grad()
        loss = lossfn(net(Xtr[j]), ytr[j])
        loss.backward()
        optimizer.step()
        s += loss.item() * len(j)
    print(f"epoch {ep} train loss {s / len(Xtr):.4f}")
report = per_class_recall(net, Xte, yte)
for c, v in report.items():
    print(f"  digit {c}: {v:.2f}")
print(f"mean recall {sum(report.values()) / 10:.3f}")
