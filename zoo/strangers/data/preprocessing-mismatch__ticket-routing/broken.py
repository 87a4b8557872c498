"""Route support tickets to a team: streaming dataset, hashing tokenizer, EmbeddingBag classifier."""
import random
import re
import zlib

import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

TEAMS = {
    "billing": "invoice refund charge payment card receipt price discount subscription bank".split(),
    "network": "router wifi signal outage latency cable fibre modem connection speed".split(),
    "account": "password login email username reset locked profile verification device sign".split(),
    "shipping": "parcel courier delivery address tracking package warehouse late box return".split(),
}
FILLER = ("please hello thanks since yesterday my the a again still cannot why is not working need help with "
          "about and for this week really your team support").split()
BUCKETS = 2048


def write_ticket(rng, team):
    names = list(TEAMS)
    words = [rng.choice(FILLER) for _ in range(rng.randint(6, 14))]
    words += [rng.choice(TEAMS[names[team]]) for _ in range(rng.randint(2, 4))]
    if rng.random() < 0.6:
        words.append(rng.choice(TEAMS[names[rng.randrange(len(names))]]))
    rng.shuffle(words)
    style = rng.random()
    if style < 0.35:
        words = [w.upper() for w in words]
    elif style < 0.8:
        words = [w.capitalize() if rng.random() < 0.5 else w for w in words]
    return " ".join(words) + rng.choice(["!", ".", " ...", "?"])


def clean(text):
    return re.sub(r"[^a-z ]+", " ", text.lower())


def token_ids(text):
    return [zlib.crc32(w.encode()) % BUCKETS for w in text.split()]


class TicketStream(IterableDataset):
    """Endless in principle; one epoch is `size` tickets."""

    def __init__(self, size, seed):
        self.size, self.rng = size, random.Random(seed)

    def __iter__(self):
        for _ in range(self.size):
            team = self.rng.randrange(len(TEAMS))
            yield clean(write_ticket(self.rng, team)), team


def collate(items):
    ids, offsets, teams = [], [], []
    for text, team in items:
        offsets.append(len(ids))
        ids.extend(token_ids(text))
        teams.append(team)
    return torch.tensor(ids), torch.tensor(offsets), torch.tensor(teams)


class Router(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.bag = nn.EmbeddingBag(BUCKETS, dim, mode="mean")
        self.mlp = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, len(TEAMS)))

    def forward(self, ids, offsets):
        return self.mlp(self.bag(ids, offsets))


def score(model, tickets):
    model.eval()
    hits = 0
    with torch.no_grad():
        for start in range(0, len(tickets), 200):
            ids, offsets, teams = collate(tickets[start:start + 200])
            hits += (model(ids, offsets).argmax(1) == teams).sum().item()
    return hits / len(tickets)


def main():
    torch.manual_seed(8)
    held_out_rng = random.Random(12345)
    teams = [held_out_rng.randrange(len(TEAMS)) for _ in range(1000)]
    held_out = [(write_ticket(held_out_rng, team), team) for team in teams]

    loader = DataLoader(TicketStream(3200, seed=8), batch_size=64, collate_fn=collate)
    model = Router()
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.05, total_iters=8)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(8):
        model.train()
        total = hits = count = 0
        for ids, offsets, teams in loader:
            logits = model(ids, offsets)
            loss = loss_fn(logits, teams)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(teams)
            hits += (logits.argmax(1) == teams).sum().item()
            count += len(teams)
        sched.step()
        print(f"epoch {epoch}: loss {total / count:.4f} train acc {hits / count:.3f} held-out acc {score(model, held_out):.3f}")


if __name__ == "__main__":
    main()
