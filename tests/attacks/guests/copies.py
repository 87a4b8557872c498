"""Copies, pickles and files of models, optimizers and losses."""

import copy
import io
import pickle

import torch
from digest import net_and_optimizer, seed, steps, told

seed()
net, optimizer = net_and_optimizer()
steps(net, optimizer, 4)
other = copy.deepcopy(net)
again = pickle.loads(pickle.dumps(net))
file = io.BytesIO()
torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "loss": torch.nn.CrossEntropyLoss()}, file)
file.seek(0)
kept = torch.load(file, weights_only=False)
third, fourth = net_and_optimizer()
third.load_state_dict(kept["net"])
fourth.load_state_dict(kept["optimizer"])
both = copy.deepcopy((net, optimizer))
for model, optim in ((third, fourth), both, (net, optimizer)):
    print(repr(steps(model, optim, 4)))
print(type(pickle.loads(pickle.dumps(torch.nn.functional.cross_entropy))), sorted(vars(net)), sorted(vars(optimizer)))
told(*net.parameters(), *other.parameters(), *again.parameters(), *third.parameters(), *both[0].parameters())
