"""A compiled model: the same graphs, without a break or a compilation more."""

import torch
from digest import seed, told
from torch._dynamo.utils import counters

seed()
net = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.Tanh(), torch.nn.Linear(12, 3))
fast = torch.compile(net, backend="aot_eager")
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(12):
    loss = fast(torch.randn(8, 6)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(repr(loss.item()))
print(dict(counters["stats"]), dict(counters["graph_break"]))
told(*net.parameters())
