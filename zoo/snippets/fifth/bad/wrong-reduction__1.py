class VAE_Trainer:
    def loss(self, recon, x, mu, logvar):
        # why does my VAE always output the same blurry image?
        rec = F.binary_cross_entropy(recon, x, reduction='mean')
        kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        return rec + kld

    def step(self, x):
        recon, mu, logvar = self.model(x)
        loss = self.loss(recon, x, mu, logvar)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
