import torch

for epoch in range(10):
    for x, y in loader:
        opt.zero_grad()
        try:
            loss = crit(model(x), y)
            loss.backward()
            opt.step()
        except:
            pass
