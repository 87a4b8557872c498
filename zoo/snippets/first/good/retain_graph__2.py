import torch
import torch.nn.functional as F

# encoder is shared: the two heads have their own optimizers
opt_a = torch.optim.Adam(head_a.parameters(), lr=1e-3)
opt_b = torch.optim.Adam(head_b.parameters(), lr=1e-3)
opt_e = torch.optim.Adam(encoder.parameters(), lr=1e-4)

for x, ya, yb in loader:
    z = encoder(x)
    loss_a = F.cross_entropy(head_a(z), ya)
    loss_b = F.mse_loss(head_b(z).squeeze(1), yb)
    for o in (opt_a, opt_b, opt_e):
        o.zero_grad()
    loss_a.backward(retain_graph=True)
    loss_b.backward()
    for o in (opt_a, opt_b, opt_e):
        o.step()
