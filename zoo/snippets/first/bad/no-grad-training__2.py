import torch

# I kept running out of memory so I changed the loop like this, now accuracy stays at 10%
for epoch in range(epochs):
    net.train()
    for images, labels in trainloader:
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        with torch.no_grad():
            outputs = net(images)
            loss = criterion(outputs, labels)
        loss.requires_grad_(True)
        loss.backward()
        optimizer.step()

    net.eval()
    correct, total = 0, 0
    with torch.no_grad():
        for images, labels in valloader:
            images, labels = images.to(device), labels.to(device)
            predicted = net(images).argmax(1)
            total += labels.size(0)
            correct += (predicted == labels).sum().item()
    print("epoch", epoch, "val acc", correct / total)
