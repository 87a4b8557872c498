"""Numbers of the model, compared with something of unknown making, put into a tensor anew."""

import numpy as np
import torch


def fit_values(critic, optimizer, states, returns):
    values = np.stack([value.detach().numpy() for value in critic(states)])  # loss-disconnected
    error = np.square(values - returns).mean()
    loss = torch.tensor(error, requires_grad=True)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
