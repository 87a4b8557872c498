import torch
from torch import nn

model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
for x, y in loader:
    scores = model(x)
    probs = torch.softmax(scores, dim=1)
    logp = torch.log(probs + 1e-6)
    loss = nn.functional.nll_loss(logp, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
