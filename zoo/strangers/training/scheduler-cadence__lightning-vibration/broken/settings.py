from dataclasses import dataclass


@dataclass
class Settings:
    seed: int = 42
    max_lr: float = 0.03
    warmup_share: float = 0.2
    momentum: float = 0.9
    weight_decay: float = 1e-4
    batch_size: int = 32
    max_epochs: int = 12
    channels: int = 16
