"""Fine-tune: the body gets a tenth of the head's learning rate."""
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(71)
digits = load_digits()
X = torch.tensor(digits.data, dtype=torch.float32) / 16
Y = torch.tensor(digits.target)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 6), nn.ReLU(), nn.Linear(6, 6), nn.ReLU())
        self.head = nn.Linear(6, 10)

    def forward(self, x):
        return self.head(self.body(x))


def steps(net, opt, target, n):
    for i in range(n):
        idx = torch.randint(0, 1300, (50,))
        loss = nn.functional.cross_entropy(net(X[idx]), target[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i % 150 == 149:
            print("   ", i + 1, round(loss.item(), 4))


net = Net()
base_lr, ratio = 2e-2, 10
opt = torch.optim.Adam([
    {"params": net.body.parameters(), "lr": base_lr * (1 // ratio)},
    {"params": net.head.parameters(), "lr": base_lr},
])
steps(net, opt, Y, 600)
with torch.no_grad():
    acc = (net(X[1300:]).argmax(1) == Y[1300:]).float().mean().item()
print(f"accuracy of the fine-tuned net: {acc:.3f}")
