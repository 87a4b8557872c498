"""Train a small BERT-style encoder on help-desk tickets (intent classification) with the HF Trainer.

There is no pretrained checkpoint for our in-house jargon, so the encoder starts from a fresh BertConfig.
"""
import os
import random
import tempfile

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import (BertConfig, BertForSequenceClassification, PrinterCallback, Trainer, TrainerCallback,
                          TrainingArguments, set_seed)

SEED = 31
MAX_LEN = 20
INTENTS = {
    "reset_password": ["i cannot log in to {sys}", "my {sys} password has expired", "forgot the passphrase of {sys}",
                       "{sys} says wrong credentials", "account locked after three tries on {sys}"],
    "hardware": ["the {dev} does not turn on", "screen of my {dev} flickers", "need a new {dev} for {who}",
                 "{dev} makes a strange noise", "coffee on the {dev} again"],
    "access": ["please give {who} access to {sys}", "{who} needs the {sys} group", "add {who} as editor in {sys}",
               "permission denied when {who} opens {sys}", "remove {who} from {sys}"],
    "network": ["wifi is slow near {place}", "vpn drops every hour in {place}", "no internet on my {dev} at {place}",
                "cannot reach {sys} from {place}", "the cable at {place} is dead"],
    "billing": ["invoice for {sys} is wrong", "who pays the {dev} order", "cost centre of {place} changed",
                "refund the {sys} licence", "need a quote for two {dev}"],
}
FILL = {
    "sys": "jira sap gitlab mail payroll wiki crm vault".split(),
    "dev": "laptop monitor printer headset phone tablet dock".split(),
    "who": "maria omar lena the_intern a_contractor my_colleague bob".split(),
    "place": "floor_two the_lab reception berlin home_office building_c".split(),
}
SMALL_TALK = "hi hello thanks please urgent again since monday asap team sorry today fyi".split()


def write_ticket(rng):
    intent = rng.choice(list(INTENTS))
    words = []
    for tok in rng.choice(INTENTS[intent]).split():
        if rng.random() < 0.25:
            words.append(rng.choice(SMALL_TALK))
        words.append(rng.choice(FILL[tok[1:-1]]) if tok.startswith("{") else tok)
    if len(words) > 6 and rng.random() < 0.3:
        words.pop(rng.randrange(len(words)))
    return " ".join(words), list(INTENTS).index(intent)


def collect(n, rng):
    found = {}
    while len(found) < n:
        text, label = write_ticket(rng)
        found.setdefault(text, label)
    return list(found.items())


class Tickets(Dataset):
    def __init__(self, rows, vocab):
        self.rows, self.vocab = rows, vocab

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        text, label = self.rows[i]
        ids = [2] + [self.vocab.get(w, 1) for w in text.split()][:MAX_LEN - 1]
        pad = MAX_LEN - len(ids)
        return {
            "input_ids": torch.tensor(ids + [0] * pad),
            "attention_mask": torch.tensor([1] * len(ids) + [0] * pad),
            "labels": torch.tensor(label),
        }


class PrintLog(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        keep = [f"{k} {float(logs[k]):.4g}" for k in ("loss", "learning_rate", "eval_loss", "eval_accuracy") if k in logs]
        if keep:
            print(f"step {state.global_step:4d}  " + "  ".join(keep))


def accuracy(eval_pred):
    logits, labels = eval_pred
    return {"accuracy": float((np.argmax(logits, -1) == labels).mean())}


def main():
    set_seed(SEED)
    rng = random.Random(SEED)
    rows = collect(2400, rng)
    rng.shuffle(rows)
    train_rows, dev_rows, test_rows = rows[:1800], rows[1800:2100], rows[2100:]
    vocab = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2}
    for text, _ in train_rows:
        for w in text.split():
            vocab.setdefault(w, len(vocab))

    config = BertConfig(vocab_size=len(vocab), hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
                        intermediate_size=128, max_position_embeddings=MAX_LEN, num_labels=len(INTENTS))
    model = BertForSequenceClassification(config)
    print(f"{len(vocab)} words, {model.num_parameters() / 1e3:.0f}k parameters")

    args = TrainingArguments(
        output_dir=tempfile.mkdtemp(prefix="tickets_"),
        num_train_epochs=6,
        per_device_train_batch_size=24,
        per_device_eval_batch_size=100,
        learning_rate=5e-5,
        weight_decay=0.01,
        warmup_steps=30,
        lr_scheduler_type="linear",
        eval_strategy="epoch",
        logging_steps=25,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        seed=SEED,
    )
    trainer = Trainer(model=model, args=args, train_dataset=Tickets(train_rows, vocab),
                      eval_dataset=Tickets(dev_rows, vocab), compute_metrics=accuracy, callbacks=[PrintLog()])
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    final = trainer.predict(Tickets(test_rows, vocab)).metrics
    majority = max(np.bincount([label for _, label in test_rows])) / len(test_rows)
    print(f"test loss {final['test_loss']:.4f}  accuracy {final['test_accuracy']:.4f}  (majority class {majority:.3f})")


if __name__ == "__main__":
    main()
