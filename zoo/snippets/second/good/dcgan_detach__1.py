import torch
import torch.nn as nn

device = torch.device("cuda")
nz = 100
netG = Generator(nz).to(device)
netD = Discriminator().to(device)  # ends with Sigmoid
netG.apply(weights_init)
netD.apply(weights_init)

criterion = nn.BCELoss()
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-4, betas=(0.5, 0.999))

for epoch in range(25):
    for i, (real, _) in enumerate(dataloader):
        netD.zero_grad()
        real = real.to(device)
        bsz = real.size(0)
        label = torch.full((bsz,), 1.0, device=device)
        errD_real = criterion(netD(real).view(-1), label)
        errD_real.backward()

        noise = torch.randn(bsz, nz, 1, 1, device=device)
        fake = netG(noise)
        label.fill_(0.0)
        errD_fake = criterion(netD(fake.detach()).view(-1), label)
        errD_fake.backward()
        optimizerD.step()

        netG.zero_grad()
        label.fill_(1.0)
        errG = criterion(netD(fake).view(-1), label)
        errG.backward()
        optimizerG.step()
        if i % 50 == 0:
            print(epoch, i, (errD_real + errD_fake).item(), errG.item())
