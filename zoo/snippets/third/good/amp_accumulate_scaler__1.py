import torch

scaler = torch.cuda.amp.GradScaler()


def epoch(model, loader, opt, sched, crit, accum):
    model.train()
    running = 0.0
    for i, (x, y) in enumerate(loader):
        with torch.autocast("cuda", dtype=torch.float16):
            loss = crit(model(x.cuda()), y.cuda())
        scaler.scale(loss / accum).backward()
        running += loss.item()
        if (i + 1) % accum == 0 or i + 1 == len(loader):
            scaler.unscale_(opt)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(opt)
            scaler.update()
            opt.zero_grad(set_to_none=True)
            sched.step()
    return running / len(loader)


def sched_for(opt, loader, epochs, accum):
    return torch.optim.lr_scheduler.OneCycleLR(opt, 1e-3, total_steps=epochs * -(-len(loader) // accum))
