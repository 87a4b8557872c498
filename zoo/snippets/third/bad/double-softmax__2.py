import torch
import torch.nn as nn
import torch.nn.functional as F
import pytorch_lightning as pl


class MultiLabel(pl.LightningModule):
    def __init__(self, backbone, n_tags):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Sequential(nn.LazyLinear(256), nn.ReLU(), nn.Linear(256, n_tags), nn.Sigmoid())

    def forward(self, x):
        return self.head(self.backbone(x))

    def training_step(self, batch, idx):
        x, y = batch
        loss = F.binary_cross_entropy_with_logits(self(x), y)
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)
