"""Frame-wise gesture tagging of wrist-sensor streams with the Hugging Face Trainer."""
import tempfile
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments, set_seed


@dataclass
class TaggerConfig:
    n_channels: int = 4
    n_tags: int = 8
    proj_dim: int = 3
    hidden_size: int = 2
    dropout: float = 0.0


@dataclass
class DataConfig:
    n_train: int = 600
    n_test: int = 200
    frames: int = 48
    noise: float = 0.25
    seed: int = 13


class GestureStreams(Dataset):
    """Each stream is a chain of gestures; a gesture is a pattern of oscillation over the channels."""

    def __init__(self, n, cfg, n_channels, n_tags, bank, seed):
        rng = np.random.default_rng(seed)
        freq, phase, amp = bank
        self.signal = np.zeros((n, cfg.frames, n_channels), dtype=np.float32)
        self.tags = np.zeros((n, cfg.frames), dtype=np.int64)
        for i in range(n):
            t = 0
            while t < cfg.frames:
                span = int(rng.integers(8, 17))
                tag = int(rng.integers(0, n_tags))
                k = np.arange(min(span, cfg.frames - t))
                wave = amp[tag] * np.sin(freq[tag] * k[:, None] + phase[tag] + rng.uniform(0, 6.28))
                self.signal[i, t:t + len(k)] = wave
                self.tags[i, t:t + len(k)] = tag
                t += span
        self.signal += cfg.noise * rng.normal(size=self.signal.shape).astype(np.float32)

    def __len__(self):
        return len(self.signal)

    def __getitem__(self, i):
        return {"signal": torch.from_numpy(self.signal[i]), "labels": torch.from_numpy(self.tags[i])}


def gesture_bank(n_channels, n_tags, seed):
    rng = np.random.default_rng(seed)
    freq = rng.uniform(0.5, 2.2, size=(n_tags, 1))
    phase = rng.uniform(0, 2 * np.pi, size=(n_tags, n_channels))
    amp = rng.uniform(0.4, 1.6, size=(n_tags, n_channels))
    return freq, phase, amp


class Tagger(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.proj = nn.Sequential(nn.Linear(cfg.n_channels, cfg.proj_dim), nn.GELU())
        self.rnn = nn.GRU(cfg.proj_dim, cfg.hidden_size, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(cfg.dropout)
        self.head = nn.Linear(2 * cfg.hidden_size, cfg.n_tags)

    def forward(self, signal, labels=None):
        h, _ = self.rnn(self.proj(signal))
        logits = self.head(self.drop(h))
        loss = None
        if labels is not None:
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
        return {"loss": loss, "logits": logits}


def frame_metrics(pred):
    guess = pred.predictions.argmax(-1)
    return {"frame_acc": float((guess == pred.label_ids).mean())}


def main():
    model_cfg, data_cfg = TaggerConfig(), DataConfig()
    set_seed(data_cfg.seed)
    bank = gesture_bank(model_cfg.n_channels, model_cfg.n_tags, data_cfg.seed)
    common = (data_cfg, model_cfg.n_channels, model_cfg.n_tags, bank)
    train_set = GestureStreams(data_cfg.n_train, *common, seed=data_cfg.seed + 1)
    test_set = GestureStreams(data_cfg.n_test, *common, seed=data_cfg.seed + 2)

    model = Tagger(model_cfg)
    print(f"{sum(p.numel() for p in model.parameters())} parameters")

    args = TrainingArguments(
        output_dir=tempfile.mkdtemp(),
        num_train_epochs=16,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=100,
        learning_rate=5e-3,
        lr_scheduler_type="cosine",
        warmup_steps=15,
        weight_decay=0.0,
        logging_steps=38,
        save_strategy="no",
        eval_strategy="no",
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
        seed=data_cfg.seed,
        dataloader_pin_memory=False,
    )
    trainer = Trainer(
        model=model, args=args, train_dataset=train_set, compute_metrics=frame_metrics)
    trainer.train()
    on_train = trainer.evaluate(train_set, metric_key_prefix="train")
    on_test = trainer.evaluate(test_set, metric_key_prefix="test")
    print(f"train frame acc {on_train['train_frame_acc']:.3f}")
    print(f"test loss {on_test['test_loss']:.4f}  test frame acc {on_test['test_frame_acc']:.3f}")


if __name__ == "__main__":
    main()
