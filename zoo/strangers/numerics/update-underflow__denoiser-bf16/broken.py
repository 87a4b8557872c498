# denoising autoencoder on 8x8 digits, bf16 to halve the memory
import torch
from torch import nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

torch.manual_seed(11)
DTYPE = torch.bfloat16

data = load_digits()
x_rest, x_test = train_test_split(data.data / 8.0 - 1.0, test_size=0.2, stratify=data.target, random_state=5)
x_train, x_val = train_test_split(x_rest, test_size=0.15, random_state=5)
x_train, x_val, x_test = (torch.tensor(a, dtype=torch.float32) for a in (x_train, x_val, x_test))


def corrupt(x, gen):
    return x + 0.5 * torch.randn(x.shape, generator=gen)


class Denoiser(nn.Module):
    def __init__(self, width=256, code=48):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, width), nn.GELU(), nn.Linear(width, code))
        self.decoder = nn.Sequential(nn.Linear(code, width), nn.GELU(), nn.Linear(width, 64))

    def forward(self, x):
        return self.decoder(self.encoder(x))


model = Denoiser().to(DTYPE)
epochs, batch = 96, 64
opt = torch.optim.Adam(model.parameters(), lr=2e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
mse = nn.MSELoss()
gen = torch.Generator().manual_seed(12)


def reconstruct(x):
    return model(x.to(DTYPE)).float()


def validation_error(x, seed):
    model.eval()
    with torch.no_grad():
        noisy = corrupt(x, torch.Generator().manual_seed(seed))
        return mse(reconstruct(noisy), x).item(), mse(noisy, x).item()


for epoch in range(1, epochs + 1):
    model.train()
    total = 0.0
    for idx in torch.randperm(len(x_train), generator=gen).split(batch):
        clean = x_train[idx]
        loss = mse(reconstruct(corrupt(clean, gen)), clean)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    sched.step()
    if epoch % 8 == 0:
        val, _ = validation_error(x_val, 1)
        print(f"epoch {epoch:3d}: train mse {total / len(x_train):.4f}, val mse {val:.4f}")

err, noise = validation_error(x_test, 2)
print(f"test: mse of noisy images {noise:.4f}, of denoised images {err:.4f}, variance {x_test.var(0).mean():.4f}")
