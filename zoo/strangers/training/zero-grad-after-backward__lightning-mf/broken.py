"""Rating prediction with LightningModule: embeddings and interaction MLP use different optimizers."""
import logging
import warnings

import lightning as L
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

N_USERS, N_ITEMS, N_RATINGS = 400, 250, 24000


class Ratings(L.LightningDataModule):
    def __init__(self, batch_size=256, seed=0):
        super().__init__()
        self.batch_size = batch_size
        rng = np.random.default_rng(seed)
        pu, qi = rng.normal(0, 0.6, (N_USERS, 4)), rng.normal(0, 0.6, (N_ITEMS, 4))
        bu, bi = rng.normal(0, 0.45, N_USERS), rng.normal(0, 0.55, N_ITEMS)
        cells = rng.choice(N_USERS * N_ITEMS, N_RATINGS, replace=False)
        u, i = cells // N_ITEMS, cells % N_ITEMS
        r = 3.4 + bu[u] + bi[i] + (pu[u] * qi[i]).sum(1) + rng.normal(0, 0.3, N_RATINGS)
        r = np.clip(np.round(2 * r) / 2, 0.5, 5.0)
        data = [torch.from_numpy(u), torch.from_numpy(i), torch.from_numpy(r.astype(np.float32))]
        a, b = int(0.8 * N_RATINGS), int(0.9 * N_RATINGS)
        self.parts = {k: TensorDataset(*(d[s] for d in data)) for k, s in
                      {"fit": slice(0, a), "val": slice(a, b), "test": slice(b, None)}.items()}
        self.mean = data[2][:a].mean().item()
        self.spread = data[2][b:].std().item()

    def train_dataloader(self):
        return DataLoader(self.parts["fit"], self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.parts["val"], 1024)

    def test_dataloader(self):
        return DataLoader(self.parts["test"], 1024)


class NeuralMF(L.LightningModule):
    def __init__(self, mean, dim=8, lr_emb=5e-3, lr_net=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.user = nn.Embedding(N_USERS, dim)
        self.item = nn.Embedding(N_ITEMS, dim)
        self.user_bias = nn.Embedding(N_USERS, 1)
        self.item_bias = nn.Embedding(N_ITEMS, 1)
        for e in (self.user, self.item, self.user_bias, self.item_bias):
            nn.init.normal_(e.weight, std=0.1)
        self.mlp = nn.Sequential(nn.Linear(3 * dim, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
        self.history = []

    def forward(self, u, i):
        p, q = self.user(u), self.item(i)
        x = self.mlp(torch.cat([p, q, p * q], 1)) + self.user_bias(u) + self.item_bias(i)
        return self.hparams.mean + x.squeeze(1) + (p * q).sum(1)

    def configure_optimizers(self):
        tables = [p for n, p in self.named_parameters() if not n.startswith("mlp")]
        return [
            torch.optim.AdamW(tables, lr=self.hparams.lr_emb, weight_decay=0.05),
            torch.optim.AdamW(self.mlp.parameters(), lr=self.hparams.lr_net),
        ]

    def training_step(self, batch, _):
        u, i, r = batch
        loss = nn.functional.mse_loss(self(u, i), r)
        self.manual_backward(loss)
        for opt in self.optimizers():
            opt.zero_grad()
            opt.step()
        self.log("fit_mse", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        u, i, r = batch
        self.log("val_mse", nn.functional.mse_loss(self(u, i), r), batch_size=len(r))

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d}  fit rmse {float(m['fit_mse']) ** 0.5:.4f}  val rmse {float(m['val_mse']) ** 0.5:.4f}")

    def test_step(self, batch, _):
        u, i, r = batch
        self.log("test_mse", nn.functional.mse_loss(self(u, i), r), batch_size=len(r))


if __name__ == "__main__":
    L.seed_everything(4)
    dm = Ratings(seed=4)
    net = NeuralMF(dm.mean)
    trainer = L.Trainer(max_epochs=12, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(net, datamodule=dm)
    res = trainer.test(net, datamodule=dm, verbose=False)[0]
    print(f"test rmse {res['test_mse'] ** 0.5:.4f}   (rating sd {dm.spread:.4f})")
