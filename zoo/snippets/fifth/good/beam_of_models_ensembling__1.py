models_ = [make_net(seed=s) for s in range(5)]
for net in models_:
    opt = torch.optim.Adam(net.parameters(), 1e-3)
    for _ in range(10):
        net.train()
        for x, y in dl:
            opt.zero_grad()
            F.mse_loss(net(x).squeeze(-1), y).backward()
            opt.step()
    net.eval()
with torch.no_grad():
    preds = torch.stack([n(xt).squeeze(-1) for n in models_]).mean(0)
