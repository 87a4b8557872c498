import torch
import torch.nn as nn


def train_stage(model, params, loader, lr, epochs):
    opt = torch.optim.AdamW(params, lr=lr)
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            opt.step()


def main(model, loader):
    for p in model.backbone.parameters():
        p.requires_grad = False
    train_stage(model, model.head.parameters(), loader, 1e-3, 3)
    for p in model.backbone.parameters():
        p.requires_grad = True
    train_stage(model, model.parameters(), loader, 1e-5, 10)
