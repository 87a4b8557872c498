"""Route support tickets with a tiny BERT trained from scratch through the Hugging Face Trainer."""
import math
import os
import tempfile

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import (BertConfig, BertForSequenceClassification, Trainer, TrainingArguments,
                          get_linear_schedule_with_warmup, set_seed)
from transformers.utils import logging as hf_logging

hf_logging.set_verbosity_error()
hf_logging.disable_progress_bar()

VOCAB, LENGTH, TEAMS = 120, 16, 4
PAD, CLS = 0, 1


class Tickets(Dataset):
    """Two tell-tale words of the responsible team, hidden somewhere in filler."""

    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.rows = []
        for _ in range(n):
            size = rng.integers(8, LENGTH)
            words = rng.integers(30, VOCAB, size)
            team = rng.integers(0, TEAMS)
            spots = rng.choice(size, 2, replace=False)
            words[spots] = 2 + team * 6 + rng.integers(0, 6, 2)
            ids = np.full(LENGTH, PAD)
            ids[0], ids[1:size + 1] = CLS, words
            self.rows.append((ids, int(team)))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        ids, team = self.rows[i]
        ids = torch.as_tensor(ids, dtype=torch.long)
        return {"input_ids": ids, "attention_mask": (ids != PAD).long(), "labels": torch.tensor(team)}


def accuracy(pred):
    return {"accuracy": float((pred.predictions.argmax(-1) == pred.label_ids).mean())}


def build_model():
    return BertForSequenceClassification(BertConfig(
        vocab_size=VOCAB, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96,
        max_position_embeddings=LENGTH, num_labels=TEAMS, hidden_dropout_prob=0.05,
        attention_probs_dropout_prob=0.05))


def main():
    set_seed(13)
    train_set, eval_set = Tickets(1500, seed=1), Tickets(400, seed=2)
    args = TrainingArguments(
        output_dir=tempfile.mkdtemp(), num_train_epochs=7, per_device_train_batch_size=20,
        per_device_eval_batch_size=200, eval_strategy="epoch", save_strategy="no", logging_strategy="epoch",
        report_to=[], use_cpu=True, disable_tqdm=True, seed=13)

    model = build_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=7e-4, weight_decay=0.01)
    total = math.ceil(len(train_set) / args.per_device_train_batch_size)
    scheduler = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=total // 10, num_training_steps=total)

    trainer = Trainer(model=model, args=args, train_dataset=train_set, eval_dataset=eval_set,
                      compute_metrics=accuracy, optimizers=(optimizer, scheduler))
    trainer.train()
    final = trainer.evaluate()
    print(f"eval loss {final['eval_loss']:.4f}   eval accuracy {final['eval_accuracy']:.4f}")


if __name__ == "__main__":
    main()
