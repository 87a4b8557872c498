# Multi-label routing tags for support tickets (synthetic corpus), trained with the HF Trainer.
import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import f1_score, precision_score, recall_score
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed

TAGS = ["billing", "login", "refund", "shipping", "mobile", "outage", "privacy", "upgrade"]
TAG_RATE = [0.22, 0.18, 0.10, 0.14, 0.12, 0.06, 0.05, 0.09]
CUES = {
    "billing": "invoice charge card statement tax".split(),
    "login": "password reset locked token signin".split(),
    "refund": "refund money return credit cancel".split(),
    "shipping": "parcel courier tracking delayed depot".split(),
    "mobile": "android iphone app tablet screen".split(),
    "outage": "down timeout unreachable 503 status".split(),
    "privacy": "gdpr delete consent export data".split(),
    "upgrade": "plan seats pro enterprise trial".split(),
}
FILLER = ("hello please team since yesterday our the a we i and it still again help thanks customer account "
          "order question issue could you look into this when trying today morning regards").split()
VOCAB = {w: i + 2 for i, w in enumerate(sorted(set(FILLER) | {w for ws in CUES.values() for w in ws}))}
PAD, UNK, MAX_LEN = 0, 1, 40
PROB_CUTOFF = 0.3   # ops asked for recall: a missed tag costs more than a spare one


def write_ticket(rng):
    labels, words = [], []
    for tag, rate in zip(TAGS, TAG_RATE):
        on = rng.random() < rate
        labels.append(float(on))
        mentions = rng.choice([0, 1, 1, 1, 1, 1, 1, 2]) if on else (1 if rng.random() < 0.05 else 0)
        words += rng.choices(CUES[tag], k=mentions)
    words += rng.choices(FILLER, k=rng.randint(8, 22))
    rng.shuffle(words)
    return words[:MAX_LEN], labels


class Tickets(Dataset):
    def __init__(self, n, seed):
        rng = random.Random(seed)
        self.rows = [write_ticket(rng) for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        words, labels = self.rows[i]
        return {"input_ids": [VOCAB.get(w, UNK) for w in words], "labels": labels}


def collate(batch):
    width = max(len(b["input_ids"]) for b in batch)
    ids = torch.full((len(batch), width), PAD)
    for r, b in enumerate(batch):
        ids[r, : len(b["input_ids"])] = torch.tensor(b["input_ids"])
    return {"input_ids": ids, "labels": torch.tensor([b["labels"] for b in batch])}


@dataclass
class TaggerConfig:
    vocab: int = len(VOCAB) + 2
    dim: int = 48
    n_tags: int = len(TAGS)


class Tagger(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.emb = nn.Embedding(cfg.vocab, cfg.dim, padding_idx=PAD)
        self.score = nn.Linear(cfg.dim, 1)
        self.body = nn.Sequential(nn.Linear(2 * cfg.dim, 64), nn.GELU(), nn.Dropout(0.1), nn.Linear(64, cfg.n_tags))
        self.criterion = nn.BCEWithLogitsLoss()

    def forward(self, input_ids, labels=None):
        mask = input_ids.ne(PAD).unsqueeze(-1)
        e = self.emb(input_ids)
        att = self.score(e).masked_fill(~mask, -1e4).softmax(1)
        peak = e.masked_fill(~mask, -1e4).amax(1)
        logits = self.body(torch.cat([(att * e).sum(1), peak], -1))
        out = {"logits": logits}
        if labels is not None:
            out["loss"] = self.criterion(logits, labels)
        return out


def compute_metrics(eval_pred):
    scores, gold = eval_pred
    pred = (scores >= PROB_CUTOFF).astype(int)
    gold = gold.astype(int)
    return {
        "recall_micro": recall_score(gold, pred, average="micro", zero_division=0),
        "precision_micro": precision_score(gold, pred, average="micro", zero_division=0),
        "f1_macro": f1_score(gold, pred, average="macro", zero_division=0),
    }


def main():
    set_seed(7)
    train, dev, test = Tickets(4000, 100), Tickets(800, 200), Tickets(1500, 300)
    args = TrainingArguments(
        output_dir="runs/ticket_tags", num_train_epochs=10, per_device_train_batch_size=32,
        per_device_eval_batch_size=256, learning_rate=2e-3, lr_scheduler_type="cosine", warmup_steps=40,
        eval_strategy="epoch", logging_steps=125, save_strategy="no", report_to=[], disable_tqdm=True,
        use_cpu=True, seed=7,
    )
    trainer = Trainer(model=Tagger(TaggerConfig()), args=args, train_dataset=train, eval_dataset=dev,
                      data_collator=collate, compute_metrics=compute_metrics)
    trainer.train()
    result = trainer.evaluate(test, metric_key_prefix="test")
    for key in ("test_loss", "test_recall_micro", "test_precision_micro", "test_f1_macro"):
        print(f"{key:22s} {np.round(result[key], 4)}")


if __name__ == "__main__":
    main()
