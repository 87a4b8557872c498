import argparse
import torch
from torch import nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--depth", type=int, default=9)
parser.add_argument("--width", type=int, default=40)
parser.add_argument("--act", choices=["sigmoid", "relu", "tanh"], default="sigmoid")
parser.add_argument("--epochs", type=int, default=8)
a = parser.parse_args()

torch.manual_seed(33)
acts = {"sigmoid": nn.Sigmoid, "relu": nn.ReLU, "tanh": nn.Tanh}
layers, n = [], 64
for _ in range(a.depth):
    layers += [nn.Linear(n, a.width), acts[a.act]()]
    n = a.width
net = nn.Sequential(*layers, nn.Linear(n, 10))
for m in net.modules():
    if isinstance(m, nn.Linear):
        nn.init.kaiming_normal_(m.weight)
        nn.init.zeros_(m.bias)

d = load_digits()
x, y = torch.tensor(d.data, dtype=torch.float32) / 8 - 1, torch.tensor(d.target)
loader = DataLoader(TensorDataset(x[:1400], y[:1400]), batch_size=50, shuffle=True)
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
for epoch in range(a.epochs):
    s = 0.0
    for xb, yb in loader:
        loss = nn.functional.cross_entropy(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item()
    print(f"epoch {epoch} loss {s / len(loader):.4f}")
with torch.no_grad():
    print(f"accuracy {(net(x[1400:]).argmax(1) == y[1400:]).float().mean().item():.3f}")
