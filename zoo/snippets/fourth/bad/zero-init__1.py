import torch

W1 = torch.zeros(784, 100, requires_grad=True)
b1 = torch.zeros(100, requires_grad=True)
W2 = torch.zeros(100, 10, requires_grad=True)
b2 = torch.zeros(10, requires_grad=True)
opt = torch.optim.SGD([W1, b1, W2, b2], lr=0.1)
for x, y in loader:
    h = torch.relu(x.flatten(1) @ W1 + b1)
    loss = torch.nn.functional.cross_entropy(h @ W2 + b2, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
