"""The state is cut before the next call; a graph is kept for a second loss of the same call."""

import torch
from torch.nn import functional as F


class Online:
    def __init__(self, cell, readout):
        self.cell, self.readout = cell, readout
        self.state = torch.zeros(1, 64)
        self.optimizer = torch.optim.Adam([*cell.parameters(), *readout.parameters()])

    def observe(self, x, y):
        self.state = self.cell(x, self.state.detach())
        answer = self.readout(self.state)
        self.optimizer.zero_grad()
        F.mse_loss(answer, y).backward(retain_graph=True)
        (0.1 * answer.abs().mean()).backward()
        self.optimizer.step()
