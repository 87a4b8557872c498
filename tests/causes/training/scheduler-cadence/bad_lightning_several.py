import torch
from lightning.pytorch import LightningModule
from torch.optim.lr_scheduler import LambdaLR, PolynomialLR


class Pair(LightningModule):
    """Two parts with an optimizer each."""

    def __init__(self, left, right, epochs=30):
        super().__init__()
        self.left, self.right, self.epochs = left, right, epochs

    def training_step(self, batch, batch_idx):
        return (self.left(batch) - self.right(batch)).pow(2).mean()

    def plan(self, optimizer):
        steps = self.trainer.num_training_batches * self.epochs
        return PolynomialLR(optimizer, total_iters=steps, power=2)

    def configure_optimizers(self):
        one = torch.optim.Adam(self.left.parameters(), lr=1e-4)
        other = torch.optim.Adam(self.right.parameters(), lr=1e-4)
        total = len(self.trainer.datamodule.train_dataloader()) * self.epochs
        ramp = LambdaLR(other, lambda step: min(1.0, step / (0.1 * total)))
        first = {"optimizer": one, "lr_scheduler": self.plan(one)}  # scheduler-cadence
        config = dict(scheduler=ramp, interval="epoch", name="ramp")  # scheduler-cadence
        return [first, {"optimizer": other, "lr_scheduler": config}]
