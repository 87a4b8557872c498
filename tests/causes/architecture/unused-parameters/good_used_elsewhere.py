import torch
from torch import nn
from torch.nn import functional as F


class Tied(nn.Module):
    def __init__(self, words=100, width=32):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.body = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, words, bias=False)
        self.out.weight = self.embed.weight
        self.critic = nn.Linear(width, 1)

    def encode(self, tokens):
        states, _ = self.body(self.embed(tokens))
        return states

    def forward(self, tokens):
        states = self.encode(tokens)
        _unused = self.body(self.embed(tokens))
        if self.training:
            scores = self.out(states)
        else:
            scores = F.log_softmax(self.out(states), dim=-1)
        return scores


def worth(model, tokens):
    return model.critic(model.encode(tokens)).mean()
