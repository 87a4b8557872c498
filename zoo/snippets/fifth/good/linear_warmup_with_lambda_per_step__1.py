def lr_lambda(step):
    if step < warmup:
        return step / max(1, warmup)
    return max(0.0, (max_steps - step) / max(1, max_steps - warmup))

scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda)
step = 0
while step < max_steps:
    for batch in loader:
        optimizer.zero_grad()
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        scheduler.step()
        step += 1
        if step >= max_steps:
            break
