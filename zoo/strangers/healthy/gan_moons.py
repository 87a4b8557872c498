# Vanilla GAN on the two-moons cloud. Follows the classic DCGAN tutorial loop.
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import make_moons

manualSeed = 999
np.random.seed(manualSeed)
torch.manual_seed(manualSeed)

nz = 8            # size of the latent vector
batch_size = 128
num_iters = 1600
real_label = 1.0
fake_label = 0.0

points, _ = make_moons(6000, noise=0.06, random_state=manualSeed)
points = torch.tensor(points, dtype=torch.float32)
train_points, test_points = points[:5000], points[5000:]
mu, sd = train_points.mean(0), train_points.std(0)
train_points = (train_points - mu) / sd
test_points = (test_points - mu) / sd

netG = nn.Sequential(
    nn.Linear(nz, 64), nn.ReLU(),
    nn.Linear(64, 64), nn.ReLU(),
    nn.Linear(64, 2),
)
netD = nn.Sequential(
    nn.Linear(2, 64), nn.LeakyReLU(0.2),
    nn.Linear(64, 64), nn.LeakyReLU(0.2),
    nn.Linear(64, 1),
)
criterion = nn.BCEWithLogitsLoss()
optimizerD = torch.optim.Adam(netD.parameters(), lr=1e-3, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=1e-3, betas=(0.5, 0.999))
schedD = torch.optim.lr_scheduler.LinearLR(optimizerD, 1.0, 0.05, total_iters=num_iters)
schedG = torch.optim.lr_scheduler.LinearLR(optimizerG, 1.0, 0.05, total_iters=num_iters)


def energy_distance(a, b):
    return (2 * torch.cdist(a, b).mean() - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()).item()


def sample(n):
    netG.eval()
    with torch.no_grad():
        out = netG(torch.randn(n, nz))
    netG.train()
    return out


start = energy_distance(sample(1000), test_points)

for i in range(num_iters):
    # (1) update D: maximise log(D(x)) + log(1 - D(G(z)))
    netD.zero_grad()
    real = train_points[torch.randint(len(train_points), (batch_size,))]
    label = torch.full((batch_size, 1), real_label)
    errD_real = criterion(netD(real), label)
    errD_real.backward()

    fake = netG(torch.randn(batch_size, nz))
    label.fill_(fake_label)
    errD_fake = criterion(netD(fake.detach()), label)
    errD_fake.backward()
    optimizerD.step()

    # (2) update G: maximise log(D(G(z)))
    netG.zero_grad()
    errG = criterion(netD(fake), torch.full((batch_size, 1), real_label))
    errG.backward()
    optimizerG.step()

    schedD.step()
    schedG.step()
    if i % 160 == 0:
        print('[%4d/%d]  Loss_D: %.4f  Loss_G: %.4f'
              % (i, num_iters, errD_real.item() + errD_fake.item(), errG.item()))

end = energy_distance(sample(1000), test_points)
floor = energy_distance(train_points[:1000], test_points)
print('energy distance to held-out points: start %.4f  end %.4f  (real vs real %.4f)' % (start, end, floor))
