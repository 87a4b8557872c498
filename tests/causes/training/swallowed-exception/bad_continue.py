import torch

for epoch in range(10):
    for x, y in loader:
        try:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        except Exception:  # swallowed-exception
            continue
