import torch

running, seen = 0.0, 0
smooth = torch.zeros(())
for x, y in loader:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    shown = loss + penalty(model)
    print(shown.item())
    running += loss.item() * len(x)
    smooth += loss.detach()
    seen += len(x)
