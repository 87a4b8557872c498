import torch


@torch.no_grad()
def estimate_loss(model, get_batch, eval_iters=200):
    out = {}
    model.eval()
    for split in ("train", "val"):
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            x, y = get_batch(split)
            losses[k] = model(x, y)[1].item()
        out[split] = losses.mean().item()
    model.train()
    return out


def train(model, get_batch, max_iters=5000, eval_interval=250, lr=3e-4):
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    model.train()
    for it in range(max_iters):
        if it % eval_interval == 0:
            l = estimate_loss(model, get_batch)
            print(f"{it}: train {l['train']:.4f} val {l['val']:.4f}")
        x, y = get_batch("train")
        _, loss = model(x, y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
