import torch
import torch.nn.functional as F
from torch import nn


class Codebook(nn.Module):
    def __init__(self, codes, dim):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(codes, dim))

    def forward(self, z_e):
        flat = z_e.reshape(-1, z_e.shape[-1])
        distance = (flat[:, None] - self.codes).square().sum(-1)
        _, nearest = distance.min(dim=1)
        z_q = self.codes[nearest].view_as(z_e)
        codebook_loss = F.mse_loss(z_q, z_e.detach()) + 0.25 * F.mse_loss(z_e, z_q.detach())
        z_q = (z_e - z_q).detach() + z_q  # detached-graph
        return z_q, codebook_loss


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(20, 6)
        self.codebook = Codebook(16, 6)
        self.decoder = nn.Linear(6, 20)

    def forward(self, x):
        z, extra = self.codebook(self.encoder(x))
        return self.decoder(z), extra


torch.manual_seed(0)
net = AutoEncoder()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
data = torch.randn(256, 20)
for batch in data.split(32):
    out, extra = net(batch)
    loss = F.mse_loss(out, batch) + extra
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
