import torch


def train(model, criterion, data, lr):
    opt = torch.optim.RMSprop(model.parameters(), lr=lr)
    for x, y in data:
        opt.zero_grad()
        loss = criterion(model(x), y)
        loss.backward  # missing-backward
        opt.step()
