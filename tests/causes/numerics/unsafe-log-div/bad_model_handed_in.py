import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self, width, parts):
        super().__init__()
        self.pick = nn.Linear(width, parts)

    def forward(self, x):
        return self.pick(x).softmax(dim=-1), x.mean(-1)


def balance(shares):
    return (shares * shares.log()).sum(-1).mean()  # unsafe-log-div


def fit(mixer, batches, lr=1e-3):
    opt = torch.optim.Adam(mixer.parameters(), lr=lr)
    for x, y in batches:
        shares, level = mixer(x)
        loss = nn.functional.mse_loss(level, y) + 0.01 * balance(shares)
        opt.zero_grad()
        loss.backward()
        opt.step()
