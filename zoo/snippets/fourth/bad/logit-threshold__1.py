import torch
import torch.nn as nn

net = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 1))
loss_fn = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(net.parameters())
for epoch in range(20):
    hits = seen = 0
    for x, y in loader:
        z = net(x).flatten()
        loss = loss_fn(z, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        hits += (z.round() == y).sum().item()
        seen += len(y)
    print(hits / seen)
