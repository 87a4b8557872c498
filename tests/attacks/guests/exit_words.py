"""Leaves with words: they go to standard error, and the code is 1."""

import sys

from digest import net_and_optimizer, seed, steps, told

seed()
net, optimizer = net_and_optimizer()
steps(net, optimizer)
told(*net.parameters())
sys.exit("the loss did not fall")
