import gymnasium as gym
import torch
import torch.nn.functional as F

from agents import Actor, Critic, Replay

env = gym.make("Pendulum-v1")
actor, critic = Actor(3, 1), Critic(3, 1)
actor_t, critic_t = Actor(3, 1), Critic(3, 1)
opt_q = torch.optim.Adam(critic.parameters(), lr=1e-3)
replay = Replay(100_000)
obs, _ = env.reset(seed=1)
for t in range(50_000):
    act = actor(torch.as_tensor(obs)).detach().numpy()
    nxt, rew, terminated, truncated, _ = env.step(act)
    replay.add(obs, act, rew, nxt)
    obs = nxt if not truncated else env.reset()[0]
    o, a, r, o2 = replay.sample(256)
    with torch.no_grad():
        y = r + 0.98 * critic_t(o2, actor_t(o2)).squeeze(-1)
    loss = F.mse_loss(critic(o, a).squeeze(-1), y)
    opt_q.zero_grad()
    loss.backward()
    opt_q.step()
