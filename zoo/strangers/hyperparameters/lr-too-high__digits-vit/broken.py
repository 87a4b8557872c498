"""A small vision transformer on the 8x8 digits, trained with Lightning."""
import logging
import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class DigitsData(L.LightningDataModule):
    def __init__(self, batch_size=64, seed=0):
        super().__init__()
        self.batch_size = batch_size
        self.seed = seed

    def setup(self, stage=None):
        d = load_digits()
        x_tr, x_te, y_tr, y_te = train_test_split(
            d.images, d.target, test_size=0.2, stratify=d.target, random_state=self.seed)
        x_tr, x_va, y_tr, y_va = train_test_split(
            x_tr, y_tr, test_size=0.15, stratify=y_tr, random_state=self.seed)
        mean, std = x_tr.mean(), x_tr.std()

        def wrap(x, y):
            x = torch.tensor((x - mean) / std, dtype=torch.float32).unsqueeze(1)
            return TensorDataset(x, torch.tensor(y))

        self.train_set, self.val_set, self.test_set = wrap(x_tr, y_tr), wrap(x_va, y_va), wrap(x_te, y_te)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True, drop_last=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=256)

    def test_dataloader(self):
        return DataLoader(self.test_set, batch_size=256)


class TinyViT(nn.Module):
    def __init__(self, dim=32, depth=2, heads=4, n_classes=10):
        super().__init__()
        self.patch = nn.Sequential(
            nn.Conv2d(1, 16, kernel_size=3, padding=1), nn.GELU(),
            nn.Conv2d(16, dim, kernel_size=2, stride=2))
        self.cls = nn.Parameter(torch.randn(1, 1, dim) * 0.02)
        self.pos = nn.Parameter(torch.randn(1, 17, dim) * 0.02)
        layer = nn.TransformerEncoderLayer(
            dim, heads, dim_feedforward=2 * dim, dropout=0.1, activation="gelu",
            batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, n_classes)

    def forward(self, x):
        tokens = self.patch(x).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.cls.expand(len(x), -1, -1), tokens], dim=1) + self.pos
        return self.head(self.norm(self.encoder(tokens)[:, 0]))


class Classifier(L.LightningModule):
    def __init__(self, lr=5e-2, weight_decay=0.01, jitter=0.4):
        super().__init__()
        self.save_hyperparameters()
        self.net = TinyViT()

    def training_step(self, batch, _):
        x, y = batch
        x = x + self.hparams.jitter * torch.randn_like(x)
        loss = F.cross_entropy(self.net(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def _shared_eval(self, batch, stage):
        x, y = batch
        logits = self.net(x)
        self.log(f"{stage}_loss", F.cross_entropy(logits, y), batch_size=len(x))
        self.log(f"{stage}_acc", (logits.argmax(1) == y).float().mean(), batch_size=len(x))

    def validation_step(self, batch, _):
        self._shared_eval(batch, "val")

    def test_step(self, batch, _):
        self._shared_eval(batch, "test")

    def configure_optimizers(self):
        return torch.optim.AdamW(
            self.parameters(), lr=self.hparams.lr, weight_decay=self.hparams.weight_decay)


class PrintEpoch(L.Callback):
    def on_train_epoch_end(self, trainer, module):
        m = trainer.callback_metrics
        if trainer.current_epoch % 3 == 0:
            print(f"epoch {trainer.current_epoch:2d}  train loss {m['train_loss']:.4f}  "
                  f"val loss {m['val_loss']:.4f}  val acc {m['val_acc']:.3f}")


def main():
    L.seed_everything(7)
    trainer = L.Trainer(
        max_epochs=20, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
        callbacks=[PrintEpoch()])
    data, model = DigitsData(), Classifier()
    trainer.fit(model, datamodule=data)
    result = trainer.test(model, datamodule=data, verbose=False)[0]
    print(f"test loss {result['test_loss']:.4f}  test acc {result['test_acc']:.3f}")


if __name__ == "__main__":
    main()
