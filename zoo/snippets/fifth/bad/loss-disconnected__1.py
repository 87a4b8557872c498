for epoch in range(epochs):
    for images, masks in train_loader:
        images, masks = images.cuda(), masks.cuda()
        optimizer.zero_grad()
        out = model(images)
        pred = torch.argmax(out, dim=1).float()
        loss = torch.nn.functional.mse_loss(pred, masks.float())
        loss.requires_grad = True
        loss.backward()
        optimizer.step()
