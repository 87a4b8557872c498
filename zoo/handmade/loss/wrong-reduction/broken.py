"""Label every sample of a breathing signal as rest, slow or fast breathing."""

import torch
import torch.nn.functional as F
from torch import nn

STAGES, LENGTH = 3, 60


def breathing(count, gen):
    """Signals of three segments in random order, with the stage of every sample."""
    order = torch.rand(count, STAGES, generator=gen).argsort(dim=1)
    stage = order.repeat_interleave(LENGTH // STAGES, dim=1)
    rate = torch.tensor([0.0, 0.5, 1.6])[stage]
    phase = rate.cumsum(dim=1) + 6.28 * torch.rand(count, 1, generator=gen)
    signal = torch.where(stage == 0, torch.zeros(()), torch.sin(phase))
    return signal + 0.3 * torch.randn(count, LENGTH, generator=gen), stage


class StageTagger(nn.Module):
    def __init__(self, channels=16):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv1d(1, channels, 9, padding=4),
            nn.Tanh(),
            nn.Conv1d(channels, channels, 9, padding=4),
            nn.Tanh(),
        )
        self.tagger = nn.Conv1d(channels, STAGES, 1)

    def forward(self, signal):
        return self.tagger(self.backbone(signal.unsqueeze(1)))


def fit(model, signal, stage, epochs=12, batch_size=32, lr=0.1):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    for epoch in range(epochs):
        model.train()
        losses = []
        for idx in torch.randperm(len(signal)).split(batch_size):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(signal[idx]), stage[idx], reduction="sum")
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1:2d}  loss {sum(losses) / len(losses):.4f}")


@torch.no_grad()
def per_sample_accuracy(model, signal, stage):
    model.eval()
    return (model(signal).argmax(dim=1) == stage).float().mean().item()


torch.manual_seed(31)
gen = torch.Generator().manual_seed(31)
train_signal, train_stage = breathing(960, gen)
test_signal, test_stage = breathing(240, gen)
mean, std = train_signal.mean(), train_signal.std()
train_signal, test_signal = (train_signal - mean) / std, (test_signal - mean) / std

model = StageTagger()
fit(model, train_signal, train_stage)
print(f"per-sample test accuracy {per_sample_accuracy(model, test_signal, test_stage):.3f}")
