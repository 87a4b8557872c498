import torch
import torch.nn as nn
from torch.autograd import Function


class Reverse(Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.lam * g, None


def train(feat, clf, dom, src, tgt, opt, lam):
    ce = nn.CrossEntropyLoss()
    for (xs, ys), (xt, _) in zip(src, tgt):
        fs, ft = feat(xs), feat(xt)
        f = torch.cat([fs, ft])
        d = torch.cat([torch.zeros(len(xs)), torch.ones(len(xt))]).long()
        loss = ce(clf(fs), ys) + ce(dom(Reverse.apply(f, lam)), d)
        opt.zero_grad()
        loss.backward()
        opt.step()
