import torch
from torch import nn

rnn = nn.GRU(16, 64, batch_first=True)
head = nn.Linear(64, 1)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()])
h = None
for x, y in loader:
    if h is not None:
        h = h.detach()
    out, h = rnn(x, h)
    loss = nn.functional.mse_loss(head(out), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
