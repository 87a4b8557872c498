import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

torch.manual_seed(6)
X, y = load_diabetes(return_X_y=True)
Xtr, Xva, ytr, yva = train_test_split(X, y, test_size=0.3, random_state=6)
m, s = Xtr.mean(0), Xtr.std(0)
ym, ys = ytr.mean(), ytr.std()
Xtr, Xva = torch.tensor((Xtr - m) / s).float(), torch.tensor((Xva - m) / s).float()
ytr, yva = torch.tensor((ytr - ym) / ys).float(), torch.tensor((yva - ym) / ys).float()

model = nn.Sequential(nn.Linear(10, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(60):
    model.train()
    order = torch.randperm(len(Xtr))
    tl = 0.0
    for k in order.split(32):
        loss = (model(Xtr[k]).squeeze(1) - ytr[k]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        tl += loss.item() * len(k)
    model.eval()
    with torch.no_grad():
        vl = (model(Xva).squeeze(1) - yva).pow(2).mean().item()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1} train loss {tl / len(Xtr):.4f} val loss {vl:.4f}")
with torch.no_grad():
    print(f"validation mse {(model(Xva).squeeze(1) - yva).pow(2).mean().item():.4f}")
