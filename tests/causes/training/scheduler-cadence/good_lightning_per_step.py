import lightning as L
import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, OneCycleLR


class Base(L.LightningModule):
    def __init__(self, net, epochs=20):
        super().__init__()
        self.net, self.epochs = net, epochs

    def training_step(self, batch, batch_idx):
        x, y = batch
        return torch.nn.functional.mse_loss(self.net(x), y)


class Dict(Base):
    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=1e-3)
        plan = OneCycleLR(opt, 1e-3, total_steps=self.trainer.estimated_stepping_batches)
        settings = {"scheduler": plan}
        settings["interval"] = "step"
        return {"optimizer": opt, "lr_scheduler": settings}


class Lists(Base):
    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=1e-3)
        total = self.epochs * len(self.trainer.datamodule.train_dataloader())
        plan = CosineAnnealingLR(opt, total)
        return [opt], [{"scheduler": plan, "interval": "step", "frequency": 1}]


class Chosen(Base):
    def __init__(self, net, settings):
        super().__init__(net)
        self.settings = settings

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=1e-3)
        plan = OneCycleLR(opt, 1e-3, total_steps=self.trainer.estimated_stepping_batches)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": plan, **self.settings}}


class Epochs(Base):
    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=1e-3)
        batches = self.trainer.num_training_batches
        length = self.trainer.estimated_stepping_batches // batches
        return [opt], [CosineAnnealingLR(opt, T_max=length)]


class Once(Base):
    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=1e-3)
        return {
            "optimizer": opt,
            "lr_scheduler": OneCycleLR(opt, 1e-3, epochs=self.epochs, steps_per_epoch=1),
        }


class Plain(Base):
    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=1e-3)
        return [opt], [LambdaLR(opt, lambda epoch: 1 - epoch / self.trainer.max_epochs)]
