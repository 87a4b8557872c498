def lm_loss(logits, ids, pad):
    shift = logits[:, :-1].reshape(-1, logits.size(-1))
    tgt = ids[:, 1:].reshape(-1)
    nll = F.cross_entropy(shift, tgt, ignore_index=pad, reduction="sum")
    n = (tgt != pad).sum().clamp(min=1)
    return nll / n

for epoch in range(E):
    tot, cnt = 0.0, 0
    for ids in loader:
        loss = lm_loss(model(ids), ids, PAD)
        opt.zero_grad()
        loss.backward()
        opt.step()
        k = (ids[:, 1:] != PAD).sum().item()
        tot += loss.item() * k
        cnt += k
    print(math.exp(tot / cnt))
