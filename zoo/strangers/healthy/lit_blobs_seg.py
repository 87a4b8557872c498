import logging
import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")
for n in ("lightning.pytorch", "lightning.fabric", "lightning.pytorch.utilities.rank_zero"):
    logging.getLogger(n).setLevel(logging.ERROR)


class Shapes(Dataset):
    """32x32 noisy scenes. Classes: 0 background, 1 disc, 2 filled square."""

    def __init__(self, n, seed, train=False):
        g = torch.Generator().manual_seed(seed)
        self.train = train
        yy, xx = torch.meshgrid(torch.arange(32.0), torch.arange(32.0), indexing="ij")
        self.x, self.y = torch.zeros(n, 1, 32, 32), torch.zeros(n, 32, 32, dtype=torch.long)
        for i in range(n):
            for kind in (1, 2):
                for _ in range(int(torch.randint(1, 3, (1,), generator=g))):
                    cx, cy = (torch.rand(2, generator=g) * 24 + 4).tolist()
                    rad = float(torch.rand(1, generator=g) * 2.5 + 2.5)
                    if kind == 1:
                        m = (xx - cx) ** 2 + (yy - cy) ** 2 < rad ** 2
                    else:
                        m = torch.maximum((xx - cx).abs(), (yy - cy).abs()) < rad * 0.9
                    self.y[i][m] = kind
                    self.x[i, 0][m] = 0.6 if kind == 1 else 0.9
            self.x[i] += 0.12 * torch.randn(1, 32, 32, generator=g)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x, y = self.x[i], self.y[i]
        if self.train:
            if torch.rand(()) < 0.5:
                x, y = x.flip(-1), y.flip(-1)
            k = int(torch.randint(4, ()))
            x, y = x.rot90(k, (-2, -1)), y.rot90(k, (-2, -1))
            x = x * (0.9 + 0.2 * torch.rand(()))
        return x, y


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, w=12):
        super().__init__()
        self.d1, self.d2, self.mid = block(1, w), block(w, 2 * w), block(2 * w, 4 * w)
        self.u2, self.u1 = block(6 * w, 2 * w), block(3 * w, w)
        self.drop = nn.Dropout2d(0.1)
        self.out = nn.Conv2d(w, 3, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        c = self.drop(self.mid(F.max_pool2d(b, 2)))
        b = self.u2(torch.cat([F.interpolate(c, scale_factor=2), b], 1))
        return self.out(self.u1(torch.cat([F.interpolate(b, scale_factor=2), a], 1)))


class Segmenter(L.LightningModule):
    def __init__(self, lr=1e-2, max_epochs=12):
        super().__init__()
        self.save_hyperparameters()
        self.net = UNet()
        self.register_buffer("weights", torch.tensor([0.5, 1.0, 1.0]))
        self.register_buffer("conf", torch.zeros(3, 3), persistent=False)

    def objective(self, logits, y):
        ce = F.cross_entropy(logits, y, weight=self.weights)
        p, t = logits.softmax(1)[:, 1:], F.one_hot(y, 3).movedim(-1, 1)[:, 1:]
        dice = (2 * (p * t).sum((0, 2, 3)) + 1) / (p.sum((0, 2, 3)) + t.sum((0, 2, 3)) + 1)
        return ce + 1 - dice.mean()

    def training_step(self, batch, _):
        x, y = batch
        loss = self.objective(self.net(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def _eval(self, batch, tag):
        x, y = batch
        logits = self.net(x)
        self.log(f"{tag}_loss", self.objective(logits, y))
        self.conf += torch.bincount(y.flatten() * 3 + logits.argmax(1).flatten(), minlength=9).view(3, 3)

    def _miou(self, tag):
        tp = self.conf.diag()
        iou = tp / (self.conf.sum(0) + self.conf.sum(1) - tp)
        self.log(f"{tag}_miou", iou.mean())
        self.conf.zero_()
        return iou

    def validation_step(self, batch, _):
        self._eval(batch, "val")

    def on_validation_epoch_end(self):
        self._miou("val")

    def test_step(self, batch, _):
        self._eval(batch, "test")

    def on_test_epoch_end(self):
        print("per-class IoU:", [round(v, 4) for v in self._miou("test").tolist()])

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:>2}: train_loss {m['train_loss']:.4f} val_loss {m['val_loss']:.4f} val_mIoU {m['val_miou']:.4f}")

    def configure_optimizers(self):
        opt = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        return [opt], [torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.hparams.max_epochs)]


if __name__ == "__main__":
    import tempfile
    L.seed_everything(21, verbose=False)
    with tempfile.TemporaryDirectory() as d:
        ckpt = ModelCheckpoint(d, monitor="val_loss")
        trainer = L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_progress_bar=False, enable_model_summary=False,
                            num_sanity_val_steps=0, callbacks=[ckpt, EarlyStopping("val_loss", patience=6)])
        model = Segmenter()
        trainer.fit(model, DataLoader(Shapes(360, 1, train=True), batch_size=16, shuffle=True, drop_last=True), DataLoader(Shapes(60, 2), batch_size=60))
        res = trainer.test(model, DataLoader(Shapes(120, 3), batch_size=60), ckpt_path=ckpt.best_model_path, verbose=False)
    print({k: round(v, 4) for k, v in res[0].items()})
