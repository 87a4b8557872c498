import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader

CFG = dict(passes=2, lr=1e-3, batch=64, code=12, seed=44)


class AutoEncoder(nn.Module):
    def __init__(self, code):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, code))
        self.decoder = nn.Sequential(nn.Linear(code, 48), nn.ReLU(), nn.Linear(48, 64))

    def forward(self, x):
        return self.decoder(self.encoder(x))


def main(cfg):
    torch.manual_seed(cfg["seed"])
    pix = torch.tensor(load_digits().data, dtype=torch.float32) / 8 - 1
    train, test = pix[:1400], pix[1400:]
    loader = DataLoader(train, batch_size=cfg["batch"], shuffle=True)
    model = AutoEncoder(cfg["code"])
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    for p in range(cfg["passes"]):
        total = 0.0
        for xb in loader:
            loss = nn.functional.mse_loss(model(xb), xb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        print(f"pass {p} loss {total / len(loader):.4f}")
    model.eval()
    with torch.no_grad():
        print(f"reconstruction error {nn.functional.mse_loss(model(test), test).item():.4f}")


main(CFG)
