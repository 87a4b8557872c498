import torch
from torch import nn

critic = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 1))
gen = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))
opt_c = torch.optim.RMSprop(critic.parameters(), lr=5e-5)
opt_g = torch.optim.RMSprop(gen.parameters(), lr=5e-5)
for real in batches:
    fake = gen(torch.randn(len(real), 8))
    opt_c.zero_grad()
    c_loss = critic(fake.detach()).mean() - critic(real).mean()
    c_loss.backward()
    opt_c.step()
    opt_g.zero_grad()
    g_loss = -critic(fake).mean()
    g_loss.backward()
    opt_g.step()
