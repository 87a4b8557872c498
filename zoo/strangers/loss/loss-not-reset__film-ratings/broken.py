"""
Tutorial: recommending films with matrix factorisation in PyTorch
=================================================================
We invent a cinema club, give every member a taste and every film a character,
and recover both from the ratings alone.
"""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)

###############################################################################
# Step 1: the club
# ----------------
n_members, n_films, true_rank = 300, 200, 4
taste = torch.randn(n_members, true_rank)
character = torch.randn(n_films, true_rank)
mood = 0.4 * torch.randn(n_members, 1)      # some members are just generous
hype = 0.6 * torch.randn(1, n_films)        # some films are just good
full = 3.2 + mood + hype + 0.4 * taste @ character.T + 0.3 * torch.randn(n_members, n_films)

# Each member has seen about half of the films. Every (member, film) pair appears once.
seen = (torch.rand(n_members, n_films) < 0.5).nonzero()
seen = seen[torch.randperm(len(seen))[:28000]]
ratings = full[seen[:, 0], seen[:, 1]]

n_test = len(seen) // 10
test_ids, test_r = seen[:n_test], ratings[:n_test]
valid_ids, valid_r = seen[n_test:2 * n_test], ratings[n_test:2 * n_test]
train_ids, train_r = seen[2 * n_test:], ratings[2 * n_test:]
average = train_r.mean()


###############################################################################
# Step 2: the model
# -----------------
class Factorisation(nn.Module):
    def __init__(self, rank, average):
        super().__init__()
        self.member = nn.Embedding(n_members, rank)
        self.film = nn.Embedding(n_films, rank)
        self.member_bias = nn.Embedding(n_members, 1)
        self.film_bias = nn.Embedding(n_films, 1)
        self.register_buffer("average", average)
        for table in (self.member, self.film):
            nn.init.normal_(table.weight, std=0.2)
        for table in (self.member_bias, self.film_bias):
            nn.init.normal_(table.weight, std=0.01)

    def forward(self, ids):
        m, f = ids[:, 0], ids[:, 1]
        match = (self.member(m) * self.film(f)).sum(1)
        return self.average + match + self.member_bias(m).squeeze(1) + self.film_bias(f).squeeze(1)


@torch.no_grad()
def rmse(model, ids, r):
    model.eval()
    return (model(ids) - r).square().mean().sqrt().item()


###############################################################################
# Step 3: training
# ----------------
model = Factorisation(rank=4, average=average)
batch_size = 400
n_epochs = 12
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, n_epochs)

for epoch in range(n_epochs):
    model.train()
    loss, n_batches = 0.0, 0
    for rows in torch.randperm(len(train_ids)).split(batch_size):
        optimizer.zero_grad()
        loss = loss + F.mse_loss(model(train_ids[rows]), train_r[rows])
        loss.backward(retain_graph=True)
        optimizer.step()
        n_batches += 1
    scheduler.step()
    print(f"epoch {epoch + 1:2d}: training loss {loss / n_batches:.4f}, "
          f"validation RMSE {rmse(model, valid_ids, valid_r):.4f}")

###############################################################################
# Step 4: how good is it?
# -----------------------
baseline = (test_r - average).square().mean().sqrt().item()
print(f"test RMSE: {rmse(model, test_ids, test_r):.4f} (always the average: {baseline:.4f}, noise floor: 0.30)")
