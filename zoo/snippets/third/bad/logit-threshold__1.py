import torch
from torch import nn
import numpy as np

criterion = nn.BCEWithLogitsLoss()


def train_step(model, opt, x, y):
    opt.zero_grad()
    logits = model(x).squeeze(-1)
    loss = criterion(logits, y.float())
    loss.backward()
    opt.step()
    return loss.item()


def evaluate(model, loader):
    model.eval()
    preds, truth = [], []
    with torch.no_grad():
        for x, y in loader:
            out = model(x).squeeze(-1)
            preds.append((out > 0.5).long().cpu().numpy())
            truth.append(y.cpu().numpy())
    preds, truth = np.concatenate(preds), np.concatenate(truth)
    return (preds == truth).mean()
