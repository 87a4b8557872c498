import torch
import torch.nn as nn


class Whitening(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        home = x.device
        host = x.to("cpu")  # silent-cpu-fallback
        cov = torch.cov(host.T)
        roots = torch.linalg.inv(cov + 1e-3 * torch.eye(len(cov)))
        return (host @ roots).to(home) * self.scale
