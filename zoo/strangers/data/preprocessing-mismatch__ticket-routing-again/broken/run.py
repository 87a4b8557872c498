import os
import random

import numpy as np
import torch
from sklearn.metrics import accuracy_score, f1_score

from engine import Predictor, fit
from model import TicketTransformer
from text import LABELS, Vocab, make_corpus, tokenize

CFG = {"n_train": 1800, "n_dev": 200, "n_test": 400, "max_len": 40, "batch_size": 32, "epochs": 7, "lr": 1e-3,
       "weight_decay": 0.01}


def main():
    seed = int(os.environ.get("SEED", 0))
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)

    texts, labels = make_corpus(CFG["n_train"] + CFG["n_dev"] + CFG["n_test"], seed)
    a, b = CFG["n_train"], CFG["n_train"] + CFG["n_dev"]
    vocab = Vocab(tokenize(t) for t in texts[:a])
    print(f"{len(vocab)} types, e.g. {texts[0]!r}")
    model = TicketTransformer(len(vocab), len(LABELS), max_len=CFG["max_len"])
    predict = Predictor(model, vocab, CFG["max_len"])
    for epoch, loss in fit(model, vocab, texts[:a], labels[:a], CFG):
        print(f"epoch {epoch}  train loss {loss:.4f}  dev acc {accuracy_score(labels[a:b], predict(texts[a:b])):.3f}")
    pred = predict(texts[b:])
    print(f"test accuracy {accuracy_score(labels[b:], pred):.3f}  macro F1 {f1_score(labels[b:], pred, average='macro'):.3f}")


if __name__ == "__main__":
    main()
