import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn

env = gym.make("MountainCar-v0")
n_act = env.action_space.n
torch.manual_seed(0)
rng = np.random.default_rng(0)

q = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, n_act))
q_target = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, n_act))
q_target.load_state_dict(q.state_dict())
optim = torch.optim.Adam(q.parameters(), lr=1e-3)
memory, steps = [], 0

for episode in range(500):
    obs, info = env.reset(seed=episode)
    done = False
    while not done:
        if rng.random() < max(0.05, 1 - steps / 20000):
            a = int(rng.integers(n_act))
        else:
            with torch.no_grad():
                a = int(q(torch.as_tensor(obs)).argmax())
        next_obs, r, terminated, truncated, info = env.step(a)
        done = terminated or truncated
        memory.append((obs, a, r, next_obs, float(done)))
        obs = next_obs
        steps += 1
        if len(memory) >= 256:
            idx = rng.integers(len(memory), size=64)
            s, act, rew, s2, d = (torch.as_tensor(np.array(c)) for c in zip(*[memory[i] for i in idx]))
            with torch.no_grad():
                y = rew.float() + 0.99 * (1 - d.float()) * q_target(s2).max(1)[0]
            pred = q(s).gather(1, act.long()[:, None]).squeeze(1)
            loss = nn.functional.mse_loss(pred, y)
            optim.zero_grad()
            loss.backward()
            optim.step()
        if steps % 500 == 0:
            q_target.load_state_dict(q.state_dict())
