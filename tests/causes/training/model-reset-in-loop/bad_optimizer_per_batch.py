for inputs, labels in trainloader:
    optimizer = optim.AdamW(net.parameters(), lr=1e-3)  # model-reset-in-loop
    optimizer.zero_grad()
    loss = criterion(net(inputs), labels)
    loss.backward()
    optimizer.step()
