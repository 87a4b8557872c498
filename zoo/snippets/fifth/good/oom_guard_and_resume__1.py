for step, batch in enumerate(loader):
    try:
        loss = model(**batch).loss
        loss.backward()
    except torch.cuda.OutOfMemoryError:
        torch.cuda.empty_cache()
        opt.zero_grad()
        continue
    opt.step()
    sched.step()
    opt.zero_grad()
