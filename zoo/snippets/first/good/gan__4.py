# hinge GAN, the generator goes first and its graph is reused for the discriminator's input
import torch
import torch.nn.functional as F

for step in range(total_steps):
    real = next(images).to(device)
    z = torch.randn(real.size(0), 128, device=device)

    opt_g.zero_grad(set_to_none=True)
    fake = gen(z)
    g_loss = -disc(fake).mean()
    g_loss.backward()
    opt_g.step()

    # clears what the generator's loss left in the discriminator
    opt_d.zero_grad(set_to_none=True)
    d_loss = F.relu(1 - disc(real)).mean() + F.relu(1 + disc(fake.detach())).mean()
    d_loss.backward()
    opt_d.step()

    if step % 1000 == 0:
        gen.eval()
        with torch.no_grad():
            save_grid(gen(fixed_z), f"samples/{step:06d}.png")
        gen.train()
