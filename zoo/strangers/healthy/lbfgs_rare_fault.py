# Rare pump faults (about 6 %): full-batch L-BFGS with a closure, weighted loss written by hand, threshold on the logit.
import torch
from sklearn.datasets import make_classification
from sklearn.metrics import average_precision_score, balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

torch.manual_seed(77)
torch.set_default_dtype(torch.float64)

X, y = make_classification(n_samples=12000, n_features=10, n_informative=6, n_redundant=0, n_clusters_per_class=2,
                           weights=[0.94], class_sep=1.6, flip_y=0.005, random_state=77)
X_rest, X_test, y_rest, y_test = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
X_fit, X_val, y_fit, y_val = train_test_split(X_rest, y_rest, test_size=0.2, stratify=y_rest, random_state=0)

prep = make_pipeline(PolynomialFeatures(2, include_bias=False), StandardScaler())
A_fit, A_val, A_test = (torch.as_tensor(a) for a in (prep.fit_transform(X_fit), prep.transform(X_val), prep.transform(X_test)))
t_fit, t_val = torch.as_tensor(y_fit, dtype=torch.float64), torch.as_tensor(y_val, dtype=torch.float64)

# each class carries half of the total weight
w_pos, w_neg = 0.5 / t_fit.mean(), 0.5 / (1 - t_fit.mean())


class Faults(torch.nn.Module):
    def __init__(self, d, h=10):
        super().__init__()
        self.wide = torch.nn.Linear(d, 1)
        self.deep = torch.nn.Sequential(torch.nn.Linear(d, h), torch.nn.Tanh(), torch.nn.Linear(h, 1))

    def forward(self, a):
        return (self.wide(a) + self.deep(a))[:, 0]


def weighted(z, t):
    w = torch.where(t > 0.5, w_pos, w_neg)
    # log(1 + exp(-|z|)) never overflows
    per_row = z.clamp(min=0) - z * t + torch.log1p(torch.exp(-z.abs()))
    return (w * per_row).sum() / w.sum()


model = Faults(A_fit.shape[1])
opt = torch.optim.LBFGS(model.parameters(), lr=1.0, max_iter=10, history_size=20, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    penalty = 4e-3 * sum(p.square().sum() for p in model.parameters())
    value = weighted(model(A_fit), t_fit) + penalty
    value.backward()
    return value


before = float("inf")
for outer in range(40):
    value = opt.step(closure).item()
    with torch.no_grad():
        z = model(A_val)
        print(f"round {outer:2d}  objective {value:.5f}  val loss {weighted(z, t_val).item():.5f}")
    if before - value < 1e-5:
        print("converged")
        break
    before = value

model.eval()
with torch.no_grad():
    z = model(A_test).numpy()
print(f"test: average precision {average_precision_score(y_test, z):.3f} (share of faults {y_test.mean():.3f}), "
      f"balanced accuracy {balanced_accuracy_score(y_test, z > 0):.3f}")
