def validate(model, loader):
    model.eval()
    tot = 0.
    with torch.no_grad():
        for x, y in loader:
            tot += F.cross_entropy(model(x), y).item()
    return tot / len(loader)

model.train()
for epoch in range(50):
    for x, y in train_loader:
        opt.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
    print(epoch, validate(model, val_loader))
