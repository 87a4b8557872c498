# Classify beans from their outline measurements.
# No nn.Module, no torch.optim: tensors, autograd, and our own update rule.
import torch

torch.manual_seed(1)


class SmoothClip(torch.autograd.Function):
    """x / (1 + |x|), with the derivative 1 / (1 + |x|)^2 written by hand."""

    @staticmethod
    def forward(ctx, x):
        denom = 1 + x.abs()
        ctx.save_for_backward(denom)
        return x / denom

    @staticmethod
    def backward(ctx, g):
        (denom,) = ctx.saved_tensors
        return g / denom.pow(2)


clip = SmoothClip.apply
assert torch.autograd.gradcheck(clip, (torch.randn(6, dtype=torch.float64, requires_grad=True),))


def beans(n):
    kind = torch.randint(0, 4, (n,))
    length = torch.tensor([9.0, 11.0, 11.5, 14.0])[kind] + torch.randn(n) * 0.9
    ratio = torch.tensor([1.25, 1.7, 1.45, 1.6])[kind] + torch.randn(n) * 0.10
    width = length / ratio
    area = 0.785 * length * width * (1 + 0.03 * torch.randn(n))
    perimeter = 3.14 * (length + width) / 2 * (1 + 0.02 * torch.randn(n))
    shade = torch.tensor([0.4, 0.5, 0.7, 0.3])[kind] + torch.randn(n) * 0.15
    return torch.stack([length, width, area, perimeter, shade], 1), kind


X, Y = beans(3000)
Xv, Yv = beans(1000)
m, s = X.mean(0), X.std(0)
X, Xv = (X - m) / s, (Xv - m) / s

H = 32
W1 = (torch.randn(5, H) * (1 / 5) ** 0.5).requires_grad_()
b1 = torch.zeros(H, requires_grad=True)
W2 = (torch.randn(H, H) * (1 / H) ** 0.5).requires_grad_()
b2 = torch.zeros(H, requires_grad=True)
W3 = (torch.randn(H, 4) * (1 / H) ** 0.5).requires_grad_()
b3 = torch.zeros(4, requires_grad=True)
weights = [W1, b1, W2, b2, W3, b3]
velocity = [torch.zeros_like(w) for w in weights]


def logits(x):
    return clip(clip(x @ W1 + b1) @ W2 + b2) @ W3 + b3


def xent(z, y):
    return (z.logsumexp(1) - z[torch.arange(len(y)), y]).mean()


lr, momentum, l2 = 0.05, 0.9, 1e-4
epochs = 50
for epoch in range(epochs):
    if epoch in (25, 40):
        lr *= 0.3
    order = torch.randperm(len(X))
    total = 0.0
    for rows in order.split(50):
        loss = xent(logits(X[rows]), Y[rows])
        loss.backward()
        with torch.no_grad():
            for w, v in zip(weights, velocity):
                g = w.grad + (l2 * w if w.ndim == 2 else 0)
                v.mul_(momentum).add_(g)
                w -= lr * v
                w.grad = None
        total += loss.item()
    if epoch % 7 == 0 or epoch == epochs - 1:
        with torch.no_grad():
            z = logits(Xv)
            print(f"epoch {epoch:2d} | sum of batch losses {total:7.3f} | val loss {xent(z, Yv).item():.4f} "
                  f"| val acc {(z.argmax(1) == Yv).float().mean().item():.3f}")

with torch.no_grad():
    acc = (logits(Xv).argmax(1) == Yv).float().mean().item()
    conf = logits(Xv).softmax(1).max(1).values.mean().item()
naive = (Yv == Y.bincount().argmax()).float().mean().item()
print(f"final accuracy {acc:.3f}, mean confidence {conf:.3f}, most common bean {naive:.3f}")
