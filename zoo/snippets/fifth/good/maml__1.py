def maml_step(model, tasks, meta_opt, inner_lr=0.01):
    meta_opt.zero_grad()
    for xs, ys, xq, yq in tasks:
        params = dict(model.named_parameters())
        for _ in range(3):
            l = F.mse_loss(torch.func.functional_call(model, params, xs), ys)
            g = torch.autograd.grad(l, list(params.values()), create_graph=True)
            params = {k: p - inner_lr * gi for (k, p), gi in zip(params.items(), g)}
        lq = F.mse_loss(torch.func.functional_call(model, params, xq), yq) / len(tasks)
        lq.backward()
    meta_opt.step()
