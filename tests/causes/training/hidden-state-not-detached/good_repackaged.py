import torch
from torch import nn


def repackage_hidden(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


lstm = nn.LSTM(8, 16)
head = nn.Linear(16, 8)
opt = torch.optim.SGD([*lstm.parameters(), *head.parameters()], lr=0.1)
hidden = (torch.zeros(1, 4, 16), torch.zeros(1, 4, 16))
for x, y in stream:
    hidden = repackage_hidden(hidden)
    out, hidden = lstm(x, hidden)
    loss = nn.functional.mse_loss(head(out), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
