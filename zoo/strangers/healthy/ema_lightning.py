"""Robot-arm inverse dynamics (simulated two-link arm) with Lightning.

The weights that are validated, tested and shipped are an exponential moving average of the trained ones.
"""
import logging
import math
import warnings

import lightning as L
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore", ".*does not have many workers.*")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def two_link_arm(n, seed):
    """Angles, speeds and accelerations -> the two joint torques (plus sensor noise)."""
    g = torch.Generator().manual_seed(seed)
    q, dq, ddq = (2 * torch.rand(3, n, 2, generator=g) - 1) * torch.tensor([math.pi, 2.0, 4.0]).view(3, 1, 1)
    c2, s2 = torch.cos(q[:, 1]), torch.sin(q[:, 1])
    m11, m12, m22 = 1.6 + 0.8 * c2, 0.4 + 0.4 * c2, 0.4
    grav1 = 9.8 * (0.9 * torch.cos(q[:, 0]) + 0.3 * torch.cos(q.sum(1)))
    grav2 = 9.8 * 0.3 * torch.cos(q.sum(1))
    t1 = m11 * ddq[:, 0] + m12 * ddq[:, 1] - 0.4 * s2 * (2 * dq[:, 0] * dq[:, 1] + dq[:, 1] ** 2) + grav1
    t2 = m12 * ddq[:, 0] + m22 * ddq[:, 1] + 0.4 * s2 * dq[:, 0] ** 2 + grav2
    tau = torch.stack([t1, t2], 1) + 0.3 * torch.randn(n, 2, generator=g)
    feats = torch.cat([torch.sin(q), torch.cos(q), dq / 2, ddq / 4], 1)
    return feats, tau


class Arm(L.LightningDataModule):
    def __init__(self, batch=128):
        super().__init__()
        self.batch = batch

    def setup(self, stage=None):
        raw = {"fit": two_link_arm(5000, 1), "val": two_link_arm(1000, 2), "test": two_link_arm(1500, 3)}
        x, t = raw["fit"]
        self.stats = x.mean(0), x.std(0), t.mean(0), t.std(0)
        mx, sx, mt, st = self.stats
        self.sets = {k: TensorDataset((x - mx) / sx, (t - mt) / st) for k, (x, t) in raw.items()}

    def train_dataloader(self):
        return DataLoader(self.sets["fit"], self.batch, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.sets["val"], 1000)

    def test_dataloader(self):
        return DataLoader(self.sets["test"], 1500)


class InverseDynamics(L.LightningModule):
    def __init__(self, width=64, lr=4e-3, epochs=30, steps_per_epoch=39, decay=0.98):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(8, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2))
        self.ema = AveragedModel(self.net, multi_avg_fn=get_ema_multi_avg_fn(decay))
        self.ema.requires_grad_(False)        # follows self.net; never trained itself
        self.loss = nn.MSELoss()

    def training_step(self, batch, _):
        x, t = batch
        loss = self.loss(self.net(x), t)
        self.log("train", loss, on_epoch=True, on_step=False, batch_size=len(x))
        return loss

    def on_train_batch_end(self, *_):
        self.ema.update_parameters(self.net)  # after the optimizer's step

    def validation_step(self, batch, _):
        x, t = batch
        self.log("val", self.loss(self.ema(x), t), batch_size=len(x))
        self.log("val_raw", self.loss(self.net(x), t), batch_size=len(x))

    def test_step(self, batch, _):
        x, t = batch
        y = self.ema(x)
        self.log("test", self.loss(y, t), batch_size=len(x))
        self.log("test_r2", 1 - (y - t).square().sum() / (t - t.mean(0)).square().sum(), batch_size=len(x))

    def on_validation_epoch_end(self):
        m, e = self.trainer.callback_metrics, self.current_epoch
        if not self.trainer.sanity_checking and (e % 5 == 0 or e == self.hparams.epochs - 1):
            raw, avg = m["val_raw"].item(), m["val"].item()
            print(f"epoch {e:2d}  val raw {raw:.5f}  val ema {avg:.5f}")

    def on_train_epoch_end(self):
        e = self.current_epoch
        if e % 5 == 0 or e == self.hparams.epochs - 1:
            print(f"epoch {e:2d}  train {self.trainer.callback_metrics['train'].item():.5f}")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.net.parameters(), lr=self.hparams.lr, weight_decay=1e-3)
        total, warm = self.hparams.epochs * self.hparams.steps_per_epoch, 60

        def shape(s):
            return (s + 1) / warm if s < warm else 0.02 + 0.49 * (1 + math.cos(math.pi * (s - warm) / (total - warm)))

        sched = torch.optim.lr_scheduler.LambdaLR(opt, shape)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


if __name__ == "__main__":
    L.seed_everything(8, workers=True, verbose=False)
    arm = Arm()
    model = InverseDynamics()
    trainer = L.Trainer(max_epochs=model.hparams.epochs, accelerator="cpu", devices=1, logger=False, deterministic=True,
                        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(model, datamodule=arm)
    trainer.test(model, datamodule=arm)
    var = arm.stats[3] ** 2
    print(f"noise floor of the scaled targets: {(0.3 ** 2 / var).mean().item():.5f}")
