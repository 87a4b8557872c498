class Lit(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
        self.acc = torchmetrics.Accuracy(task="multiclass", num_classes=10)

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        out = self.net(x)
        self.acc(out, y)
        self.log("val_acc", self.acc, on_epoch=True)
        self.log("val_loss", F.cross_entropy(out, y))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), 1e-3)
