import random
from functools import partial

import numpy as np
import torch
from torch.utils.data import DataLoader

from corpus import TAGS, build, collate
from engine import Engine
from tagger import SlotTagger

CONFIG = {
    "seed": 5,
    "n_train": 1600,
    "n_dev": 300,
    "n_test": 400,
    "batch_size": 32,
    "epochs": 12,
    "lr": 3e-3,
    "grad_limit": 0.5,
}


def main(cfg):
    random.seed(cfg["seed"])
    np.random.seed(cfg["seed"])
    torch.manual_seed(cfg["seed"])
    train, dev, test, vocab = build(cfg["n_train"], cfg["n_dev"], cfg["n_test"], cfg["seed"])
    fn = partial(collate, vocab=vocab)
    train_loader = DataLoader(train, cfg["batch_size"], shuffle=True, collate_fn=fn)
    dev_loader = DataLoader(dev, 100, collate_fn=fn)
    test_loader = DataLoader(test, 100, collate_fn=fn)

    model = SlotTagger(len(vocab), len(TAGS))
    n_params = sum(p.numel() for p in model.parameters())
    print(f"{len(vocab)} words, {len(TAGS)} tags, {n_params} parameters, {len(train_loader)} steps per epoch")
    engine = Engine(model, lr=cfg["lr"], grad_limit=cfg["grad_limit"])
    engine.fit(train_loader, dev_loader, cfg["epochs"])
    tok_acc, sent_acc = engine.evaluate(test_loader)
    print(f"test: token accuracy {tok_acc:.4f}, whole-sentence accuracy {sent_acc:.4f}")


if __name__ == "__main__":
    main(CONFIG)
