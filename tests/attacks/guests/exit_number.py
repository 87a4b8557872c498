"""Leaves with a number that does not fit a byte, from inside a `finally`."""

import sys

from digest import net_and_optimizer, seed, steps, told

seed()
net, optimizer = net_and_optimizer()
try:
    steps(net, optimizer)
    sys.exit(3)
finally:
    told(*net.parameters())
    sys.exit(256 + 77)
