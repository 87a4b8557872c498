import torch


def pcgrad_step(params, losses, opt):
    """Gradients of several tasks over one shared graph, with conflicts projected away."""
    params = list(params)
    flat = []
    for i, loss in enumerate(losses):
        opt.zero_grad()
        loss.backward(retain_graph=i < len(losses) - 1)
        flat.append(torch.cat([(torch.zeros_like(p) if p.grad is None else p.grad).flatten() for p in params]))
    merged = torch.zeros_like(flat[0])
    for i, g in enumerate(flat):
        g = g.clone()
        for j in torch.randperm(len(flat)).tolist():
            if j != i:
                dot = torch.dot(g, flat[j])
                if dot < 0:
                    g -= dot / flat[j].pow(2).sum().clamp(min=1e-12) * flat[j]
        merged += g
    opt.zero_grad()
    k = 0
    for p in params:
        p.grad = merged[k:k + p.numel()].view_as(p).clone()
        k += p.numel()
    opt.step()
