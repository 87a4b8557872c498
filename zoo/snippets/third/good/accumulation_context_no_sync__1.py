import contextlib
import torch


def train(ddp, loader, opt, crit, accum=8):
    ddp.train()
    opt.zero_grad(set_to_none=True)
    for i, (x, y) in enumerate(loader):
        last = (i + 1) % accum == 0 or (i + 1) == len(loader)
        with contextlib.nullcontext() if last else ddp.no_sync():
            loss = crit(ddp(x), y) / accum
            loss.backward()
        if last:
            torch.nn.utils.clip_grad_norm_(ddp.parameters(), 1.0)
            opt.step()
            opt.zero_grad(set_to_none=True)
