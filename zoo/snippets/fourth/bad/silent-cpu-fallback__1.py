import torch

device = torch.device("cuda")
model = Net().to(device)
for x, y in loader:
    x.to(device)
    y.to(device)
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
