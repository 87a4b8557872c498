import torch
import torch.nn as nn

PARAMS = {"hidden": 32, "p_drop": 0.95, "lr": 1e-3, "epochs": 100}


class WineNet(nn.Module):
    def __init__(self, hidden, p_drop):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(13, hidden), nn.ReLU(), nn.Dropout(p_drop),
            nn.Linear(hidden, hidden), nn.ReLU(), nn.Dropout(p_drop),
            nn.Linear(hidden, 3),
        )

    def forward(self, x):
        return self.net(x)


torch.manual_seed(0)
model = WineNet(PARAMS["hidden"], PARAMS["p_drop"])
opt = torch.optim.Adam(model.parameters(), lr=PARAMS["lr"])
for epoch in range(PARAMS["epochs"]):
    model.train()
    for xb, yb in train_loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        acc = (model(X_val).argmax(1) == y_val).float().mean().item()
    print(epoch, round(acc, 3))
