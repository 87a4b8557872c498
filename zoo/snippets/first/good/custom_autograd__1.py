import torch
import torch.nn as nn


class GradReverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.lam * g, None


class SignSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x >= 0, torch.ones_like(x), -torch.ones_like(x))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.abs() <= 1).to(g.dtype)


class DANN(nn.Module):
    def __init__(self, features, label_head, domain_head):
        super().__init__()
        self.features, self.label_head, self.domain_head = features, label_head, domain_head

    def forward(self, x, lam):
        f = self.features(x)
        return self.label_head(f), self.domain_head(GradReverse.apply(f, lam))


def step(model, opt, xs, ys, xt, lam):
    ls, ds = model(xs, lam)
    _, dt = model(xt, lam)
    bce = nn.functional.binary_cross_entropy_with_logits
    loss = nn.functional.cross_entropy(ls, ys) + bce(ds, torch.zeros_like(ds)) + bce(dt, torch.ones_like(dt))
    opt.zero_grad()
    loss.backward()
    opt.step()
