# Stateful LSTM on parallel endless streams, truncated back-propagation, Polyak-averaged weights for evaluation.
import copy
import math

import numpy as np
import torch
from torch import nn

torch.manual_seed(31)
rng = np.random.default_rng(31)

STREAMS, SPAN = 32, 40
NOISE = 0.1


def make_streams(n, length):
    """A signal whose frequency is announced by a short pulse and then holds for a while."""
    x = np.zeros((n, length, 2), dtype=np.float32)
    y = np.zeros((n, length, 1), dtype=np.float32)
    for s in range(n):
        phase, freq, left = 0.0, 0.0, 0
        for t in range(length):
            if left == 0:
                freq = rng.choice([-0.9, -0.3, 0.3, 0.9])
                left = int(rng.integers(10, 25))
                x[s, t, 1] = 4 * freq
            left -= 1
            drive = rng.normal()
            phase = 0.8 * phase + 0.5 * drive
            x[s, t, 0] = drive
            y[s, t, 0] = freq * 1.2 + phase + NOISE * rng.normal()
    return torch.from_numpy(x), torch.from_numpy(y)


class StreamNet(nn.Module):
    def __init__(self, hidden=40):
        super().__init__()
        self.lstm = nn.LSTM(2, hidden, batch_first=True)
        self.readout = nn.Linear(hidden, 1)
        with torch.no_grad():
            self.lstm.bias_hh_l0[hidden:2 * hidden].fill_(1.0)

    def forward(self, x, state=None):
        feats, state = self.lstm(x, state)
        return self.readout(feats), state


def detach(state):
    return tuple(s.detach() for s in state)


@torch.no_grad()
def polyak(average, live, decay):
    for a, p in zip(average.parameters(), live.parameters()):
        a.lerp_(p, 1 - decay)


@torch.no_grad()
def score(net, x, y):
    net.eval()
    pred, _ = net(x)
    return nn.functional.mse_loss(pred, y).item()


train_x, train_y = make_streams(STREAMS, 2000)
valid_x, valid_y = make_streams(24, 600)

net = StreamNet()
average = copy.deepcopy(net).requires_grad_(False)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.85)

updates = 0
for sweep in range(16):
    net.train()
    state, total, parts = None, 0.0, 0
    for lo in range(0, train_x.shape[1], SPAN):
        xb, yb = train_x[:, lo:lo + SPAN], train_y[:, lo:lo + SPAN]
        pred, state = net(xb, state)
        state = detach(state)
        loss = nn.functional.mse_loss(pred, yb)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        updates += 1
        polyak(average, net, decay=min(0.98, (1 + updates) / (10 + updates)))
        total += loss.item()
        parts += 1
    sched.step()
    print(f"pass {sweep}  train mse {total / parts:.4f}  valid live {score(net, valid_x, valid_y):.4f}  "
          f"averaged {score(average, valid_x, valid_y):.4f}")

best_possible = NOISE ** 2
final = score(average, valid_x, valid_y)
print(f"{updates} updates; averaged net rmse {math.sqrt(final):.3f}, noise floor {math.sqrt(best_possible):.3f}")
