"""Forecast river discharge six hours ahead from rainfall, temperature and past discharge (simulated catchment)."""
import logging
import math
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("river")

WINDOW, HORIZON = 48, 6


def simulate(hours, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(hours)
    temp = 10 + 8 * np.sin(2 * np.pi * t / 2400) + 3 * np.sin(2 * np.pi * t / 24) + rng.normal(0, 1, hours)
    rain = np.zeros(hours)
    for start in np.flatnonzero(rng.random(hours) < 0.012):
        length = rng.integers(4, 24)
        rain[start:start + length] += rng.lognormal(0.0, 0.9)
    fast, slow, flow = 0.0, 5.0, np.zeros(hours)
    for i in range(hours):
        wet = rain[max(0, i - 5)]
        fast = 0.90 * fast + 0.8 * wet
        slow = 0.995 * slow + 0.05 * wet - 0.0008 * max(temp[i], 0)
        flow[i] = 0.5 + 0.25 * fast ** 1.5 + 0.3 * max(slow, 0)
    flow = flow * np.exp(rng.normal(0, 0.02, hours))
    return np.stack([rain, temp, flow], 1).astype(np.float32)


class Windows(Dataset):
    def __init__(self, series):
        self.x = torch.from_numpy(series)

    def __len__(self):
        return len(self.x) - WINDOW - HORIZON

    def __getitem__(self, i):
        return self.x[i:i + WINDOW], self.x[i + WINDOW + HORIZON - 1, 2]


class FlowRNN(nn.Module):
    def __init__(self, n_in=3, hidden=64):
        super().__init__()
        self.rnn = nn.RNN(n_in, hidden, num_layers=1, nonlinearity="relu", batch_first=True)
        nn.init.orthogonal_(self.rnn.weight_hh_l0)
        nn.init.zeros_(self.rnn.bias_hh_l0)
        nn.init.zeros_(self.rnn.bias_ih_l0)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        h, _ = self.rnn(x)
        return self.head(h[:, -1]).squeeze(-1)


class Trainer:
    def __init__(self, model, train, valid, lr=0.05, max_norm=0.25, epochs=8):
        self.model, self.epochs, self.max_norm = model, epochs, max_norm
        g = torch.Generator().manual_seed(0)
        self.train_dl = DataLoader(train, batch_size=64, shuffle=True, drop_last=True, generator=g)
        self.valid_dl = DataLoader(valid, batch_size=512)
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, epochs)
        self.loss_fn = nn.MSELoss()

    def step(self, x, y):
        self.opt.zero_grad()
        loss = self.loss_fn(self.model(x), y)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        loss.backward()
        self.opt.step()
        return loss.item()

    def fit(self):
        for epoch in range(self.epochs):
            self.model.train()
            losses = [self.step(x, y) for x, y in self.train_dl]
            self.sched.step()
            log.info("epoch %2d  train mse %.4f  valid mse %.4f", epoch, float(np.mean(losses)), self.mse(self.valid_dl))

    @torch.no_grad()
    def mse(self, loader):
        self.model.eval()
        err, n = 0.0, 0
        for x, y in loader:
            err += ((self.model(x) - y) ** 2).sum().item()
            n += len(y)
        return err / n


def main():
    random.seed(11)
    np.random.seed(11)
    torch.manual_seed(11)
    series = simulate(9000, seed=5)
    train, valid, test = series[:6000], series[6000:7500], series[7500:]
    mean, std = train.mean(0), train.std(0)
    train, valid, test = [(s - mean) / std for s in (train, valid, test)]

    trainer = Trainer(FlowRNN(), Windows(train), Windows(valid))
    trainer.fit()
    test_set = Windows(test)
    mse = trainer.mse(DataLoader(test_set, batch_size=512))
    targets = torch.stack([test_set[i][1] for i in range(len(test_set))])
    log.info("test rmse %.4f (in standard deviations)", math.sqrt(mse))
    log.info("test NSE  %.4f", 1 - mse / targets.var(unbiased=False).item())


if __name__ == "__main__":
    main()
