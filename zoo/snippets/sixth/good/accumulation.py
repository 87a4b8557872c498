accum_iter = 4
n_batches = len(train_loader)

for epoch in range(num_epochs):
    model.train()
    optimizer.zero_grad()
    for batch_idx, (inputs, labels) in enumerate(train_loader):
        inputs = inputs.to(device)
        labels = labels.to(device)
        preds = model(inputs)
        loss = criterion(preds, labels)
        loss = loss / accum_iter
        loss.backward()
        if ((batch_idx + 1) % accum_iter == 0) or (batch_idx + 1 == n_batches):
            optimizer.step()
            optimizer.zero_grad()
