import torch
from nets import Critic, Painter

torch.manual_seed(1)
painter = Painter(64).cuda()
critic = Critic().cuda()
opt_p = torch.optim.RMSprop(painter.parameters(), lr=5e-5)
opt_c = torch.optim.RMSprop(critic.parameters(), lr=5e-5)
for real in pictures:
    opt_c.zero_grad()
    drawn = painter(torch.randn(real.shape[0], 64).cuda())
    gap = critic(drawn.detach()).mean() - critic(real).mean()
    gap.backward()
    opt_c.step()
    opt_p.zero_grad()
    (-critic(drawn).mean()).backward()
    opt_p.step()
for real in pictures:
    opt_c.zero_grad()
    drawn = painter(torch.randn(real.shape[0], 64).cuda())
    gap = critic(drawn).mean() - critic(real).mean()
    gap.backward(retain_graph=True)
    opt_c.step()
    opt_p.zero_grad()
    (-critic(drawn).mean()).backward()
    opt_p.step()
