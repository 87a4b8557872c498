import torch


def train(model, criterion, loader, accum=8):
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    for i, (x, y) in enumerate(loader):
        loss = criterion(model(x), y) / accum
        loss.backward()
        if (i + 1) % accum == 0:
            optimizer.zero_grad()  # zero-grad-after-backward
            optimizer.step()
