"""Domain-adversarial regression between two turbine sites, Lightning with manual optimization.

The encoder learns features that predict power at site A while a critic tries to tell the sites apart; the encoder is
rewarded for fooling it. Site B has labels only for the final check.
"""
import logging
import warnings

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import Callback
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore", ".*does not have many workers.*")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def site(n, rng, offset):
    """Four physical channels drive the power; four site channels carry nothing but the site's own offset."""
    physical = rng.normal(size=(n, 4))
    nuisance = rng.normal(size=(n, 4)) + offset
    power = np.tanh(physical[:, 0] + 0.5 * physical[:, 1]) + 0.4 * physical[:, 2] * physical[:, 3]
    power = power + 0.05 * rng.normal(size=n)
    return np.hstack([physical, nuisance]).astype(np.float32), power.astype(np.float32)


class Adversarial(L.LightningModule):
    def __init__(self, hidden: int = 48, strength: float = 0.1):
        super().__init__()
        self.automatic_optimization = False
        self.strength = strength
        self.encoder = nn.Sequential(nn.Linear(8, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.regressor = nn.Linear(hidden, 1)
        self.critic = nn.Sequential(nn.Linear(hidden, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.regressor(self.encoder(x)).squeeze(-1)

    def configure_optimizers(self):
        task = torch.optim.Adam([*self.encoder.parameters(), *self.regressor.parameters()], lr=3e-3)
        critic = torch.optim.Adam(self.critic.parameters(), lr=3e-3)
        plans = [torch.optim.lr_scheduler.CosineAnnealingLR(o, T_max=self.trainer.max_epochs) for o in (task, critic)]
        return [task, critic], plans

    def on_train_epoch_end(self):
        for plan in self.lr_schedulers():
            plan.step()

    def training_step(self, batch, batch_idx):
        xa, ya, xb = batch
        task_opt, critic_opt = self.optimizers()

        with torch.no_grad():
            frozen = self.encoder(torch.cat([xa, xb]))
        is_b = torch.cat([torch.zeros(len(xa)), torch.ones(len(xb))])
        critic_loss = F.binary_cross_entropy_with_logits(self.critic(frozen).squeeze(-1), is_b)
        critic_opt.zero_grad()
        self.manual_backward(critic_loss)
        critic_opt.step()

        self.toggle_optimizer(task_opt)
        za, zb = self.encoder(xa), self.encoder(xb)
        fit = F.mse_loss(self.regressor(za).squeeze(-1), ya)
        verdict = self.critic(torch.cat([za, zb])).squeeze(-1)
        confusion = F.binary_cross_entropy_with_logits(verdict, torch.full_like(verdict, 0.5))
        task_opt.zero_grad()
        self.manual_backward(fit + self.strength * confusion)
        task_opt.step()
        self.untoggle_optimizer(task_opt)
        self.log_dict({"fit": fit, "critic": critic_loss}, on_step=False, on_epoch=True, batch_size=len(xa))

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_mse", F.mse_loss(self(x), y), batch_size=len(y))

    def test_step(self, batch, batch_idx, dataloader_idx=0):
        x, y = batch
        self.log("mse", F.mse_loss(self(x), y), batch_size=len(y))


class Printer(Callback):
    def on_train_epoch_end(self, trainer, module):
        if trainer.current_epoch % 5 == 4:
            print(trainer.current_epoch + 1, {k: round(v.item(), 4) for k, v in trainer.callback_metrics.items()})


def main():
    L.seed_everything(6, workers=True)
    rng = np.random.default_rng(6)
    (xa, ya), (xv, yv), (xt, yt) = site(1600, rng, 0.0), site(300, rng, 0.0), site(400, rng, 0.0)
    xb, _ = site(1600, rng, 1.0)
    xbt, ybt = site(400, rng, 1.0)
    both = np.vstack([xa, xb])
    centre, spread = both.mean(0), both.std(0)

    def ready(*arrays):
        first, *rest = arrays
        return [torch.from_numpy((first - centre) / spread), *map(torch.from_numpy, rest)]

    train = TensorDataset(*ready(xa, ya), *ready(xb))
    module = Adversarial()
    trainer = L.Trainer(
        max_epochs=30, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False, num_sanity_val_steps=0,
        enable_progress_bar=False, enable_model_summary=False, callbacks=[Printer()],
    )
    trainer.fit(module, DataLoader(train, 100, shuffle=True), DataLoader(TensorDataset(*ready(xv, yv)), 300))
    sites = [DataLoader(TensorDataset(*ready(*pair)), 400) for pair in ((xt, yt), (xbt, ybt))]
    scores = trainer.test(module, sites, verbose=False)
    print({k: round(v, 4) for row in scores for k, v in row.items()}, f"target variance {yt.var():.3f}")


if __name__ == "__main__":
    main()
