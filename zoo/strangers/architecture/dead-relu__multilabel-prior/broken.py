"""Multi-label tagger for tabular records.

About one record in six carries any given tag, so the biases start from the prior (as in
the focal loss paper) and the first epochs are not wasted on learning the base rate.
"""
import math

import numpy as np
import torch
from sklearn.metrics import average_precision_score
from torch import nn

SEED = 99
PRIOR = 1 / 6
N_TAGS = 8


def synth(n, rng, n_features=24):
    teacher = np.random.default_rng(1234)
    a = teacher.normal(size=(n_features, 16)) / math.sqrt(n_features)
    b = teacher.normal(size=(16, N_TAGS)) / 4
    x = rng.normal(size=(n, n_features))
    s = np.maximum(2 * x @ a, 0) @ b
    s = s + 0.05 * rng.normal(size=s.shape)
    ref = np.maximum(2 * teacher.normal(size=(20000, n_features)) @ a, 0) @ b
    cut = np.quantile(ref, 1 - PRIOR, axis=0)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(s > cut, dtype=torch.float32)


class Tagger(nn.Module):
    def __init__(self, n_in, n_out, width=128, depth=4):
        super().__init__()
        sizes = [n_in] + [width] * depth
        self.hidden = nn.ModuleList(nn.Linear(i, o) for i, o in zip(sizes, sizes[1:]))
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(width, n_out)
        self.reset_parameters()

    def reset_parameters(self):
        prior_bias = -math.log((1 - PRIOR) / PRIOR)
        for layer in self.hidden:
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.constant_(layer.bias, prior_bias)
        nn.init.normal_(self.head.weight, std=0.01)
        nn.init.constant_(self.head.bias, prior_bias)

    def forward(self, x):
        for layer in self.hidden:
            x = self.drop(torch.relu(layer(x)))
        return self.head(x)


@torch.no_grad()
def evaluate(model, x, y, loss_fn):
    model.eval()
    logits = model(x)
    return loss_fn(logits, y).item(), average_precision_score(y.numpy(), logits.sigmoid().numpy(), average="macro")


def main():
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    x, y = synth(7000, rng)
    xv, yv = synth(1500, rng)
    xt, yt = synth(1500, rng)

    model = Tagger(x.shape[1], N_TAGS)
    loss_fn = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
    epochs, batch = 18, 128
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs, eta_min=1e-4)
    for epoch in range(epochs):
        model.train()
        losses = []
        for rows in torch.randperm(len(x)).split(batch):
            optimizer.zero_grad()
            loss = loss_fn(model(x[rows]), y[rows])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        schedule.step()
        val_loss, val_map = evaluate(model, xv, yv, loss_fn)
        print(f"{epoch:2d} train {np.mean(losses):.4f} val {val_loss:.4f} mAP {val_map:.3f}")

    _, test_map = evaluate(model, xt, yt, loss_fn)
    print(f"test mAP {test_map:.3f} (random ranking: {yt.mean().item():.3f})")


if __name__ == "__main__":
    main()
