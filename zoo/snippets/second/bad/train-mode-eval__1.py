import torch
import torch.nn as nn


class TabularNet(nn.Module):
    def __init__(self, cards, n_cont):
        super().__init__()
        self.embeds = nn.ModuleList([nn.Embedding(c, min(50, (c + 1) // 2)) for c in cards])
        n_emb = sum(e.embedding_dim for e in self.embeds)
        self.bn_cont = nn.BatchNorm1d(n_cont)
        self.layers = nn.Sequential(
            nn.Linear(n_emb + n_cont, 200), nn.ReLU(), nn.BatchNorm1d(200), nn.Dropout(0.4),
            nn.Linear(200, 1),
        )

    def forward(self, x_cat, x_cont):
        e = [emb(x_cat[:, i]) for i, emb in enumerate(self.embeds)]
        return self.layers(torch.cat(e + [self.bn_cont(x_cont)], 1)).squeeze(1)


def fit(model, train_dl, valid_dl, epochs=10):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    mse = nn.MSELoss()
    for epoch in range(epochs):
        model.train()
        for x_cat, x_cont, y in train_dl:
            opt.zero_grad()
            loss = mse(model(x_cat, x_cont), y)
            loss.backward()
            opt.step()

        sq_err, n = 0.0, 0
        with torch.no_grad():
            for x_cat, x_cont, y in valid_dl:
                pred = model(x_cat, x_cont)
                sq_err += ((pred - y) ** 2).sum().item()
                n += y.size(0)
        print(f"{epoch} rmse {(sq_err / n) ** 0.5:.4f}")
