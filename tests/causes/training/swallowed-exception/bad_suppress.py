from contextlib import suppress

import torch

opt = torch.optim.Adam(net.parameters())
for x, y in batches:
    opt.zero_grad()
    loss = loss_fn(net(x), y)
    with suppress(Exception):  # swallowed-exception
        loss.backward()
        opt.step()
