import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from text import tokenize


def collate(rows):
    ids, labels = zip(*rows)
    return pad_sequence([torch.tensor(i) for i in ids], batch_first=True), torch.tensor(labels)


def fit(model, vocab, texts, labels, cfg):
    rows = [(vocab.encode(tokenize(t), cfg["max_len"]), y) for t, y in zip(texts, labels)]
    loader = DataLoader(rows, cfg["batch_size"], shuffle=True, collate_fn=collate)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg["lr"], weight_decay=cfg["weight_decay"])
    total = cfg["epochs"] * len(loader)
    warm = max(1, total // 10)
    sched = torch.optim.lr_scheduler.LambdaLR(
        opt, lambda s: min((s + 1) / warm, max(0.02, (total - s) / (total - warm))))
    for epoch in range(cfg["epochs"]):
        model.train()
        running = 0.0
        for ids, y in loader:
            opt.zero_grad()
            loss = F.cross_entropy(model(ids), y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            running += loss.item() * len(y)
        yield epoch, running / len(rows)


class Predictor:
    """Routes raw ticket strings with a trained model."""

    def __init__(self, model, vocab, max_len, batch_size=200):
        self.model, self.vocab, self.max_len, self.batch_size = model, vocab, max_len, batch_size

    @torch.no_grad()
    def __call__(self, texts):
        self.model.eval()
        out = []
        for k in range(0, len(texts), self.batch_size):
            chunk = texts[k:k + self.batch_size]
            ids = [torch.tensor(self.vocab.encode(t.split(), self.max_len)) for t in chunk]
            out += self.model(pad_sequence(ids, batch_first=True)).argmax(1).tolist()
        return out
