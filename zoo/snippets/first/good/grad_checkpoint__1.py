import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint


class DeepNet(nn.Module):
    def __init__(self, dim=512, depth=48):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim)) for _ in range(depth))
        self.head = nn.Linear(dim, 10)

    def forward(self, x):
        for b in self.blocks:
            if self.training:
                x = x + checkpoint(b, x, use_reentrant=False)
            else:
                x = x + b(x)
        return self.head(x)


net = torch.compile(DeepNet().cuda())
opt = torch.optim.AdamW(net.parameters(), lr=1e-4)
for x, y in loader:
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(net(x.cuda()), y.cuda())
    opt.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
