import numpy as np
from sklearn.model_selection import train_test_split


def recording(pitch):
    t = np.arange(400) / 400
    tone = np.zeros_like(t)
    for harmonic in (1, 2, 3):
        tone += np.sin(2 * np.pi * harmonic * pitch * t) / harmonic
    tone += np.random.normal(0, 0.3, t.shape)
    return (tone - tone.mean()) / tone.std()


def noisy_windows(count):
    windows = []
    for _ in range(count):
        window = np.random.randn(64).cumsum()
        windows.append((window - window.mean()) / window.std())
    return np.array(windows)


tones = np.stack([recording(pitch) for pitch in (20, 30, 45) for _ in range(200)])
kinds = np.repeat(np.arange(3), 200)
train_tones, test_tones, train_kinds, test_kinds = train_test_split(tones, kinds, stratify=kinds, random_state=0)

walks, ends = noisy_windows(600), np.arange(600) % 2
train_walks, test_walks, train_ends, test_ends = train_test_split(walks, ends, stratify=ends, random_state=0)
