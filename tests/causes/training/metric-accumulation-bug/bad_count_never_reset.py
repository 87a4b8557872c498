import torch
from torch import nn


def fit(model, train_loader, val_loader, opt, epochs):
    right, seen = 0, 0
    for epoch in range(epochs):
        for x, y in train_loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            opt.step()
        model.eval()
        for x, y in val_loader:
            with torch.no_grad():
                guess = model(x).argmax(dim=1)
            right += guess.eq(y).sum().item()
            seen += y.shape[0]
        model.train()
        print(f"{epoch}: {right / seen:.3f}")  # metric-accumulation-bug
