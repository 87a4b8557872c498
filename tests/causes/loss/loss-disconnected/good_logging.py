import torch
import torch.nn.functional as F
from torch import nn

model = nn.Linear(10, 3)
optimizer = torch.optim.Adam(model.parameters())
history, total = [], 0.0
for x, y in loader:
    out = model(x)
    ce = F.cross_entropy(out, y)
    l2 = torch.stack([p.pow(2).sum() for p in model.parameters()]).sum()
    loss = ce + 1e-4 * l2
    hits = (out.argmax(1) == y).float().mean()
    history.append({"ce": ce.item(), "hits": hits.item()})
    total += loss.item()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
