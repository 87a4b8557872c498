class LitGAN(pl.LightningModule):
    def __init__(self, g, d):
        super().__init__()
        self.g, self.d = g, d
        self.automatic_optimization = False

    def training_step(self, batch, idx):
        og, od = self.optimizers()
        x, _ = batch
        z = torch.randn(len(x), 100).type_as(x)
        self.toggle_optimizer(og)
        gl = F.softplus(-self.d(self.g(z))).mean()
        og.zero_grad()
        self.manual_backward(gl)
        og.step()
        self.untoggle_optimizer(og)
        self.toggle_optimizer(od)
        dl = F.softplus(-self.d(x)).mean() + F.softplus(self.d(self.g(z).detach())).mean()
        od.zero_grad()
        self.manual_backward(dl)
        od.step()
        self.untoggle_optimizer(od)
