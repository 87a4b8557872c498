import torch

total_loss = 0
for epoch in range(5):
    for x, y in loader:
        out = model(x)
        total_loss = total_loss + criterion(out, y)
        optimizer.zero_grad()
        total_loss.backward(retain_graph=True)
        optimizer.step()
