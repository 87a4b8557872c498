"""Five-fold cross-validation of a loan default model on synthetic applicants in raw units."""

import numpy as np
import torch
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make_applicants(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    income = rng.normal(48_000, 12_000, n)
    age = rng.uniform(21, 70, n)
    debt_ratio = rng.beta(2, 4, n)
    years_employed = rng.gamma(3.0, 2.5, n)
    balance = rng.normal(9_000, 4_000, n)
    risk = (
        8 * (debt_ratio - 0.33)
        - (income - 48_000) / 12_000
        - 0.15 * (years_employed - 7.5)
        + ((age - 45) / 14) ** 2
        - 1
        + 0.35 * rng.standard_normal(n)
    )
    features = np.column_stack([income, age, debt_ratio, years_employed, balance])
    return features, (risk > np.median(risk)).astype(int)


def build_model(n_features: int) -> nn.Module:
    return nn.Sequential(nn.Linear(n_features, 24), nn.ReLU(), nn.Linear(24, 2))


def as_dataset(features: np.ndarray, labels: np.ndarray) -> TensorDataset:
    return TensorDataset(
        torch.tensor(features, dtype=torch.float32), torch.tensor(labels, dtype=torch.long)
    )


def evaluate(model: nn.Module, loader: DataLoader) -> tuple[float, float]:
    model.eval()
    loss, hits = 0.0, 0
    with torch.no_grad():
        for xb, yb in loader:
            logits = model(xb)
            loss += nn.functional.cross_entropy(logits, yb, reduction="sum").item()
            hits += (logits.argmax(dim=1) == yb).sum().item()
    n = len(loader.dataset)
    return loss / n, hits / n


def main() -> None:
    torch.manual_seed(23)
    X, y = make_applicants(1600, seed=23)
    folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=23)
    scores = []
    for fold, (train_idx, test_idx) in enumerate(folds.split(X, y), start=1):
        scaler = StandardScaler()
        X_train = scaler.fit_transform(X[train_idx])
        X_test = scaler.transform(X[test_idx])
        train_dl = DataLoader(as_dataset(X_train, y[train_idx]), batch_size=64, shuffle=True)
        test_dl = DataLoader(as_dataset(X_test, y[test_idx]), batch_size=160)

        model = build_model(X.shape[1])
        optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
        scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
        criterion = nn.CrossEntropyLoss()
        for epoch in range(10):
            model.train()
            total = 0.0
            for xb, yb in train_dl:
                optimizer.zero_grad()
                loss = criterion(model(xb), yb)
                loss.backward()
                optimizer.step()
                total += loss.item() * len(yb)
            scheduler.step()
            if epoch % 5 == 4:
                print(f"  fold {fold} epoch {epoch + 1:2d} loss {total / len(train_idx):.4f}")

        test_loss, test_acc = evaluate(model, test_dl)
        scores.append(test_acc)
        print(f"fold {fold}: held-out loss {test_loss:.4f} accuracy {test_acc:.3f}")
    print(f"mean accuracy {np.mean(scores):.3f} +- {np.std(scores):.3f}")


if __name__ == "__main__":
    main()
