def mc_predict(model, x, T=30):
    model.eval()
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train()
    with torch.no_grad():
        p = torch.stack([model(x).softmax(-1) for _ in range(T)])
    return p.mean(0), p.var(0)
