import torch

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i, (x, y) in enumerate(loader):
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss = loss / accum
    loss.backward()
    if (i + 1) % accum == 0 or i + 1 == len(loader):
        optimizer.step()
        optimizer.zero_grad()

for i, (x, y) in enumerate(loader):
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss *= 1 / accum
    loss.backward()
    if not (i + 1) % accum:
        optimizer.step()
        optimizer.zero_grad()
