from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    users: int = 400
    items: int = 250
    factors: int = 2
    ratings: int = 40000
    dim: int = 8
    batch_size: int = 256
    ref_batch: int = 512      # base_lr was tuned at this batch size
    base_lr: float = 1e-2
    weight_decay: float = 0.1
    epochs: int = 14
    seed: int = 77
