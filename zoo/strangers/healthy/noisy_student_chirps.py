# %% [markdown]
# # Noisy student on short sounds
# Six kinds of bird-like chirps. 1500 clips were labelled by hand, 3000 were not.
# Teacher -> soft labels on the unlabelled clips -> student with noise (SpecAugment, dropout, gain) -> the student becomes the teacher -> again.

# %%
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = 8
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)

# %% sounds
KINDS = ["rise", "fall", "trill", "two-tone", "hum", "u-turn"]
RATE, N = 2000, 1024


def clip(kind):
    t = np.arange(N) / RATE
    s = t / t[-1]
    f0 = rng.uniform(200, 330)
    span = rng.uniform(120, 260)
    f = {0: f0 + span * s, 1: f0 + span * (1 - s), 2: f0 + 0.35 * span * (1 + np.sin(2 * np.pi * rng.uniform(6, 9) * t)),
         3: f0 + span * (s > rng.uniform(.35, .65)), 4: np.full(N, f0 + span / 2), 5: f0 + span * np.abs(2 * s - 1)}[kind]
    wave = np.sin(2 * np.pi * np.cumsum(f) / RATE + rng.uniform(0, 2 * np.pi))
    env = np.exp(-((s - rng.uniform(.4, .6)) / rng.uniform(.3, .5)) ** 2)
    return rng.uniform(.5, 1.5) * (env * wave + rng.normal(0, 0.9, N))


def record(n):
    kind = rng.integers(0, len(KINDS), n)
    return torch.tensor(np.stack([clip(k) for k in kind]), dtype=torch.float32), torch.tensor(kind)


def spectrogram(w):
    """log power, each clip brought to its own zero mean / unit spread - the same for every clip whatever set it is in"""
    z = torch.stft(w, 128, hop_length=32, window=torch.hann_window(128), return_complex=True)[:, 8:40].abs()
    z = torch.log1p(z ** 2)
    return (z - z.mean((1, 2), keepdim=True)) / z.std((1, 2), keepdim=True)


waves, kinds = record(1500)
spec_l, y_l = spectrogram(waves), kinds
spec_u = spectrogram(record(3000)[0])          # their kinds are thrown away here, nobody labelled them
waves, y_v = record(700)
spec_v = spectrogram(waves)
waves, y_t = record(1500)
spec_t = spectrogram(waves)
print("labelled", tuple(spec_l.shape), "unlabelled", tuple(spec_u.shape))

# %% model


def make_net(p_drop):
    return nn.Sequential(
        nn.Conv1d(32, 48, 5, stride=2, padding=2), nn.BatchNorm1d(48), nn.ReLU(),
        nn.Conv1d(48, 48, 5, stride=2, padding=2), nn.BatchNorm1d(48), nn.ReLU(),
        nn.Flatten(), nn.Dropout(p_drop), nn.Linear(48 * 9, 6))


def spec_augment(x):
    """one frequency band and one time stretch per clip set to the clip's mean (0)"""
    x = x.clone()
    b, nf, nt = x.shape
    f0 = torch.randint(nf, (b, 1, 1))
    t0 = torch.randint(nt, (b, 1, 1))
    fi, ti = torch.arange(nf).view(1, -1, 1), torch.arange(nt).view(1, 1, -1)
    hole = ((fi >= f0) & (fi < f0 + 3)) | ((ti >= t0) & (ti < t0 + 4))
    return x.masked_fill(hole, 0.0) + 0.15 * torch.randn_like(x)


@torch.no_grad()
def soft_labels(net, x):
    net.eval()
    return torch.cat([net(p).softmax(1) for p in x.split(500)])


def report(net, x, y):
    p = soft_labels(net, x)
    return F.nll_loss(torch.log(p.clamp_min(1e-8)), y).item(), (p.argmax(1) == y).float().mean().item()


def fit(x, target, epochs, p_drop, tag):
    """target: class probabilities, one row per clip (one-hot for hand labels, the teacher's opinion otherwise)"""
    net = make_net(p_drop)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-3)
    steps = epochs * (len(x) // 100)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps, eta_min=5e-4)
    for ep in range(epochs):
        net.train()
        tot = 0.
        for rows in torch.randperm(len(x)).view(-1, 100):
            loss = F.cross_entropy(net(spec_augment(x[rows])), target[rows])      # logits against probabilities
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            tot += loss.item()
        if (ep + 1) % max(1, epochs // 3) == 0:
            vl, va = report(net, spec_v, y_v)
            print(f"  {tag} epoch {ep + 1:2d}  loss {tot / (len(x) // 100):.3f}   val loss {vl:.3f}  acc {va:.3f}")
    return net


# %% teacher, then two students
hand = F.one_hot(y_l, 6).float()
teacher = fit(spec_l, hand, 15, 0.3, "teacher  ")
print("teacher   val:", "loss %.3f acc %.3f" % report(teacher, spec_v, y_v))
first = teacher
for generation in (1, 2):
    guess = soft_labels(teacher, spec_u)
    print(f"generation {generation}: teacher's mean confidence on the unlabelled clips {guess.max(1).values.mean():.3f}")
    student = fit(torch.cat([spec_l, spec_u]), torch.cat([hand, guess]), 7, 0.3, f"student {generation}")
    teacher = student

# %% the test clips
print("\ntest  first teacher : loss %.3f acc %.3f" % report(first, spec_t, y_t))
print("test  last student  : loss %.3f acc %.3f" % report(student, spec_t, y_t))
