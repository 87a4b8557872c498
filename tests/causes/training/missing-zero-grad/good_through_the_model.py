import torch


def train(model, loader, loss_fn):
    optimizer = torch.optim.Adam(model.parameters())
    for inputs, labels in loader:
        model.zero_grad()
        loss = loss_fn(model(inputs), labels)
        loss.backward()
        optimizer.step()


def train_by_hand(model, loader, loss_fn):
    optimizer = torch.optim.Adam(model.parameters())
    for inputs, labels in loader:
        for p in model.parameters():
            p.grad = None
        loss_fn(model(inputs), labels).backward()
        optimizer.step()
