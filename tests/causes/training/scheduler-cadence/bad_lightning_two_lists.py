import pytorch_lightning as pl
from torch import nn, optim
from torch.nn.functional import cross_entropy
from torch.optim.lr_scheduler import OneCycleLR


class Digits(pl.LightningModule):
    def __init__(self, train_loader, epochs):
        super().__init__()
        self.train_loader, self.epochs = train_loader, epochs
        self.body = nn.Linear(64, 10)

    def forward(self, x):
        return self.body(x)

    def training_step(self, batch, index):
        x, y = batch
        return cross_entropy(self(x), y)

    def configure_optimizers(self):
        opt = optim.SGD(self.parameters(), lr=0.1, momentum=0.9)
        plan = OneCycleLR(opt, 0.1, epochs=self.epochs, steps_per_epoch=len(self.train_loader))
        return [opt], [plan]  # scheduler-cadence
