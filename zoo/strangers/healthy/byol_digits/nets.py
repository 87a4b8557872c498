import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(d_in, d_hid, d_out):
    # bias before a batch norm would be redundant
    return nn.Sequential(
        nn.Linear(d_in, d_hid, bias=False), nn.BatchNorm1d(d_hid), nn.ReLU(),
        nn.Linear(d_hid, d_out),
    )


class Encoder(nn.Module):
    dim = 96

    def __init__(self):
        super().__init__()

        def block(i, o, stride):
            return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU())

        self.body = nn.Sequential(block(1, 24, 1), block(24, 48, 2), block(48, self.dim, 2))

    def forward(self, x):
        return self.body(x).flatten(2).mean(-1)


class BYOL(nn.Module):
    """Bootstrap your own latent. `target` is moved by an exponential average only, never by an optimizer."""

    def __init__(self, proj_dim=48, tau=0.98):
        super().__init__()
        self.online = nn.ModuleDict({"encoder": Encoder(), "projector": mlp(Encoder.dim, 128, proj_dim)})
        self.predictor = mlp(proj_dim, 96, proj_dim)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.tau = tau

    def learned(self):
        yield from self.online.parameters()
        yield from self.predictor.parameters()

    @torch.no_grad()
    def _targets(self, v):
        return self.target["projector"](self.target["encoder"](v))

    def _predict(self, v):
        return self.predictor(self.online["projector"](self.online["encoder"](v)))

    def forward(self, v1, v2):
        t1, t2 = self._targets(v1), self._targets(v2)
        p1, p2 = self._predict(v1), self._predict(v2)
        return 2 - F.cosine_similarity(p1, t2, dim=-1).mean() - F.cosine_similarity(p2, t1, dim=-1).mean()

    @torch.no_grad()
    def move_target(self):
        for slow, fast in zip(self.target.parameters(), self.online.parameters()):
            slow.lerp_(fast, 1 - self.tau)
