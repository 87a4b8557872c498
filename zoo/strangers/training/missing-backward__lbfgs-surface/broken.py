"""Neural response surface for the Friedman benchmark, fitted with L-BFGS.

Full-batch second order fitting converges in a few dozen outer iterations on
problems of this size, so there is no data loader here.
"""
import numpy as np
import torch
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from torch import nn

SEED = 7
RIDGE = 3e-4
OUTER_ITERATIONS = 30


def load(seed):
    features, response = make_friedman1(n_samples=3000, n_features=8, noise=0.8, random_state=seed)
    f_fit, f_rest, r_fit, r_rest = train_test_split(features, response, test_size=0.4, random_state=seed)
    f_val, f_test, r_val, r_test = train_test_split(f_rest, r_rest, test_size=0.5, random_state=seed)
    f_mean, f_std = f_fit.mean(0), f_fit.std(0)
    r_mean, r_std = r_fit.mean(), r_fit.std()

    def prepare(f, r):
        f = torch.tensor((f - f_mean) / f_std, dtype=torch.float32)
        r = torch.tensor((r - r_mean) / r_std, dtype=torch.float32).unsqueeze(1)
        return f, r

    return prepare(f_fit, r_fit), prepare(f_val, r_val), prepare(f_test, r_test)


class Surface(nn.Module):
    def __init__(self, n_in, width=20):
        super().__init__()
        self.inner = nn.Linear(n_in, width)
        self.mid = nn.Linear(width, width)
        self.outer = nn.Linear(width, 1)

    def forward(self, x):
        h = torch.tanh(self.inner(x))
        h = torch.tanh(self.mid(h))
        return self.outer(h)


def penalty(model):
    return sum((p ** 2).sum() for name, p in model.named_parameters() if name.endswith("weight"))


def r_squared(model, x, y):
    model.eval()
    with torch.no_grad():
        residual = ((model(x) - y) ** 2).sum()
        total = ((y - y.mean()) ** 2).sum()
    model.train()
    return (1 - residual / total).item()


def main():
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    (x, y), (xv, yv), (xt, yt) = load(SEED)
    model = Surface(x.shape[1])
    criterion = nn.MSELoss()
    optimizer = torch.optim.LBFGS(
        model.parameters(), lr=1.0, max_iter=10, history_size=15, line_search_fn="strong_wolfe"
    )

    def closure():
        optimizer.zero_grad()
        prediction = model(x)
        loss = criterion(prediction, y) + RIDGE * penalty(model)
        return loss

    for it in range(1, OUTER_ITERATIONS + 1):
        objective = optimizer.step(closure)
        if it % 2 == 0:
            with torch.no_grad():
                val = criterion(model(xv), yv)
            print(f"iteration {it:3d}  objective {objective.item():.4f}  validation mse {val.item():.4f}")

    print(f"R^2 on the fitting set   {r_squared(model, x, y):.3f}")
    print(f"R^2 on the held-out set  {r_squared(model, xt, yt):.3f}")


if __name__ == "__main__":
    main()
