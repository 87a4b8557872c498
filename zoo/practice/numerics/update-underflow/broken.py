import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(41)
d = load_digits()
dtype = torch.bfloat16
x = torch.tensor(d.data / 16.0).to(dtype)
y = torch.tensor(d.target)

model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
model = model.to(dtype)
opt = torch.optim.SGD(model.parameters(), lr=5e-3)
for epoch in range(60):
    for i in torch.randperm(1400).split(28):
        loss = nn.functional.cross_entropy(model(x[i]).float(), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 10 == 9:
        print(f"epoch {epoch + 1} loss {loss.item():.4f}")
with torch.no_grad():
    acc = (model(x[1400:]).argmax(1) == y[1400:]).float().mean().item()
print(f"test accuracy {{{acc:.3f}}}")
