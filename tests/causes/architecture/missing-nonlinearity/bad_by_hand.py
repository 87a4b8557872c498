import torch

w1 = torch.nn.Parameter(torch.randn(2, 32) * 0.5)
b1 = torch.nn.Parameter(torch.zeros(32))
w2 = torch.nn.Parameter(torch.randn(32, 2) * 0.2)
b2 = torch.nn.Parameter(torch.zeros(2))
opt = torch.optim.SGD([w1, b1, w2, b2], lr=0.1)

for step in range(1000):
    x, y = draw_batch(128)
    h = x @ w1 + b1
    logits = h @ w2 + b2  # missing-nonlinearity
    loss = torch.nn.functional.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
