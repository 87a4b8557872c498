import torch
import torch.nn as nn
from torch.optim.lr_scheduler import CosineAnnealingLR


def train(model, train_loader, val_loader, epochs=90, lr=0.1, device="cuda"):
    model.to(device)
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, nesterov=True, weight_decay=1e-4)
    scheduler = CosineAnnealingLR(opt, T_max=epochs)
    ce = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        model.train()
        for x, y in train_loader:
            x, y = x.to(device), y.to(device)
            loss = ce(model(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            scheduler.step()
        model.eval()
        with torch.no_grad():
            ok = sum((model(x.to(device)).argmax(1).cpu() == y).sum().item() for x, y in val_loader)
        print(f"epoch {epoch} lr {scheduler.get_last_lr()[0]:.5f} acc {ok / len(val_loader.dataset):.4f}")
