def run(model, loader, opt, accum):
    opt.zero_grad()
    for i, (x, y) in enumerate(loader):
        last = (i + 1) % accum == 0
        ctx = contextlib.nullcontext() if last else model.no_sync()
        with ctx:
            loss = F.cross_entropy(model(x), y) / accum
            loss.backward()
        if last:
            opt.step()
            opt.zero_grad()
