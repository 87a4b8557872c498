import torch


class SAM:
    def __init__(self, params, base, rho=0.05, **kw):
        self.params = [p for p in params if p.requires_grad]
        self.base = base(self.params, **kw)
        self.rho = rho

    @torch.no_grad()
    def ascend(self):
        norm = torch.norm(torch.stack([p.grad.norm() for p in self.params if p.grad is not None])) + 1e-12
        self.eps = []
        for p in self.params:
            e = None if p.grad is None else p.grad * (self.rho / norm)
            if e is not None:
                p.add_(e)
            self.eps.append(e)
        self.base.zero_grad()

    @torch.no_grad()
    def descend(self):
        for p, e in zip(self.params, self.eps):
            if e is not None:
                p.sub_(e)
        self.base.step()
        self.base.zero_grad()


def train_epoch(model, loader, sam, lossf):
    model.train()
    for x, y in loader:
        lossf(model(x), y).backward()
        sam.ascend()
        lossf(model(x), y).backward()
        sam.descend()
