import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.cell = nn.GRUCell(dim, dim)

    def forward(self, frames):
        h0 = torch.zeros(frames.size(1), self.dim)
        outputs = []
        for t in range(frames.size(0)):
            outputs.append(self.cell(frames[t], h0))  # state-not-carried
        return torch.stack(outputs)
