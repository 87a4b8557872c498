import numpy as np
import pandas as pd
import torch
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

VITALS = ["heart_rate", "resp_rate", "spo2", "temp", "sbp", "lactate", "age", "creatinine"]


def ward_table(n=8000, seed=17):
    rng = np.random.default_rng(seed)
    t = pd.DataFrame({
        "heart_rate": rng.normal(84, 16, n),
        "resp_rate": rng.normal(18, 4, n),
        "spo2": 100 - rng.gamma(2.0, 1.6, n),
        "temp": rng.normal(37.0, 0.7, n),
        "sbp": rng.normal(124, 19, n),
        "lactate": rng.gamma(3.0, 0.6, n),
        "age": rng.uniform(20, 92, n),
        "creatinine": rng.gamma(5.0, 0.22, n),
    })
    z = (t - t.mean()) / t.std()
    sepsis = z.lactate + 0.8 * z.temp.abs() * z.heart_rate + 0.5 * z.resp_rate
    cardiac = -z.sbp * (z.age > 0) + 0.9 * z.creatinine - 0.4 * z.heart_rate
    resp = -1.4 * z.spo2 + 0.7 * z.resp_rate * z.age
    scores = np.stack([np.full(n, 0.6), sepsis, cardiac, resp], axis=1) + rng.normal(0, 0.15, (n, 4))
    t["team"] = scores.argmax(axis=1)
    return t


class TriageNet(nn.Module):
    def __init__(self, n_in, n_out, width=64, depth=3):
        super().__init__()
        blocks = []
        for i in range(depth):
            blocks += [nn.Linear(n_in if i == 0 else width, width), nn.GELU()]
        self.blocks = nn.Sequential(*blocks)
        self.readout = nn.Linear(width, n_out)

    def forward(self, x):
        return self.readout(self.blocks(x))


class Trainer:
    def __init__(self, train, val, lr=1e-3, batch_size=64, epochs=14):
        self.lr, self.epochs = lr, epochs
        self.mean, self.std = train[VITALS].mean(), train[VITALS].std()
        self.train_loader = DataLoader(self.dataset(train), batch_size=batch_size, shuffle=True)
        self.val_loader = DataLoader(self.dataset(val), batch_size=256)
        self.loss_fn = nn.CrossEntropyLoss()

    def dataset(self, df):
        x = ((df[VITALS] - self.mean) / self.std).to_numpy(np.float32)
        return TensorDataset(torch.tensor(x), torch.tensor(df["team"].to_numpy()))

    def setup(self):
        self.model = TriageNet(len(VITALS), 4)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=self.lr, weight_decay=1e-4)

    def run_epoch(self):
        self.model.train()
        losses, sizes = [], []
        for x, y in self.train_loader:
            loss = self.loss_fn(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
            sizes.append(len(y))
        return np.average(losses, weights=sizes)

    def validate(self, loader):
        self.model.eval()
        hits, total, loss = 0, 0, 0.0
        with torch.no_grad():
            for x, y in loader:
                out = self.model(x)
                loss += self.loss_fn(out, y).item() * len(y)
                hits += (out.argmax(1) == y).sum().item()
                total += len(y)
        return loss / total, hits / total

    def fit(self):
        history = []
        for epoch in range(self.epochs):
            self.setup()
            train_loss = self.run_epoch()
            val_loss, val_acc = self.validate(self.val_loader)
            history.append({"epoch": epoch + 1, "train_loss": train_loss, "val_loss": val_loss, "val_acc": val_acc})
            print("epoch {epoch:>2}: train_loss={train_loss:.4f} val_loss={val_loss:.4f} val_acc={val_acc:.3f}".format(**history[-1]))
        return pd.DataFrame(history).set_index("epoch")


if __name__ == "__main__":
    torch.manual_seed(3)
    torch.set_num_threads(1)
    table = ward_table()
    train, hold = train_test_split(table, test_size=0.3, stratify=table.team, random_state=3)
    val, test = train_test_split(hold, test_size=0.5, stratify=hold.team, random_state=3)
    trainer = Trainer(train, val)
    hist = trainer.fit()
    print(hist.tail(3).round(4))
    loss, acc = trainer.validate(DataLoader(trainer.dataset(test), batch_size=256))
    print(f"test: loss={loss:.4f} acc={acc:.3f}")
