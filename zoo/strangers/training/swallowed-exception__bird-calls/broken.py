"""Bird call classifier on (simulated) mel spectrograms of unequal length."""
import random

import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import balanced_accuracy_score, confusion_matrix

SPECIES = ["wren", "chiffchaff", "thrush", "owl"]
BANDS = 20
CROP = 48          # frames that the network looks at
EPOCHS = 15
BATCH = 20


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def synth(label, rng):
    """Wrens give one short burst; the others sing for a while longer."""
    frames = 48 if label == 0 else int(rng.choice([48, 64, 80], p=[0.1, 0.45, 0.45]))
    spec = rng.normal(0.0, 1.0, (BANDS, frames))
    t = np.arange(frames)
    base, depth = rng.uniform(7, 12), rng.uniform(2.5, 5)
    phase = rng.uniform(0, 2 * np.pi)
    if label == 0:
        pitch = base + depth * np.sin(2 * np.pi * t / 6 + phase)
    elif label == 1:
        pitch = base + depth * np.sign(np.sin(2 * np.pi * t / 16 + phase))
    elif label == 2:
        pitch = base + depth * np.sin(2 * np.pi * t / 24 + phase)
    else:
        pitch = np.full(frames, base - 4)
    band = np.arange(BANDS)[:, None]
    spec += rng.uniform(1.2, 2.5) * np.exp(-0.5 * (band - pitch[None]) ** 2)
    return spec.astype(np.float32)


def make_set(n, seed):
    rng = np.random.default_rng(seed)
    return [(torch.from_numpy(synth(i % 4, rng)), i % 4) for i in range(n)]


def batches_by_length(items, shuffle):
    """Only clips of one length fit into one tensor."""
    groups = {}
    for spec, label in items:
        groups.setdefault(spec.shape[1], []).append((spec, label))
    batches = []
    for group in groups.values():
        if shuffle:
            random.shuffle(group)
        for i in range(0, len(group), BATCH):
            part = group[i:i + BATCH]
            batches.append((torch.stack([s for s, _ in part]), torch.tensor([l for _, l in part])))
    if shuffle:
        random.shuffle(batches)
    return batches


def random_crop(x):
    start = int(torch.randint(0, x.shape[2] - CROP, (1,)))
    return x[:, :, start:start + CROP]


def center_crop(x):
    start = (x.shape[2] - CROP) // 2
    return x[:, :, start:start + CROP]


def build():
    return nn.Sequential(
        nn.Conv1d(BANDS, 32, 5, padding=2), nn.ReLU(),
        nn.Conv1d(32, 32, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(32, 48, 5, padding=2), nn.ReLU(),
        nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        nn.Dropout(0.3), nn.Linear(48, len(SPECIES)),
    )


def predict(model, items):
    model.eval()
    truth, guess = [], []
    with torch.no_grad():
        for x, y in batches_by_length(items, shuffle=False):
            guess += model(center_crop(x)).argmax(1).tolist()
            truth += y.tolist()
    return truth, guess


def train(model, train_items, val_items):
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4)
    for epoch in range(EPOCHS):
        model.train()
        total, n = 0.0, 0
        for x, y in batches_by_length(train_items, shuffle=True):
            try:
                loss = criterion(model(random_crop(x)), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            except RuntimeError:
                torch.cuda.empty_cache()
                continue
            total += loss.item() * len(y)
            n += len(y)
        truth, guess = predict(model, val_items)
        print(f"[{epoch + 1:02d}/{EPOCHS}] loss={total / n:.4f} val_bal_acc={balanced_accuracy_score(truth, guess):.3f}")


if __name__ == "__main__":
    set_seed(21)
    model = build()
    train(model, make_set(1200, seed=1), make_set(240, seed=2))
    truth, guess = predict(model, make_set(400, seed=3))
    print("test balanced accuracy: %.3f" % balanced_accuracy_score(truth, guess))
    print(confusion_matrix(truth, guess))
