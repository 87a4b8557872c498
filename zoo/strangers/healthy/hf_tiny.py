"""Support tickets to departments, with a DistilBERT built from a config (no download) and the HF Trainer.

The sentences come from a small grammar; duplicates are removed before the split, so no sentence
stands in two parts.
"""
import tempfile

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import (DistilBertConfig, DistilBertForSequenceClassification, PrinterCallback, Trainer, TrainerCallback,
                          TrainingArguments, set_seed)
from transformers.utils import logging as hf_logging

hf_logging.set_verbosity_error()
DEPARTMENTS = ["billing", "shipping", "technical"]
OPENERS = ["hello", "hi there", "good morning", "dear team", "", "hey", "to whom it may concern"]
THINGS = ["invoice", "parcel", "app"]
EVENTS = {
    "billing": ["charged me twice", "shows a wrong amount", "asks for an old card", "took a second payment"],
    "shipping": ["is stuck at the depot", "came to a wrong address", "still has no courier", "arrived open"],
    "technical": ["crashes on start", "shows a blank screen", "forgets my login", "will not update"],
}
TIMES = ["since monday", "this morning", "again", "for a week now", "last night", ""]
CLOSERS = ["please help", "thanks", "what can you do", "regards", "", "i am waiting"]
# mention of another matter that is settled: its words must be read and then discounted
SETTLED = ["my other ticket about the {} is solved already", "ignore my earlier note that it {}"]


def make_ticket(rng):
    label = int(rng.integers(3))
    own = DEPARTMENTS[label]
    other = DEPARTMENTS[(label + int(rng.integers(1, 3))) % 3]
    subject = f"the {rng.choice(THINGS)} thing {rng.choice(EVENTS[own])} {rng.choice(TIMES)}"
    kind = int(rng.integers(3))
    noise = "" if kind == 2 else SETTLED[kind].format(rng.choice(THINGS) if kind == 0 else rng.choice(EVENTS[other]))
    parts = [subject, noise] if rng.random() < 0.5 else [noise, subject]
    return " ".join(f"{rng.choice(OPENERS)} {parts[0]} . {parts[1]} . {rng.choice(CLOSERS)}".split()), label


def corpus(n, seed):
    rng, seen = np.random.default_rng(seed), {}
    while len(seen) < n:
        text, label = make_ticket(rng)
        seen.setdefault(text, label)
    return list(seen.items())


class Tickets(Dataset):
    def __init__(self, rows, vocab):
        self.rows = [([1] + [vocab.get(w, 3) for w in text.split()] + [2], y) for text, y in rows]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        ids, y = self.rows[i]
        return {"input_ids": ids, "labels": y}


def collate(items):
    longest = max(len(r["input_ids"]) for r in items)
    pad = lambda seq: seq + [0] * (longest - len(seq))
    return {
        "input_ids": torch.tensor([pad(r["input_ids"]) for r in items]),
        "attention_mask": torch.tensor([pad([1] * len(r["input_ids"])) for r in items]),
        "labels": torch.tensor([r["labels"] for r in items]),
    }


class Say(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kw):
        line = {k: round(float(v), 4) for k, v in logs.items() if k in ("loss", "eval_loss", "eval_accuracy")}
        if line:
            print(f"epoch {state.epoch:4.1f}  {line}")


def metrics(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


def main():
    set_seed(17)
    rows = corpus(4000, seed=17)
    train, val, test = rows[:3000], rows[3000:3500], rows[3500:]
    vocab = {w: i for i, w in enumerate(sorted({w for t, _ in train for w in t.split()}), start=4)}  # 0 pad 1 cls 2 sep 3 unk

    config = DistilBertConfig(vocab_size=len(vocab) + 4, dim=48, n_layers=2, n_heads=4, hidden_dim=96,
                              max_position_embeddings=48, dropout=0.05, attention_dropout=0.05, seq_classif_dropout=0.05,
                              num_labels=3, pad_token_id=0, initializer_range=0.05)
    model = DistilBertForSequenceClassification(config)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, vocabulary {len(vocab) + 4}")

    with tempfile.TemporaryDirectory() as out:
        args = TrainingArguments(
            output_dir=out, num_train_epochs=7, per_device_train_batch_size=32, per_device_eval_batch_size=250,
            learning_rate=1.5e-3, lr_scheduler_type="cosine", warmup_steps=60, weight_decay=0.01, max_grad_norm=5.0,
            eval_strategy="epoch", logging_strategy="epoch", save_strategy="epoch", save_total_limit=1,
            load_best_model_at_end=True, metric_for_best_model="eval_loss", greater_is_better=False,
            report_to="none", disable_tqdm=True, use_cpu=True, seed=17, data_seed=17)
        trainer = Trainer(model=model, args=args, train_dataset=Tickets(train, vocab), eval_dataset=Tickets(val, vocab),
                          data_collator=collate, compute_metrics=metrics, callbacks=[Say()])
        trainer.remove_callback(PrinterCallback)
        trainer.train()
        res = trainer.predict(Tickets(test, vocab))
    print(f"test accuracy {res.metrics['test_accuracy']:.3f}, loss {res.metrics['test_loss']:.4f} on {len(test)} tickets")


if __name__ == "__main__":
    main()
