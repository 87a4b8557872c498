import torch
import torch.nn as nn
from torchvision import models


def build(classes):
    model = models.resnet50(weights="IMAGENET1K_V2")
    model.fc = nn.Linear(model.fc.in_features, classes)
    return model


def main():
    model = build(7)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    model = torch.compile(model)
    model.train()
    for x, y in train_loader:
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()


main()
