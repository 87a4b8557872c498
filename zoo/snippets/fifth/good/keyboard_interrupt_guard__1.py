try:
    for epoch in range(1000):
        for x, y in dl:
            opt.zero_grad()
            F.mse_loss(net(x), y).backward()
            opt.step()
except KeyboardInterrupt:
    print("stopped")
torch.save(net.state_dict(), "last.pt")
