"""Tiny BERT from scratch on templated product reviews with negation, via transformers.Trainer."""
import os
import random
import tempfile
from dataclasses import fields

os.environ["TOKENIZERS_PARALLELISM"] = "false"
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments, set_seed

HPARAMS = {
    "num_train_epochs": 8,
    "per_device_train_batch_size": 32,
    "per_device_eval_batch_size": 128,
    "lr": 1.5e-3,
    "weight_decay": 0.01,
    "warmup_steps": 20,
    "lr_scheduler_type": "linear",
    "hidden": 48,
    "layers": 2,
    "heads": 4,
    "max_len": 14,
    "seed": 13,
}

GOOD = "great lovely sturdy quick superb reliable bright comfy".split()
BAD = "awful flimsy slow noisy broken dull cheap useless".split()
NOUN = "kettle lamp chair phone jacket speaker blender bag".split()
FILL = "really quite honestly overall again today indeed somehow".split()


def review(rng):
    positive = rng.random() < 0.5
    negate = rng.random() < 0.35
    adj = rng.choice(GOOD if positive != negate else BAD)
    parts = ["the", rng.choice(NOUN), "is"] + (["not"] if negate else []) + [adj]
    for _ in range(rng.randint(1, 5)):
        parts.insert(rng.choice([0, len(parts)]), rng.choice(FILL))
    return parts, int(positive)


VOCAB = {w: i for i, w in enumerate(["[PAD]", "[CLS]", "the", "is", "not"] + GOOD + BAD + NOUN + FILL)}


class Reviews(Dataset):
    def __init__(self, n, rng, max_len):
        self.rows = []
        for _ in range(n):
            words, label = review(rng)
            ids = ([VOCAB["[CLS]"]] + [VOCAB[w] for w in words])[:max_len]
            pad = max_len - len(ids)
            self.rows.append({
                "input_ids": torch.tensor(ids + [0] * pad),
                "attention_mask": torch.tensor([1] * len(ids) + [0] * pad),
                "labels": label,
            })

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def to_training_args(hp, out_dir):
    known = {f.name for f in fields(TrainingArguments)}
    return TrainingArguments(
        output_dir=out_dir,
        eval_strategy="epoch",
        logging_strategy="epoch",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        **{k: v for k, v in hp.items() if k in known},
    )


class Printer(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **kw):
        train = [h["loss"] for h in state.log_history if "loss" in h]
        last = f"{float(train[-1]):.4f}" if train else "-"
        print(f"epoch {state.epoch:.0f}  train loss {last}  dev loss {metrics['eval_loss']:.4f}  dev acc {metrics['eval_accuracy']:.4f}")


def compute_metrics(pred):
    return {"accuracy": float((np.argmax(pred.predictions, -1) == pred.label_ids).mean())}


def main():
    hp = HPARAMS
    set_seed(hp["seed"])
    rng = random.Random(hp["seed"])
    train, dev, test = (Reviews(n, rng, hp["max_len"]) for n in (2000, 300, 500))
    cfg = BertConfig(vocab_size=len(VOCAB), hidden_size=hp["hidden"], num_hidden_layers=hp["layers"],
                     num_attention_heads=hp["heads"], intermediate_size=4 * hp["hidden"],
                     max_position_embeddings=hp["max_len"], num_labels=2, initializer_range=0.1)
    model = BertForSequenceClassification(cfg)
    with tempfile.TemporaryDirectory() as tmp:
        trainer = Trainer(model=model, args=to_training_args(hp, tmp), train_dataset=train, eval_dataset=dev,
                          compute_metrics=compute_metrics, callbacks=[Printer()])
        trainer.pop_callback(__import__("transformers").PrinterCallback)
        trainer.train()
        out = trainer.predict(test)
    print("test accuracy", round(out.metrics["test_accuracy"], 4), " test loss", round(out.metrics["test_loss"], 4))


if __name__ == "__main__":
    main()
