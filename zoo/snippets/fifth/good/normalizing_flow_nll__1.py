for x, in dl:
    z, logdet = flow(x)
    logp = base.log_prob(z).sum(-1) + logdet
    loss = -logp.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
