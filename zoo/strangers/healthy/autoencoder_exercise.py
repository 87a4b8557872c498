"""
Homework 6: compress the 8x8 digits to 8 numbers with an autoencoder
and compare with PCA of the same size.
"""
import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from torch import nn

torch.manual_seed(606)

# ---------------------------------------------------------------- data
pixels = load_digits().data / 16.0            # already 0..1
rows = np.random.default_rng(606).permutation(len(pixels))
train, test = pixels[rows[:1400]], pixels[rows[1400:]]
x_train = torch.tensor(train, dtype=torch.float32)
x_test = torch.tensor(test, dtype=torch.float32)
centre = x_train.mean()

# ---------------------------------------------------------------- model
CODE = 8


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 64), nn.ELU(), nn.Linear(64, CODE))
        self.decoder = nn.Sequential(nn.Linear(CODE, 64), nn.ELU(), nn.Linear(64, 64), nn.Sigmoid())

    def forward(self, x):
        code = self.encoder((x - centre) / 0.38)
        return self.decoder(code)


model = AutoEncoder()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30, gamma=0.3)

# ---------------------------------------------------------------- training
for epoch in range(90):
    model.train()
    epoch_loss = 0.0
    for batch in torch.randperm(len(x_train)).split(70):
        images = x_train[batch]
        reconstruction = model(images)
        loss = criterion(reconstruction, images)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() * len(batch)
    scheduler.step()
    if (epoch + 1) % 10 == 0:
        print("epoch", epoch + 1, "reconstruction loss", round(epoch_loss / len(x_train), 5))

# ---------------------------------------------------------------- comparison on unseen digits
model.eval()
with torch.no_grad():
    ae_error = criterion(model(x_test), x_test).item()

pca = PCA(CODE).fit(train)
pca_error = np.mean((pca.inverse_transform(pca.transform(test)) - test) ** 2)
mean_error = np.mean((train.mean(axis=0) - test) ** 2)

print(f"test error  autoencoder {ae_error:.5f}   PCA {pca_error:.5f}   mean image {mean_error:.5f}")
