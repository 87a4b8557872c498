obs, _ = env.reset(seed=0)
for t in range(T):
    with torch.no_grad():
        logits, v = net(torch.as_tensor(obs, dtype=torch.float32))
        dist = torch.distributions.Categorical(logits=logits)
        a = dist.sample()
    nxt, r, term, trunc, info = env.step(a.item())
    if trunc and not term:
        with torch.no_grad():
            r = r + gamma * net(torch.as_tensor(nxt, dtype=torch.float32))[1].item()
    buf.add(obs, a, r, term or trunc, v, dist.log_prob(a))
    obs = nxt
    if term or trunc:
        obs, _ = env.reset()
for _ in range(4):
    for b in buf.batches(64):
        logits, v = net(b.obs)
        ratio = (torch.distributions.Categorical(logits=logits).log_prob(b.act) - b.logp).exp()
        adv = (b.adv - b.adv.mean()) / (b.adv.std() + 1e-8)
        pg = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        loss = pg + 0.5 * (b.ret - v.squeeze(-1)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
