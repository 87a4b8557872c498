import logging
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class DigitsModule(L.LightningDataModule):
    def setup(self, stage=None):
        d = load_digits()
        x = d.images[:, None] / 16.0
        rest, x_te, y_rest, y_te = train_test_split(x, d.target, test_size=0.2, stratify=d.target, random_state=0)
        x_tr, x_va, y_tr, y_va = train_test_split(rest, y_rest, test_size=0.15, stratify=y_rest, random_state=0)
        mean, std = x_tr.mean(), x_tr.std()
        wrap = lambda a, b: TensorDataset(torch.tensor((a - mean) / std, dtype=torch.float32), torch.tensor(b))
        self.tr, self.va, self.te = wrap(x_tr, y_tr), wrap(x_va, y_va), wrap(x_te, y_te)

    def train_dataloader(self):
        return DataLoader(self.tr, batch_size=64, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.va, batch_size=256)

    def test_dataloader(self):
        return DataLoader(self.te, batch_size=256)


class LitCNN(L.LightningModule):
    def __init__(self, lr=3e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = torch.nn.Sequential(
            torch.nn.Conv2d(1, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
            torch.nn.Conv2d(16, 32, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
            torch.nn.Flatten(), torch.nn.Dropout(0.2), torch.nn.Linear(128, 10),
        )
        self.losses = []

    def training_step(self, batch, _):
        loss = F.cross_entropy(self.net(batch[0]), batch[1])
        self.losses.append((loss.item() * len(batch[1]), len(batch[1])))
        return loss

    def on_train_epoch_end(self):
        total, count = map(sum, zip(*self.losses))
        print(f"epoch {self.current_epoch} train loss {total / count:.4f}")
        self.losses.clear()

    def validation_step(self, batch, _):
        self.log("val_loss", F.cross_entropy(self.net(batch[0]), batch[1]), batch_size=len(batch[1]))

    def test_step(self, batch, _):
        self.log("test_acc", (self.net(batch[0]).argmax(1) == batch[1]).float().mean(), batch_size=len(batch[1]))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)


if __name__ == "__main__":
    L.seed_everything(0, verbose=False)
    trainer = L.Trainer(
        max_epochs=10, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0,
    )
    model, data = LitCNN(), DigitsModule()
    trainer.fit(model, data)
    result = trainer.test(model, data, verbose=False)[0]
    print(f"test accuracy {result['test_acc']:.3f}")
