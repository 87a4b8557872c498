for epoch in range(100):
    for x, y in loader:
        opt.zero_grad()
        with torch.enable_grad():
            feat = encoder(x)
        recon = decoder(feat)
        loss = F.mse_loss(recon, x)
        perceptual = torch.tensor(F.l1_loss(vgg(recon), vgg(x)).item())
        (loss + 0.1 * perceptual).backward()
        opt.step()
