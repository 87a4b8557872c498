for epoch in range(100):
    running = 0.0
    for data in trainloader:
        inputs, labels = data
        outputs = net(inputs)
        loss = criterion(outputs, labels)
        optimizer.zero_grad()
        optimizer.step()
        loss.backward()
        running += loss.item()
    print(epoch, running / len(trainloader))
