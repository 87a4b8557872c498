import torch
import torch.nn.functional as F


def adapt(fmodel, params, x, y, lr, steps):
    for _ in range(steps):
        loss = F.cross_entropy(fmodel(x, params), y)
        grads = torch.autograd.grad(loss, params, create_graph=True)
        params = [p - lr * g for p, g in zip(params, grads)]
    return params


def meta_train(fmodel, params, tasks, meta_lr=1e-3, inner_lr=0.1):
    opt = torch.optim.Adam(params, lr=meta_lr)
    for batch in tasks:
        opt.zero_grad()
        for xs, ys, xq, yq in batch:
            fast = adapt(fmodel, params, xs, ys, inner_lr, 5)
            loss = F.cross_entropy(fmodel(xq, fast), yq) / len(batch)
            loss.backward()
        opt.step()
