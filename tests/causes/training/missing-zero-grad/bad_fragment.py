model.train()
for step, batch in enumerate(train_loader):
    outputs = model(batch["input_ids"].to(device))
    loss = criterion(outputs, batch["labels"].to(device))
    loss.backward()  # missing-zero-grad
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    if step % 50 == 0:
        print(step, loss.item())
