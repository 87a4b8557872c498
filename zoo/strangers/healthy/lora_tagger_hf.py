"""Adapter fine-tuning of a small tagger with the Hugging Face Trainer.

Stage 1 trains a BERT-like tagger from scratch on a source domain. Stage 2 freezes it, injects low-rank adapters
into the attention projections and adapts to a target domain whose tag conventions differ, with few sentences.
Only the first piece of each word carries a label, other pieces are -100.
"""
import argparse
import tempfile
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset
from transformers import (BertConfig, BertForTokenClassification, DataCollatorForTokenClassification, Trainer,
                          TrainerCallback, TrainingArguments, set_seed)
from transformers.utils import logging as hf_logging

hf_logging.set_verbosity_error()
TAGS = ["O", "NAME", "PLACE", "DATE"]
N_WORDS = 160  # word ids 10..169, the second piece of a word is id + N_WORDS


@dataclass
class LoraConfig:
    rank: int = 8
    alpha: float = 16.0
    targets: tuple = ("query", "value")


class StubTokenizer:
    """The little that the token-classification collator asks of a tokenizer."""
    padding_side = "right"
    pad_token_id = 0
    model_input_names = ["input_ids", "attention_mask"]

    def pad(self, features, return_tensors=None, **_):
        n = max(len(f["input_ids"]) for f in features)
        out = {k: [list(f[k]) + [0] * (n - len(f[k])) for f in features] for k in self.model_input_names}
        return {k: torch.tensor(v) for k, v in out.items()} if return_tensors == "pt" else out


def sentence(rng, shifted):
    """Cue words decide the tag of what follows; the shifted domain uses other cues for places and dates."""
    cues = {1: [10, 11], 2: [14, 15], 3: [18, 19]} if shifted else {1: [10, 11], 2: [12, 13], 3: [16, 17]}
    ids, labels = [2], [-100]

    def put(word, tag):
        ids.append(word)
        labels.append(tag)
        if rng.random() < 0.35:
            ids.append(word + N_WORDS)
            labels.append(-100)

    for _ in range(rng.integers(3, 6)):
        if rng.random() < 0.7:
            tag = int(rng.integers(1, 4))
            put(int(rng.choice(cues[tag])), 0)
            for _ in range(rng.integers(1, 3)):
                put(int(rng.integers(90, 170)), tag)
        put(int(rng.integers(30, 90)), 0)
    ids.append(3)
    labels.append(-100)
    return {"input_ids": ids, "attention_mask": [1] * len(ids), "labels": labels}


class Sentences(Dataset):
    def __init__(self, n, rng, shifted):
        self.rows = [sentence(rng, shifted) for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return dict(self.rows[i])


class LoraLinear(nn.Module):
    def __init__(self, base, cfg):
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(cfg.rank, base.in_features) / base.in_features ** 0.5)
        self.up = nn.Parameter(torch.zeros(base.out_features, cfg.rank))
        self.scale = cfg.alpha / cfg.rank

    def forward(self, x):
        return self.base(x) + self.scale * (x @ self.down.t() @ self.up.t())


def inject(model, cfg):
    for p in model.parameters():
        p.requires_grad_(False)
    for layer in model.bert.encoder.layer:
        for name in cfg.targets:
            setattr(layer.attention.self, name, LoraLinear(getattr(layer.attention.self, name), cfg))
    for p in model.classifier.parameters():
        p.requires_grad_(True)
    return model


def metrics(pred):
    guess, gold = pred.predictions.argmax(-1), pred.label_ids
    keep = gold != -100
    entity = keep & (gold > 0)
    return {"accuracy": float((guess == gold)[keep].mean()), "recall": float((guess == gold)[entity].mean())}


class Printer(TrainerCallback):
    def __init__(self, stage):
        self.stage = stage

    def on_evaluate(self, args, state, control, metrics=None, **kw):
        print(f"{self.stage} epoch {state.epoch or 0:.0f}  loss {metrics['eval_loss']:.4f}  "
              f"accuracy {metrics['eval_accuracy']:.3f}  entity recall {metrics['eval_recall']:.3f}")


def run(stage, model, train_set, eval_set, epochs, lr, seed, batch=32):
    with tempfile.TemporaryDirectory() as out:
        args = TrainingArguments(
            output_dir=out, num_train_epochs=epochs, per_device_train_batch_size=batch, per_device_eval_batch_size=100,
            learning_rate=lr, weight_decay=0.01, warmup_steps=30, lr_scheduler_type="linear", eval_strategy="epoch",
            save_strategy="no", logging_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True, seed=seed)
        trainer = Trainer(model, args, data_collator=DataCollatorForTokenClassification(StubTokenizer()),
                          train_dataset=train_set, eval_dataset=eval_set, compute_metrics=metrics,
                          callbacks=[Printer(stage)])
        trainer.train()
        return trainer.evaluate()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    seed = ap.parse_args().seed
    set_seed(seed)
    rng = np.random.default_rng(seed)
    model = BertForTokenClassification(BertConfig(
        vocab_size=10 + 2 * N_WORDS + 10, hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=128, max_position_embeddings=64, num_labels=len(TAGS), pad_token_id=0))
    source = run("source", model, Sentences(1500, rng, False), Sentences(300, rng, False), 12, 2e-3, seed)
    target_train, target_test = Sentences(600, rng, True), Sentences(300, rng, True)
    inject(model, LoraConfig())
    live = sum(p.numel() for p in model.parameters() if p.requires_grad)
    print(f"adapting {live} of {sum(p.numel() for p in model.parameters())} parameters")
    target = run("target", model, target_train, target_test, 12, 5e-3, seed)
    print(f"source accuracy {source['eval_accuracy']:.3f}, target accuracy {target['eval_accuracy']:.3f} "
          f"(entity recall {target['eval_recall']:.3f})")


if __name__ == "__main__":
    main()
