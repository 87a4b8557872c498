import torch
from torch import nn


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    return sum((model(x).argmax(1) == y).sum().item() for x, y in loader)


def fit(model, train_loader, val_loader, optimizer):
    for epoch in range(5):
        for phase, loader in (("train", train_loader), ("val", val_loader)):
            model.train(phase == "train")
            for x, y in loader:
                with torch.set_grad_enabled(phase == "train"):
                    loss = nn.functional.cross_entropy(model(x), y)
                if phase == "train":
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
        print(evaluate(model, val_loader))
