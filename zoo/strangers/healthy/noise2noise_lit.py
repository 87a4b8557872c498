"""Noise2Noise with Lightning: learn to denoise without ever showing a clean target in training."""
import logging
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
SIGMA = 0.3


def textures(n, gen, size=24):
    """Random smooth fields with a couple of hard-edged discs, values in [0, 1]."""
    yy, xx = torch.meshgrid(torch.linspace(0, 1, size), torch.linspace(0, 1, size), indexing="ij")
    out = torch.zeros(n, size, size)
    for i in range(n):
        f = torch.rand(2, generator=gen) * 3 + 0.5
        ph = torch.rand(1, generator=gen) * 6.28
        img = 0.5 + 0.25 * torch.sin(6.28 * (f[0] * xx + f[1] * yy) + ph)
        for _ in range(2):
            cx, cy, r, v = torch.rand(4, generator=gen)
            img = torch.where((xx - cx) ** 2 + (yy - cy) ** 2 < (0.1 + 0.15 * r) ** 2, v, img)
        out[i] = img
    return out.unsqueeze(1)


class NoisyPairs(Dataset):
    """Two independent corruptions of the same scene, redrawn every time."""

    def __init__(self, scenes, seed):
        self.scenes, self.gen = scenes, torch.Generator().manual_seed(seed)

    def __len__(self):
        return len(self.scenes)

    def __getitem__(self, i):
        x = self.scenes[i]
        noise = SIGMA * torch.randn(2, *x.shape, generator=self.gen)
        return x + noise[0], x + noise[1]


def psnr(a, b):
    return (-10 * torch.log10((a - b).square().mean((1, 2, 3)))).mean()


class Denoiser(L.LightningModule):
    def __init__(self, width=24, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        w = width
        self.down = nn.Sequential(nn.Conv2d(1, w, 3, padding=1), nn.ReLU(), nn.Conv2d(w, w, 3, padding=1), nn.ReLU())
        self.mid = nn.Sequential(nn.Conv2d(w, w, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(w, w, 3, padding=1), nn.ReLU(),
                                 nn.Upsample(scale_factor=2, mode="bilinear"))
        self.up = nn.Sequential(nn.Conv2d(2 * w, w, 3, padding=1), nn.ReLU(), nn.Conv2d(w, 1, 3, padding=1))

    def forward(self, x):
        a = self.down(x)
        return x - self.up(torch.cat([a, self.mid(a)], 1))

    def training_step(self, batch, _):
        src, dst = batch
        loss = nn.functional.mse_loss(self(src), dst)
        self.log("n2n_mse", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        noisy, clean = batch
        self.log_dict({"val_psnr": psnr(self(noisy), clean), "noisy_psnr": psnr(noisy, clean)})

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        if "val_psnr" in m and self.current_epoch % 3 == 2:
            print(f"epoch {self.current_epoch + 1:2d} | noisy-target mse {m['n2n_mse']:.5f} (noise floor {SIGMA**2:.3f})"
                  f" | val psnr {m['val_psnr']:.2f} dB, input {m['noisy_psnr']:.2f} dB")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        return {"optimizer": opt, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(opt, self.trainer.max_epochs)}


def fixed_noisy(scenes, seed):
    g = torch.Generator().manual_seed(seed)
    return TensorDataset(scenes + SIGMA * torch.randn(scenes.shape, generator=g), scenes)


def main():
    L.seed_everything(10, verbose=False)
    gen = torch.Generator().manual_seed(10)
    tr, va, te = (textures(n, gen) for n in (320, 60, 100))
    model = Denoiser()
    trainer = L.Trainer(max_epochs=15, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(model, DataLoader(NoisyPairs(tr, 1), batch_size=16, shuffle=True), DataLoader(fixed_noisy(va, 2), batch_size=60))
    model.eval()
    noisy, clean = fixed_noisy(te, 3).tensors
    with torch.no_grad():
        out = model(noisy)
    box = nn.functional.avg_pool2d(noisy, 3, 1, 1, count_include_pad=False)
    print(f"TEST psnr: noisy {psnr(noisy, clean):.2f}  3x3 box {psnr(box, clean):.2f}  noise2noise {psnr(out, clean):.2f} dB")


if __name__ == "__main__":
    main()
