import torch


def run(model, loader, criterion, lr):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
    return model


def sweep(make, loader, criterion):
    for lr in (0.1, 0.01, 0.001):
        try:
            run(make(), loader, criterion, lr)
        except RuntimeError as error:
            print(lr, "failed:", error)


def evaluate(model, loader, criterion):
    scores = []
    with torch.no_grad():
        for x, y in loader:
            try:
                scores.append(criterion(model(x), y).item())
            except Exception:
                continue
    return scores
