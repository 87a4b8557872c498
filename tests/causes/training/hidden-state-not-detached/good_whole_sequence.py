import torch
from torch import nn

cell = nn.GRUCell(8, 32)
readout = nn.Linear(32, 1)
opt = torch.optim.Adam([*cell.parameters(), *readout.parameters()])
for x, y in loader:
    h = torch.zeros(len(x), 32)
    loss = 0.0
    for t in range(x.size(1)):
        h = cell(x[:, t], h)
        loss = loss + nn.functional.mse_loss(readout(h), y[:, t])
    opt.zero_grad()
    loss.backward()
    opt.step()
