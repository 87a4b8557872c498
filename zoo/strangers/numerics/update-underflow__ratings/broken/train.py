import torch
import torch.nn.functional as F

from model import RatingModel
from ratings import simulate
from settings import Settings


def batches(triples, size):
    n = len(triples[0])
    for rows in torch.randperm(n).split(size):
        yield tuple(col[rows] for col in triples)


@torch.no_grad()
def rmse(model, triples):
    model.eval()
    user, item, stars = triples
    return (model(user, item).clamp(1, 5) - stars).pow(2).mean().sqrt().item()


def run(s):
    torch.manual_seed(s.seed)
    train, valid, test = simulate(s)
    mean_rating = train[2].mean().item()
    model = RatingModel(s, mean_rating)
    print(f"tables: {model.users.megabytes() + model.items.megabytes():.2f} MB, {len(train[0])} training ratings")
    optimizer = torch.optim.AdamW(model.parameters(), lr=s.lr, weight_decay=s.weight_decay)

    for epoch in range(1, s.epochs + 1):
        model.train()
        total = 0.0
        for user, item, stars in batches(train, s.batch_size):
            loss = F.mse_loss(model(user, item), stars)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(stars)
        if epoch % 5 == 0 or epoch == 1:
            print(f"epoch {epoch:3d}  train mse {total / len(train[0]):.4f}  valid rmse {rmse(model, valid):.4f}")

    guess = (test[2] - mean_rating).pow(2).mean().sqrt().item()
    print(f"test rmse {rmse(model, test):.4f}   (global mean {guess:.4f})")


if __name__ == "__main__":
    run(Settings())
