"""Tiny BERT from scratch with transformers.Trainer on a templated intent dataset."""
import os
os.environ["TOKENIZERS_PARALLELISM"] = "false"
import random
import tempfile

import numpy as np
import torch
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import train_test_split
from torch.utils.data import Dataset
from transformers import (BertConfig, BertForSequenceClassification, EarlyStoppingCallback, Trainer, TrainerCallback,
                          TrainingArguments, set_seed)

set_seed(17)

INTENTS = {
    "alarm": ["wake me at {n}", "set an alarm for {n} {day}", "please ring at {n} {day}", "i need to get up at {n}"],
    "weather": ["will it {w} {day}", "what is the forecast for {day} in {city}", "do i need a coat in {city} {day}", "is it going to {w} in {city}"],
    "travel": ["book a train to {city} {day}", "how do i get from {city} to {city2}", "find flights to {city} at {n}", "i want to go to {city} {day}"],
    "music": ["play some {genre}", "put on {genre} at volume {n}", "i want to hear {genre} {day}", "find me a {genre} song"],
    "smalltalk": ["how are you {day}", "do you like {genre}", "have you been to {city}", "what do you want {day}"],
}
FILL = {
    "n": [str(i) for i in range(1, 13)], "day": "today tomorrow monday tuesday friday sunday".split(),
    "w": "rain snow thunder freeze".split(), "city": "paris oslo lima cairo kyoto quito".split(),
    "city2": "berlin rome delhi perth".split(), "genre": "jazz techno opera blues folk metal".split(),
}
FILLERS = ["um", "well", "hey", "so", "okay", "please", "thanks", "really"]


def utterance(r, label):
    s = r.choice(INTENTS[label]).format(**{k: r.choice(v) for k, v in FILL.items()}).split()
    for _ in range(r.randint(0, 3)):
        s.insert(r.randint(0, len(s)), r.choice(FILLERS))
    return tuple(s)


r = random.Random(17)
names = list(INTENTS)
unique = {}
while len(unique) < 1500:
    lab = r.choice(names)
    unique[utterance(r, lab)] = names.index(lab)
texts, labels = [list(t) for t in unique], list(unique.values())
tr_x, rest_x, tr_y, rest_y = train_test_split(texts, labels, test_size=0.4, stratify=labels, random_state=0)
va_x, te_x, va_y, te_y = train_test_split(rest_x, rest_y, test_size=0.5, stratify=rest_y, random_state=0)

PAD, UNK, CLS, SEP = range(4)
vocab = {w: i + 4 for i, w in enumerate(sorted({w for t in tr_x for w in t}))}


class Utterances(Dataset):
    def __init__(self, xs, ys):
        self.xs, self.ys = xs, ys

    def __len__(self):
        return len(self.xs)

    def __getitem__(self, i):
        return {"ids": [CLS] + [vocab.get(w, UNK) for w in self.xs[i]] + [SEP], "label": self.ys[i]}


def pad(features):
    m = max(len(f["ids"]) for f in features)
    ids = torch.full((len(features), m), PAD)
    for row, f in zip(ids, features):
        row[: len(f["ids"])] = torch.tensor(f["ids"])
    return {"input_ids": ids, "attention_mask": (ids != PAD).long(), "labels": torch.tensor([f["label"] for f in features])}


def metrics(p):
    pred = np.argmax(p.predictions, -1)
    return {"accuracy": accuracy_score(p.label_ids, pred), "macro_f1": f1_score(p.label_ids, pred, average="macro")}


class Table(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **kw):
        tl = [h["loss"] for h in state.log_history if "loss" in h]
        print(f"| {state.epoch:5.1f} | {tl[-1] if tl else float('nan'):.4f} | {metrics['eval_loss']:.4f} | {metrics['eval_accuracy']:.4f} |", flush=True)


config = BertConfig(vocab_size=len(vocab) + 4, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
                    max_position_embeddings=32, num_labels=len(names), pad_token_id=PAD, hidden_dropout_prob=0.1)
model = BertForSequenceClassification(config)

with tempfile.TemporaryDirectory() as out:
    targs = TrainingArguments(
        output_dir=out, num_train_epochs=8, per_device_train_batch_size=32, per_device_eval_batch_size=128,
        learning_rate=1.5e-3, warmup_steps=30, lr_scheduler_type="linear", weight_decay=0.01,
        eval_strategy="epoch", save_strategy="epoch", logging_strategy="epoch", save_total_limit=1,
        load_best_model_at_end=True, metric_for_best_model="eval_loss", greater_is_better=False,
        report_to=[], disable_tqdm=True, use_cpu=True, seed=17, remove_unused_columns=False, log_level="error")
    trainer = Trainer(model=model, args=targs, train_dataset=Utterances(tr_x, tr_y), eval_dataset=Utterances(va_x, va_y),
                      data_collator=pad, compute_metrics=metrics, callbacks=[EarlyStoppingCallback(3), Table()])
    trainer.train()
    trainer.remove_callback(Table)
    res = trainer.predict(Utterances(te_x, te_y)).metrics
print(f"test accuracy {res['test_accuracy']:.4f}  macro-F1 {res['test_macro_f1']:.4f}  n={len(te_x)}")
