import numpy as np
import torch
from torch import nn
from transformers import Trainer, TrainingArguments


class Tags(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(10, 5)

    def forward(self, features, labels=None):
        logits = self.net(features)
        return {"loss": nn.functional.binary_cross_entropy_with_logits(logits, labels), "logits": logits}


def report(pair):
    scores, gold = pair
    wanted = gold > 0.5  # soft labels, not scores
    return {"exact": float(((scores > 0) == wanted).all(1).mean())}


def rows(n):
    x = np.random.default_rng(n).normal(size=(n, 10)).astype("float32")
    return [{"features": torch.tensor(row), "labels": torch.tensor(row[:5] > 0.3).float()} for row in x]


trainer = Trainer(Tags(), TrainingArguments("out"), train_dataset=rows(400), compute_metrics=report)
trainer.train()
