import torch


def train(model, loader, opt, lossf, max_iters):
    model.train()
    it = iter(loader)
    for i in range(max_iters):
        try:
            x, y = next(it)
        except StopIteration:
            it = iter(loader)
            x, y = next(it)
        loss = lossf(model(x), y)
        model.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if i % 100 == 0:
            print(i, loss.item())
