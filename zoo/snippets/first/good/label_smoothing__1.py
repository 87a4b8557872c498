import torch
import torch.nn as nn


class LabelSmoothing(nn.Module):
    """KL divergence to the smoothed target distribution, the model returns log-probabilities."""

    def __init__(self, size, padding_idx, smoothing=0.1):
        super().__init__()
        self.criterion = nn.KLDivLoss(reduction="sum")
        self.padding_idx, self.smoothing, self.size = padding_idx, smoothing, size

    def forward(self, x, target):
        true = torch.full_like(x, self.smoothing / (self.size - 2))
        true.scatter_(1, target.unsqueeze(1), 1.0 - self.smoothing)
        true[:, self.padding_idx] = 0
        true[target == self.padding_idx] = 0
        return self.criterion(x, true.detach())


class LossCompute:
    def __init__(self, generator, criterion, opt):
        self.generator, self.criterion, self.opt = generator, criterion, opt

    def __call__(self, out, y, n_tokens):
        logp = torch.log_softmax(self.generator(out), dim=-1)
        loss = self.criterion(logp.reshape(-1, logp.size(-1)), y.reshape(-1)) / n_tokens
        loss.backward()
        self.opt.step()
        self.opt.zero_grad()
        return loss.item() * n_tokens
