import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(61)
d = load_digits()
x = torch.tensor(d.data, dtype=torch.float32) / 16
y = torch.tensor(d.target)
xtr, ytr, xte, yte = x[:1400], y[:1400], x[1400:], y[1400:]

model = nn.Sequential(nn.Linear(64, 40), nn.ReLU(), nn.Linear(40, 10))
opt = torch.optim.SGD(model.parameters(), lr=0.5)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.12)
lossf = nn.CrossEntropyLoss()

for epoch in range(5):
    sched.step()
    for idx in torch.randperm(len(xtr)).split(35):
        opt.zero_grad()
        loss = lossf(model(xtr[idx]), ytr[idx])
        loss.backward()
        opt.step()
    print(f"epoch {epoch} lr {opt.param_groups[0]['lr']:.5f} loss {loss.item():.4f}")

with torch.no_grad():
    print(f"test loss {lossf(model(xte), yte).item():.4f}")
