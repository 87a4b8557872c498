"""Q-learning with a target network on a five-cell walk, replay in plain lists."""
import copy
import random
import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
N = 5
eye = torch.eye(N)
q = nn.Sequential(nn.Linear(N, 32), nn.ReLU(), nn.Linear(32, 2))
target = copy.deepcopy(q).requires_grad_(False)
opt = torch.optim.Adam(q.parameters(), lr=3e-3)
replay, s, eps = [], 0, 1.0


def move(s, a):
    n = max(0, s - 1) if a == 0 else s + 1
    return (0, 1.0, True) if n == N else (n, 0.0, False)


for t in range(1500):
    a = random.randrange(2) if random.random() < eps else int(q(eye[s]).argmax())
    n, r, done = move(s, a)
    replay.append((s, a, r, n, float(done)))
    s = 0 if done else n
    eps = max(0.1, eps * 0.997)
    if len(replay) >= 64:
        S, A, R, Nx, Dn = map(torch.tensor, zip(*random.sample(replay, 32)))
        with torch.no_grad():
            y = R + 0.9 * (1 - Dn) * target(eye[Nx]).max(1).values
        loss = nn.functional.smooth_l1_loss(q(eye[S]).gather(1, A[:, None]).squeeze(1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if t % 50 == 0:
        target.load_state_dict(q.state_dict())
    if t % 300 == 299:
        print(t + 1, f"{loss.item():.5f}")

s, total = 0, 0.0
for _ in range(N):
    s, r, done = move(s, int(q(eye[s]).argmax()))
    total += r
    if done:
        break
print(f"greedy return {total:.2f}")
