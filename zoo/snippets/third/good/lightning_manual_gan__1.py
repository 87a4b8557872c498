import pytorch_lightning as pl
import torch
import torch.nn.functional as F


class GAN(pl.LightningModule):
    def __init__(self, G, D):
        super().__init__()
        self.automatic_optimization = False
        self.G, self.D = G, D

    def training_step(self, batch, _):
        x, _ = batch
        g_opt, d_opt = self.optimizers()
        z = torch.randn(x.size(0), 100, device=self.device)
        fake = self.G(z)
        d_real, d_fake = self.D(x), self.D(fake.detach())
        d_loss = F.binary_cross_entropy_with_logits(d_real, torch.ones_like(d_real))
        d_loss = d_loss + F.binary_cross_entropy_with_logits(d_fake, torch.zeros_like(d_fake))
        d_opt.zero_grad()
        self.manual_backward(d_loss)
        d_opt.step()
        d_gen = self.D(fake)
        g_loss = F.binary_cross_entropy_with_logits(d_gen, torch.ones_like(d_gen))
        g_opt.zero_grad()
        self.manual_backward(g_loss)
        g_opt.step()
        self.log_dict({"g": g_loss, "d": d_loss}, prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.G.parameters(), 2e-4), torch.optim.Adam(self.D.parameters(), 2e-4)
