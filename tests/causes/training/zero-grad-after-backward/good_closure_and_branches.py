import torch

optimizer = torch.optim.LBFGS(model.parameters())


def closure():
    optimizer.zero_grad()
    loss = loss_fn(model(x), y)
    loss.backward()
    return loss


for i in range(100):
    optimizer.step(closure)

sgd = torch.optim.SGD(model.parameters(), lr=0.1)
for i, (x, y) in enumerate(loader):
    loss = loss_fn(model(x), y)
    loss.backward()
    if not torch.isfinite(loss):
        sgd.zero_grad()
        continue
    sgd.step()
    sgd.zero_grad()
