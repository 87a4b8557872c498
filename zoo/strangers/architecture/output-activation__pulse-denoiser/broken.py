# Denoising autoencoder for pulse / ECG-like traces
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader

torch.manual_seed(1234)

LEN = 128


def heartbeat(rng):
    """one clean trace with P, QRS and T waves, several beats"""
    t = np.arange(LEN)
    period = rng.uniform(34, 52)
    x = np.zeros(LEN)
    start = rng.uniform(-period, 0)
    amp = rng.uniform(0.8, 1.2, size=5)
    while start < LEN:
        for k, (off, width, height) in enumerate(
                [(0.18, 3.0, 0.25), (0.36, 1.2, -0.5), (0.40, 1.4, 1.6), (0.45, 1.3, -0.8), (0.65, 4.0, 0.45)]):
            c = start + off * period
            x += amp[k] * height * np.exp(-0.5 * ((t - c) / width) ** 2)
        start += period
    return x


class TraceDataset(Dataset):
    def __init__(self, n, seed, noise=0.6):
        rng = np.random.default_rng(seed)
        clean = np.stack([heartbeat(rng) for _ in range(n)])
        clean = (clean - clean.mean(1, keepdims=True)) / clean.std(1, keepdims=True)
        noisy = clean + noise * rng.standard_normal(clean.shape)
        self.clean = torch.tensor(clean, dtype=torch.float32).unsqueeze(1)
        self.noisy = torch.tensor(noisy, dtype=torch.float32).unsqueeze(1)

    def __len__(self):
        return len(self.clean)

    def __getitem__(self, i):
        return self.noisy[i], self.clean[i]


class DenoisingAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv1d(1, 16, 7, stride=2, padding=3), nn.ReLU(),
            nn.Conv1d(16, 32, 5, stride=2, padding=2), nn.ReLU(),
            nn.Conv1d(32, 32, 5, stride=2, padding=2), nn.ReLU(),
        )
        self.decoder = nn.Sequential(
            nn.ConvTranspose1d(32, 32, 4, stride=2, padding=1), nn.ReLU(),
            nn.ConvTranspose1d(32, 16, 4, stride=2, padding=1), nn.ReLU(),
            nn.ConvTranspose1d(16, 1, 4, stride=2, padding=1), nn.Tanh(),
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


train_set = TraceDataset(1600, seed=10)
val_set = TraceDataset(300, seed=11)
test_set = TraceDataset(300, seed=12)
train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
val_loader = DataLoader(val_set, batch_size=100)
test_loader = DataLoader(test_set, batch_size=100)

model = DenoisingAE()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
num_epochs = 14
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=num_epochs)


def run_eval(loader):
    model.eval()
    se = 0.0
    count = 0
    with torch.no_grad():
        for noisy, clean in loader:
            se += criterion(model(noisy), clean).item() * clean.numel()
            count += clean.numel()
    return se / count


for epoch in range(num_epochs):
    model.train()
    train_loss = 0.0
    for noisy, clean in train_loader:
        optimizer.zero_grad()
        output = model(noisy)
        loss = criterion(output, clean)
        loss.backward()
        optimizer.step()
        train_loss += loss.item() * noisy.size(0)
    scheduler.step()
    train_loss /= len(train_set)
    print('Epoch [%d/%d]  train loss: %.4f  val loss: %.4f' % (epoch + 1, num_epochs, train_loss, run_eval(val_loader)))

test_mse = run_eval(test_loader)
noisy_mse = ((test_set.noisy - test_set.clean) ** 2).mean().item()
print('Test MSE: %.4f (noisy input: %.4f)  SNR gain: %.2f dB' % (test_mse, noisy_mse, 10 * np.log10(noisy_mse / test_mse)))
