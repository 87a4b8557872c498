for imgs, labels in tqdm(train_dl):
    optimizer.zero_grad()
    with torch.cuda.amp.autocast():
        loss = loss_fn(model(imgs), labels)
    scaler.step(optimizer)  # step-before-backward
    scaler.scale(loss).backward()
    scaler.update()
