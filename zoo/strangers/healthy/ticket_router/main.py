"""Route support tickets to a queue: EmbeddingBag + linear, class-weighted cross-entropy."""
import logging
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import balanced_accuracy_score, classification_report
from sklearn.model_selection import train_test_split
from sklearn.utils.class_weight import compute_class_weight
from torch import nn
from torch.utils.data import DataLoader

from corpus import QUEUES, make_corpus
from text import Collate, Vocab

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("router")


@dataclass
class Config:
    n: int = 16000
    dim: int = 24
    lr: float = 4e-3
    epochs: int = 12
    batch: int = 128
    seed: int = 5


class BagClassifier(nn.Module):
    def __init__(self, vocab_size, dim, n_out):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab_size, dim, mode="mean")
        self.norm = nn.LayerNorm(dim)
        self.fc = nn.Linear(dim, n_out)

    def forward(self, ids, offsets):
        return self.fc(self.norm(self.bag(ids, offsets)))


def predict(model, loader):
    """All logits and labels of a loader, in order."""
    was_training = model.training
    model.eval()
    zs, ys = [], []
    with torch.no_grad():
        for ids, off, y in loader:
            zs.append(model(ids, off))
            ys.append(y)
    model.train(was_training)
    return torch.cat(zs), torch.cat(ys)


def main(cfg=Config()):
    torch.manual_seed(cfg.seed)
    rows = make_corpus(cfg.n, cfg.seed)
    labels = [q for _, q in rows]
    dev, test = train_test_split(rows, test_size=0.2, stratify=labels, random_state=cfg.seed)
    train, val = train_test_split(dev, test_size=0.2, stratify=[q for _, q in dev], random_state=cfg.seed)
    vocab = Vocab(t for t, _ in train)
    log.info("train %d val %d test %d, vocabulary %d", len(train), len(val), len(test), len(vocab))

    y_train = np.array([q for _, q in train])
    log.info("tickets per queue: %s", dict(zip(QUEUES, np.bincount(y_train).tolist())))
    weight = torch.tensor(compute_class_weight("balanced", classes=np.arange(3), y=y_train), dtype=torch.float32)
    log.info("class weights: %s", [round(w, 2) for w in weight.tolist()])

    collate = Collate(vocab)
    g = torch.Generator().manual_seed(cfg.seed)
    dl = DataLoader(train, cfg.batch, shuffle=True, collate_fn=collate, generator=g)
    dl_val = DataLoader(val, 512, collate_fn=collate)

    model = BagClassifier(len(vocab), cfg.dim, len(QUEUES))
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=0.01)
    plan = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.02, total_iters=cfg.epochs * len(dl))

    for epoch in range(cfg.epochs):
        num = den = 0.0
        for ids, off, y in dl:
            loss = F.cross_entropy(model(ids, off), y, weight=weight)
            opt.zero_grad()
            loss.backward()
            opt.step()
            plan.step()
            # a weighted mean: the batch counts by the weight it carries
            w = weight[y].sum().item()
            num += loss.item() * w
            den += w
        z, y = predict(model, dl_val)
        log.info("epoch %2d  train %.4f  val %.4f  balanced acc %.3f", epoch, num / den,
                 F.cross_entropy(z, y, weight=weight).item(), balanced_accuracy_score(y, z.argmax(1)))

    z, y = predict(model, DataLoader(test, 512, collate_fn=collate))
    print(classification_report(y, z.argmax(1), target_names=QUEUES, digits=3))
    print("test balanced accuracy %.3f" % balanced_accuracy_score(y, z.argmax(1)))


if __name__ == "__main__":
    main()
