"""Fitted value learning on a ten-cell corridor: reward 1 for stepping off the right end."""
import torch
import torch.nn as nn

torch.manual_seed(4)
N, GAMMA = 10, 0.9
eye = torch.eye(N)


def rollout(n):
    s = torch.randint(0, N, (n,))
    move = torch.where(torch.rand(n) < 0.5, 1, -1)
    nxt = (s + move).clamp(min=0)
    done = nxt >= N
    return s, done.float(), nxt.clamp(max=N - 1), done.float()


# exact values of the random policy
P = torch.zeros(N, N)
r = torch.zeros(N)
for i in range(N):
    P[i, max(i - 1, 0)] += 0.5
    if i + 1 < N:
        P[i, i + 1] += 0.5
    else:
        r[i] += 0.5
exact = torch.linalg.solve(eye - GAMMA * P, r)

value = nn.Linear(N, 1, bias=False)
opt = torch.optim.SGD(value.parameters(), lr=2.0)
for it in range(3000):
    s, reward, nxt, done = rollout(32)
    v = value(eye[s]).squeeze(1)
    target = reward + GAMMA * (1 - done) * value(eye[nxt]).squeeze(1)
    loss = (v - target).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    for group in opt.param_groups:
        group["lr"] = 2.0 / (1 + it / 300)
    if it % 600 == 0:
        print(it, f"{loss.item():.4f}")
with torch.no_grad():
    err = ((value(eye).squeeze(1) - exact).abs().sum() / exact.sum()).item()
print(f"value error {err:.3f}")
