w = torch.zeros(3, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for _ in range(500):
    pred = X @ w + b
    loss = ((pred - y.view(-1, 1)) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for p in (w, b):
            p -= 0.1 * p.grad
            p.grad.zero_()
