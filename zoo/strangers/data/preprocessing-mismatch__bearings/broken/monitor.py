"""What runs beside the machine: raw snippets in, condition out."""
import torch

from signals import spectrum


class Monitor:
    def __init__(self, net, mean, std):
        self.net = net.eval()
        self.mean, self.std = mean, std

    @torch.no_grad()
    def diagnose(self, waves):
        feats = (spectrum(waves) - self.mean) / self.std
        return self.net(torch.from_numpy(feats)).argmax(1).numpy()
