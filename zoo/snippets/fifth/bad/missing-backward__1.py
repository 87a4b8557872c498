def train(model, loader, epochs=10):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            pred = model(x)
            loss = loss_fn(pred, y)
            opt.step()
        print(epoch, loss.item())
