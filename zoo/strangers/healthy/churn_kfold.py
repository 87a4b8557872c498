import numpy as np, pandas as pd, torch, torch.nn as nn
from sklearn.compose import ColumnTransformer
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

SEED, FOLDS, EPOCHS, BS = 2024, 5, 10, 128
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)


def make_customers(n=5000):
    d = pd.DataFrame(dict(
        tenure=rng.gamma(2.0, 14.0, n),
        monthly=rng.normal(62, 22, n).clip(12),
        calls=rng.poisson(1.4, n).astype(float),
        gb_used=rng.lognormal(2.2, 0.8, n),
        plan=rng.choice(["basic", "plus", "family", "biz"], n, p=[.45, .3, .2, .05]),
        pay=rng.choice(["card", "debit", "invoice"], n, p=[.5, .35, .15]),
        region=rng.choice([f"R{i}" for i in range(8)], n),
    ))
    z = (-3.8 - 0.035 * d.tenure + 0.018 * (d.monthly - 62) + 0.55 * d.calls
         + 0.9 * (d.pay == "invoice") - 0.8 * (d.plan == "family")
         + 0.9 * ((d.calls > 2) & (d.tenure < 20)) + rng.normal(0, .6, n))
    y = (rng.random(n) < 1 / (1 + np.exp(-z.to_numpy()))).astype(int)
    d.loc[rng.random(n) < 0.06, "gb_used"] = np.nan
    d.loc[rng.random(n) < 0.03, "monthly"] = np.nan
    return d, y


df, y = make_customers()
num, cat = ["tenure", "monthly", "calls", "gb_used"], ["plan", "pay", "region"]
print("rows", len(df), "churn rate", round(y.mean(), 4))


def make_prep():
    return ColumnTransformer([
        ("num", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), num),
        ("cat", OneHotEncoder(handle_unknown="ignore", sparse_output=False), cat),
    ])


def make_net(d):
    return nn.Sequential(nn.Linear(d, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))


def fit(X, t):
    net = make_net(X.shape[1])
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-2)
    crit = nn.BCEWithLogitsLoss(pos_weight=((1 - t).sum() / t.sum()))
    for ep in range(EPOCHS):
        net.train()
        tot = 0.
        for b in torch.randperm(len(X)).split(BS):
            loss = crit(net(X[b]).squeeze(1), t[b])
            opt.zero_grad(); loss.backward(); opt.step()
            tot += loss.item() * len(b)
    return net, tot / len(X)


@torch.no_grad()
def predict(net, X):
    net.eval()
    return torch.sigmoid(net(X)).squeeze(1).numpy()


oof = np.zeros(len(y))
scores = []
for f, (tr, va) in enumerate(StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(df, y)):
    prep = make_prep()
    Xtr = torch.tensor(prep.fit_transform(df.iloc[tr]), dtype=torch.float32)
    Xva = torch.tensor(prep.transform(df.iloc[va]), dtype=torch.float32)
    net, last = fit(Xtr, torch.tensor(y[tr], dtype=torch.float32))
    oof[va] = predict(net, Xva)
    scores.append(roc_auc_score(y[va], oof[va]))
    print(f"fold {f}  train loss {last:.4f}  auc {scores[-1]:.4f}")

print(f"CV auc {np.mean(scores):.4f} +- {np.std(scores):.4f} | OOF auc {roc_auc_score(y, oof):.4f} (chance 0.5) "
      f"| OOF AP {average_precision_score(y, oof):.4f} (prevalence {y.mean():.4f})")
