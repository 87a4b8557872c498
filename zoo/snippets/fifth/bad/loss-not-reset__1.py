total_loss = 0
for step, batch in enumerate(loader):
    optimizer.zero_grad()
    ids, target = batch
    logits = model(ids)
    total_loss += loss_fn(logits.view(-1, V), target.view(-1))
    total_loss.backward(retain_graph=True)
    optimizer.step()
    print(step, total_loss.item() / (step + 1))
