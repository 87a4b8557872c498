"""Learned ISTA: unrolled sparse recovery from compressed measurements, memory-lean shrinkage operator."""
import math

import torch
from torch import nn


class Shrink(torch.autograd.Function):
    """Soft threshold; keeps only the output for the backward pass."""

    @staticmethod
    def forward(ctx, x, theta):
        y = torch.sign(x) * torch.clamp(x.abs() - theta, min=0)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        active = (y != 0).to(grad.dtype)
        grad_x = grad * active
        grad_theta = (grad_x * torch.sign(y)).sum(0)
        return grad_x, grad_theta


class LISTA(nn.Module):
    def __init__(self, A, layers=5):
        super().__init__()
        step = 1.0 / torch.linalg.matrix_norm(A, 2).item() ** 2
        n = A.shape[1]
        self.We = nn.Parameter(step * A.T.clone())
        self.S = nn.Parameter(torch.eye(n) - step * A.T @ A)
        self.theta = nn.ParameterList([nn.Parameter(torch.full((n,), 0.05)) for _ in range(layers)])

    def forward(self, y):
        drive = y @ self.We.T
        x = Shrink.apply(drive, self.theta[0])
        for theta in self.theta[1:]:
            x = Shrink.apply(drive + x @ self.S.T, theta)
        return x


def sparse_signals(count, n, rate, gen):
    support = (torch.rand(count, n, generator=gen) < rate).float()
    return support * torch.randn(count, n, generator=gen)


def nmse_db(estimate, truth):
    return 10 * math.log10((estimate - truth).square().sum().item() / truth.square().sum().item())


def ista(A, y, iterations, lam=0.05):
    step = 1.0 / torch.linalg.matrix_norm(A, 2).item() ** 2
    x = torch.zeros(len(y), A.shape[1])
    for _ in range(iterations):
        x = x + step * (y - x @ A.T) @ A
        x = torch.sign(x) * torch.clamp(x.abs() - step * lam, min=0)
    return x


def main(m=50, n=100, rate=0.06, noise=0.01, epochs=15, batch=100, lr=2e-3):
    torch.manual_seed(6)
    gen = torch.Generator().manual_seed(6)
    A = torch.randn(m, n, generator=gen) / math.sqrt(m)
    x_train, x_val = sparse_signals(9000, n, rate, gen), sparse_signals(1000, n, rate, gen)
    y_train = x_train @ A.T + noise * torch.randn(9000, m, generator=gen)
    y_val = x_val @ A.T + noise * torch.randn(1000, m, generator=gen)
    print(f"plain ISTA, 5 iterations: {nmse_db(ista(A, y_val, 5), x_val):.2f} dB, 200 iterations: "
          f"{nmse_db(ista(A, y_val, 200), x_val):.2f} dB")

    net = LISTA(A)
    optimizer = torch.optim.Adam([
        {"params": [net.We, net.S], "lr": lr},
        {"params": list(net.theta), "lr": lr},
    ])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    scale = x_train.square().sum(1).mean().item()
    for epoch in range(1, epochs + 1):
        net.train()
        total = 0.0
        for idx in torch.randperm(len(x_train)).split(batch):
            loss = (net(y_train[idx]) - x_train[idx]).square().sum(1).mean() / scale
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(idx)
        schedule.step()
        if epoch % 3 == 0:
            net.eval()
            with torch.no_grad():
                db = nmse_db(net(y_val), x_val)
            mean_theta = sum(t.mean().item() for t in net.theta) / len(net.theta)
            print(f"epoch {epoch:2d}  train {total / len(x_train):.4f}  val nmse {db:.2f} dB  mean theta {mean_theta:.3f}")
    print(f"val NMSE: {db:.2f} dB")


if __name__ == "__main__":
    main()
