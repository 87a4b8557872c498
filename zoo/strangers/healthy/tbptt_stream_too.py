# One-step forecast of a long signal; the LSTM state is carried from chunk to chunk and detached.
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(2)
rng = np.random.default_rng(2)
STREAMS, T, CHUNK = 16, 2400, 40
t = np.arange(T)
phase = rng.uniform(0, 6.28, (STREAMS, 1))
sig = np.sin(t / 9 + phase) + 0.6 * np.sin(t / 23 + 2 * phase) + 0.05 * rng.normal(size=(STREAMS, T))
cut = 2000
mean, std = sig[:, :cut].mean(), sig[:, :cut].std()
sig = torch.tensor((sig - mean) / std, dtype=torch.float32).unsqueeze(2)

lstm, out = nn.LSTM(1, 24, batch_first=True), nn.Linear(24, 1)
opt = torch.optim.Adam([*lstm.parameters(), *out.parameters()], lr=6e-3)
passes = 12
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, passes)

for p in range(passes):
    state, losses = None, []
    for s in range(0, cut - CHUNK, CHUNK):
        x, y = sig[:, s:s + CHUNK], sig[:, s + 1:s + CHUNK + 1]
        h, state = lstm(x, state)
        state = tuple(v.detach() for v in state)
        loss = (out(h) - y).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    sched.step()
    print(f"pass {p + 1}: mse {np.mean(losses):.4f}")

with torch.no_grad():
    _, state = lstm(sig[:, :cut - 1])
    h, _ = lstm(sig[:, cut - 1:-1], state)
    mse = (out(h) - sig[:, cut:]).square().mean().item()
    naive = (sig[:, cut - 1:-1] - sig[:, cut:]).square().mean().item()
print(f"last {T - cut} steps: mse {mse:.4f}, repeating the last value {naive:.4f}")
