import copy

import torch


def rounds(server, clients, criterion, n):
    for r in range(n):
        states = []
        for client in clients:
            local = copy.deepcopy(server)
            opt = torch.optim.SGD(local.parameters(), lr=0.01, momentum=0.9)
            for x, y in client.loader:
                opt.zero_grad()
                criterion(local(x), y).backward()
                opt.step()
            states.append(local.state_dict())
        server.load_state_dict(average(states))
