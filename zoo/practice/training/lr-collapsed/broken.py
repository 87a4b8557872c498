import math
import torch
from torch import nn, optim
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader, TensorDataset


def spirals(n, k=3):
    y = torch.randint(0, k, (n,))
    r = torch.rand(n)
    a = 2 * math.pi * y / k + 4 * r + 0.12 * torch.randn(n)
    return TensorDataset(torch.stack([r * a.cos(), r * a.sin()], 1) * 2, y)


def run_epoch(model, loader, criterion, optimizer=None):
    model.train(optimizer is not None)
    loss_sum = hits = n = 0
    with torch.set_grad_enabled(optimizer is not None):
        for x, y in loader:
            out = model(x)
            loss = criterion(out, y)
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            loss_sum += loss.item() * len(y)
            hits += (out.argmax(1) == y).sum().item()
            n += len(y)
    return loss_sum / n, hits / n


if __name__ == "__main__":
    torch.manual_seed(19)
    train, val = DataLoader(spirals(900), 45, shuffle=True), DataLoader(spirals(300), 300)
    model = nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 3))
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.Adam(model.parameters(), lr=4e-3)
    scheduler = ReduceLROnPlateau(optimizer, mode="max", factor=0.1, patience=1)
    for epoch in range(30):
        tl, ta = run_epoch(model, train, criterion, optimizer)
        vl, va = run_epoch(model, val, criterion)
        scheduler.step(vl)
        if epoch % 5 == 4:
            print(f"{epoch + 1:3d} train {tl:.4f}/{ta:.3f} val {vl:.4f}/{va:.3f}")
    print(f"validation accuracy {va:.3f}")
