import logging
import torch
from torch import nn
import torch.nn.functional as F

logging.basicConfig(level=logging.INFO, format="%(message)s")
g = torch.Generator().manual_seed(77)
torch.manual_seed(77)

# Each item has 6 latent traits, seen through two different noisy sensors.
A, B = torch.randn(6, 30, generator=g), torch.randn(6, 20, generator=g)


def pairs(n):
    z = torch.randn(n, 6, generator=g)
    left = torch.tanh(z @ A / 2) + 0.1 * torch.randn(n, 30, generator=g)
    right = torch.sin(z @ B / 3) + 0.1 * torch.randn(n, 20, generator=g)
    return left, right


class Tower(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 64), nn.ReLU(), nn.Linear(64, 16))

    def forward(self, x):
        return F.normalize(self.net(x), dim=-1)


left_tower, right_tower = Tower(30), Tower(20)
log_temp = nn.Parameter(torch.tensor(2.0))
opt = torch.optim.Adam(
    [{"params": left_tower.parameters()}, {"params": right_tower.parameters()}, {"params": [log_temp], "lr": 1e-3}],
    lr=3e-3,
)
train_l, train_r = pairs(4000)
test_l, test_r = pairs(500)

for epoch in range(14):
    total, steps = 0.0, 0
    for idx in torch.randperm(4000, generator=g).split(100):
        sim = left_tower(train_l[idx]) @ right_tower(train_r[idx]).T * log_temp.clamp(max=4.0).exp()
        diagonal = torch.arange(len(idx))
        loss = (F.cross_entropy(sim, diagonal) + F.cross_entropy(sim.T, diagonal)) / 2
        opt.zero_grad()
        loss.backward()
        opt.step()
        total, steps = total + loss.item(), steps + 1
    logging.info("epoch %2d  contrastive loss %.4f", epoch, total / steps)

with torch.no_grad():
    order = (left_tower(test_l) @ right_tower(test_r).T).argsort(dim=1, descending=True)
rank = (order == torch.arange(500)[:, None]).float().argmax(1)
logging.info("recall@1 %.3f  recall@10 %.3f  (chance 0.002 / 0.020)", (rank < 1).float().mean(), (rank < 10).float().mean())
