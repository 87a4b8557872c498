# %% [markdown]
# # Expected heating cost of a two-room flat
# The temperature error of each room drifts back to its set point and is disturbed by wind.
# We learn the discounted cost-to-go V(s) of the present controller from logged transitions, TD(0).
# For this system V is known in closed form, so the estimate can be judged on new states.

# %%
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(3)
GAMMA = 0.9
DECAY = np.array([0.9, 0.7])
NOISE = np.sqrt(1 - DECAY ** 2)          # stationary variance 1 in both rooms
WEIGHT = np.array([0.2, 0.1])            # price of a squared degree in each room


# %%
def rollout(steps, homes, rng):
    s = rng.standard_normal((homes, 2))
    states, costs, following = [], [], []
    for _ in range(steps):
        nxt = DECAY * s + NOISE * rng.standard_normal((homes, 2))
        states.append(s)
        costs.append((WEIGHT * s ** 2).sum(1))
        following.append(nxt)
        s = nxt
    cat = lambda parts: torch.tensor(np.concatenate(parts), dtype=torch.float32)
    return cat(states), cat(costs), cat(following)


def exact_value(s):
    s = s.numpy().astype(np.float64)
    k = 1 / (1 - GAMMA * DECAY ** 2)
    v = WEIGHT * (k * s ** 2 + (1 / (1 - GAMMA) - k))
    return torch.tensor(v.sum(1), dtype=torch.float32)


log_states, log_costs, log_next = rollout(200, 200, np.random.default_rng(0))
new_states, _, _ = rollout(40, 50, np.random.default_rng(1))
truth = exact_value(new_states)
print("logged transitions:", len(log_states), " mean cost:", round(log_costs.mean().item(), 3))


# %%
class Value(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(2, hidden), nn.Tanh(),
            nn.Linear(hidden, hidden), nn.Tanh(),
            nn.Linear(hidden, 1),
        )

    def forward(self, s):
        return self.net(s).squeeze(-1)


value = Value()
optim = torch.optim.Adam(value.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(optim, T_max=4000, eta_min=5e-5)


def r2():
    with torch.no_grad():
        est = value(new_states)
    return 1 - ((est - truth) ** 2).mean().item() / truth.var().item()


# %%
running = 0.0
for step in range(1, 4001):
    idx = torch.randint(0, len(log_states), (256,))
    s, c, s2 = log_states[idx], log_costs[idx], log_next[idx]

    v = value(s)
    target = c + GAMMA * value(s2)
    loss = ((v - target) ** 2).mean()

    optim.zero_grad()
    loss.backward()
    optim.step()
    sched.step()

    running += loss.item()
    if step % 500 == 0:
        print(f"step {step:5d}  td loss {running / 500:.4f}  R2 on new states {r2():.3f}")
        running = 0.0

# %%
with torch.no_grad():
    est = value(new_states)
rmse = ((est - truth) ** 2).mean().sqrt().item()
print(f"new states: RMSE {rmse:.3f} (spread of the true values {truth.std().item():.3f})  R2 {r2():.3f}")
