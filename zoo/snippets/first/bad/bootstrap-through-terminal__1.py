import copy
import random
from collections import deque, namedtuple

import gymnasium as gym
import torch
import torch.nn as nn

Step = namedtuple("Step", "s a r s2 terminated")


def main(gamma=0.99, total=80_000):
    random.seed(0)
    torch.manual_seed(0)
    env = gym.make("LunarLander-v3")
    env.action_space.seed(0)
    net = nn.Sequential(nn.Linear(8, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 4))
    tgt = copy.deepcopy(net)
    opt = torch.optim.Adam(net.parameters(), lr=5e-4)
    buf = deque(maxlen=100_000)
    s, _ = env.reset(seed=0)
    for i in range(total):
        eps = max(0.02, 1 - i / 30_000)
        with torch.no_grad():
            a = env.action_space.sample() if random.random() < eps else int(net(torch.tensor(s)).argmax())
        s2, r, terminated, truncated, _ = env.step(a)
        buf.append(Step(s, a, r, s2, terminated))
        s = env.reset()[0] if terminated or truncated else s2
        if len(buf) >= 2000:
            b = Step(*zip(*random.sample(buf, 128)))
            S = torch.stack([torch.tensor(v) for v in b.s])
            S2 = torch.stack([torch.tensor(v) for v in b.s2])
            A, R = torch.tensor(b.a).unsqueeze(1), torch.tensor(b.r, dtype=torch.float32)
            q = net(S).gather(1, A).squeeze(1)
            with torch.no_grad():
                y = R + gamma * tgt(S2).max(1)[0]
            loss = nn.functional.smooth_l1_loss(q, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        if i % 1000 == 0:
            tgt.load_state_dict(net.state_dict())


main()
