epoch_loss = 0
for data, target in train_loader:
    optimizer.zero_grad()
    loss = criterion(model(data), target)
    loss.backward()
    optimizer.step()
    epoch_loss = epoch_loss + loss  # loss-not-reset
print(epoch_loss / len(train_loader))
