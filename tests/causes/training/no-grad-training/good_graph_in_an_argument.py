"""What the caller hands over carries the graph; the part without recording is only what it is compared with."""

import torch
import torch.nn.functional as F


class Learner:
    def __init__(self, critic, optimizer, discount):
        self.critic = critic
        self.optimizer = optimizer
        self.discount = discount

    def improve(self, estimates, payments, final_state):
        with torch.no_grad():
            ahead = self.critic(final_state)
        total = 0.0
        for estimate, payment in zip(reversed(estimates), reversed(payments)):
            ahead = payment + self.discount * ahead
            total = total + 0.5 * (estimate - ahead) ** 2
        self.optimizer.zero_grad()
        total.backward()
        self.optimizer.step()


@torch.inference_mode()
def anchor(reference, tokens):
    return reference(tokens)


def pull_back(reference, scores, tokens, optimizer):
    penalty = F.mse_loss(anchor(reference, tokens), scores)
    optimizer.zero_grad(set_to_none=True)
    penalty.backward()
    optimizer.step()


def regularise(frozen, criterion, made_with_graph, optimizer, inputs):
    with torch.no_grad():
        wanted = frozen(inputs)
    objective = criterion(wanted, made_with_graph)
    objective.backward()
    optimizer.step()
    optimizer.zero_grad()
