"""Pick the best of the allowed doors; which doors are allowed changes every round."""
import torch
import torch.nn as nn

torch.manual_seed(37)
DOORS = 6
worth = torch.tensor([0.1, 0.9, 0.3, 0.7, 0.5, 0.2])


def rounds(n):
    allowed = torch.rand(n, DOORS) < 0.6
    allowed[torch.arange(n), torch.randint(0, DOORS, (n,))] = True
    return allowed


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(DOORS, 32), nn.ReLU(), nn.Linear(32, DOORS))

    def forward(self, allowed):
        scores = self.net(allowed.float())
        return torch.softmax(scores.masked_fill(~allowed, float("-inf")), dim=-1)


policy = Policy()
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
baseline = 0.5
for it in range(300):
    allowed = rounds(48)
    p = policy(allowed)
    door = torch.multinomial(p.nan_to_num(1.0), 1)
    reward = worth[door.squeeze(1)]
    logp = p.gather(1, door).squeeze(1).log()
    entropy = -(p * p.log()).sum(-1)
    loss = -(logp * (reward - baseline)).mean() - 0.01 * entropy.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    baseline = 0.95 * baseline + 0.05 * reward.mean().item()
    if it % 60 == 0:
        print(f"round {it} loss {loss.item():.4f} reward {baseline:.3f}")
with torch.no_grad():
    allowed = rounds(500)
    best = torch.where(allowed, worth, torch.tensor(-1.0)).max(1).values
    got = worth[policy(allowed).nan_to_num(0.0).argmax(1)]
print(f"greedy reward {(got / best).mean().item():.3f}")
