import lightning as L
import torch
from torch import nn


class Segmenter(L.LightningModule):
    def __init__(self, lr=0.1, max_epochs=20, power=0.9):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Conv2d(3, 1, 3, padding=1)

    def training_step(self, batch, index):
        x, y = batch
        return nn.functional.binary_cross_entropy_with_logits(self.net(x), y)

    def configure_optimizers(self):
        hp = self.hparams
        optimizer = torch.optim.SGD(self.parameters(), lr=hp.lr, momentum=0.9)
        cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=self.trainer.max_epochs)
        settings = {"scheduler": cosine, "interval": "step"}  # scheduler-cadence
        return [optimizer], [settings]
