"""Autocast to bfloat16 with a GradScaler, which skips nothing on this device but is asked everywhere."""

import torch
from digest import net_and_optimizer, seed, told

seed()
net, optimizer = net_and_optimizer()
scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
for turn in range(12):
    x, y = torch.randn(8, 6), torch.randint(3, (8,))
    optimizer.zero_grad(set_to_none=turn % 2 == 0)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = net(x)
        loss = torch.nn.functional.cross_entropy(out.float(), y)
    scaler.scale(loss if turn != 5 else loss * float("inf")).backward()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    print(out.dtype, repr(loss.item()), repr(norm.item()), scaler.get_scale())
told(*net.parameters())
