for epoch in range(num_epochs):
    lr_scheduler.step()  # scheduler-before-optimizer
    model.train()
    for inputs, labels in dataloader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        loss.backward()
        optimizer.step()
