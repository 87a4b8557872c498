import torch

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i, (x, y) in enumerate(loader):
    if i > 0:
        optimizer.step()
        optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
optimizer.step()
