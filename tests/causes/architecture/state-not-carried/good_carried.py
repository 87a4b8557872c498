import torch
from torch import nn


class Stepper(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.rnn = nn.LSTM(n_in, hidden, batch_first=True)
        self.cell = nn.GRUCell(n_in, hidden)
        self.hidden = hidden

    def forward(self, x):
        state, outputs = None, []
        for t in range(x.size(1)):
            out, state = self.rnn(x[:, t : t + 1], state)
            outputs.append(out)
        h = torch.zeros(len(x), self.hidden)
        for x_t in x.unbind(1):
            h = self.cell(x_t, h)
        return torch.cat(outputs, 1), h
