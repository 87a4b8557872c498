hidden = None
for chunk in stream_loader:   # DataLoader(..., shuffle=False) on contiguous text
    if hidden is not None:
        hidden = (hidden[0].detach(), hidden[1].detach())
    x, y = chunk[:, :-1], chunk[:, 1:]
    logits, hidden = lm(x, hidden)
    loss = F.cross_entropy(logits.reshape(-1, V), y.reshape(-1))
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
