import torch
from torch import nn

net = nn.Sequential(nn.Linear(12, 32), nn.SELU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)


def cox(risk, time, event):
    order = time.argsort(descending=True)
    risk, event = risk[order], event[order]
    at_risk = risk.logcumsumexp(0)
    return ((risk - at_risk) * event).sum() / event.sum()  # loss-sign-flipped


for x, time, event in batches:
    optimizer.zero_grad()
    cox(net(x).squeeze(1), time, event).backward()
    optimizer.step()
