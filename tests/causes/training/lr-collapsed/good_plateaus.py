import torch
from sklearn.metrics import roc_auc_score
from torch.optim.lr_scheduler import ReduceLROnPlateau


def by_loss(optimizer, model, criterion, loader):
    scheduler = ReduceLROnPlateau(optimizer, mode="min", patience=3)
    for epoch in range(20):
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        scheduler.step(total / len(loader))


def by_score(optimizer, model, x, y, epochs):
    scheduler = ReduceLROnPlateau(optimizer, mode="max", factor=0.5)
    for epoch in range(epochs):
        train_one_epoch(model, optimizer)
        with torch.no_grad():
            auc = roc_auc_score(y, model(x).sigmoid())
        scheduler.step(auc)


def by_score_turned_round(optimizer, model, loader, epochs):
    scheduler = ReduceLROnPlateau(optimizer)
    for epoch in range(epochs):
        train_one_epoch(model, optimizer)
        accuracy = evaluate(model, loader)
        scheduler.step(1 - accuracy)


def by_loss_turned_round(optimizer, model, loader, epochs):
    scheduler = ReduceLROnPlateau(optimizer, mode="max")
    for epoch in range(epochs):
        train_one_epoch(model, optimizer)
        val_loss = evaluate(model, loader)
        scheduler.step(-val_loss)


def by_share_of_mistakes(optimizer, model, loader, epochs):
    scheduler = ReduceLROnPlateau(optimizer)
    for epoch in range(epochs):
        train_one_epoch(model, optimizer)
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
        mistakes = 1 - right / len(loader.dataset)
        scheduler.step(mistakes)
