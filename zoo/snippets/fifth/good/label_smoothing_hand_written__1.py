def smooth_ce(logits, y, eps=0.1):
    logp = F.log_softmax(logits, dim=-1)
    nll = -logp.gather(-1, y.unsqueeze(-1)).squeeze(-1)
    return ((1 - eps) * nll - eps * logp.mean(-1)).mean()
