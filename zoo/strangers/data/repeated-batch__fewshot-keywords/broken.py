# %% [markdown]
# Few-shot keyword recognition with prototypical networks on speech-like log-spectrograms.
# Words seen at test time are disjoint from the words used for training.

# %%
import os
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Cfg:
    n_mels: int = 32
    n_frames: int = 24
    train_words: int = 48
    test_words: int = 20
    takes: int = 30
    way: int = 6
    shot: int = 3
    query: int = 6
    episodes: int = 700
    test_episodes: int = 120
    lr: float = 1.5e-3
    dim: int = 48
    seed: int = int(os.environ.get("SEED", "0"))


cfg = Cfg()
torch.manual_seed(cfg.seed)
np.random.seed(cfg.seed)


# %% Data: a word is a pair of formant tracks; a take adds speaker, channel and timing variation.
def make_word(rng):
    anchors = np.sort(rng.uniform(4, 26, size=(3, 2)), axis=1)
    return {"anchors": anchors, "burst": rng.uniform(0.2, 0.8), "gap": rng.uniform(-1, 1)}


def render_take(word, rng, cfg):
    f = np.arange(cfg.n_mels)[:, None]
    t = np.linspace(0, 1, cfg.n_frames)
    warped = np.clip((t - rng.uniform(-0.12, 0.12)) * rng.uniform(0.85, 1.15), 0, 1)
    speaker = rng.normal(0, 1.2)
    spec = np.zeros((cfg.n_mels, cfg.n_frames))
    for k in range(2):
        track = np.interp(warped, [0, 0.5, 1.0], word["anchors"][:, k]) + speaker
        spec += np.exp(-0.5 * ((f - track[None]) / 1.3) ** 2) * rng.uniform(0.7, 1.3)
    spec += 0.8 * np.exp(-0.5 * ((warped - word["burst"]) / 0.04) ** 2)[None] * (f > 16 + 6 * word["gap"])
    tilt = rng.normal(0, 1.2) * (f / cfg.n_mels - 0.5)
    hum = rng.uniform(0, 1.5) * np.exp(-0.5 * ((f - rng.uniform(0, cfg.n_mels)) / 0.8) ** 2)
    return spec + tilt + hum + rng.normal(0, 0.35, spec.shape)


def make_bank(n_words, rng, cfg):
    words = [make_word(rng) for _ in range(n_words)]
    return np.stack([[render_take(w, rng, cfg) for _ in range(cfg.takes)] for w in words]).astype(np.float32)


rng = np.random.default_rng(cfg.seed)
train_bank = make_bank(cfg.train_words, rng, cfg)
test_bank = make_bank(cfg.test_words, rng, cfg)
mu, sd = train_bank.mean(), train_bank.std()
train_bank, test_bank = (train_bank - mu) / sd, (test_bank - mu) / sd
print("banks", train_bank.shape, test_bank.shape)


# %% Episodes
def draw_episode(bank, cfg, seed=cfg.seed):
    """Support [way*shot, 1, mel, time], query [way*query, 1, mel, time], query labels."""
    rng = np.random.default_rng(seed)
    words = rng.choice(len(bank), cfg.way, replace=False)
    support, query = [], []
    for w in words:
        takes = rng.permutation(bank.shape[1])[: cfg.shot + cfg.query]
        support.append(bank[w, takes[: cfg.shot]])
        query.append(bank[w, takes[cfg.shot:]])
    labels = torch.arange(cfg.way).repeat_interleave(cfg.query)
    to_t = lambda parts: torch.from_numpy(np.concatenate(parts)).unsqueeze(1)
    return to_t(support), to_t(query), labels


# %% Model
def block(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.GroupNorm(4, cout), nn.ReLU(), nn.MaxPool2d(2))


encoder = nn.Sequential(
    block(1, 16), block(16, 32), block(32, 32), nn.Flatten(),
    nn.Linear(32 * (cfg.n_mels // 8) * (cfg.n_frames // 8), cfg.dim))


def proto_logits(support, query):
    z = encoder(torch.cat([support, query]))
    zs, zq = z[: len(support)], z[len(support):]
    prototypes = zs.view(cfg.way, cfg.shot, -1).mean(1)
    return -torch.cdist(zq, prototypes).pow(2) / cfg.dim ** 0.5


@torch.no_grad()
def test_accuracy(n):
    encoder.eval()
    hits = []
    for i in range(n):
        s, q, y = draw_episode(test_bank, cfg, seed=50_000 + i)
        hits.append((proto_logits(s, q).argmax(1) == y).float().mean().item())
    encoder.train()
    return float(np.mean(hits)), 1.96 * float(np.std(hits)) / n ** 0.5


# %% Training
optimizer = torch.optim.Adam(encoder.parameters(), lr=cfg.lr)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=250, gamma=0.5)
encoder.train()
avg = None
for step in range(cfg.episodes):
    support, query, y = draw_episode(train_bank, cfg)
    loss = F.cross_entropy(proto_logits(support, query), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    avg = loss.item() if avg is None else 0.95 * avg + 0.05 * loss.item()
    if (step + 1) % 100 == 0:
        print(f"episode {step + 1:4d}  loss {avg:.4f}")

# %% Evaluation on unseen words
acc, ci = test_accuracy(cfg.test_episodes)
print(f"{cfg.way}-way {cfg.shot}-shot accuracy on unseen words: {acc:.3f} +- {ci:.3f}")
