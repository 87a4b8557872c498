"""Look up the value stored under a key in a shuffled list of pairs, with one attention block."""

import math

import torch
from torch import Tensor, nn

KEYS, VALUES, PAIRS = 12, 8, 6


class Lookup(nn.Module):
    def __init__(self, dim: int = 32) -> None:
        super().__init__()
        self.key_emb = nn.Embedding(KEYS, dim)
        self.value_emb = nn.Embedding(VALUES + 1, dim)
        self.to_q = nn.Linear(dim, dim)
        self.to_k = nn.Linear(dim, dim)
        self.to_v = nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)
        self.readout = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, VALUES))

    def attend(self, h: Tensor) -> Tensor:
        q, k, v = self.to_q(h), self.to_k(h), self.to_v(h)
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        weights = torch.softmax(scores, dim=0)
        return weights @ v

    def forward(self, keys: Tensor, values: Tensor) -> Tensor:
        h = self.key_emb(keys) + self.value_emb(values)
        h = self.norm(h + self.attend(h))
        return self.readout(h[:, -1])


def sample(batch: int) -> tuple[Tensor, Tensor, Tensor]:
    """Pairs of key and value, then a query key with an empty value slot."""
    keys = torch.rand(batch, KEYS).argsort(dim=1)[:, :PAIRS]
    values = torch.randint(VALUES, (batch, PAIRS))
    pick = torch.randint(PAIRS, (batch, 1))
    answer = values.gather(1, pick).squeeze(1)
    keys = torch.cat([keys, keys.gather(1, pick)], dim=1)
    values = torch.cat([values, torch.full((batch, 1), VALUES)], dim=1)
    return keys, values, answer


def train(model: nn.Module, steps: int, lr: float) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    model.train()
    running = 0.0
    for step in range(1, steps + 1):
        keys, values, answer = sample(64)
        loss = nn.functional.cross_entropy(model(keys, values), answer)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item()
        if step % 50 == 0:
            print(f"step {step:5d}  loss {running / 50:.4f}")
            running = 0.0


@torch.no_grad()
def evaluate(model: nn.Module, rounds: int = 10) -> float:
    model.eval()
    hits = 0
    for _ in range(rounds):
        keys, values, answer = sample(200)
        hits += (model(keys, values).argmax(dim=1) == answer).sum().item()
    return hits / (200 * rounds)


if __name__ == "__main__":
    torch.manual_seed(6)
    model = Lookup()
    train(model, steps=400, lr=2e-3)
    print(f"lookup accuracy {evaluate(model):.3f}")
