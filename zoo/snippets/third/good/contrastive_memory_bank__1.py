import torch
import torch.nn as nn
import torch.nn.functional as F


class MoCo(nn.Module):
    def __init__(self, q, k, dim=128, K=4096, m=0.999, T=0.07):
        super().__init__()
        self.q, self.k, self.m, self.T = q, k, m, T
        for a, b in zip(q.parameters(), k.parameters()):
            b.data.copy_(a.data)
            b.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(dim, K), dim=0))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def momentum(self):
        for a, b in zip(self.q.parameters(), self.k.parameters()):
            b.data = b.data * self.m + a.data * (1 - self.m)

    def forward(self, x1, x2):
        q = F.normalize(self.q(x1), dim=1)
        with torch.no_grad():
            self.momentum()
            k = F.normalize(self.k(x2), dim=1)
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.queue.clone().detach()
        logits = torch.cat([pos, neg], dim=1) / self.T
        labels = torch.zeros(len(q), dtype=torch.long, device=q.device)
        p = int(self.ptr)
        self.queue[:, p:p + len(k)] = k.T
        self.ptr[0] = (p + len(k)) % self.queue.shape[1]
        return F.cross_entropy(logits, labels)
