"""Autoencoder on the 8x8 digits, trained with a layer-wise normalised momentum optimizer (LARS style)."""
import torch
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from torch import nn
from torch.optim import Optimizer
from tqdm import trange


class LayerwiseSGD(Optimizer):
    """Momentum SGD; weight matrices take steps proportional to their own norm, vectors take plain steps."""

    def __init__(self, params, lr=0.1, momentum=0.9, trust=0.02, eps=1e-8):
        super().__init__(params, dict(lr=lr, momentum=momentum, trust=trust, eps=eps))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if "buf" not in state:
                    state["buf"] = torch.zeros_like(p)
                buf = state["buf"]
                if p.ndim >= 2:
                    ratio = group["trust"] * p.norm() / (p.grad.norm() + group["eps"])
                    buf.mul_(group["momentum"]).add_(p.grad * ratio)
                    p.add(buf, alpha=-group["lr"])
                else:
                    buf.mul_(group["momentum"]).add_(p.grad)
                    p.add_(buf, alpha=-group["lr"])
        return loss


class AutoEncoder(nn.Module):
    def __init__(self, n_in=64, code=10):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(n_in, 96), nn.ELU(), nn.Linear(96, 48), nn.ELU(), nn.Linear(48, code))
        self.decoder = nn.Sequential(nn.Linear(code, 48), nn.ELU(), nn.Linear(48, 96), nn.ELU(), nn.Linear(96, n_in))

    def forward(self, x):
        return self.decoder(self.encoder(x))


def load():
    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x, dtype=torch.float32) / 16.0
    y = torch.tensor(y)
    tr, te = train_test_split(range(len(x)), test_size=0.3, stratify=y, random_state=0)
    tr, va = train_test_split(tr, test_size=0.15, stratify=y[tr], random_state=0)
    mean = x[tr].mean(0)
    x = x - mean
    return [(x[i], y[i]) for i in (tr, va, te)]


@torch.no_grad()
def recon(model, x):
    model.eval()
    return nn.functional.mse_loss(model(x), x).item()


def main(epochs=120, batch=32, lr=0.1):
    torch.manual_seed(42)
    (x_tr, y_tr), (x_va, _), (x_te, y_te) = load()
    model = AutoEncoder()
    opt = LayerwiseSGD(model.parameters(), lr=lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)

    bar = trange(epochs, mininterval=2.0)
    for epoch in bar:
        model.train()
        running = 0.0
        order = torch.randperm(len(x_tr))
        for idx in order.split(batch):
            xb = x_tr[idx]
            loss = nn.functional.mse_loss(model(xb), xb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item() * len(idx)
        sched.step()
        bar.set_postfix(train=running / len(x_tr))
        if (epoch + 1) % 15 == 0:
            bar.write(f"epoch {epoch + 1:3d} train mse {running / len(x_tr):.5f} valid mse {recon(model, x_va):.5f}")

    model.eval()
    with torch.no_grad():
        z_tr, z_te = model.encoder(x_tr).numpy(), model.encoder(x_te).numpy()
    probe = LogisticRegression(max_iter=3000).fit(z_tr, y_tr.numpy())
    print(f"test mse {recon(model, x_te):.5f} (variance of the pixels {x_te.pow(2).mean():.5f})")
    print(f"linear probe on the code: test accuracy {probe.score(z_te, y_te.numpy()):.3f}")


if __name__ == "__main__":
    main()
