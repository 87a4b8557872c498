import torch
from torch import nn


def log_sum_exp(scores, dim):
    largest, _ = torch.max(scores, dim)
    spread = largest.unsqueeze(dim).expand_as(scores)
    return largest + torch.log(torch.sum(torch.exp(scores - spread), dim))


class Tagger(nn.Module):
    def __init__(self, width, tags):
        super().__init__()
        self.encoder = nn.LSTM(width, 64, batch_first=True)
        self.emit = nn.Linear(64, tags)
        self.transitions = nn.Parameter(torch.randn(tags, tags))

    def forward(self, x):
        emitted = self.emit(self.encoder(x)[0])
        so_far = emitted[:, 0]
        for t in range(1, emitted.shape[1]):
            so_far = log_sum_exp(so_far.unsqueeze(2) + self.transitions + emitted[:, t].unsqueeze(1), 1)
        return log_sum_exp(so_far, 1)
