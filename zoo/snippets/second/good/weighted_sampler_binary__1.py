import torch
import torch.nn as nn
from torch.utils.data import DataLoader, WeightedRandomSampler


def make_loader(ds, labels, bs=64):
    counts = torch.bincount(labels)
    weights = 1.0 / counts[labels].double()
    sampler = WeightedRandomSampler(weights, num_samples=len(labels), replacement=True)
    return DataLoader(ds, batch_size=bs, sampler=sampler, num_workers=2)


def train(model, loader, val_loader, device, epochs=10):
    model.to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-4)
    crit = nn.BCEWithLogitsLoss()
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            x, y = x.to(device), y.to(device).float().unsqueeze(1)
            opt.zero_grad()
            loss = crit(model(x), y)
            loss.backward()
            opt.step()
        model.eval()
        tp = fp = fn = 0
        with torch.no_grad():
            for x, y in val_loader:
                p = torch.sigmoid(model(x.to(device))).squeeze(1).cpu() > 0.5
                y = y.bool()
                tp += (p & y).sum().item()
                fp += (p & ~y).sum().item()
                fn += (~p & y).sum().item()
        print(epoch, 2 * tp / max(1, 2 * tp + fp + fn))
