import os
import tempfile

import torch
import torch.nn.functional as F

from gaitdata import ACTIVITIES, record
from nets import ClinicNet, LabNet

torch.manual_seed(0)
torch.set_num_threads(1)
CKPT = os.path.join(tempfile.mkdtemp(), "labnet.pt")
ABNORMAL = torch.tensor([ACTIVITIES.index("limp"), ACTIVITIES.index("shuffle"), ACTIVITIES.index("stairs_down")])


def run_epochs(net, opt, x, y, epochs, batch, x_val, y_val, tag):
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for ep in range(1, epochs + 1):
        net.train()
        tot = 0.0
        for idx in torch.randperm(len(x)).split(batch):
            opt.zero_grad()
            loss = F.cross_entropy(net(x[idx]), y[idx])
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
        sched.step()
        if ep % 2 == 0:
            print(f"{tag} epoch {ep:2d}: loss {tot / len(x):.4f}  val acc {accuracy(net, x_val, y_val):.3f}")


@torch.no_grad()
def accuracy(net, x, y):
    net.eval()
    return (net(x).argmax(1) == y).float().mean().item()


def pretrain():
    x, y = record(3000, "lab", seed=1)
    xv, yv = record(800, "lab", seed=2)
    mu, sd = x.mean((0, 2), keepdim=True), x.std((0, 2), keepdim=True)
    net = LabNet(len(ACTIVITIES))
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    run_epochs(net, opt, (x - mu) / sd, y, 10, 64, (xv - mu) / sd, yv, "lab")
    torch.save(net.state_dict(), CKPT)


def finetune():
    x, y = record(600, "clinic", seed=3)
    xv, yv = record(800, "clinic", seed=4)
    xt, yt = record(1500, "clinic", seed=5)
    mu, sd = x.mean((0, 2), keepdim=True), x.std((0, 2), keepdim=True)
    x, xv, xt = ((a - mu) / sd for a in (x, xv, xt))
    y, yv, yt = (torch.isin(a, ABNORMAL).long() for a in (y, yv, yt))

    net = ClinicNet()
    state = torch.load(CKPT)
    state = {k: v for k, v in state.items() if not k.startswith("fc.")}
    net.load_state_dict(state, strict=False)
    opt = torch.optim.Adam([
        {"params": net.backbone.parameters(), "lr": 1e-4},
        {"params": net.head.parameters(), "lr": 5e-3},
    ])
    run_epochs(net, opt, x, y, 12, 32, xv, yv, "clinic")
    print(f"clinic test accuracy: {accuracy(net, xt, yt):.3f}")


if __name__ == "__main__":
    pretrain()
    finetune()
