from dataclasses import dataclass, field


@dataclass
class DataConfig:
    length: int = 160
    noise: float = 0.18
    counts: dict = field(default_factory=lambda: {"N": 380, "S": 190, "V": 220, "F": 120, "Q": 150})


@dataclass
class TrainConfig:
    folds: int = 5
    epochs: int = 12
    batch_size: int = 48
    lr: float = 2e-3
    weight_decay: float = 1e-3
    seed: int = 0
    data: DataConfig = field(default_factory=DataConfig)
