import torch
import torch.nn as nn
from torchvision.models import efficientnet_b0


def build_model(n_classes):
    model = efficientnet_b0(weights="DEFAULT")
    for param in model.parameters():
        param.requires_grad = False
    # fine-tune the last two stages together with the new head
    for param in model.features[7:].parameters():
        param.require_grad = True
    model.classifier[1] = nn.Linear(model.classifier[1].in_features, n_classes)
    return model


def train(loader, n_classes, epochs=10, device="cuda"):
    torch.manual_seed(0)
    model = build_model(n_classes).to(device)
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-4)
    for _ in range(epochs):
        model.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            loss.backward()
            opt.step()
    return model
