import torch
import torch.nn as nn


class ProjectionHead(nn.Module):
    def __init__(self, d_in, d_out=128):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(d_in, d_in), nn.ReLU(), nn.Linear(d_in, d_out))

    def forward(self, x):
        return self.mlp(x)


def contrastive_loss(za, zb, temperature=0.07):
    """za, zb: (N, d); row i of za matches row i of zb."""
    sim = za @ zb.t() / temperature
    e = torch.exp(sim)
    probs = e / e.sum(dim=1, keepdim=True)
    return -torch.log(probs.diagonal() + 1e-12).mean()


def train(backbone, head, loader, device, epochs=100):
    params = list(backbone.parameters()) + list(head.parameters())
    opt = torch.optim.AdamW(params, lr=1e-3, weight_decay=1e-4)
    backbone.train()
    head.train()
    for epoch in range(epochs):
        for (v1, v2), _ in loader:
            v1, v2 = v1.to(device), v2.to(device)
            loss = contrastive_loss(head(backbone(v1)), head(backbone(v2)))
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())
