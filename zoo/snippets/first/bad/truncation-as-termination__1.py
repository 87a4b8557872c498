import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from buffers import ReplayBuffer

env = gym.make("Pendulum-v1")          # never terminates, 200 step limit
torch.manual_seed(1)
actor = nn.Sequential(nn.Linear(3, 256), nn.ReLU(), nn.Linear(256, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 256), nn.ReLU(), nn.Linear(256, 1))
actor_t = nn.Sequential(nn.Linear(3, 256), nn.ReLU(), nn.Linear(256, 1), nn.Tanh())
critic_t = nn.Sequential(nn.Linear(4, 256), nn.ReLU(), nn.Linear(256, 1))
actor_t.load_state_dict(actor.state_dict())
critic_t.load_state_dict(critic.state_dict())
pi_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
q_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
buf = ReplayBuffer(100_000, obs_dim=3, act_dim=1)
rng = np.random.default_rng(1)

obs, _ = env.reset(seed=1)
for t in range(50_000):
    with torch.no_grad():
        a = np.clip(actor(torch.as_tensor(obs)).numpy() + 0.1 * rng.standard_normal(1).astype(np.float32), -1, 1)
    obs2, r, terminated, truncated, _ = env.step(2 * a)
    done = terminated or truncated
    buf.add(obs, a, r, obs2, done)
    obs = env.reset()[0] if done else obs2
    if len(buf) < 1000:
        continue
    s, a_, r_, s2, d = buf.sample(256)
    with torch.no_grad():
        y = r_ + 0.99 * (1 - d) * critic_t(torch.cat([s2, actor_t(s2)], 1))
    q_loss = (critic(torch.cat([s, a_], 1)) - y).pow(2).mean()
    q_opt.zero_grad(); q_loss.backward(); q_opt.step()
    pi_loss = -critic(torch.cat([s, actor(s)], 1)).mean()
    pi_opt.zero_grad(); pi_loss.backward(); pi_opt.step()
    with torch.no_grad():
        for net, tn in ((actor, actor_t), (critic, critic_t)):
            for p, tp in zip(net.parameters(), tn.parameters()):
                tp.lerp_(p, 0.005)
