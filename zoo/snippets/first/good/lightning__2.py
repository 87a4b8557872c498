import pytorch_lightning as pl
import torch
import torch.nn.functional as F


class LitGAN(pl.LightningModule):
    def __init__(self, G, D, z_dim=64):
        super().__init__()
        self.automatic_optimization = False
        self.G, self.D, self.z_dim = G, D, z_dim

    def configure_optimizers(self):
        g = torch.optim.Adam(self.G.parameters(), lr=2e-4, betas=(0.5, 0.999))
        d = torch.optim.Adam(self.D.parameters(), lr=2e-4, betas=(0.5, 0.999))
        return [g, d]

    def training_step(self, batch, _):
        g_opt, d_opt = self.optimizers()
        real, _ = batch
        z = torch.randn(real.size(0), self.z_dim, device=self.device)

        self.toggle_optimizer(g_opt)
        g_loss = F.softplus(-self.D(self.G(z))).mean()
        g_opt.zero_grad()
        self.manual_backward(g_loss)
        g_opt.step()
        self.untoggle_optimizer(g_opt)

        self.toggle_optimizer(d_opt)
        fake = self.G(z).detach()
        d_loss = F.softplus(-self.D(real)).mean() + F.softplus(self.D(fake)).mean()
        d_opt.zero_grad()
        self.manual_backward(d_loss)
        d_opt.step()
        self.untoggle_optimizer(d_opt)
        self.log_dict({"g": g_loss, "d": d_loss})
