"""Route support tickets to a queue with a bag-of-embeddings classifier."""
from __future__ import annotations

import random
from dataclasses import dataclass, field

import torch
from sklearn.model_selection import train_test_split
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)

QUEUES: dict[str, list[str]] = {
    "billing": "invoice refund charge card payment receipt vat amount plan".split(),
    "login": "password reset otp account locked sso email token session".split(),
    "shipping": "parcel courier delayed tracking address delivery box depot label".split(),
    "bug": "crash error stacktrace freeze button screen version update log".split(),
    "feature": "wish export dashboard integration dark mode api filter webhook".split(),
}
COMMON = (
    "hello please the a my is it not working since yesterday i need help thanks and can you with on for "
    "this that we have again urgent team account order app customer number page time"
).split()


@dataclass
class Ticket:
    text: str
    queue: str


@dataclass
class Settings:
    per_queue: int = 900
    max_len: int = 24
    dim: int = 24
    batch_size: int = 64
    epochs: int = 12
    lr: float = 3e-3
    val_share: float = 0.2
    seed: int = 1234
    queues: list[str] = field(default_factory=lambda: list(QUEUES))


def export_tickets(cfg: Settings) -> list[Ticket]:
    """Stand-in for the nightly export: one dump per queue, concatenated."""
    rng = random.Random(cfg.seed)
    tickets: list[Ticket] = []
    everything = [w for words in QUEUES.values() for w in words]
    for queue in cfg.queues:
        for _ in range(cfg.per_queue):
            n = rng.randint(10, cfg.max_len)
            words = []
            for _ in range(n):
                roll = rng.random()
                if roll < 0.20:
                    words.append(rng.choice(QUEUES[queue]))
                elif roll < 0.32:
                    words.append(rng.choice(everything))
                else:
                    words.append(rng.choice(COMMON))
            tickets.append(Ticket(" ".join(words), queue))
    return tickets


class Vocab:
    PAD, UNK = 0, 1

    def __init__(self, tickets: list[Ticket]) -> None:
        words = sorted({w for t in tickets for w in t.text.split()})
        self.index = {w: i + 2 for i, w in enumerate(words)}

    def __len__(self) -> int:
        return len(self.index) + 2

    def encode(self, text: str, max_len: int) -> list[int]:
        ids = [self.index.get(w, self.UNK) for w in text.split()][:max_len]
        return ids + [self.PAD] * (max_len - len(ids))


class TicketDataset(Dataset):
    def __init__(self, tickets: list[Ticket], vocab: Vocab, cfg: Settings) -> None:
        self.x = torch.tensor([vocab.encode(t.text, cfg.max_len) for t in tickets])
        self.y = torch.tensor([cfg.queues.index(t.queue) for t in tickets])

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, i: int) -> tuple[Tensor, Tensor]:
        return self.x[i], self.y[i]


class Router(nn.Module):
    def __init__(self, vocab_size: int, cfg: Settings) -> None:
        super().__init__()
        self.emb = nn.Embedding(vocab_size, cfg.dim, padding_idx=Vocab.PAD)
        self.mlp = nn.Sequential(nn.Linear(cfg.dim, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, len(cfg.queues)))

    def forward(self, ids: Tensor) -> Tensor:
        mask = (ids != Vocab.PAD).unsqueeze(-1).float()
        pooled = (self.emb(ids) * mask).sum(1) / mask.sum(1).clamp(min=1.0)
        return self.mlp(pooled)


def split(tickets: list[Ticket], cfg: Settings) -> tuple[list[Ticket], list[Ticket]]:
    return train_test_split(
        tickets,
        test_size=cfg.val_share,
        shuffle=False,
    )


def run_epoch(model: nn.Module, loader: DataLoader, opt: torch.optim.Optimizer | None = None) -> tuple[float, float]:
    training = opt is not None
    model.train(training)
    total, hits, n = 0.0, 0, 0
    with torch.set_grad_enabled(training):
        for x, y in loader:
            logits = model(x)
            loss = nn.functional.cross_entropy(logits, y)
            if training:
                opt.zero_grad()
                loss.backward()
                opt.step()
            total += loss.item() * len(y)
            hits += (logits.argmax(1) == y).sum().item()
            n += len(y)
    return total / n, hits / n


def main() -> None:
    cfg = Settings()
    random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)

    tickets = export_tickets(cfg)
    train_rows, val_rows = split(tickets, cfg)
    vocab = Vocab(train_rows)
    train_loader = DataLoader(TicketDataset(train_rows, vocab, cfg), cfg.batch_size, shuffle=True)
    val_loader = DataLoader(TicketDataset(val_rows, vocab, cfg), 256)
    print(f"{len(train_rows)} train / {len(val_rows)} val tickets, vocab {len(vocab)}")

    model = Router(len(vocab), cfg)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=cfg.epochs)
    for epoch in range(cfg.epochs):
        tr_loss, tr_acc = run_epoch(model, train_loader, opt)
        va_loss, va_acc = run_epoch(model, val_loader)
        sched.step()
        print(f"epoch {epoch:02d} train {tr_loss:.3f}/{tr_acc:.3f} val {va_loss:.3f}/{va_acc:.3f}")


if __name__ == "__main__":
    main()
