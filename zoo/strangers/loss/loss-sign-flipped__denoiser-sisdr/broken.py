import logging
import math
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

SAMPLES = 256


def make_speechlike(n, generator):
    """Harmonic tones with a slow envelope, and the same under broadband noise."""
    t = torch.arange(SAMPLES) / SAMPLES
    f0 = 6 + 10 * torch.rand(n, 1, generator=generator)
    clean = torch.zeros(n, SAMPLES)
    for k in range(1, 4):
        amp = torch.rand(n, 1, generator=generator) / k
        phase = 2 * math.pi * torch.rand(n, 1, generator=generator)
        clean += amp * torch.sin(2 * math.pi * k * f0 * t + phase)
    env = 0.6 + 0.4 * torch.sin(2 * math.pi * (t + torch.rand(n, 1, generator=generator)))
    clean = clean * env
    clean = clean / clean.std(dim=1, keepdim=True)
    noisy = clean + 0.8 * torch.randn(n, SAMPLES, generator=generator)
    return noisy.unsqueeze(1), clean.unsqueeze(1)


def si_sdr(estimate, reference, eps=1e-8):
    """Scale-invariant signal-to-distortion ratio in dB, one value per clip."""
    estimate = estimate.flatten(1) - estimate.flatten(1).mean(dim=1, keepdim=True)
    reference = reference.flatten(1) - reference.flatten(1).mean(dim=1, keepdim=True)
    scale = (estimate * reference).sum(1, keepdim=True) / (reference.pow(2).sum(1, keepdim=True) + eps)
    projection = scale * reference
    residual = estimate - projection
    return 10 * torch.log10((projection.pow(2).sum(1) + eps) / (residual.pow(2).sum(1) + eps))


class ResidualBlock(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(channels, channels, 5, padding=2 * dilation, dilation=dilation),
            nn.GroupNorm(4, channels),
            nn.PReLU(),
            nn.Conv1d(channels, channels, 1),
        )

    def forward(self, x):
        return x + self.net(x)


class Denoiser(L.LightningModule):
    def __init__(self, channels=16, lr=3e-3):
        super().__init__()
        self.lr = lr
        self.net = nn.Sequential(
            nn.Conv1d(1, channels, 9, padding=4),
            *[ResidualBlock(channels, d) for d in (1, 2, 4, 8)],
            nn.Conv1d(channels, 1, 9, padding=4),
        )

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        noisy, clean = batch
        loss = si_sdr(self(noisy), clean).mean()
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        noisy, clean = batch
        self.log("val_si_sdr", si_sdr(self(noisy), clean).mean())

    def test_step(self, batch, batch_idx):
        noisy, clean = batch
        self.log("noisy_si_sdr", si_sdr(noisy, clean).mean())
        self.log("denoised_si_sdr", si_sdr(self(noisy), clean).mean())

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d}  train_loss {m['train_loss']:8.3f}  val SI-SDR {m['val_si_sdr']:8.3f} dB")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.lr)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=self.trainer.max_epochs)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "epoch"}}


def main():
    L.seed_everything(17)
    gen = torch.Generator().manual_seed(17)
    train = DataLoader(TensorDataset(*make_speechlike(768, gen)), batch_size=24, shuffle=True)
    val = DataLoader(TensorDataset(*make_speechlike(128, gen)), batch_size=128)
    test = DataLoader(TensorDataset(*make_speechlike(256, gen)), batch_size=128)

    model = Denoiser()
    trainer = L.Trainer(
        max_epochs=12, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, gradient_clip_val=5.0, num_sanity_val_steps=0,
    )
    trainer.fit(model, train, val)
    result = trainer.test(model, test, verbose=False)[0]
    print(f"test: input {result['noisy_si_sdr']:.2f} dB -> output {result['denoised_si_sdr']:.2f} dB")


if __name__ == "__main__":
    main()
