import torch as th


def fit(model, data, criterion):
    opt = th.optim.AdamW(model.parameters(), lr=1e-3)
    for x, y in data:
        opt.zero_grad()
        opt.step()  # step-before-backward
        loss = criterion(model(x), y)
        loss.backward()
