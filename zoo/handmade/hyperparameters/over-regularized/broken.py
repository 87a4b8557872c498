"""Two tasks from one trunk: name a star's class and estimate its temperature from its spectrum."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    n_train: int = 3000
    n_test: int = 1000
    n_channels: int = 30
    width: int = 64
    batch_size: int = 60
    epochs: int = 14
    lr: float = 2e-3
    weight_decay: float = 0.1
    seed: int = 31


def spectra(cfg, n, gen):
    wave = torch.linspace(-1, 1, cfg.n_channels)
    temperature = torch.rand(n, generator=gen) * 2 - 1
    star_class = torch.randint(5, (n,), generator=gen)
    continuum = torch.exp(-((wave - 0.6 * temperature[:, None]) ** 2))
    line_at = torch.tensor([-0.6, -0.3, 0.0, 0.3, 0.6])[star_class]
    dip = torch.exp(-(((wave - line_at[:, None]) / 0.1) ** 2))
    depth = 0.15 + 0.1 * torch.rand(n, 1, generator=gen)
    noise = 0.06 * torch.randn(n, cfg.n_channels, generator=gen)
    return continuum - depth * dip + noise, star_class, temperature


class StarNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(cfg.n_channels, cfg.width),
            nn.ReLU(),
            nn.Linear(cfg.width, cfg.width),
            nn.ReLU(),
        )
        self.class_head = nn.Linear(cfg.width, 5)
        self.temp_head = nn.Linear(cfg.width, 1)

    def forward(self, x):
        features = self.trunk(x)
        return self.class_head(features), self.temp_head(features).squeeze(1)


class Experiment:
    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        gen = torch.Generator().manual_seed(cfg.seed)
        x, star_class, temperature = spectra(cfg, cfg.n_train, gen)
        x_test, self.test_class, test_temperature = spectra(cfg, cfg.n_test, gen)
        mean, std = x.mean(0), x.std(0)
        t_mean, t_std = temperature.mean(), temperature.std()
        self.x_test = (x_test - mean) / std
        self.test_temp = (test_temperature - t_mean) / t_std
        train_set = TensorDataset((x - mean) / std, star_class, (temperature - t_mean) / t_std)
        self.loader = DataLoader(train_set, batch_size=cfg.batch_size, shuffle=True)

        self.model = StarNet(cfg)
        self.ce = nn.CrossEntropyLoss()
        self.mse = nn.MSELoss()
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay
        )
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, cfg.epochs)

    def train(self):
        for epoch in range(1, self.cfg.epochs + 1):
            self.model.train()
            sums = torch.zeros(2)
            for x, star_class, temperature in self.loader:
                self.optimizer.zero_grad()
                logits, predicted = self.model(x)
                class_loss = self.ce(logits, star_class)
                temp_loss = self.mse(predicted, temperature)
                (class_loss + temp_loss).backward()
                self.optimizer.step()
                sums += torch.tensor([class_loss.item(), temp_loss.item()])
            self.scheduler.step()
            c, t = (sums / len(self.loader)).tolist()
            print(f"epoch {epoch:2d}  class loss {c:.4f}  temperature loss {t:.4f}")

    @torch.no_grad()
    def report(self):
        self.model.eval()
        logits, predicted = self.model(self.x_test)
        accuracy = (logits.argmax(1) == self.test_class).float().mean().item()
        rmse = (predicted - self.test_temp).square().mean().sqrt().item()
        print(f"test temperature rmse {rmse:.3f}")
        print(f"test class accuracy {accuracy:.3f}")


if __name__ == "__main__":
    experiment = Experiment(Config())
    experiment.train()
    experiment.report()
