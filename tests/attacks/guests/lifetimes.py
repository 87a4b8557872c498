"""When objects die: weak references, reference counts, with the collector switched off."""

import gc
import sys
import weakref

import torch
from digest import net_and_optimizer, seed, steps, told

seed()
gc.disable()
net, optimizer = net_and_optimizer()
steps(net, optimizer, 10)
x = torch.randn(8, 6)
out = net(x)
loss = torch.nn.functional.cross_entropy(out, torch.randint(3, (8,)))
print(sys.getrefcount(out), sys.getrefcount(loss), sys.getrefcount(net))
alive = [weakref.ref(thing) for thing in (x, out, loss)]
loss.backward()
optimizer.step()
optimizer.zero_grad()
del x, out, loss
print([ref() is None for ref in alive])
gone = weakref.ref(net), weakref.ref(optimizer)
weights = [part.detach().clone() for part in net.parameters()]
del net, optimizer
print([ref() is None for ref in gone])
gc.enable()
told(*weights)
