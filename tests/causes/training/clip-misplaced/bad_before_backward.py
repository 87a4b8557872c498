import torch
from torch import nn

rnn = nn.LSTM(8, 32, batch_first=True)
head = nn.Linear(32, 1)
params = [*rnn.parameters(), *head.parameters()]
opt = torch.optim.Adam(params, lr=1e-3)
for x, y in loader:
    opt.zero_grad()
    out, _ = rnn(x)
    loss = nn.functional.mse_loss(head(out[:, -1]), y)
    nn.utils.clip_grad_norm_(params, 1.0)  # clip-misplaced
    loss.backward()
    opt.step()
