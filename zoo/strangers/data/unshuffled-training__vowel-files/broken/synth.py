"""Writes little 'recordings' of sung vowels to disk, one .npy per clip: <vowel>_<speaker>_<take>.npy"""
import numpy as np

RATE = 4000
LENGTH = 512
FORMANTS = {  # rough first and second formant in Hz
    "a": (730, 1090),
    "e": (530, 1840),
    "i": (270, 1950),
    "o": (570, 840),
    "u": (300, 870),
}
VOWELS = sorted(FORMANTS)


def sing(vowel, pitch, tract, rng):
    t = np.arange(LENGTH) / RATE
    out = np.zeros(LENGTH)
    f1, f2 = (f * tract for f in FORMANTS[vowel])
    k = 1
    while k * pitch < RATE / 2:
        f = k * pitch
        gain = np.exp(-((f - f1) / 160) ** 2) + 0.7 * np.exp(-((f - f2) / 220) ** 2) + 0.03
        out += gain * np.sin(2 * np.pi * f * t + rng.uniform(0, 2 * np.pi))
        k += 1
    out = out / np.abs(out).max()
    return (out + rng.normal(0, 0.08, LENGTH)).astype(np.float32)


def write_corpus(folder, speakers, takes, seed):
    for name, first, count in speakers:
        target = folder / name
        target.mkdir(parents=True)
        for s in range(first, first + count):
            rng = np.random.default_rng([seed, s])
            pitch, tract = rng.uniform(95, 230), rng.uniform(0.9, 1.1)
            for vowel in VOWELS:
                for take in range(takes):
                    clip = sing(vowel, pitch * rng.uniform(0.9, 1.1), tract, rng)
                    np.save(target / f"{vowel}_s{s:03d}_{take:02d}.npy", clip)
