import torch
import torch.nn as nn

torch.manual_seed(0)


class GenePredictor(nn.Module):
    def __init__(self, n_genes=2000, n_types=12):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(n_genes, 128), nn.ReLU(), nn.Dropout(0.9),
            nn.Linear(128, 64), nn.ReLU(), nn.Dropout(0.9),
            nn.Linear(64, n_types),
        )

    def forward(self, x):
        return self.net(x)


model = GenePredictor()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=0.5)
loss_fn = nn.CrossEntropyLoss()

for epoch in range(200):
    model.train()
    for xb, yb in train_dl:
        optimizer.zero_grad()
        loss = loss_fn(model(xb), yb)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = sum((model(xb).argmax(1) == yb).sum().item() for xb, yb in valid_dl)
    print(epoch, right / len(valid_dl.dataset))
