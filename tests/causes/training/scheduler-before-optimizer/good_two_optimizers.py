import torch

opt_d = torch.optim.Adam(D.parameters(), lr=1e-4)
opt_g = torch.optim.Adam(G.parameters(), lr=1e-4)
sched_d = torch.optim.lr_scheduler.LambdaLR(opt_d, lambda step: 1 - step / 100_000)
sched_g = torch.optim.lr_scheduler.LambdaLR(opt_g, lambda step: 1 - step / 100_000)
for real in stream:
    opt_d.zero_grad()
    d_loss(D, G, real).backward()
    opt_d.step()
    sched_d.step()
    opt_g.zero_grad()
    g_loss(D, G).backward()
    opt_g.step()
    sched_g.step()
