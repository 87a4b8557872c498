for epoch in range(EPOCHS):
    net.train()
    for step, (xb, yb) in enumerate(train_dl):
        optimizer = torch.optim.Adam(net.parameters(), lr=3e-4)
        optimizer.zero_grad()
        out = net(xb)
        loss = F.nll_loss(out, yb)
        loss.backward()
        optimizer.step()
