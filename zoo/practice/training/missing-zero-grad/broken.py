import math
import torch

torch.manual_seed(35)
length = torch.rand(600, 1) * 1.9 + 0.1
swing = torch.rand(600, 1) * 1.2
period = 2 * math.pi * torch.sqrt(length / 9.81) * (1 + swing ** 2 / 16)
inp = torch.cat([(length - 1) / 0.55, (swing - 0.6) / 0.35], 1)

W1 = (torch.randn(2, 24) * 0.7).requires_grad_()
b1 = torch.zeros(24, requires_grad=True)
W2 = (torch.randn(24, 1) * 0.2).requires_grad_()
b2 = torch.zeros(1, requires_grad=True)
weights = [W1, b1, W2, b2]


def net(x):
    return torch.tanh(x @ W1 + b1) @ W2 + b2


lr = 0.05
for step in range(1500):
    rows = torch.randint(0, 500, (32,))
    loss = ((net(inp[rows]) - period[rows]) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for w in weights:
            w -= lr * w.grad
    if step % 300 == 0:
        print(step, loss.item())

with torch.no_grad():
    rel = ((net(inp[500:]) - period[500:]).abs() / period[500:]).mean()
print(f"relative error {rel.item():.4f}")
