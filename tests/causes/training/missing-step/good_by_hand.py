import torch

w = torch.randn(3, requires_grad=True)
for x, y in data:
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
