"""Train a very small BERT from scratch on a word-order task with layer-wise learning rates."""
import tempfile

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import (BertConfig, BertForSequenceClassification, Trainer, TrainerCallback,
                          TrainingArguments, set_seed)

VOCAB, SEQ_LEN, CLS = 40, 14, 1


class OrderDataset(Dataset):
    """Three classes: token A first, token B first, or one of the two is missing."""

    A, B = 5, 6

    def __init__(self, n, seed):
        g = np.random.default_rng(seed)
        self.rows, self.labels = [], []
        for _ in range(n):
            ids = g.integers(7, VOCAB, size=SEQ_LEN)
            ids[0] = CLS
            label = int(g.integers(0, 3))
            i, j = np.sort(g.choice(np.arange(1, SEQ_LEN), size=2, replace=False))
            if label == 0:
                ids[i], ids[j] = self.A, self.B
            elif label == 1:
                ids[i], ids[j] = self.B, self.A
            else:
                ids[i] = g.choice([self.A, self.B])
            self.rows.append(ids)
            self.labels.append(label)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        ids = torch.tensor(self.rows[i], dtype=torch.long)
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids),
                "labels": torch.tensor(self.labels[i])}


class LayerwiseTrainer(Trainer):
    """AdamW with a learning rate that shrinks towards the input of the network."""

    layer_decay = 0.85

    def create_optimizer(self, *args, **kwargs):
        if self.optimizer is not None:
            return self.optimizer
        base_lr = self.args.learning_rate
        depth = self.model.config.num_hidden_layers
        named = [(n, p) for n, p in self.model.named_parameters() if p.requires_grad]

        def group(prefix, lr):
            return {"params": [p for n, p in named if n.startswith(prefix)], "lr": lr,
                    "weight_decay": self.args.weight_decay}

        groups = [group("classifier.", base_lr), group("pooler.", base_lr)]
        for i in range(depth):
            lr = base_lr * self.layer_decay ** (depth - i)
            groups.append(group(f"encoder.layer.{i}.", lr))
        groups.append(group("embeddings.", base_lr * self.layer_decay ** (depth + 1)))
        self.optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.99))
        return self.optimizer


class Narrator(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **kw):
        train = [h["loss"] for h in state.log_history if "loss" in h]
        print(f"epoch {state.epoch:4.1f}  train_loss {train[-1] if train else float('nan'):.4f}  "
              f"eval_loss {metrics['eval_loss']:.4f}  eval_accuracy {metrics['eval_accuracy']:.4f}",
              flush=True)


def compute_metrics(pred):
    return {"accuracy": float((pred.predictions.argmax(-1) == pred.label_ids).mean())}


def main():
    set_seed(2024)
    config = BertConfig(
        vocab_size=VOCAB, hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=96, max_position_embeddings=SEQ_LEN, num_labels=3,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, initializer_range=0.08,
    )
    model = BertForSequenceClassification(config)
    args = TrainingArguments(
        output_dir=tempfile.mkdtemp(prefix="tinybert_"), num_train_epochs=6, learning_rate=2e-3, weight_decay=0.01,
        per_device_train_batch_size=32, per_device_eval_batch_size=256,
        eval_strategy="epoch", logging_strategy="epoch", save_strategy="no",
        lr_scheduler_type="linear", warmup_steps=30, report_to=[], disable_tqdm=True,
        use_cpu=True, seed=2024,
    )
    trainer = LayerwiseTrainer(
        model=model, args=args, train_dataset=OrderDataset(2000, 0),
        eval_dataset=OrderDataset(600, 1), compute_metrics=compute_metrics,
        callbacks=[Narrator()],
    )
    trainer.pop_callback(__import__("transformers").PrinterCallback)
    trainer.train()
    final = trainer.evaluate(OrderDataset(600, 2))
    print("held-out accuracy: %.4f" % final["eval_accuracy"])


if __name__ == "__main__":
    main()
