import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from transformers import Trainer


class OwnStep(Trainer):
    """Runs backward itself and hands a detached copy back for the log."""

    def training_step(self, model, inputs, num_items_in_batch=None):
        model.train()
        loss = model(**inputs).loss
        self.accelerator.backward(loss)
        return loss.detach() / self.args.gradient_accumulation_steps


class Manual(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = nn.Linear(8, 3)

    def training_step(self, batch, index):
        x, y = batch
        opt = self.optimizers()
        loss = F.cross_entropy(self.net(x), y)
        opt.zero_grad()
        self.manual_backward(loss)
        opt.step()
        return loss.detach()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())
