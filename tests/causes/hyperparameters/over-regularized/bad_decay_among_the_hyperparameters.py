import lightning
import torch
from torch import nn


class Regressor(lightning.LightningModule):
    def __init__(self, hidden=64, lr=1e-3, decay=0.5):  # over-regularized
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(8, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def training_step(self, batch, _):
        x, y = batch
        return nn.functional.mse_loss(self.net(x), y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr, weight_decay=self.hparams.decay)


lightning.Trainer(max_epochs=3).fit(Regressor(), batches)
