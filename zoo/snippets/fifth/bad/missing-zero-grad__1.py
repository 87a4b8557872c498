# In[7]:
w = torch.randn(784, 10, requires_grad=True)
b = torch.zeros(10, requires_grad=True)
lr = 0.5
for epoch in range(5):
    for xb, yb in train_dl:
        loss = F.cross_entropy(xb @ w + b, yb)
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            b -= lr * b.grad
