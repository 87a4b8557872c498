import torch
import torch.nn.functional as F
from torch.optim.lr_scheduler import ReduceLROnPlateau


def run(model, train_loader, val_loader, epochs=100):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    plateau = ReduceLROnPlateau(opt, mode="min", factor=0.5, patience=5)
    for epoch in range(epochs):
        model.train()
        for x, y in train_loader:
            opt.zero_grad()
            F.l1_loss(model(x).squeeze(1), y).backward()
            opt.step()
        model.eval()
        s, n = 0.0, 0
        with torch.no_grad():
            for x, y in val_loader:
                s += F.l1_loss(model(x).squeeze(1), y, reduction="sum").item()
                n += len(y)
        plateau.step(s / n)
        if opt.param_groups[0]["lr"] < 1e-6:
            break
