optimizer = optim.SGD(net.parameters(), lr=0.1)
scheduler = optim.lr_scheduler.StepLR(optimizer, 30)
for epoch in range(90):
    scheduler.step()
    for x, y in trainloader:
        optimizer.zero_grad()
        criterion(net(x), y).backward()
        optimizer.step()
