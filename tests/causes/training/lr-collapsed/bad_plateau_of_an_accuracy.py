from torch.optim.lr_scheduler import ReduceLROnPlateau


def fit(model, optimizer, criterion, train, valid, epochs):
    scheduler = ReduceLROnPlateau(optimizer, patience=3)  # lr-collapsed
    for epoch in range(epochs):
        model.train()
        for x, y in train:
            optimizer.zero_grad()
            criterion(model(x), y).backward()
            optimizer.step()
        right = seen = 0
        model.eval()
        for x, y in valid:
            right += (model(x).argmax(1) == y).sum().item()
            seen += len(y)
        scheduler.step(right / seen)
