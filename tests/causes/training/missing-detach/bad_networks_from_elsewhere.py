import torch
from nets import Critic, Painter

painter = Painter(64).cuda()
critic = Critic().cuda()
opt_p = torch.optim.RMSprop(painter.parameters(), lr=5e-5)
opt_c = torch.optim.RMSprop(critic.parameters(), lr=5e-5)
for real in pictures:
    opt_p.zero_grad()
    opt_c.zero_grad()
    drawn = painter(torch.randn(real.shape[0], 64).cuda())
    gap = critic(drawn).mean() - critic(real).mean()  # missing-detach
    gap.backward(retain_graph=True)
    opt_c.step()
    (-critic(drawn).mean()).backward()
    opt_p.step()
