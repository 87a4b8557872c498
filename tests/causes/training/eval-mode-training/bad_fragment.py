model.eval()  # eval-mode-training
for epoch in range(num_epochs):
    for batch, target in train_loader:
        output = model(batch.to(device))
        loss = criterion(output, target.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
