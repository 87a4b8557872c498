"""Frozen random convolution features + a trained linear read-out (log-softmax in the model, NLL as the loss).

Only the read-out is trained, on purpose: the features are computed once, without gradients, and cached.
"""
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class RandomFeatures(nn.Module):
    """Untrained by design (random kitchen sinks with 3x3 patches)."""

    def __init__(self, n_filters=96, gamma=1.0):
        super().__init__()
        self.register_buffer("w", gamma * torch.randn(n_filters, 1, 3, 3) / 3)
        self.register_buffer("phase", 2 * torch.pi * torch.rand(n_filters))

    def forward(self, img):
        z = nn.functional.conv2d(img, self.w, bias=self.phase, padding=1)
        return nn.functional.avg_pool2d(torch.cos(z), 2).flatten(1)


class ReadOut(nn.Module):
    def __init__(self, d, classes=10):
        super().__init__()
        self.linear = nn.Linear(d, classes)
        nn.init.zeros_(self.linear.weight)      # convex problem: zero is a fine start
        nn.init.zeros_(self.linear.bias)

    def forward(self, f):
        return self.linear(f).log_softmax(dim=-1)


def features(extractor, x, stats=None):
    with torch.no_grad():
        f = extractor(x)
    stats = stats or (f.mean(0), f.std(0) + 1e-3)
    return (f - stats[0]) / stats[1], stats


def closure_factory(model, opt, f, y, l2):
    def closure():
        opt.zero_grad()
        loss = nn.functional.nll_loss(model(f), y) + l2 * model.linear.weight.pow(2).sum()
        loss.backward()
        return loss
    return closure


def main():
    torch.manual_seed(6)
    images, labels = load_digits(return_X_y=True)
    a, b, ya, yb = train_test_split(images, labels, test_size=0.3, stratify=labels, random_state=6)
    shape = lambda v: torch.tensor(v / 8 - 1, dtype=torch.float32).view(-1, 1, 8, 8)
    extractor = RandomFeatures()
    f_train, stats = features(extractor, shape(a))
    f_test, _ = features(extractor, shape(b), stats)
    ya, yb = torch.tensor(ya), torch.tensor(yb)

    model = ReadOut(f_train.shape[1])
    opt = torch.optim.LBFGS(model.parameters(), lr=1.0, max_iter=15, line_search_fn="strong_wolfe")
    closure = closure_factory(model, opt, f_train, ya, l2=2e-3)
    for outer in range(6):
        loss = opt.step(closure)
        print(f"outer {outer}: objective at start {loss.item():.4f}")

    model.eval()
    with torch.no_grad():
        logp = model(f_test)
        acc = (logp.argmax(1) == yb).float().mean()
        nll = nn.functional.nll_loss(logp, yb)
    print(f"test accuracy {acc:.3f}  nll {nll:.3f}  trained parameters {sum(p.numel() for p in model.parameters())}")


if __name__ == "__main__":
    main()
