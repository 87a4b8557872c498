# k1/k2 truncated back-propagation: losses of a window are summed before one backward
import torch

for epoch in range(n_epochs):
    h = cell_init(batch)
    window = 0.0
    for t in range(T):
        h = cell(xs[:, t], h)
        window = window + criterion(head(h), ys[:, t])
        if (t + 1) % k == 0 or t == T - 1:
            opt.zero_grad()
            window.backward()
            torch.nn.utils.clip_grad_norm_(params, 1.0)
            opt.step()
            h = h.detach()
            window = 0.0
