import torch
from torch import nn

loss_fn = nn.MSELoss()
for epoch in range(epochs):
    running, acc = 0.0, 0.0
    for i, (x, y) in enumerate(train_loader):
        out = model(x)
        loss = loss_fn(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item()
        acc += (out.sign() == y.sign()).float().mean().item()
        if i % 100 == 99:
            print(running / 100)
            running = 0.0
    print(acc / len(train_loader))
