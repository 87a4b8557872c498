"""Toy recommender: 60 users, 80 films, ratings from a hidden taste model."""
import torch
from torch import nn

torch.manual_seed(25)
U, M, K = 60, 80, 4
taste, theme = torch.randn(U, K), torch.randn(M, K)
ratings = 3 + 0.6 * (taste @ theme.T) + 0.2 * torch.randn(U, M)
known = torch.rand(U, M) < 0.75


class Recommender(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.user, self.film = nn.Embedding(U, d), nn.Embedding(M, d)
        self.mlp = nn.Sequential(nn.Linear(3 * d, 48), nn.ReLU(), nn.Linear(48, 1))
        self.apply(self.start)

    @staticmethod
    def start(m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=3.0)

    def forward(self, u, f):
        a, b = self.user(u), self.film(f)
        return 3 + self.mlp(torch.cat([a, b, a * b], -1)).squeeze(-1)


u, f = known.nonzero(as_tuple=True)
r = ratings[u, f]
model = Recommender()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(15):
    for k in torch.randperm(len(u)).split(128):
        loss = (model(u[k], f[k]) - r[k]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 3 == 2:
        print(f"epoch {epoch + 1} mse {loss.item():.4f}")
hu, hf = (~known).nonzero(as_tuple=True)
with torch.no_grad():
    print(f"rmse on held-out ratings {(model(hu, hf) - ratings[hu, hf]).pow(2).mean().sqrt().item():.3f}")
