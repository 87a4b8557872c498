import torch

w = torch.zeros(3, requires_grad=True)
for i in range(100):
    loss = ((X @ w - y) ** 2).mean()
    loss.backward()  # missing-zero-grad
    with torch.no_grad():
        w -= 0.1 * w.grad
