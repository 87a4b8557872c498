import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(3)
encoder = nn.Sequential(nn.Linear(30, 16), nn.ReLU(), nn.Linear(16, 4))
decoder = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 30))
opt = optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
mse = nn.MSELoss()

for epoch in range(num_epochs):
    total_loss = 0
    for batch in train_loader:
        x = batch[0]
        opt.zero_grad()
        recon = decoder(encoder(x))
        total_loss += mse(recon, x)
        total_loss.backward(retain_graph=True)
        opt.step()
    print("epoch", epoch, "loss", total_loss.item() / len(train_loader))
