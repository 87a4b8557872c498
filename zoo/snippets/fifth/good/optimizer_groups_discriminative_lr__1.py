opt = torch.optim.AdamW([
    {"params": model.body.parameters(), "lr": 1e-5},
    {"params": model.head.parameters(), "lr": 1e-3},
], weight_decay=0.01)
for epoch in range(5):
    model.train()
    for x, y in dl:
        loss = F.cross_entropy(model(x), y, label_smoothing=0.1)
        opt.zero_grad()
        loss.backward()
        opt.step()
