import torch
import torch.nn as nn
import torch.nn.functional as F

model = nn.Sequential(nn.Linear(40, 80), nn.ReLU(), nn.Linear(80, 6))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

for epoch in range(20):
    for xb, yb in train_loader:
        logits = model(xb)
        loss = F.cross_entropy(logits, yb, reduction="sum")
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
