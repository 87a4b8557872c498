import random, collections
import gymnasium as gym, numpy as np, torch
from torch import nn

random.seed(0)
np.random.seed(0)
torch.manual_seed(0)
env = gym.make("CartPole-v1")
q = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
target = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
target.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
buf = collections.deque(maxlen=10000)
returns = []
obs, _ = env.reset(seed=0)
ret = 0
for step in range(4000):
    eps = max(0.05, 1 - step / 2000)
    with torch.no_grad():
        a = env.action_space.sample() if random.random() < eps else q(torch.as_tensor(obs)).argmax().item()
    nxt, r, term, trunc, _ = env.step(a)
    buf.append((obs, a, r, nxt, term))
    obs = nxt
    ret += r
    if term or trunc:
        returns.append(ret)
        ret = 0
        obs, _ = env.reset()
    if step > 500 and step % 2 == 0:
        batch = random.sample(buf, 64)
        o, a, r, n, d = (torch.as_tensor(np.array(z), dtype=torch.float32) for z in zip(*batch))
        with torch.no_grad():
            y = r + 0.99 * (1 - d) * target(n).max(1).values
        pred = q(o).gather(1, a.long()[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(pred, y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(q.parameters(), 10)
        opt.step()
    if step % 200 == 0:
        target.load_state_dict(q.state_dict())
    if step % 1000 == 999:
        print(step + 1, "return", np.mean(returns[-20:]))
