import torch
import torch.nn as nn


class LogSpectrum(nn.Module):
    def __init__(self, n_fft=128, hop=64):
        super().__init__()
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))

    def forward(self, clip):
        spec = torch.stft(clip, self.n_fft, self.hop, window=self.window, return_complex=True).abs()
        logspec = torch.log(spec + 1e-3)
        mean = logspec.mean(dim=(1, 2), keepdim=True)
        std = logspec.std(dim=(1, 2), keepdim=True)
        return (logspec - mean) / (std + 1e-5)


class VowelNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.spec = LogSpectrum()
        self.body = nn.Sequential(
            nn.Conv1d(65, 48, 3, padding=1), nn.ReLU(),
            nn.Conv1d(48, 48, 3, padding=1), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(),
            nn.Dropout(0.1),
            nn.Linear(48, classes),
        )

    def forward(self, clip):
        return self.body(self.spec(clip))
