# logistic regression from scratch
import torch

torch.manual_seed(0)
N, D = 1000, 5
X = torch.randn(N, D)
true_w = torch.tensor([1.0, -2.0, 0.5, 0.0, 3.0])
y = (torch.sigmoid(X @ true_w) > torch.rand(N)).float()

w = torch.zeros(D, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
lr = 0.5

for step in range(500):
    logits = X @ w + b
    loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, y)
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
        b -= lr * b.grad
        w.grad.zero_()
        b.grad.zero_()
    if step % 100 == 0:
        print(step, loss.item())
print(w.detach())
