scaler = torch.cuda.amp.GradScaler()
for batch in loader:
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cuda"):
        loss = model(**batch).loss
    scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
