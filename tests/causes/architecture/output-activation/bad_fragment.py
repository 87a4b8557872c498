for epoch in range(epochs):
    for batch, target in train_loader:
        hidden = torch.tanh(lin1(batch))
        pred = torch.relu(lin2(hidden))  # output-activation
        loss = nn.functional.l1_loss(pred, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
