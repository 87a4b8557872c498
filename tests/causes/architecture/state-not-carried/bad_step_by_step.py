import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.rnn = nn.GRU(n_in, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        outputs = []
        for t in range(x.size(1)):
            out, _ = self.rnn(x[:, t : t + 1])  # state-not-carried
            outputs.append(self.out(out[:, 0]))
        return torch.stack(outputs, dim=1)
