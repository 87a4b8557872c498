class LitNet(pl.LightningModule):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.automatic_optimization = False

    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        opt.zero_grad()
        self.manual_backward(loss)
        self.log("train_loss", loss)

    def configure_optimizers(self):
        return torch.optim.Adam(self.net.parameters(), lr=1e-3)
