import torch
import torch.nn.functional as F
from torch import nn

model = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 4))
optimizer = torch.optim.Adam(model.parameters())

for x, y in loader:
    logits = model(x)
    loss = F.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        confidence = F.softmax(logits, dim=1).max(dim=1).values.mean()
    print(loss.item(), confidence.item())
