import gymnasium as gym
import torch
import torch.nn.functional as F
from torch import nn

env = gym.make("CartPole-v1")
net, lagged = nn.Linear(4, 2), nn.Linear(4, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
buffer = []
obs, _ = env.reset()
for step in range(5000):
    action = env.action_space.sample()
    nxt, reward, terminated, truncated, _ = env.step(action)
    ended = terminated or truncated
    buffer.append((obs, action, reward, nxt, terminated, ended))
    obs = env.reset()[0] if ended else nxt
    rows = [buffer[i] for i in torch.randint(len(buffer), (32,))]
    o, a, r, o2, died, _ = (torch.as_tensor(column) for column in zip(*rows))
    with torch.no_grad():
        y = r + 0.99 * lagged(o2).amax(1) * (~died)
    loss = F.mse_loss(net(o).gather(1, a[:, None])[:, 0], y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
