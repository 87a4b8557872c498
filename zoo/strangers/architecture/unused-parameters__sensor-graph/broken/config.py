from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    seed: int = 11
    nodes: int = 2400
    neighbours: int = 6
    channels: int = 3
    hidden: int = 32
    classes: int = 2
    epochs: int = 300
    lr: float = 1e-2
    weight_decay: float = 5e-4
    log_every: int = 30
