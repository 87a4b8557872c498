import torch as t
import torch.nn as N


class Norm(N.Module):
    def __init__(self, dim):
        super().__init__()
        self.gain = N.Parameter(t.ones(dim))
        self.bias = N.Parameter(t.zeros(dim))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        std = x.std(-1, keepdim=True)
        return self.gain * (x - mean) / std + self.bias  # unsafe-log-div
