for p in model.body.parameters():
    p.requires_grad = False
opt = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), 1e-3)
for epoch in range(10):
    if epoch == 3:
        for p in model.body.parameters():
            p.requires_grad = True
        opt.add_param_group({"params": model.body.parameters(), "lr": 1e-4})
    model.train()
    for x, y in dl:
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
