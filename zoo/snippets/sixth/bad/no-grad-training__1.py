device = torch.device('cuda:0')
unet = UNet(in_channels=3, out_channels=1).to(device)
optimizer = torch.optim.Adam(unet.parameters(), lr=args.lr)
bce = nn.BCEWithLogitsLoss()

for epoch in range(args.epochs):
    unet.train()
    epoch_loss = 0
    for img, mask in train_loader:
        img = img.to(device)
        mask = mask.to(device)

        optimizer.zero_grad()
        with torch.no_grad():
            pred = unet(img)
        loss = bce(pred, mask)
        loss.requires_grad = True
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()

    print('epoch: {}, loss: {}'.format(epoch, epoch_loss / len(train_loader)))
