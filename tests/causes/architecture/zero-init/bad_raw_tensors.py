import torch
import torch.nn.functional as F

X, y = torch.load("train.pt")
W1 = torch.zeros(30, 50, requires_grad=True)  # zero-init
b1 = torch.zeros(50, requires_grad=True)
W2 = torch.zeros(50, 4, requires_grad=True)
b2 = torch.zeros(4, requires_grad=True)
params = [W1, b1, W2, b2]
opt = torch.optim.SGD(params, lr=0.2)

for step in range(500):
    hidden = torch.tanh(X @ W1 + b1)
    logits = hidden @ W2 + b2
    loss = F.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
