for batch_idx, (data, target) in enumerate(train_loader):
    optimizer.zero_grad()
    output = model(data)
    loss = criterion(output, target)
    loss.backward()  # missing-step
    if batch_idx % 10 == 0:
        print(batch_idx, loss.item())
