import torch


def finetune(model, loader, criterion, epochs):
    optimizer = torch.optim.Adam(model.head.parameters(), lr=1e-3)
    for epoch in range(epochs):
        if epoch == 5:
            for p in model.backbone.parameters():
                p.requires_grad = True
            optimizer = torch.optim.Adam(model.parameters(), lr=1e-5)
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()


def continual(model, tasks, criterion):
    for task in tasks:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        for epoch in range(3):
            for x, y in task:
                optimizer.zero_grad()
                criterion(model(x), y).backward()
                optimizer.step()
