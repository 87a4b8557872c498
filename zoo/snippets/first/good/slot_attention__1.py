import torch
import torch.nn as nn


class SlotAttention(nn.Module):
    """Slots compete for the inputs: the softmax runs over the slots, then weights are renormalised over inputs."""

    def __init__(self, n_slots, dim, iters=3, eps=1e-8):
        super().__init__()
        self.n, self.iters, self.eps, self.scale = n_slots, iters, eps, dim ** -0.5
        self.mu = nn.Parameter(torch.randn(1, 1, dim))
        self.log_sigma = nn.Parameter(torch.zeros(1, 1, dim))
        self.q, self.k, self.v = (nn.Linear(dim, dim, bias=False) for _ in range(3))
        self.gru = nn.GRUCell(dim, dim)
        self.ni, self.ns = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x):
        b, _, d = x.shape
        slots = self.mu + self.log_sigma.exp() * torch.randn(b, self.n, d, device=x.device)
        x = self.ni(x)
        k, v = self.k(x), self.v(x)
        for _ in range(self.iters):
            prev = slots
            dots = torch.einsum("bid,bjd->bij", self.q(self.ns(slots)), k) * self.scale
            attn = dots.softmax(dim=1) + self.eps
            attn = attn / attn.sum(dim=-1, keepdim=True)
            slots = self.gru(torch.einsum("bij,bjd->bid", attn, v).reshape(-1, d), prev.reshape(-1, d)).view(b, -1, d)
        return slots
