from dataclasses import dataclass


@dataclass
class Settings:
    n_users: int = 500
    n_items: int = 300
    ratings_per_user: int = 150
    dim: int = 6
    batch_size: int = 512
    epochs: int = 60
    lr: float = 2e-3
    weight_decay: float = 1e-2
    seed: int = 1
