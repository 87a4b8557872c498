import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torchvision.models import vit_b_16


@torch.no_grad()
def extract(backbone, loader, device):
    backbone.eval()
    xs, ys = [], []
    for x, y in loader:
        xs.append(backbone(x.to(device)).cpu())
        ys.append(y)
    return torch.cat(xs), torch.cat(ys)


def linear_probe(train_loader, val_loader, k, device="cuda", epochs=50):
    torch.manual_seed(0)
    backbone = vit_b_16(weights="DEFAULT")
    backbone.heads = nn.Identity()
    backbone.to(device)
    xt, yt = extract(backbone, train_loader, device)
    xv, yv = extract(backbone, val_loader, device)
    head = nn.Linear(xt.size(1), k)
    opt = torch.optim.SGD(head.parameters(), lr=0.1, momentum=0.9)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    loader = DataLoader(TensorDataset(xt, yt), batch_size=256, shuffle=True)
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(head(x), y).backward()
            opt.step()
        sched.step()
    with torch.no_grad():
        return (head(xv).argmax(1) == yv).float().mean().item()
