import torch
from torch import nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 64)
        self.pi = nn.Linear(64, 2)
        self.v = nn.Linear(64, 1)

    def forward(self, obs):
        h = torch.tanh(self.body(obs))
        return self.pi(h), self.v(h).squeeze(-1)


def update(model, optimizer, obs, actions, returns):
    logits, value = model(obs)
    advantage = returns - value
    log_prob = Categorical(logits=logits).log_prob(actions)
    policy_loss = -(log_prob * advantage).mean()  # missing-detach
    value_loss = advantage.pow(2).mean()
    optimizer.zero_grad()
    (policy_loss + 0.5 * value_loss).backward()
    optimizer.step()


model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters())
for batch in rollouts:
    update(model, optimizer, *batch)
