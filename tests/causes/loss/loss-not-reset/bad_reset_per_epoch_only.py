def train(net, criterion, optimizer, loader, epochs):
    for epoch in range(epochs):
        loss = 0
        for x, y in loader:
            optimizer.zero_grad()
            loss += criterion(net(x), y)
            loss.backward(retain_graph=True)  # loss-not-reset
            optimizer.step()
