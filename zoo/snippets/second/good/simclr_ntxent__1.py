import torch
import torch.nn as nn
import torch.nn.functional as F


def nt_xent(z1, z2, t=0.5):
    n = z1.size(0)
    z = F.normalize(torch.cat([z1, z2]), dim=1)
    sim = z @ z.t() / t
    sim.fill_diagonal_(float("-inf"))
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(n)]).to(z.device)
    return F.cross_entropy(sim, target)


class SimCLR(nn.Module):
    def __init__(self, backbone, dim, proj=128):
        super().__init__()
        self.backbone = backbone
        self.proj = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, proj))

    def forward(self, x):
        return self.proj(self.backbone(x))


def pretrain(model, loader, device, epochs=200):
    model.to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=len(loader) * epochs)
    for epoch in range(epochs):
        model.train()
        for (a, b), _ in loader:
            a, b = a.to(device), b.to(device)
            loss = nt_xent(model(a), model(b))
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
        print(epoch, loss.item())
