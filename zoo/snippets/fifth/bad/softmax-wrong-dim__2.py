def contrastive(q, k, tau=0.07):
    q, k = F.normalize(q, dim=0), F.normalize(k, dim=0)
    logits = q @ k.t() / tau
    return F.cross_entropy(logits, torch.arange(len(q), device=q.device))
