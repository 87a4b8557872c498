"""Routing of support tickets with a small transformer trained from scratch through the Hugging Face Trainer."""
import os
import random
import tempfile

os.environ["TOKENIZERS_PARALLELISM"] = "false"

import numpy as np
import torch
from sklearn.metrics import f1_score
from transformers import DistilBertConfig, DistilBertForSequenceClassification, Trainer, TrainingArguments, set_seed
from transformers.utils import logging as hf_logging

hf_logging.set_verbosity_error()

TOPICS = {
    "billing": ["invoice", "refund", "charge", "card", "payment", "receipt", "price", "overcharged"],
    "login": ["password", "reset", "locked", "account", "code", "email", "signin", "verify"],
    "shipping": ["parcel", "courier", "late", "tracking", "delivery", "address", "depot", "lost"],
    "product": ["broken", "screen", "battery", "noise", "button", "warranty", "repair", "manual"],
}
FILLER = ("hello please i my the a is was since yesterday today help with and again still not you can we "
          "thanks regards order week time problem question about need why how it").split()
LABELS = list(TOPICS)
MAX_LEN = 24


def write_ticket(rng):
    label = rng.randrange(len(LABELS))
    words = rng.choices(FILLER, k=rng.randint(8, 14))
    words += rng.choices(TOPICS[LABELS[label]], k=rng.randint(1, 3))
    if rng.random() < 0.3:
        words.append(rng.choice(TOPICS[rng.choice(LABELS)]))
    rng.shuffle(words)
    return words, label


def build_vocab(tickets):
    words = sorted({w for ws, _ in tickets for w in ws})
    return {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, **{w: i + 3 for i, w in enumerate(words)}}


class TicketDataset(torch.utils.data.Dataset):
    def __init__(self, tickets, vocab):
        self.items = []
        for words, label in tickets:
            ids = [vocab["[CLS]"]] + [vocab.get(w, vocab["[UNK]"]) for w in words]
            ids = ids[:MAX_LEN]
            pad = MAX_LEN - len(ids)
            self.items.append({
                "input_ids": torch.tensor(ids + [0] * pad),
                "attention_mask": torch.tensor([1] * len(ids) + [0] * pad),
                "labels": torch.tensor(label),
            })

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def compute_metrics(pred):
    guess = np.argmax(pred.predictions, axis=-1)
    return {"accuracy": float((guess == pred.label_ids).mean()),
            "macro_f1": float(f1_score(pred.label_ids, guess, average="macro"))}


def main():
    set_seed(13)
    rng = random.Random(13)
    tickets = [write_ticket(rng) for _ in range(2600)]
    train, val, test = tickets[:1800], tickets[1800:2100], tickets[2100:]
    vocab = build_vocab(train)
    train_ds, val_ds, test_ds = (TicketDataset(part, vocab) for part in (train, val, test))

    config = DistilBertConfig(
        vocab_size=len(vocab), max_position_embeddings=MAX_LEN, dim=48, n_layers=2, n_heads=4, hidden_dim=96,
        dropout=0.1, attention_dropout=0.1, seq_classif_dropout=0.1, num_labels=len(LABELS), pad_token_id=0,
    )
    model = DistilBertForSequenceClassification(config)
    with tempfile.TemporaryDirectory() as out:
        args = TrainingArguments(
            output_dir=out, num_train_epochs=5, per_device_train_batch_size=32, per_device_eval_batch_size=128,
            learning_rate=2e-3, warmup_steps=40, weight_decay=0.01, lr_scheduler_type="linear", eval_strategy="epoch",
            logging_steps=57, save_strategy="no", report_to="none", use_cpu=True, seed=13, disable_tqdm=True,
        )
        trainer = Trainer(model=model, args=args, train_dataset=train_ds, eval_dataset=val_ds,
                          compute_metrics=compute_metrics)
        trainer.train()
        result = trainer.evaluate(test_ds, metric_key_prefix="test")
    print(f"test loss {result['test_loss']:.3f} accuracy {result['test_accuracy']:.3f} macro F1 {result['test_macro_f1']:.3f}")


if __name__ == "__main__":
    main()
