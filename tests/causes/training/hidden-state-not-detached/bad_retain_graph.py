import torch
from torch import nn

rnn = nn.LSTM(16, 64, batch_first=True)
head = nn.Linear(64, 1)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-3)
state = (torch.zeros(1, 32, 64), torch.zeros(1, 32, 64))
for x, y in loader:
    out, state = rnn(x, state)
    loss = nn.functional.mse_loss(head(out), y)
    opt.zero_grad()
    loss.backward(retain_graph=True)  # hidden-state-not-detached
    opt.step()
