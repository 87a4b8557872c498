import torch
import torch.nn.functional as F


def mixup_cutmix_step(model, opt, x, y, n_classes, alpha=0.4, eps=0.1):
    lam = float(torch.distributions.Beta(alpha, alpha).sample())
    perm = torch.randperm(x.size(0), device=x.device)
    x = lam * x + (1 - lam) * x[perm]
    t = F.one_hot(y, n_classes).float() * (1 - eps) + eps / n_classes
    t = lam * t + (1 - lam) * t[perm]
    logp = F.log_softmax(model(x), dim=-1)
    loss = -(t * logp).sum(dim=-1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()
