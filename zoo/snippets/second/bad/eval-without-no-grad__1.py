import torch
import torch.nn as nn
import numpy as np
from sklearn.metrics import roc_auc_score


def validate(model, val_loader, criterion, device):
    model.eval()
    losses, probs, truth = [], [], []
    for x, y in val_loader:
        x, y = x.to(device), y.to(device).float()
        out = model(x).squeeze(1)
        loss = criterion(out, y)
        losses.append(loss.item() * len(y))
        probs.append(torch.sigmoid(out).detach().cpu().numpy())
        truth.append(y.cpu().numpy())
    return sum(losses) / len(val_loader.dataset), roc_auc_score(np.concatenate(truth), np.concatenate(probs))


def train(model, train_loader, val_loader, device, epochs=20):
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    for epoch in range(epochs):
        model.train()
        for x, y in train_loader:
            x, y = x.to(device), y.to(device).float()
            optimizer.zero_grad()
            loss = criterion(model(x).squeeze(1), y)
            loss.backward()
            optimizer.step()
        vloss, auc = validate(model, val_loader, criterion, device)
        print(f"epoch {epoch}: val loss {vloss:.4f} auc {auc:.4f}")
