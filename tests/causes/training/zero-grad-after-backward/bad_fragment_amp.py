for batch in train_dataloader:
    with torch.autocast("cuda"):
        loss = model(**batch).loss
    scaler.scale(loss).backward()
    optimizer.zero_grad(set_to_none=True)  # zero-grad-after-backward
    scaler.step(optimizer)
    scaler.update()
