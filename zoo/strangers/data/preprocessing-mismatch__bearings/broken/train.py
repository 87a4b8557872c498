import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from monitor import Monitor
from network import ConditionNet
from signals import CONDITIONS, log_spectrum, record

SEED = 4
EPOCHS = 16


def main():
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    waves, labels = record(6000, rng)
    field_waves, field_labels = record(1000, rng)

    feats = log_spectrum(waves)
    mean, std = feats.mean(0), feats.std(0)
    x = torch.from_numpy((feats - mean) / std)
    y = torch.from_numpy(labels)
    loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)

    net = ConditionNet(x.shape[1], len(CONDITIONS))
    loss_fn = nn.CrossEntropyLoss()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=5e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS)
    for epoch in range(1, EPOCHS + 1):
        net.train()
        total = right = 0.0
        for xb, yb in loader:
            out = net(xb)
            loss = loss_fn(out, yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(yb)
            right += (out.argmax(1) == yb).sum().item()
        sched.step()
        if epoch == 1 or epoch % 4 == 0:
            print(f"epoch {epoch:2d}  loss {total / len(y):.4f}  train acc {right / len(y):.3f}")

    monitor = Monitor(net, mean, std)
    guess = monitor.diagnose(field_waves)
    print(f"field recordings: accuracy {np.mean(guess == field_labels):.4f}")
    for c, name in enumerate(CONDITIONS):
        print(f"  {name:10s} recall {np.mean(guess[field_labels == c] == c):.3f}")


if __name__ == "__main__":
    main()
