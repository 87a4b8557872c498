"""Session-based recommendation: a GRU predicts the next item of a shopping session."""
import random
from collections import defaultdict
from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD = 0


@dataclass
class Config:
    n_items: int = 120
    n_sessions: int = 1500
    dim: int = 32
    epochs: int = 12
    batch_size: int = 64
    lr: float = 5e-3
    top_k: int = 10
    seed: int = 11


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def simulate_sessions(cfg):
    """Every item has a few natural follow-ups (accessories); now and then a user jumps anywhere."""
    rng = np.random.default_rng(cfg.seed)
    follow = {i: rng.choice(np.arange(1, cfg.n_items + 1), size=4, replace=False) for i in range(1, cfg.n_items + 1)}
    sessions = []
    for _ in range(cfg.n_sessions):
        item = int(rng.integers(1, cfg.n_items + 1))
        session = [item]
        for _ in range(int(rng.integers(5, 14))):
            if rng.random() < 0.1:
                item = int(rng.integers(1, cfg.n_items + 1))
            else:
                item = int(rng.choice(follow[item], p=[0.55, 0.25, 0.12, 0.08]))
            session.append(item)
        sessions.append(torch.tensor(session))
    return sessions


def collate(batch):
    padded = pad_sequence(batch, batch_first=True, padding_value=PAD)
    return padded[:, :-1], padded[:, 1:]


class SessionGRU(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.items = nn.Embedding(cfg.n_items + 1, cfg.dim, padding_idx=PAD)
        self.gru = nn.GRU(cfg.dim, cfg.dim * 2, batch_first=True)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(cfg.dim * 2, cfg.n_items + 1)

    def forward(self, history):
        states, _ = self.gru(self.drop(self.items(history)))
        return self.out(self.drop(states))


class Trainer:
    def __init__(self, cfg, model):
        self.cfg = cfg
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
        self.criterion = nn.CrossEntropyLoss(ignore_index=PAD)
        self.history = defaultdict(list)

    def train_epoch(self, loader):
        self.model.train()
        total, tokens = 0.0, 0
        for history, nxt in loader:
            logits = self.model(history)
            loss = self.criterion(logits.flatten(0, 1), nxt.flatten())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            n = (nxt != PAD).sum().item()
            total += loss.item() * n
            tokens += n
        return total / tokens

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        total, tokens, hits, reciprocal = 0.0, 0, 0, 0.0
        for history, nxt in loader:
            keep = nxt != PAD
            logits, target = self.model(history)[keep], nxt[keep]
            total += nn.functional.cross_entropy(logits, target, reduction="sum").item()
            order = logits.argsort(dim=1)[:, : self.cfg.top_k]
            match = order == target.unsqueeze(1)
            hits += match.any(dim=1).sum().item()
            reciprocal += (match / torch.arange(1, self.cfg.top_k + 1)).sum().item()
            tokens += target.numel()
        return {"loss": total / tokens, "hit@k": hits / tokens, "mrr@k": reciprocal / tokens}

    def fit(self, train, valid):
        for epoch in range(1, self.cfg.epochs + 1):
            train_loss = self.train_epoch(train)
            metrics = self.evaluate(valid)
            self.history["train"].append(train_loss)
            self.history["valid"].append(metrics)
            shown = "  ".join(f"{k} {v:.4f}" for k, v in metrics.items())
            print(f"epoch {epoch:2d}  train {train_loss:.4f}  |  {shown}")


def main():
    cfg = Config()
    print(asdict(cfg))
    seed_everything(cfg.seed)
    sessions = simulate_sessions(cfg)
    a, b = int(0.8 * len(sessions)), int(0.9 * len(sessions))
    train = DataLoader(sessions[:a], cfg.batch_size, shuffle=True, collate_fn=collate)
    valid = DataLoader(sessions[a:b], cfg.batch_size, collate_fn=collate)
    test = DataLoader(sessions[b:], cfg.batch_size, collate_fn=collate)
    trainer = Trainer(cfg, SessionGRU(cfg))
    trainer.fit(train, valid)
    print("test", {k: round(v, 4) for k, v in trainer.evaluate(test).items()})


if __name__ == "__main__":
    main()
