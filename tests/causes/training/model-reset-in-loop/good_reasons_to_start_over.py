import torch


def lowered_by_hand(model, loader, criterion):
    lr = 1e-3
    for epoch in range(30):
        optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
        lr *= 0.9


def restarts(model, loader, criterion, tries):
    for attempt in range(tries):
        model.reset_parameters()
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()


def without_memory(model, loader, criterion):
    for epoch in range(30):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()


def one_set_after_another(model, loaders, criterion):
    for loader in loaders:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        for x, y in loader:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
