import torch
import torch.nn as nn

criterion = nn.BCEWithLogitsLoss()
optD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
optG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))
fixed_noise = torch.randn(64, nz, 1, 1, device=device)

for epoch in range(num_epochs):
    for i, (real, _) in enumerate(dataloader):
        real = real.to(device)
        b = real.size(0)
        noise = torch.randn(b, nz, 1, 1, device=device)
        fake = netG(noise)

        netD.zero_grad()
        out_real = netD(real).view(-1)
        out_fake = netD(fake.detach()).view(-1)
        errD = criterion(out_real, torch.ones_like(out_real)) + criterion(out_fake, torch.zeros_like(out_fake))
        errD.backward()
        optD.step()

        netG.zero_grad()
        out = netD(fake).view(-1)
        errG = criterion(out, torch.ones_like(out))
        errG.backward()
        optG.step()

    with torch.no_grad():
        samples = netG(fixed_noise).cpu()
    print(epoch, errD.item(), errG.item())
