"""Digits with a small CNN. torch.fx twice: before training a pass swaps every ReLU for a
SiLU, after training another folds each BatchNorm into its convolution for the served model."""
import argparse
import copy
import operator
import tempfile

import torch
import torch.fx as fx
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torch.utils.data import DataLoader, TensorDataset


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(32)
        self.conv3 = nn.Conv2d(32, 32, 3, padding=1, bias=False)
        self.bn3 = nn.BatchNorm2d(32)
        self.drop = nn.Dropout(0.3)
        self.fc = nn.Linear(32 * 4, 10)

    def forward(self, x):
        x = F.max_pool2d(torch.relu(self.bn1(self.conv1(x))), 2)
        y = torch.relu(self.bn2(self.conv2(x)))
        y = F.max_pool2d(y + torch.relu(self.bn3(self.conv3(y))), 2)
        return self.fc(self.drop(y.flatten(1)))


def swap_relu(gm: fx.GraphModule) -> fx.GraphModule:
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target is torch.relu:
            node.target = F.silu
    gm.graph.lint()
    gm.recompile()
    return gm


def fold_batchnorm(trained: fx.GraphModule) -> fx.GraphModule:
    """Works on a copy in eval mode; the trained module stays as it is."""
    gm = copy.deepcopy(trained).eval()
    mods = dict(gm.named_modules())
    for node in list(gm.graph.nodes):
        if node.op == "call_module" and isinstance(mods[node.target], nn.BatchNorm2d):
            src = node.args[0]
            if src.op == "call_module" and isinstance(mods[src.target], nn.Conv2d) and len(src.users) == 1:
                gm.set_submodule(src.target, fuse_conv_bn_eval(mods[src.target], mods[node.target]))
                node.replace_all_uses_with(src)
                gm.graph.erase_node(node)
    gm.delete_all_unused_submodules()
    gm.graph.lint()
    gm.recompile()
    return gm


def parts(seed):
    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x / 16.0, dtype=torch.float32).view(-1, 1, 8, 8)
    y = torch.tensor(y)
    tr, rest = train_test_split(range(len(y)), test_size=0.35, stratify=y, random_state=seed)
    va, te = train_test_split(rest, test_size=0.5, stratify=y[rest], random_state=seed)
    mean, std = x[tr].mean(), x[tr].std()
    x = (x - mean) / std
    return {k: TensorDataset(x[i], y[i]) for k, i in dict(train=tr, val=va, test=te).items()}


@torch.inference_mode()
def score(net, ds):
    net.eval()
    x, y = ds.tensors
    out = net(x)
    return F.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item(), out


def main(a):
    torch.manual_seed(a.seed)
    data = parts(a.seed)
    net = swap_relu(fx.symbolic_trace(SmallNet()))
    print("functions called after the pass:", [n.target.__name__ for n in net.graph.nodes
                                            if n.op == "call_function" and n.target not in (operator.add,)])
    loader = DataLoader(data["train"], a.batch, shuffle=True, drop_last=True, generator=torch.Generator().manual_seed(a.seed))
    opt = torch.optim.SGD(net.parameters(), lr=a.lr, momentum=0.9, nesterov=True, weight_decay=2e-3)
    sched = torch.optim.lr_scheduler.SequentialLR(
        opt, [torch.optim.lr_scheduler.LinearLR(opt, 0.2, total_iters=2), torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.epochs - 2)], [2])
    best = (float("inf"), 0)
    with tempfile.NamedTemporaryFile(suffix=".pt") as f:
        for epoch in range(1, a.epochs + 1):
            net.train()
            total = seen = 0
            for x, y in loader:
                opt.zero_grad(set_to_none=True)
                loss = F.cross_entropy(net(x), y)
                loss.backward()
                opt.step()
                total, seen = total + loss.item() * len(y), seen + len(y)
            sched.step()
            vl, va, _ = score(net, data["val"])
            if vl < best[0]:
                best = (vl, epoch)
                torch.save(net.state_dict(), f.name)
            if epoch % 2 == 0 or epoch == 1:
                print(f"{epoch:3d}  train {total / seen:.4f}  val {vl:.4f}  acc {va:.4f}")
        net.load_state_dict(torch.load(f.name))
    print(f"kept epoch {best[1]}")

    served = fold_batchnorm(net)
    n_bn = sum(isinstance(m, nn.BatchNorm2d) for m in served.modules())
    drift = (score(net, data["val"])[2] - score(served, data["val"])[2]).abs().max()
    print(f"folded: {n_bn} BatchNorm left, largest change of a logit {drift:.1e}")
    tl, ta, _ = score(served, data["test"])
    print(f"test (served model): loss {tl:.4f}  accuracy {ta:.4f}")


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=14)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--lr", type=float, default=0.03)
    p.add_argument("--seed", type=int, default=3)
    main(p.parse_args())
