import torch
import torch.nn.functional as F


def step(model, opt, x, y, aux, alpha):
    out, extra = model(x)
    main = F.cross_entropy(out, y)
    side = F.mse_loss(extra, aux)
    side = side * (main.item() / (side.item() + 1e-8))
    loss = main + alpha * side
    opt.zero_grad()
    loss.backward()
    opt.step()


class Straight(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return (x > 0).float()

    @staticmethod
    def backward(ctx, grad):
        return grad


def spikes(net, opt, x, y):
    rate = Straight.apply(net(x)).mean(1)
    loss = F.mse_loss(rate, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
