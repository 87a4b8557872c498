import torch
from torch import nn


def evaluate(model, loader, device):
    model.eval()
    criterion = nn.CrossEntropyLoss()
    total, hits = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            out = model(x)
            total += criterion(out, y).item() * x.size(0)
            hits += (out.argmax(1) == y).sum().item()
    return total / len(loader), hits / len(loader.dataset)


def train(model, train_loader, val_loader, device, epochs=10):
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        model.train()
        for x, y in train_loader:
            opt.zero_grad()
            criterion(model(x.to(device)), y.to(device)).backward()
            opt.step()
        vloss, vacc = evaluate(model, val_loader, device)
        print(f"{epoch}: val loss {vloss:.4f}, val acc {vacc:.4f}")
