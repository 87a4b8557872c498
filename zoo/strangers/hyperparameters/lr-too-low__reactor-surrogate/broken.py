# %% [markdown]
# Surrogate of a plug-flow reactor, A -> B -> C with Arrhenius rates.
# The process optimiser calls the yield of B thousands of times, the ODE is too slow for that.

# %%
import math
import numpy as np
import torch

SEED = 3
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)
torch.set_default_dtype(torch.float64)

R = 8.314e-3  # kJ / mol / K


def reactor(T, tau, c0, w):
    """Closed form for consecutive first-order steps; w is the water fraction that slows the first step."""
    k1 = np.exp(13.0 - 52.0 / (R * T)) / (1.0 + 6.0 * w)
    k2 = np.exp(17.5 - 74.0 / (R * T))
    k2 = np.where(np.abs(k1 - k2) < 1e-9, k2 * 1.0001, k2)
    return c0 * k1 / (k2 - k1) * (np.exp(-k1 * tau) - np.exp(-k2 * tau))


def experiments(n):
    T = rng.uniform(430.0, 560.0, n)
    tau = 10 ** rng.uniform(-0.5, 1.7, n)
    c0 = rng.uniform(0.2, 1.5, n)
    w = rng.uniform(0.0, 0.6, n)
    y = reactor(T, tau, c0, w)
    return np.stack([1000.0 / T, np.log10(tau), c0, w], 1), y + rng.normal(0, 0.005, n)


# %%
X, Y = experiments(2400)
Xv, Yv = experiments(500)
Xt, Yt = experiments(2000)

x_mu, x_sd, y_mu, y_sd = X.mean(0), X.std(0), Y.mean(), Y.std()


def scaled(x, y):
    return torch.from_numpy((x - x_mu) / x_sd), torch.from_numpy((y - y_mu) / y_sd).unsqueeze(1)


X, Y = scaled(X, Y)
Xv, Yv = scaled(Xv, Yv)
Xt, Yt = scaled(Xt, Yt)

# %%
net = torch.nn.Sequential(
    torch.nn.Linear(4, 24), torch.nn.Tanh(),
    torch.nn.Linear(24, 24), torch.nn.Tanh(),
    torch.nn.Linear(24, 1),
)
for layer in net:
    if isinstance(layer, torch.nn.Linear):
        torch.nn.init.xavier_normal_(layer.weight)
        torch.nn.init.zeros_(layer.bias)

ridge = 1e-7
opt = torch.optim.LBFGS(net.parameters(), lr=3e-5, max_iter=6, history_size=30, tolerance_grad=1e-9, tolerance_change=1e-12)


def objective():
    misfit = (net(X) - Y).square().mean()
    return misfit + ridge * sum(p.square().sum() for p in net.parameters())


def closure():
    opt.zero_grad()
    value = objective()
    value.backward()
    return value


@torch.no_grad()
def rmse(x, y):
    net.eval()
    return (net(x) - y).square().mean().sqrt().item() * y_sd


# %%
SWEEPS = 300
for sweep in range(1, SWEEPS + 1):
    net.train()
    value = opt.step(closure)
    if sweep % 25 == 0 or sweep == 1:
        print(f"sweep {sweep:3d}   objective {value.item():.6f}   validation rmse {rmse(Xv, Yv):.5f} mol/l")

# %%
pred_err = rmse(Xt, Yt)
r2 = 1.0 - pred_err ** 2 / (Yt.var().item() * y_sd ** 2)
print(f"test rmse {pred_err:.5f} mol/l, R2 {r2:.4f}, spread of the target {math.sqrt(Yt.var().item()) * y_sd:.4f}")
