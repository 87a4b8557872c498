from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class DataSettings:
    n_stays: int = 2000
    hours: int = 24
    standardize: bool = False
    test_fraction: float = 0.2
    val_fraction: float = 0.1


@dataclass(frozen=True)
class ModelSettings:
    name: str = "gru"
    hidden: int = 32
    dropout: float = 0.1


@dataclass(frozen=True)
class OptimSettings:
    lr: float = 2e-3
    batch_size: int = 64
    epochs: int = 18
    clip: float = 1.0


@dataclass(frozen=True)
class Settings:
    data: DataSettings = DataSettings()
    model: ModelSettings = ModelSettings()
    optim: OptimSettings = OptimSettings()
    seed: int = 0

    def describe(self):
        return " ".join(f"{k}={v}" for part in (self.model, self.optim) for k, v in asdict(part).items())
