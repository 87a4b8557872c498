"""Classify server log sessions (normal, scan, brute force, exfiltration) with a small BERT through the HF Trainer."""
import os
import random

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

EVENTS = ["[PAD]", "[CLS]", "open", "close", "auth_ok", "auth_fail", "get", "put", "list", "deny", "sudo", "copy",
          "ping", "sync", "rotate", "retry"]
ID = {e: i for i, e in enumerate(EVENTS)}
LABELS = ["normal", "scan", "brute", "exfil"]
MAX_LEN = 24


def background(rng, k):
    return rng.choices(["get", "put", "list", "ping", "sync", "rotate", "auth_ok", "retry", "deny", "auth_fail"],
                       weights=[5, 3, 3, 3, 2, 1, 2, 1, 1, 1], k=k)


def session(rng, label):
    ev = background(rng, rng.randint(8, 13))
    pos = sorted(rng.sample(range(len(ev) + 1), 3))
    extra = {0: rng.choice([["sudo", "close", "copy"], ["list", "get", "ping"], ["retry", "sync", "put"]]),
             1: ["open", "deny", "open"],
             2: ["auth_fail", "retry", "auth_ok"],
             3: ["sudo", "copy", "close"]}[label]
    chunk = 1 if label in (0, 3) else 2
    for p, e in zip(reversed(pos), reversed(extra)):
        ev[p:p] = [e] * chunk
    return ["open"] + ev + ["close"]


class Sessions(Dataset):
    def __init__(self, n, seed):
        rng = random.Random(seed)
        self.items = []
        for _ in range(n):
            label = rng.randrange(4)
            ids = [ID["[CLS]"]] + [ID[e] for e in session(rng, label)]
            ids = ids[:MAX_LEN]
            mask = [1] * len(ids) + [0] * (MAX_LEN - len(ids))
            ids = ids + [0] * (MAX_LEN - len(ids))
            self.items.append({"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(mask),
                               "labels": torch.tensor(label)})

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def compute_metrics(pred):
    guess = np.argmax(pred.predictions, axis=-1)
    hits = guess == pred.label_ids
    return {"accuracy": float(hits.mean()),
            **{f"recall_{n}": float(hits[pred.label_ids == k].mean()) for k, n in enumerate(LABELS)}}


def build_model():
    config = BertConfig(vocab_size=len(EVENTS), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
                        intermediate_size=96, max_position_embeddings=MAX_LEN, num_labels=len(LABELS), pad_token_id=0,
                        hidden_dropout_prob=0.05, attention_probs_dropout_prob=0.05)
    return BertForSequenceClassification(config)


def main():
    set_seed(1234)
    train, valid, test = Sessions(4000, 1), Sessions(500, 2), Sessions(1000, 3)
    args = TrainingArguments(
        output_dir="/tmp/log_sessions",
        num_train_epochs=5,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=250,
        learning_rate=2e-5,
        weight_decay=0.01,
        warmup_steps=50,
        lr_scheduler_type="linear",
        eval_strategy="epoch",
        logging_strategy="epoch",
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        seed=1234,
    )
    trainer = Trainer(model=build_model(), args=args, train_dataset=train, eval_dataset=valid,
                      compute_metrics=compute_metrics)
    trainer.train()
    result = trainer.evaluate(test, metric_key_prefix="test")
    print("test:", {k: round(v, 3) for k, v in result.items() if "loss" in k or "acc" in k or "recall" in k})


if __name__ == "__main__":
    main()
