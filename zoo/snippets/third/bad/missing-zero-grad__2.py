import torch
import torch.nn as nn


class WGAN:
    def __init__(self, G, C, lr=5e-5):
        self.G, self.C = G, C
        self.g_opt = torch.optim.RMSprop(G.parameters(), lr=lr)
        self.c_opt = torch.optim.RMSprop(C.parameters(), lr=lr)

    def train(self, data, n_critic=5, iters=20000):
        for it in range(iters):
            for _ in range(n_critic):
                x = next(data)
                z = torch.randn(x.size(0), 100)
                self.c_opt.zero_grad()
                c_loss = self.C(self.G(z).detach()).mean() - self.C(x).mean()
                c_loss.backward()
                self.c_opt.step()
                for p in self.C.parameters():
                    p.data.clamp_(-0.01, 0.01)
            z = torch.randn(64, 100)
            g_loss = -self.C(self.G(z)).mean()
            g_loss.backward()
            self.g_opt.step()
