import torch
from torch import nn


def average(states):
    return {k: sum(s[k] for s in states) / len(states) for k in states[0]}


server = nn.Linear(8, 2)
for rnd in range(10):
    states = []
    for client in clients:
        local = nn.Linear(8, 2)
        local.load_state_dict(server.state_dict())
        opt = torch.optim.SGD(local.parameters(), lr=0.1)
        for x, y in client:
            loss = nn.functional.cross_entropy(local(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        states.append(local.state_dict())
    server.load_state_dict(average(states))
