import torch
from torch import nn, optim
from torch.utils.data import DataLoader


class ConvAutoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
        )
        self.decoder = nn.Sequential(
            nn.ConvTranspose2d(32, 16, 2, stride=2), nn.ReLU(),
            nn.ConvTranspose2d(16, 3, 2, stride=2), nn.Sigmoid(),
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


device = "cuda"
ae = ConvAutoencoder().to(device)
optimizer = optim.Adam(ae.parameters(), lr=1e-3)
criterion = nn.MSELoss()
loader = DataLoader(train_images, batch_size=64, shuffle=True)

for epoch in range(25):
    running_loss = 0.0
    for img in loader:
        img = img.to(device)
        optimizer.zero_grad()
        recon = ae(img)
        loss = criterion(recon, img)
        loss.backward()
        running_loss += loss.item()
    print("Epoch {}: {:.5f}".format(epoch, running_loss / len(loader)))
