import torch
import torch.nn.functional as F
from torch.func import functional_call


def adapt(model, params, x, y, lr, steps):
    for _ in range(steps):
        loss = F.mse_loss(functional_call(model, params, (x,)), y)
        grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
        params = {k: p - lr * g for (k, p), g in zip(params.items(), grads)}
    return params


def meta_train(model, tasks, outer_lr=1e-3, inner_lr=0.01, inner_steps=1, iters=60_000, meta_batch=25):
    opt = torch.optim.Adam(model.parameters(), lr=outer_lr)
    for it in range(iters):
        opt.zero_grad()
        total = 0.0
        for _ in range(meta_batch):
            xs, ys, xq, yq = tasks.sample()
            fast = adapt(model, dict(model.named_parameters()), xs, ys, inner_lr, inner_steps)
            loss = F.mse_loss(functional_call(model, fast, (xq,)), yq) / meta_batch
            loss.backward()
            total += loss.item()
        opt.step()
        if it % 500 == 0:
            print(it, total)
