"""Gesture recognition from short low-resolution clips, trained with the Hugging Face Trainer."""
import os
import tempfile
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset
from transformers import Trainer, TrainerCallback, TrainingArguments, set_seed
from transformers.utils import logging as hf_logging

hf_logging.set_verbosity_error()
GESTURES = ["left", "right", "up", "down", "clockwise", "counter-clockwise", "zoom", "shake"]


@dataclass
class ClipConfig:
    frames: int = 10
    size: int = 14
    n_train: int = 1400
    n_eval: int = 320
    dim: int = 48
    heads: int = 4
    layers: int = 2
    num_labels: int = len(GESTURES)


def trajectory(kind, t, rng):
    amp, phase = rng.uniform(3.0, 4.5), rng.uniform(0, 2 * np.pi)
    u = amp * (2 * t - 1)
    zero = np.zeros_like(t)
    jitter = rng.normal(0, 0.6, 2)
    paths = {
        0: (-u, zero), 1: (u, zero), 2: (zero, -u), 3: (zero, u),
        4: (amp * np.cos(6.28 * t + phase), amp * np.sin(6.28 * t + phase)),
        5: (amp * np.cos(6.28 * t + phase), -amp * np.sin(6.28 * t + phase)),
        6: (zero, zero),
        7: (amp * np.sin(12.56 * t + phase), zero),
    }
    x, y = paths[kind]
    return x + jitter[0], y + jitter[1]


def render_clip(kind, cfg, rng):
    t = np.linspace(0, 1, cfg.frames)
    xs, ys = trajectory(kind, t, rng)
    radius = 1.2 + (2.2 * t if kind == 6 else 0 * t) + rng.uniform(-0.2, 0.2)
    grid = np.arange(cfg.size) - (cfg.size - 1) / 2
    d2 = (grid[None, None, :] - xs[:, None, None]) ** 2 + (grid[None, :, None] - ys[:, None, None]) ** 2
    return np.exp(-d2 / (2 * radius[:, None, None] ** 2)) + rng.normal(0, 0.3, (cfg.frames, cfg.size, cfg.size))


class Clips(Dataset):
    def __init__(self, n, cfg, rng, stats=None):
        self.labels = rng.integers(0, cfg.num_labels, n)
        raw = np.stack([render_clip(k, cfg, rng) for k in self.labels]).astype(np.float32)
        self.stats = stats or (raw.mean(), raw.std())
        self.clips = torch.from_numpy((raw - self.stats[0]) / self.stats[1])

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {"pixel_values": self.clips[i], "labels": int(self.labels[i])}


class FrameEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.GELU(), nn.Conv2d(16, 16, 3, stride=2, padding=1), nn.GELU(),
            nn.Flatten(), nn.Linear(16 * 16, dim))

    def forward(self, x):
        return self.net(x)


class ClipTransformer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.frame_encoder = FrameEncoder(cfg.dim)
        self.position = nn.Parameter(0.02 * torch.randn(cfg.frames, 1, cfg.dim))
        layer = nn.TransformerEncoderLayer(cfg.dim, cfg.heads, 2 * cfg.dim, dropout=0.1, norm_first=True)
        self.temporal = nn.TransformerEncoder(layer, cfg.layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(cfg.dim)
        self.classifier = nn.Linear(cfg.dim, cfg.num_labels)

    def forward(self, pixel_values, labels=None):
        b, t, h, w = pixel_values.shape
        frames = self.frame_encoder(pixel_values.reshape(b * t, 1, h, w))
        tokens = frames.view(t, b, -1) + self.position
        pooled = self.norm(self.temporal(tokens)).mean(dim=0)
        logits = self.classifier(pooled)
        if labels is None:
            return {"logits": logits}
        return {"loss": F.cross_entropy(logits, labels), "logits": logits}


class PrintLog(TrainerCallback):
    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        print(f"epoch {state.epoch:.0f}  eval loss {metrics['eval_loss']:.4f}  accuracy {metrics['eval_accuracy']:.3f}")


def compute_metrics(pred):
    return {"accuracy": float((pred.predictions.argmax(-1) == pred.label_ids).mean())}


def main():
    seed = int(os.environ.get("SEED", 0))
    set_seed(seed)
    cfg = ClipConfig()
    rng = np.random.default_rng(seed)
    train_set = Clips(cfg.n_train, cfg, rng)
    eval_set = Clips(cfg.n_eval, cfg, rng, stats=train_set.stats)
    with tempfile.TemporaryDirectory() as out:
        args = TrainingArguments(
            output_dir=out, num_train_epochs=12, per_device_train_batch_size=32, per_device_eval_batch_size=64,
            learning_rate=1.5e-3, weight_decay=0.01, warmup_steps=40, lr_scheduler_type="cosine", eval_strategy="epoch",
            save_strategy="no", logging_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True, seed=seed,
            dataloader_drop_last=False)
        trainer = Trainer(ClipTransformer(cfg), args, train_dataset=train_set, eval_dataset=eval_set,
                          compute_metrics=compute_metrics, callbacks=[PrintLog()])
        trainer.train()
        metrics = trainer.evaluate()
    print(f"final accuracy {metrics['eval_accuracy']:.3f}")


if __name__ == "__main__":
    main()
