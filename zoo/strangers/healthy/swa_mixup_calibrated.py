# In[1]:
# Digits from a bad scanner, three things at once because our group uses them together:
#   mixup while training, an average of the last epochs' weights (SWA), temperature on a held-out part.
import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.nn import functional as F
from torch.optim.swa_utils import SWALR, AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(42)
np.random.seed(42)

# In[2]:
images, digit = load_digits(return_X_y=True)
images = images.reshape(-1, 1, 8, 8).astype("float32") / 8 - 1           # 0..16 -> -1..1, a property of the scanner
i_train, i_rest = train_test_split(np.arange(len(digit)), test_size=0.4, stratify=digit, random_state=0)
i_cal, i_test = train_test_split(i_rest, test_size=0.5, stratify=digit[i_rest], random_state=0)
part = {k: (torch.from_numpy(images[i]), torch.from_numpy(digit[i])) for k, i in dict(train=i_train, cal=i_cal, test=i_test).items()}
GRAIN = 0.55                                                              # the scanner's grain: every scan of a page is grainy in another way


def scan(x, gen=None):
    return x + GRAIN * torch.randn(x.shape, generator=gen)


# calibration and test pages were scanned once; training pages can be scanned again whenever we like
for seed, k in enumerate(("cal", "test")):
    part[k] = scan(part[k][0], torch.Generator().manual_seed(seed)), part[k][1]
loader = DataLoader(TensorDataset(*part["train"]), batch_size=48, shuffle=True, drop_last=True)
plain = DataLoader(part["train"][0], batch_size=200, collate_fn=lambda pages: scan(torch.stack(pages)))   # images only, unmixed, grainy: for update_bn
{k: len(v[1]) for k, v in part.items()}

# In[3]:
net = nn.Sequential(
    nn.Conv2d(1, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24), nn.ReLU(),
    nn.Conv2d(24, 48, 3, padding=1, bias=False), nn.BatchNorm2d(48), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(48, 48, 3, padding=1, bias=False), nn.BatchNorm2d(48), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
    nn.Flatten(), nn.Linear(192, 10))
averaged = AveragedModel(net)
EPOCHS, SWA_FROM = 24, 16
opt = torch.optim.SGD(net.parameters(), lr=0.06, momentum=0.9, weight_decay=5e-4)
down = torch.optim.lr_scheduler.CosineAnnealingLR(opt, SWA_FROM, eta_min=0.02)
flat = SWALR(opt, swa_lr=0.02, anneal_epochs=2)
beta = torch.distributions.Beta(0.2, 0.2)


def mixed_loss(x, y):
    lam = beta.sample((len(x),))
    other = torch.randperm(len(x))
    share = lam.view(-1, 1, 1, 1)
    out = net(share * x + (1 - share) * x[other])
    ce = lambda target: F.cross_entropy(out, target, reduction="none")
    return (lam * ce(y) + (1 - lam) * ce(y[other])).mean()


@torch.no_grad()
def logits(model, name):
    model.eval()
    return model(part[name][0])


def nll_acc(z, y):
    return F.cross_entropy(z, y).item(), (z.argmax(1) == y).float().mean().item()


# In[4]:
for epoch in range(EPOCHS):
    net.train()
    losses = []
    for x, y in loader:
        opt.zero_grad()
        loss = mixed_loss(scan(x), y)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    if epoch >= SWA_FROM:
        averaged.update_parameters(net)
        flat.step()
    else:
        down.step()
    if epoch % 3 == 2:
        n, a = nll_acc(logits(net, "cal"), part["cal"][1])
        print(f"epoch {epoch + 1:2d}  lr {opt.param_groups[0]['lr']:.3f}  mixup loss {np.mean(losses):.3f}  held-out nll {n:.3f}  acc {a:.3f}")

update_bn(plain, averaged)                # the averaged weights have never seen data: their batch statistics are measured now
n, a = nll_acc(logits(averaged, "cal"), part["cal"][1])
print(f"averaged over {int(averaged.n_averaged)} epochs: held-out nll {n:.3f}  acc {a:.3f}")

# In[5]:
# Temperature: a single number, found on the calibration part with LBFGS. The network stays as it is.
z, y = logits(averaged, "cal"), part["cal"][1]
log_t = nn.Parameter(torch.zeros(()))
lbfgs = torch.optim.LBFGS([log_t], lr=0.5, max_iter=60, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    loss = F.cross_entropy(z / log_t.exp(), y)
    loss.backward()
    return loss


lbfgs.step(closure)
T = log_t.exp().item()
print(f"temperature {T:.3f}")


# In[6]:
def ece(z, y, bins=10):
    conf = z.softmax(1).max(1).values
    hit = (z.argmax(1) == y).float()
    which = (conf * bins).long().clamp_max(bins - 1)
    return sum(abs(conf[which == b].mean() - hit[which == b].mean()).item() * (which == b).float().mean().item() for b in which.unique())


z, y = logits(averaged, "test"), part["test"][1]
for name, zz in (("as trained", z), ("with temperature", z / T)):
    n, a = nll_acc(zz, y)
    print(f"test, {name:16s}: nll {n:.4f}  acc {a:.4f}  ece {ece(zz, y):.4f}")
