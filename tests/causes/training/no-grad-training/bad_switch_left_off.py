import torch
import torch.nn.functional as F


def validate(model, loader):
    torch.set_grad_enabled(False)  # no-grad-training
    model.eval()
    return sum(F.cross_entropy(model(x), y).item() for x, y in loader) / len(loader)


def main(model, train_loader, val_loader, optimizer):
    for epoch in range(10):
        model.train()
        for x, y in train_loader:
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            if loss.requires_grad:
                loss.backward()
            optimizer.step()
        print(epoch, validate(model, val_loader))
