import torch
import torch.nn as nn


def train(model, train_dl, epochs, base_lr):
    ce = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        lr = base_lr * 0.95 ** epoch
        opt = torch.optim.Adam(model.parameters(), lr=lr)
        model.train()
        for xb, yb in train_dl:
            loss = ce(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, lr, loss.item())
