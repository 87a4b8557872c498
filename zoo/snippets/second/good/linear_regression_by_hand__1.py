import torch

torch.manual_seed(0)
true_w = torch.tensor([2.0, -3.4])
true_b = 4.2
X = torch.randn(1000, 2)
y = X @ true_w + true_b + 0.01 * torch.randn(1000)

w = (0.01 * torch.randn(2)).requires_grad_()
b = torch.zeros(1, requires_grad=True)
lr, batch = 0.03, 10

for epoch in range(5):
    for idx in torch.randperm(len(X)).split(batch):
        y_hat = X[idx] @ w + b
        loss = ((y_hat - y[idx]) ** 2 / 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
            w.grad.zero_()
            b.grad.zero_()
    with torch.no_grad():
        print(epoch, float(((X @ w + b - y) ** 2 / 2).mean()))
