import wave
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import Dataset


class SpeechCommands(Dataset):
    """Mono one-second clips and the index of the spoken word."""

    def __init__(self, root: str, words: list[str], length: int = 16000):
        self.items = [(p, words.index(p.parent.name)) for p in sorted(Path(root).glob("*/*.wav"))]
        self.length = length

    def __len__(self) -> int:
        return len(self.items)

    def _read(self, path: Path) -> np.ndarray:
        with wave.open(str(path)) as f:
            raw = np.frombuffer(f.readframes(f.getnframes()), dtype=np.int16)
        stereo = raw.reshape(-1, 2)
        mono = (stereo[:, 0] + stereo[:, 1]) // 2
        mono = mono[: self.length]
        return np.pad(mono, (0, self.length - len(mono)))

    def __getitem__(self, i: int):
        path, label = self.items[i]
        wav = self._read(path).astype(np.float32) / 32768.0
        return torch.from_numpy(wav).unsqueeze(0), label
