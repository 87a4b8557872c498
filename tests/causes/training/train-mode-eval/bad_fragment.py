for epoch in range(epochs):
    model.train()
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()

    with torch.no_grad():
        for x, y in val_loader:
            pred = model(x)  # train-mode-eval
            hits += (pred.argmax(1) == y).sum().item()
