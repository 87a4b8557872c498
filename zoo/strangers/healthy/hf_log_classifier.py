"""Incident triage on log-line token ids with a small BERT built from a config and the Hugging Face Trainer."""
import tempfile

import numpy as np
import torch
from sklearn.metrics import accuracy_score, f1_score
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments, set_seed

PAD, CLS, FIRST = 0, 1, 2
TEAMS = ["network", "storage", "billing"]
VOCAB = 80


def write_log(team: int, rng: np.random.Generator) -> list[int]:
    """Mostly noise tokens; three of the team's own twelve terms are mixed in, sometimes one of another team."""
    noise = rng.integers(FIRST + 36, VOCAB, size=rng.integers(8, 16)).tolist()
    own = (FIRST + 12 * team + rng.integers(0, 12, size=3)).tolist()
    other = [FIRST + 12 * ((team + 1) % 3) + int(rng.integers(12))] if rng.random() < 0.5 else []
    tokens = noise + own + other
    rng.shuffle(tokens)
    return [CLS] + tokens


class LogDataset(Dataset):
    def __init__(self, n: int, rng: np.random.Generator):
        self.labels = rng.integers(0, len(TEAMS), n)
        self.logs = [write_log(t, rng) for t in self.labels]

    def __len__(self):
        return len(self.logs)

    def __getitem__(self, i):
        return {"input_ids": self.logs[i], "label": int(self.labels[i])}


def pad_batch(rows):
    width = max(len(r["input_ids"]) for r in rows)
    ids = torch.full((len(rows), width), PAD)
    for k, r in enumerate(rows):
        ids[k, : len(r["input_ids"])] = torch.tensor(r["input_ids"])
    return {"input_ids": ids, "attention_mask": (ids != PAD).long(), "labels": torch.tensor([r["label"] for r in rows])}


def compute_metrics(prediction):
    guess = prediction.predictions.argmax(axis=-1)
    return {
        "accuracy": accuracy_score(prediction.label_ids, guess),
        "macro_f1": f1_score(prediction.label_ids, guess, average="macro"),
    }


class OneLine(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        keys = [k for k in metrics if k.endswith(("loss", "accuracy", "macro_f1"))]
        print(f"step {state.global_step:4d}", {k: round(metrics[k], 4) for k in keys})


def main():
    set_seed(2024)
    rng = np.random.default_rng(2024)
    train, dev, test = (LogDataset(n, rng) for n in (1600, 250, 250))
    config = BertConfig(
        vocab_size=VOCAB, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96,
        max_position_embeddings=32, num_labels=len(TEAMS), pad_token_id=PAD, hidden_dropout_prob=0.05,
    )
    model = BertForSequenceClassification(config)
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(
            output_dir=folder,
            num_train_epochs=5,
            per_device_train_batch_size=16,
            gradient_accumulation_steps=2,
            per_device_eval_batch_size=125,
            learning_rate=2e-3,
            lr_scheduler_type="linear",
            warmup_steps=25,
            weight_decay=0.01,
            eval_strategy="epoch",
            save_strategy="no",
            logging_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            seed=2024,
        )
        trainer = Trainer(
            model=model, args=args, train_dataset=train, eval_dataset=dev, data_collator=pad_batch,
            compute_metrics=compute_metrics, callbacks=[OneLine()],
        )
        trainer.train()
        result = trainer.predict(test, metric_key_prefix="test").metrics
    print({k: round(v, 4) for k, v in result.items() if k in ("test_loss", "test_accuracy", "test_macro_f1")})


if __name__ == "__main__":
    main()
